// misaligned on line 9: a pair of halves must begin at an even element
// launch: grid=1, block=32, x=np.ones(66, float16), out=zeros(32)
// expect: out = np.full(32, 2)
#include <cuda_fp16.h>
extern "C" __global__ void half_pair_at_an_odd_place(const __half* x, float* out) {
#ifdef FIXED
    const __half2 pair = *reinterpret_cast<const __half2*>(x + 2 * threadIdx.x);
#else
    const __half2 pair = *reinterpret_cast<const __half2*>(x + 2 * threadIdx.x + 1);
#endif
    out[threadIdx.x] = __low2float(pair) + __high2float(pair);
}
