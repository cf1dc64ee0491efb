// clean: the exchange writes in one order and reads in another
// launch: grid=1, block=64, x=ramp(256), out=zeros(256)
// expect: out = x.reshape(64, 4).T
// each: TIME_SLICED = 0, 1
#include <cub/cub.cuh>
extern "C" __global__ void cub_block_exchange(const float* x, float* out) {
    typedef cub::BlockExchange<float, 64, 4, TIME_SLICED> Exchange;
    __shared__ typename Exchange::TempStorage storage;
    float items[4];
    for (int k = 0; k < 4; ++k) items[k] = x[threadIdx.x + 64 * k];
    Exchange(storage).StripedToBlocked(items, items);
    for (int k = 0; k < 4; ++k) out[threadIdx.x + 64 * k] = items[k];
}
