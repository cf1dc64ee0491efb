// clean: the scans reuse their storage inside
// launch: grid=1, block=128, x=noise(512), out=zeros(512)
// expect: out = np.cumsum(x) - x
// each: HOW = cub::BLOCK_SCAN_RAKING, cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::BLOCK_SCAN_WARP_SCANS
#include <cub/cub.cuh>
extern "C" __global__ void cub_block_scan(const float* x, float* out) {
    typedef cub::BlockScan<float, 128, HOW> Scan;
    __shared__ typename Scan::TempStorage storage;
    float items[4];
    for (int k = 0; k < 4; ++k) items[k] = x[threadIdx.x * 4 + k];
    Scan(storage).ExclusiveSum(items, items);
    for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = items[k];
}
