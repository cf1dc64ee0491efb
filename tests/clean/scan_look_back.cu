// clean: each block waits for the sum of those before it, through volatile flags and fences
// launch: grid=40, block=64, x=noise(2560), ticket=zeros(1, uint32), flag=zeros(40, int32), sums=empty((2, 40)), out=zeros(2560)
// expect: out = np.cumsum(x.astype(float64))
#define OWN 1
#define ALL 2
extern "C" __global__ void scan_look_back(const float* x, unsigned* ticket, volatile int* flag,
                                          volatile float* sums, float* out) {
    __shared__ float tile[64], before;
    __shared__ int tickets;
    const int t = threadIdx.x;
    if (t == 0) tickets = atomicAdd(ticket, 1);  // in the order in which blocks really start
    __syncthreads();
    const int me = tickets, blocks = gridDim.x;
    tile[t] = x[me * 64 + t];
    for (int offset = 1; offset < 64; offset *= 2) {
        __syncthreads();
        const float mine = t >= offset ? tile[t] + tile[t - offset] : tile[t];
        __syncthreads();
        tile[t] = mine;
    }
    __syncthreads();
    if (t == 63) {
        sums[me] = tile[63];
        __threadfence();
        flag[me] = OWN;
        float sum = 0.0f;
        for (int b = me - 1; b >= 0; --b) {
            int seen;
            while ((seen = flag[b]) == 0) {
            }
            __threadfence();
            sum += sums[seen == ALL ? blocks + b : b];
            if (seen == ALL) break;
        }
        sums[blocks + me] = sum + tile[63];
        __threadfence();
        flag[me] = ALL;
        before = sum;
    }
    __syncthreads();
    out[me * 64 + t] = before + tile[t];
}
