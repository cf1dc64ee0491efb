// scale_packed must get over_budget: four elements a thread, but one by one, so a warp's loads lie far apart
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
    T element[N];
};

extern "C" __global__ void scale_packed(const float* x, float* y, float factor, int n) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n / 4) {
        for (int i = 4 * p; i < 4 * p + 4; i++) y[i] = factor * x[i];
    } else {
        for (int i = 4 * p; i < n; i++) y[i] = factor * x[i];
    }
}
