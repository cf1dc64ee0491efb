// clean: every thread asks for a row of its own length and gives it back
// launch: grid=2, block=32, out=zeros(64, int32)
// expect: out = np.arange(64) * (np.arange(64) + 1) // 2
extern "C" __global__ void heap_rows(int* out) {
    const int n = blockIdx.x * 32 + threadIdx.x + 1;
    int* row = new int[n];
    for (int k = 0; k < n; ++k) row[k] = k;
    int sum = 0;
    for (int k = 0; k < n; ++k) sum += row[k];
    delete[] row;
    out[n - 1] = sum;
}
