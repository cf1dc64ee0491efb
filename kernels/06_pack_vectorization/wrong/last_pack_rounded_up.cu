// scale_packed must get out_of_bounds on line 10: an incomplete pack is loaded as a whole one
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
    T element[N];
};

extern "C" __global__ void scale_packed(const float* x, float* y, float factor, int n) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < (n + 3) / 4) {
        Pack<float, 4> pack = reinterpret_cast<const Pack<float, 4>*>(x)[p];
        for (int i = 0; i < 4; i++) pack.element[i] *= factor;
        reinterpret_cast<Pack<float, 4>*>(y)[p] = pack;
    } else {
        for (int i = 4 * p; i < n; i++) y[i] = factor * x[i];
    }
}
