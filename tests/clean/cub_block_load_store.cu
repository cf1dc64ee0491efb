// clean: loading and storing through one storage, a barrier between the two
// launch: grid=2, block=64, x=noise(400), out=zeros(400), n=int32(400)
// expect: out = 2 * x
// each: HOW = DIRECT, STRIPED, VECTORIZE, TRANSPOSE, WARP_TRANSPOSE, WARP_TRANSPOSE_TIMESLICED
#include <cub/cub.cuh>
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
extern "C" __global__ void cub_block_load_store(const float* x, float* out, int n) {
    typedef cub::BlockLoad<float, 64, 4, cub::JOIN(BLOCK_LOAD_, HOW)> Load;
    typedef cub::BlockStore<float, 64, 4, cub::JOIN(BLOCK_STORE_, HOW)> Store;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } storage;
    const int first = blockIdx.x * 256, left = n - first;
    float items[4];
    Load(storage.load).Load(x + first, items, left, 0.0f);
    for (int k = 0; k < 4; ++k) items[k] *= 2.0f;
    __syncthreads();
    Store(storage.store).Store(out + first, items, left);
}
