// shuffle_divergence on line 12: lanes leave the loop one after the other, but the mask still names all of them
// launch: grid=1, block=32, count=np.arange(32, dtype=int32) % 4, out=zeros(32, uint32)
// expect: out = np.array([0, 24, 40, 48])[count]
extern "C" __global__ void redux_in_a_loop_of_unequal_length(const int* count, unsigned* out) {
    unsigned total = 0;
    for (int k = 0; k < count[threadIdx.x]; ++k) {
#ifdef FIXED
        const unsigned mask = __activemask();
#else
        const unsigned mask = 0xffffffff;
#endif
        total += __reduce_add_sync(mask, 1u);
    }
    out[threadIdx.x] = total;
}
