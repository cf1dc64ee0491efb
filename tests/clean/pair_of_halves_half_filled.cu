// clean: the last pair has one element only, and only that one is used
// launch: grid=1, block=32, x=noise(35).astype(np.float16), out=zeros(35, float16), n=int32(35)
// expect: out = x
#include <cuda_fp16.h>
extern "C" __global__ void pair_of_halves_half_filled(const __half* x, __half* out, int n) {
    const int i = 2 * threadIdx.x;
    __half first, second;
    if (i < n) first = x[i];
    if (i + 1 < n) second = x[i + 1];
    const __half2 pair = __halves2half2(first, second);
    if (i < n) out[i] = __low2half(pair);
    if (i + 1 < n) out[i + 1] = __high2half(pair);
}
