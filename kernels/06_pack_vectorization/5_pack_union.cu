// y = 2 x in packs of 16 bytes, twice: the pack as a struct, and as a union over bytes.
//
//   x      float[4 * count], only read; thread p of the grid owns elements 4 p to 4 p + 3
//   y      float[4 * count], written
//   count  how many packs there are

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {  // N values that are loaded and stored as one
    T element[N];
};

template <int SIZE>
struct alignas(SIZE) Bytes {  // like std::aligned_storage
    unsigned char byte[SIZE];
};

template <typename T, int N>
union PackOverBytes {
    Bytes<sizeof(T) * N> storage;  // loaded and stored as this,
    T element[N];                  // and used as this (undefined in C++, but common)
    __device__ PackOverBytes() {}
};

extern "C" __global__ void twice_struct(const float* x, float* y, int count) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < count) {
        Pack<float, 4> pack = reinterpret_cast<const Pack<float, 4>*>(x)[p];
        for (int i = 0; i < 4; i++) pack.element[i] *= 2.0f;
        reinterpret_cast<Pack<float, 4>*>(y)[p] = pack;
    }
}

extern "C" __global__ void twice_union(const float* x, float* y, int count) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < count) {
        PackOverBytes<float, 4> pack;
        pack.storage = reinterpret_cast<const Bytes<16>*>(x)[p];
        for (int i = 0; i < 4; i++) pack.element[i] *= 2.0f;
        reinterpret_cast<Bytes<16>*>(y)[p] = pack.storage;
    }
}
