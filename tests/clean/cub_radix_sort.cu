// clean: a sort of many passes over one storage
// launch: grid=1, block=64, x=dice(256, 1000), out=zeros(256, int32)
// expect: out = np.sort(x)
#include <cub/block/block_radix_sort.cuh>
extern "C" __global__ void cub_radix_sort(const int* x, int* out) {
    typedef cub::BlockRadixSort<int, 64, 4> Sort;
    __shared__ typename Sort::TempStorage storage;
    int keys[4];
    for (int k = 0; k < 4; ++k) keys[k] = x[threadIdx.x * 4 + k];
    Sort(storage).Sort(keys);
    for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = keys[k];
}
