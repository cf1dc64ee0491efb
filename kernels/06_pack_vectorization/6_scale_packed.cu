// y = factor * x for any number of elements, in packs of 16 bytes and a tail.
//
//   x       float[n], only read; thread p of the grid owns pack p: elements 4 p to 4 p + 3
//   y       float[n], written; both begin at multiples of 16 bytes
//   factor  multiplies every element
//   grid    at least one thread for each pack, also for an incomplete last one

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

extern "C" __global__ void scale_packed(const float* x, float* y, float factor, int n) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    // Your turn: load and store a whole pack at once, and the elements of the tail one by one.
    // BEGIN SOLUTION
    if (p < n / 4) {  // rounded down: whole packs only
        Pack<float, 4> pack = reinterpret_cast<const Pack<float, 4>*>(x)[p];
        for (int i = 0; i < 4; i++) pack.element[i] *= factor;
        reinterpret_cast<Pack<float, 4>*>(y)[p] = pack;
    } else {
        for (int i = 4 * p; i < n; i++) y[i] = factor * x[i];  // at most 3, in one thread
    }
    // END SOLUTION
}
