// clean: four at a time, and the rest one by one
// launch: grid=2, block=32, x=noise(255), out=zeros(255), n=int32(255)
// expect: out = x * x
extern "C" __global__ void packs_and_a_tail(const float* x, float* out, int n) {
    const int pack = blockIdx.x * blockDim.x + threadIdx.x;
    if (pack < n / 4) {
        const float4 v = reinterpret_cast<const float4*>(x)[pack];
        reinterpret_cast<float4*>(out)[pack] =
            make_float4(v.x * v.x, v.y * v.y, v.z * v.z, v.w * v.w);
    } else if (pack == n / 4) {
        for (int i = n / 4 * 4; i < n; ++i) out[i] = x[i] * x[i];
    }
}
