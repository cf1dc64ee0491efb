// The running total of x, by a single thread.
//
//   x  float[n], only read
//   y  float[n], written; y[i] = x[0] + x[1] + ... + x[i]
extern "C" __global__ void running_total(const float* x, float* y, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        // BEGIN SOLUTION
        sum += x[i];
        y[i] = sum;
        // END SOLUTION
    }
}
