// Twice every element; thread p of the grid owns elements 4 p to 4 p + 3.
//
//   x, y   float[4 * count], x only read, y written
//   count  how many packs of four there are
struct alignas(16) Four {  // four floats that are loaded and stored as one
    float element[4];
};

extern "C" __global__ void one_load(const float* x, float* y, int count) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= count) return;
    // BEGIN SOLUTION
    Four four = reinterpret_cast<const Four*>(x)[p];
    for (int k = 0; k < 4; k++) four.element[k] *= 2.0f;
    reinterpret_cast<Four*>(y)[p] = four;
    // END SOLUTION
}
