// A darker picture: half of every pixel.
//
//   picture, darker  float[rows, cols], picture only read, darker written
//   grid             one dimension, at least as many threads as pixels
extern "C" __global__ void darken(const float* picture, float* darker, int rows, int cols) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    // BEGIN SOLUTION
    const int row = i / cols;
    const int col = i % cols;
    // END SOLUTION
    darker[row * cols + col] = 0.5f * picture[row * cols + col];
}
