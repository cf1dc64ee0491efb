// saxpy must get over_budget: every thread walks through all of the elements, as the loop on a CPU does
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
    for (int i = 0; i < n; i++) out[i] = a * x[i] + y[i];
}
