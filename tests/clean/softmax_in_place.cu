// clean: a row is read twice and overwritten by the thread that read it
// launch: grid=4, block=64, x=noise((4, 200)), columns=int32(200)
// expect: x = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
extern "C" __global__ void softmax_in_place(float* x, int columns) {
    __shared__ float tile[64];
    float* row = x + blockIdx.x * columns;
    const int t = threadIdx.x;
    float most = -INFINITY, sum = 0.0f;
    for (int i = t; i < columns; i += 64) most = fmaxf(most, row[i]);
    tile[t] = most;
    __syncthreads();
    for (int s = 32; s > 0; s /= 2) {
        if (t < s) tile[t] = fmaxf(tile[t], tile[t + s]);
        __syncthreads();
    }
    most = tile[0];
    __syncthreads();
    for (int i = t; i < columns; i += 64) sum += expf(row[i] - most);
    tile[t] = sum;
    __syncthreads();
    for (int s = 32; s > 0; s /= 2) {
        if (t < s) tile[t] += tile[t + s];
        __syncthreads();
    }
    for (int i = t; i < columns; i += 64) row[i] = expf(row[i] - most) / tile[0];
}
