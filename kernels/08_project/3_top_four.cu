// The four largest of each row and where they stand, one warp per row.
//
//   x      float[rows][columns], only read; warp w of the grid owns row w, if there is one
//   value  float[rows][4], written: the largest first
//   index  int[rows][4], written: the column of each; of equal ones the first comes first
//   block  whole warps: a multiple of 32 threads
//
// columns: 4 or more. No x is NaN; -INFINITY is a number like any other.
constexpr int K = 4;

// Your turn: what you need beside the kernel.
// BEGIN SOLUTION
struct Entry {
    float value;
    int index;
};

__device__ bool precedes(Entry a, Entry b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index);
}
// END SOLUTION

extern "C" __global__ void top_four(const float* x, float* value, int* index, int rows,
                                    int columns) {
    // Your turn: everything.
    // BEGIN SOLUTION
    const int lane = threadIdx.x % 32;
    const size_t row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;  // the same for the whole warp: no lane is missed by the shuffles

    Entry best[K];  // of this lane's columns, in order; registers, since every index is known
    for (auto& one : best) one = {-INFINITY, 0x7fffffff};  // after every entry that there is
    for (int c = lane; c < columns; c += 32) {
        Entry next = {x[row * columns + c], c};
        for (auto& one : best) {  // it takes its place, and pushes the others down
            const bool earlier = precedes(next, one);
            const Entry pushed = earlier ? one : next;
            one = earlier ? next : one;
            next = pushed;
        }
    }

    for (int k = 0; k < K; k++) {
        Entry first = best[0];
        for (int apart = 16; apart > 0; apart /= 2) {
            const Entry other = {__shfl_xor_sync(0xffffffff, first.value, apart),
                                 __shfl_xor_sync(0xffffffff, first.index, apart)};
            if (precedes(other, first)) first = other;
        }
        if (best[0].index == first.index) {  // the lane whose it was moves up
            for (int i = 0; i + 1 < K; i++) best[i] = best[i + 1];
            value[row * K + k] = first.value;
            index[row * K + k] = first.index;
        }
    }
    // END SOLUTION
}
