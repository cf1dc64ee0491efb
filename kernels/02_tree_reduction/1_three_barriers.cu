// Thread t adds the number of cell t + 1 to its own cell, and then reads the sum in cell t + 2. All
// indices are modulo 64: after cell 63 comes cell 0.
//
//   x  float[64], only read
//   y  float[64], written; y[t] = x[t + 2] + x[t + 3]
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
