// out_of_bounds on line 13: packs of four go past the end if the length is not a multiple of four
// launch: grid=1, block=32, x=noise(102), out=zeros(102), n=int32(102)
// expect: out = 2 * x
extern "C" __global__ void pack_over_the_end(const float* x, float* out, int n) {
    const int i = 4 * threadIdx.x;
    if (i >= n) return;
#ifdef FIXED
    if (i + 4 > n) {
        for (int k = i; k < n; ++k) out[k] = 2.0f * x[k];
        return;
    }
#endif
    float4 v = *reinterpret_cast<const float4*>(x + i);
    v.x *= 2.0f, v.y *= 2.0f, v.z *= 2.0f, v.w *= 2.0f;
    *reinterpret_cast<float4*>(out + i) = v;
}
