// data_race on line 12: the next phase compares pairs that the last one has not finished
// launch: grid=1, block=32, x=noise(64), out=zeros(64)
// expect: out = np.sort(x)
extern "C" __global__ void odd_even_sort_without_barrier(const float* x, float* out) {
    __shared__ float cards[64];
    const int t = threadIdx.x;
    cards[t] = x[t];
    cards[t + 32] = x[t + 32];
    __syncthreads();
    for (int phase = 0; phase < 64; ++phase) {
        const int left = 2 * t + phase % 2;
        if (left + 1 < 64 && cards[left] > cards[left + 1]) {
            const float higher = cards[left];
            cards[left] = cards[left + 1];
            cards[left + 1] = higher;
        }
#ifdef FIXED
        __syncthreads();
#endif
    }
    out[t] = cards[t];
    out[t + 32] = cards[t + 32];
}
