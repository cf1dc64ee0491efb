// timeout on line 9: an unsigned number is never below zero, so the loop has no end
// launch: grid=1, block=1, x=noise(16), out=zeros(1), n=uint32(16)
// expect: out = x.sum()
extern "C" __global__ void unsigned_countdown(const float* x, float* out, unsigned n) {
    float sum = 0.0f;
#ifdef FIXED
    for (unsigned i = n; i-- > 0;) {
#else
    for (unsigned i = n - 1; i >= 0; --i) {
#endif
        sum += x[i];
    }
    *out = sum;
}
