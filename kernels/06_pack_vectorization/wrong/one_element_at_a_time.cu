// scale_packed must get over_budget: neighbours side by side, one element a load: four times the requests
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
    T element[N];
};

extern "C" __global__ void scale_packed(const float* x, float* y, float factor, int n) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = p; i < n; i += gridDim.x * blockDim.x) {
        y[i] = factor * x[i];
    }
}
