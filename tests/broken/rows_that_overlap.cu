// data_race on line 13: the rows of the tile are one cell too short, so neighbours share a cell
// launch: grid=1, block=(32, 2), x=ramp((64)), out=zeros(64)
// expect: out = x
#ifdef FIXED
#define PITCH 32
#else
#define PITCH 31
#endif
extern "C" __global__ void rows_that_overlap(const float* x, float* out) {
    __shared__ float tile[64];
    const int cell = threadIdx.y * PITCH + threadIdx.x;
    const int i = threadIdx.y * 32 + threadIdx.x;
    tile[cell] = x[i];
    __syncthreads();
    out[i] = tile[cell];
}
