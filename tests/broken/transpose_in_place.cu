// data_race on line 10: every pair is swapped twice, by the two threads that own its ends
// launch: grid=1, block=(16, 16), x=noise((16, 16))
// expect: x = x.T
extern "C" __global__ void transpose_in_place(float* x) {
    const int row = threadIdx.y, column = threadIdx.x;
#ifdef FIXED
    if (row >= column) return;
#endif
    const float mine = x[row * 16 + column];
    x[row * 16 + column] = x[column * 16 + row];
    x[column * 16 + row] = mine;
}
