// shuffle_divergence on line 12: activemask is called before the branch, but fewer lanes vote inside it
// launch: grid=1, block=32, x=ramp(32), out=zeros(32, uint32)
// expect: out = np.where(x < 20, (1 << 10) - 1, 0)
extern "C" __global__ void vote_after_the_branch_was_taken(const float* x, unsigned* out) {
    const float v = x[threadIdx.x];
#ifndef FIXED
    const unsigned mask = __activemask();
#else
    const unsigned mask = __ballot_sync(0xffffffff, v < 20.0f);
#endif
    unsigned small = 0;
    if (v < 20.0f) small = __ballot_sync(mask, v < 10.0f);
    out[threadIdx.x] = small;
}
