// Every thread adds its right neighbour's number to its own cell, and then takes the sum that stands
// two cells to the right: a block of 64 threads, round in a circle.
//
//   x  float[64], only read
//   y  float[64], written; y[t] = x[t + 2] + x[t + 3], where cell 64 is cell 0 again
extern "C" __global__ void three_barriers(const float* x, float* y) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = x[t];
    // BEGIN SOLUTION
    __syncthreads();  // the neighbour has written its cell
    // END SOLUTION
    const float neighbour = tile[(t + 1) % 64];
    // BEGIN SOLUTION
    __syncthreads();  // the other neighbour has read this cell
    // END SOLUTION
    tile[t] += neighbour;
    // BEGIN SOLUTION
    __syncthreads();  // the cell two further holds its sum
    // END SOLUTION
    y[t] = tile[(t + 2) % 64];
}
