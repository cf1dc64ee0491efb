// clean: work-efficient scan, in place, in two sweeps over a padded array
// launch: grid=1, block=64, x=noise(128), out=zeros(128)
// expect: out = np.cumsum(x) - x
#define PLACE(i) ((i) + (i) / 32)
extern "C" __global__ void scan_up_and_down(const float* x, float* out) {
    __shared__ float tree[128 + 4];
    const int t = threadIdx.x;
    tree[PLACE(t)] = x[t];
    tree[PLACE(t + 64)] = x[t + 64];
    int offset = 1;
    for (int pairs = 64; pairs > 0; pairs /= 2) {
        __syncthreads();
        if (t < pairs) {
            const int left = offset * (2 * t + 1) - 1, right = left + offset;
            tree[PLACE(right)] += tree[PLACE(left)];
        }
        offset *= 2;
    }
    if (t == 0) tree[PLACE(127)] = 0.0f;
    for (int pairs = 1; pairs < 128; pairs *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < pairs) {
            const int left = offset * (2 * t + 1) - 1, right = left + offset;
            const float below = tree[PLACE(left)];
            tree[PLACE(left)] = tree[PLACE(right)];
            tree[PLACE(right)] += below;
        }
    }
    __syncthreads();
    out[t] = tree[PLACE(t)];
    out[t + 64] = tree[PLACE(t + 64)];
}
