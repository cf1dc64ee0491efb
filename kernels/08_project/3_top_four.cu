// The four largest numbers of each row and their columns, one warp per row.
//
//   x      float[rows][columns], only read; warp w of the grid owns row w, if there is one
//   value  float[rows][4], written: the largest first
//   index  int[rows][4], written: the column of each; of equal numbers, the first column comes first
//   block  whole warps: a multiple of 32 threads
//
// columns: 4 or more. No x is NaN; -INFINITY is a number like any other.
constexpr int K = 4;

// Your turn: the structures and functions that you need.
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
    if (row >= rows) return;  // the same for the whole warp, so all 32 lanes come to the shuffles

    Entry best[K];  // of this lane's columns, in order; registers, since every index is known
    for (auto& one : best) one = {-INFINITY, 0x7fffffff};  // comes after every entry of the row
    for (int c = lane; c < columns; c += 32) {
        Entry next = {x[row * columns + c], c};
        for (auto& one : best) {  // the new entry takes its place and moves the others down
            const bool earlier = precedes(next, one);
            const Entry pushed = earlier ? one : next;
            one = earlier ? next : one;
            next = pushed;
        }
    }

    for (int k = 0; k < K; k++) {
        Entry first = best[0];
        for (int offset = 16; offset > 0; offset /= 2) {
            const Entry other = {__shfl_xor_sync(0xffffffff, first.value, offset),
                                 __shfl_xor_sync(0xffffffff, first.index, offset)};
            if (precedes(other, first)) first = other;
        }
        if (best[0].index == first.index) {  // this lane removes its first entry
            for (int i = 0; i + 1 < K; i++) best[i] = best[i + 1];
            value[row * K + k] = first.value;
            index[row * K + k] = first.index;
        }
    }
    // END SOLUTION
}
