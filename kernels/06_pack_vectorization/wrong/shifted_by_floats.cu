// scale_packed must get misaligned on line 10: x + p moves on by p floats, and most of these are no place for a pack
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
    T element[N];
};

extern "C" __global__ void scale_packed(const float* x, float* y, float factor, int n) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n / 4) {
        Pack<float, 4> pack = reinterpret_cast<const Pack<float, 4>*>(x + p)[0];
        for (int i = 0; i < 4; i++) pack.element[i] *= factor;
        reinterpret_cast<Pack<float, 4>*>(y + p)[0] = pack;
    } else {
        for (int i = 4 * p; i < n; i++) y[i] = factor * x[i];
    }
}
