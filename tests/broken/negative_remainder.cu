// out_of_bounds on line 9: the remainder of a negative number is negative in C
// launch: grid=1, block=64, key=ramp(64, int32) - 32, bins=zeros(10, int32)
// expect: bins = np.bincount(key % 10)
extern "C" __global__ void negative_remainder(const int* key, int* bins) {
    int bin = key[threadIdx.x] % 10;
#ifdef FIXED
    if (bin < 0) bin += 10;
#endif
    atomicAdd(&bins[bin], 1);
}
