// The pair (maximum, sum) of two neighbouring elements: the smallest merge.
//
//   x        float[2 * n], only read, all finite; thread i owns a = x[2 * i] and b = x[2 * i + 1]
//   maximum  float[n], written; maximum[i] is the larger of a and b
//   sum      float[n], written; sum[i] = e^(a - maximum[i]) + e^(b - maximum[i])
extern "C" __global__ void two_by_hand(const float* x, float* maximum, float* sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // Your turn: write the larger of two numbers, and the sum of exponentials relative to it.
    // BEGIN SOLUTION
    if (i < n) {
        const float a = x[2 * i];
        const float b = x[2 * i + 1];
        const float largest = fmaxf(a, b);
        maximum[i] = largest;
        sum[i] = expf(a - largest) + expf(b - largest);
    }
    // END SOLUTION
}
