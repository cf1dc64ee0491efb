// data_race on line 13: threads take places in the output from a counter without an atomic
// launch: grid=1, block=64, x=ramp(64), out=zeros(64), kept=zeros(1, int32)
// expect: kept = 22
extern "C" __global__ void compaction_with_a_plain_counter(const float* x, float* out, int* kept) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const int whole = threadIdx.x;
    if (whole % 3 == 0) {
#ifdef FIXED
        const int place = atomicAdd(&count, 1);
#else
        const int place = count++;
#endif
        out[place] = x[whole];
    }
    __syncthreads();
    if (threadIdx.x == 0) *kept = count;
}
