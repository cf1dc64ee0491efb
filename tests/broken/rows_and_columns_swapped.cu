// out_of_bounds on line 12: the index multiplies the row by the number of rows, not of columns
// launch: grid=1, block=(8, 16), x=noise((16, 8)), out=zeros((16, 8)), rows=int32(16), columns=int32(8)
// expect: out = -x
extern "C" __global__ void rows_and_columns_swapped(const float* x, float* out, int rows,
                                                    int columns) {
    const int row = threadIdx.y, column = threadIdx.x;
#ifdef FIXED
    const int i = row * columns + column;
#else
    const int i = row * rows + column;
#endif
    if (row < rows && column < columns) out[i] = -x[i];
}
