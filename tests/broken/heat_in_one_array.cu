// data_race on line 11, with line 7: one block: a step reads cells that the same step overwrites
// launch: grid=1, block=64, u=noise(64)
// expect: u = np.concatenate([u[:1], (u[:-2] + u[2:]) / 2, u[-1:]])
extern "C" __global__ void heat_in_one_array(float* u) {
    const int t = threadIdx.x;
    const bool inside = t > 0 && t < 63;
    const float mean = inside ? (u[t - 1] + u[t + 1]) / 2.0f : u[t];
#ifdef FIXED
    __syncthreads();
#endif
    u[t] = mean;
}
