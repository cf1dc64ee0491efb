// clean: every thread counts in bytes of its own, four of them in one word
// launch: grid=1, block=64, x=dice(640, 4), bins=zeros(4, int32)
// expect: bins = np.bincount(x, minlength=4)
extern "C" __global__ void histogram_of_bytes(const int* x, int* bins) {
    __shared__ unsigned char counts[4][64];
    const int t = threadIdx.x;
    for (int face = 0; face < 4; ++face) counts[face][t] = 0;
    for (int i = t; i < 640; i += 64) counts[x[i]][t]++;
    __syncthreads();
    if (t < 4) {
        int sum = 0;
        for (int k = 0; k < 64; ++k) sum += counts[t][k];
        bins[t] = sum;
    }
}
