// clean: a thread exchanges with a partner that changes at every step
// launch: grid=1, block=128, x=noise(128)
// expect: x = np.sort(x)
extern "C" __global__ void bitonic_sort(float* x) {
    __shared__ float cards[128];
    const int t = threadIdx.x;
    cards[t] = x[t];
    __syncthreads();
    for (int size = 2; size <= 128; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            const int partner = t ^ step;
            if (partner > t && (cards[t] > cards[partner]) == ((t & size) == 0)) {
                const float mine = cards[t];
                cards[t] = cards[partner];
                cards[partner] = mine;
            }
            __syncthreads();
        }
    }
    x[t] = cards[t];
}
