// scale_packed must get over_budget: nothing promises that the struct is aligned, so it moves float by float
template <typename T, int N>
struct Pack {
    T element[N];
};

extern "C" __global__ void scale_packed(const float* x, float* y, float factor, int n) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n / 4) {
        Pack<float, 4> pack = reinterpret_cast<const Pack<float, 4>*>(x)[p];
        for (int i = 0; i < 4; i++) pack.element[i] *= factor;
        reinterpret_cast<Pack<float, 4>*>(y)[p] = pack;
    } else {
        for (int i = 4 * p; i < n; i++) y[i] = factor * x[i];
    }
}
