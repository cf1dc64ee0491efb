// out_of_bounds on line 6: the index multiplies the column, not the row, by the number of columns
// launch: grid=1, block=(8, 4), x=ramp(32), out=zeros(32), columns=int32(8)
extern "C" __global__ void column_times_width(const float* x, float* out, int columns) {
    const int column = threadIdx.x;
    const int row = threadIdx.y;
    out[row * columns + column] = x[column * columns + row];
}
