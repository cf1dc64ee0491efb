// y[r] = softmax(x[r]) for each row r of x, y float[gridDim.x][columns]; blocks of 256 threads, one
// a row. A pair (max, sum) stands for the numbers seen so far: their maximum, and the sum of
// exp(number - maximum). Online normaliser: Milakov and Gimelshein, arXiv:1805.02867.
__device__ void merge(float& max, float& sum, float other_max, float other_sum) {
    const float top = fmaxf(max, other_max);
    if (top == -INFINITY) return;  // neither has seen a number
    sum = sum * expf(max - top) + other_sum * expf(other_max - top);
    max = top;
}

extern "C" __global__ void softmax(const float* x, float* y, int columns) {
    __shared__ float maxima[256], sums[256];  // thread t's pair, then the tree's
    x += (long long)blockIdx.x * columns;
    y += (long long)blockIdx.x * columns;

    float max = -INFINITY, sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) merge(max, sum, x[c], 1.0f);
    maxima[threadIdx.x] = max;
    sums[threadIdx.x] = sum;

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();  // the pairs of this step were made in the one before
        const int other = threadIdx.x + stride;
        if (threadIdx.x < stride) {
            merge(maxima[threadIdx.x], sums[threadIdx.x], maxima[other], sums[other]);
        }
    }
    __syncthreads();  // everybody reads the row's pair

    max = maxima[0];
    const float scale = 1.0f / sums[0];
    for (int c = threadIdx.x; c < columns; c += blockDim.x) y[c] = expf(x[c] - max) * scale;
}
