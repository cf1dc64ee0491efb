// clean: lanes that have returned are not waited for, though the mask names them
// launch: grid=1, block=64, x=ramp(50), out=zeros(50, uint32), n=int32(50)
// expect: out = np.where(np.arange(50) < 32, 32, 18)
extern "C" __global__ void vote_after_some_returned(const float* x, unsigned* out, int n) {
    if (threadIdx.x >= n) return;
    out[threadIdx.x] = __popc(__ballot_sync(0xffffffff, x[threadIdx.x] >= 0.0f));
}
