// clean: neighbours change places in alternating pairs
// launch: grid=1, block=64, x=noise(128), out=zeros(128)
// expect: out = np.sort(x)
extern "C" __global__ void odd_even_sort(const float* x, float* out) {
    __shared__ float cards[128];
    const int t = threadIdx.x;
    cards[t] = x[t];
    cards[t + 64] = x[t + 64];
    for (int phase = 0; phase < 128; ++phase) {
        __syncthreads();
        const int left = 2 * t + phase % 2;
        if (left + 1 < 128 && cards[left] > cards[left + 1]) {
            const float higher = cards[left];
            cards[left] = cards[left + 1];
            cards[left + 1] = higher;
        }
    }
    __syncthreads();
    out[t] = cards[t];
    out[t + 64] = cards[t + 64];
}
