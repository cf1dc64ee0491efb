// Three ways to read a register of another lane. Lane t of each warp gives away x[t].
//
//   x         int[blockDim.x], only read; thread t owns x[t]
//   down      int[blockDim.x], written; down[t] is what lane t received from 4 lanes further up
//   exchange  int[blockDim.x], written; exchange[t]: from the lane whose number differs in bit 2
//   zero      int[blockDim.x], written; zero[t]: from lane 0
//   block     whole warps; one block
extern "C" __global__ void give_and_take(const int* x, int* down, int* exchange, int* zero) {
    const unsigned everyone = 0xffffffff;  // one bit per lane: all 32 take part
    const int thread = threadIdx.x;
    const int value = x[thread];  // in a register: nobody else can address it

    down[thread] = __shfl_down_sync(everyone, value, 4);     // from lane + 4
    exchange[thread] = __shfl_xor_sync(everyone, value, 4);  // from lane ^ 4
    zero[thread] = __shfl_sync(everyone, value, 0);          // from lane 0
}
