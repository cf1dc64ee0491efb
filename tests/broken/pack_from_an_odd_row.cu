// misaligned on line 11: rows of 30 floats do not begin at multiples of 16 bytes
// launch: grid=1, block=8, x=noise((8, 30)), out=zeros(8)
// expect: out = x[:, :4].sum(axis=1)
extern "C" __global__ void pack_from_an_odd_row(const float* x, float* out) {
    const float* row = x + threadIdx.x * 30;
#ifdef FIXED
    const float2 a = *reinterpret_cast<const float2*>(row);
    const float2 b = *reinterpret_cast<const float2*>(row + 2);
    out[threadIdx.x] = a.x + a.y + b.x + b.y;
#else
    const float4 v = *reinterpret_cast<const float4*>(row);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
#endif
}
