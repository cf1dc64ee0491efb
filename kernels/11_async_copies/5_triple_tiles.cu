// y = 3 * x, tile by tile. Bulk copies take the tiles from shared memory to y.
//
//   x, y   float[gridDim.x * tiles * 256]; x is only read; y begins at a multiple of 16 bytes
//   block  256 threads
#include <cuda/ptx>
using namespace cuda::ptx;

extern "C" __global__ void triple_tiles(const float* x, float* y, int tiles) {
    __shared__ __align__(16) float tile[256];
    const int t = threadIdx.x;
    for (int k = 0; k < tiles; k++) {
        const size_t first = 256 * ((size_t)blockIdx.x * tiles + k);
        tile[t] = 3.0f * x[first + t];
        // BEGIN SOLUTION
        fence_proxy_async(space_shared);
        __syncthreads();
        // END SOLUTION
        if (t == 0) {
            cp_async_bulk(space_global, space_shared, y + first, tile, 1024);
            cp_async_bulk_commit_group();
            cp_async_bulk_wait_group_read(n32_t<0>());  // the copy has read the tile
        }
        // BEGIN SOLUTION
        __syncthreads();
        // END SOLUTION
    }
}
