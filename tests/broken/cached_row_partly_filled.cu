// uninitialized_read on line 15: every load of the row writes only the first cell of its pack
// launch: grid=1, block=32, x=noise((32, 8)), at=dice(32, 8), out=zeros(32)
// expect: out = x[np.arange(32), at]
extern "C" __global__ void cached_row_partly_filled(const float* x, const int* at, float* out) {
    float row[8];
    for (int pack = 0; pack < 8; pack += 4) {
        for (int k = 0; k < 4; ++k) {
#ifdef FIXED
            row[pack + k] = x[threadIdx.x * 8 + pack + k];
#else
            row[pack] = x[threadIdx.x * 8 + pack + k];
#endif
        }
    }
    out[threadIdx.x] = row[at[threadIdx.x]];
}
