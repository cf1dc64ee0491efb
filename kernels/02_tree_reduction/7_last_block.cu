// Sum of x in one launch: the block that finishes last adds up the sums of all blocks.
//
//   x         float[n], only read; thread t of the whole grid owns elements t, t + T, t + 2T, ...
//             where T = gridDim.x * blockDim.x is the number of threads in the grid
//   partial   float[gridDim.x], written; the sum of the elements that block b's threads own
//   total     float[1], written by the block that finishes last; the sum of x
//   finished  unsigned int[1], 0 before the launch, and 0 again after it for the next one
//   block     a power of two, 32 to 256 threads

// Returns, in thread 0, the sum of the values of all threads of the block. tile: 256 floats.
__device__ float block_sum(float value, float* tile) {
    tile[threadIdx.x] = value;
    __syncthreads();  // wait: the next step reads cells of other threads
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            tile[threadIdx.x] += tile[threadIdx.x + stride];
        }
        __syncthreads();  // this step's sums are the next step's inputs
    }
    return tile[threadIdx.x];  // in the other threads: any value
}

extern "C" __global__ void last_block(const float* x, float* partial, float* total,
                                      unsigned int* finished, int n) {
    __shared__ float tile[256];
    __shared__ bool last;  // whether this block is the one that finishes last
    const int thread = threadIdx.x;

    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
    }
    sum = block_sum(sum, tile);

    // Your turn: store the sum, draw a ticket; if this block is the last one, add up all sums.
    // BEGIN SOLUTION
    if (thread == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();  // whoever sees the ticket drawn sees the sum too
        last = atomicAdd(finished, 1) == gridDim.x - 1;
        __threadfence();  // and what is read from here on is no older than the ticket
    }
    __syncthreads();  // all threads need to know what thread 0 found out
    if (!last) return;

    sum = 0.0f;
    for (int b = thread; b < gridDim.x; b += blockDim.x) {
        sum += partial[b];
    }
    sum = block_sum(sum, tile);
    if (thread == 0) {
        *total = sum;
        *finished = 0;
    }
    // END SOLUTION
}
