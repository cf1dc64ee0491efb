// out_of_bounds on line 10: nothing prevents a fifth node on a stack for four
// launch: grid=1, block=32, depth=np.arange(32, dtype=int32) % 6, out=zeros(32, int32)
// expect: out = np.minimum(depth, 4)
extern "C" __global__ void stack_push_past_the_top(const int* depth, int* out) {
    int stack[4], top = 0;
    for (int node = 0; node < depth[threadIdx.x]; ++node) {
#ifdef FIXED
        if (top == 4) break;
#endif
        stack[top++] = node + 1;
    }
    int last = 0;
    while (top > 0) last = max(last, stack[--top]);
    out[threadIdx.x] = last;
}
