// Three ways to read a register of another lane. Lane t of each warp gives x[t].
//
//   x         int[blockDim.x], only read; thread t owns x[t]
//   down      int[blockDim.x], written; down[t] is the value from lane t + 4
//   exchange  int[blockDim.x], written; exchange[t] is the value from lane t ^ 4
//   zero      int[blockDim.x], written; zero[t] is the value from lane 0
//   block     whole warps; one block
extern "C" __global__ void give_and_take(const int* x, int* down, int* exchange, int* zero) {
    const unsigned full_mask = 0xffffffff;  // one bit per lane: all 32 take part
    const int thread = threadIdx.x;
    const int value = x[thread];  // in a register, which has no address

    down[thread] = __shfl_down_sync(full_mask, value, 4);     // from lane + 4
    exchange[thread] = __shfl_xor_sync(full_mask, value, 4);  // from lane ^ 4
    zero[thread] = __shfl_sync(full_mask, value, 0);          // from lane 0
}
