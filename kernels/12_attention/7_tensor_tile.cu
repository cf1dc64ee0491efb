// Attention on tensor cores: one warp, 16 queries, 16 keys per tile.
//
//   q, k, v  half[16 * gridDim.x * 32], half[keys * 32] twice, only read; rows of 32 elements
//   y        float[16 * gridDim.x * 32], written
//   lse      float[16 * gridDim.x], written; log(sum of exp(score)) over all keys
//   block    32 threads; keys: a multiple of 16; arrays begin at multiples of 16 bytes
#include <cuda_fp16.h>

constexpr int DIM = 32;

// Two neighbours in a row, in one register.
__device__ unsigned two(const half* at) {
    return *reinterpret_cast<const unsigned*>(at);
}

__device__ unsigned two(half low, half high) {
    return __half_as_ushort(low) | __half_as_ushort(high) << 16;
}

// d += a b for a of 16 x 16, b of 16 x 8 and d of 16 x 8 elements, held by the warp.
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void tensor_tile(const half* q, const half* k, const half* v, float* y,
                                       float* lse, float scale, int keys) {
    const int group = threadIdx.x / 4, column = 2 * (threadIdx.x % 4), top = 16 * blockIdx.x;
    unsigned of_q[2][4];  // columns 0 to 15 of the queries, and 16 to 31
    for (int s = 0; s < 2; s++) {
        const half* at = q + (top + group) * DIM + 16 * s + column;
        of_q[s][0] = two(at), of_q[s][1] = two(at + 8 * DIM);
        of_q[s][2] = two(at + 8), of_q[s][3] = two(at + 8 * DIM + 8);
    }
    // Of rows group and group + 8. total[n]: columns 8 n to 8 n + 7 of y.
    float largest[2] = {-INFINITY, -INFINITY}, sum[2] = {}, total[4][4] = {};
    for (int first = 0; first < keys; first += 16) {
        float score[2][4] = {};  // score[n]: of keys first + 8 n to first + 8 n + 7
        for (int n = 0; n < 2; n++) {
            const half* at = k + (first + 8 * n + group) * DIM + column;
            multiply(score[n], of_q[0], two(at), two(at + 8));
            multiply(score[n], of_q[1], two(at + 16), two(at + 24));
        }
        // Your turn: the pair of each row; the weights as a factor of 16 x 16; four products.
        // BEGIN SOLUTION
        for (int h = 0; h < 2; h++) {  // rows group and group + 8
            float *a = &score[0][2 * h], *b = &score[1][2 * h], *mine[] = {a, a + 1, b, b + 1};
            const float before = largest[h];
            for (float* one : mine) largest[h] = fmaxf(largest[h], scale * *one);
            largest[h] = fmaxf(largest[h], __shfl_xor_sync(~0u, largest[h], 1));
            largest[h] = fmaxf(largest[h], __shfl_xor_sync(~0u, largest[h], 2));
            const float shrink = expf(before - largest[h]);
            sum[h] *= shrink;
            for (float* one : mine) *one = expf(scale * *one - largest[h]), sum[h] += *one;
            for (int n = 0; n < 4; n++) total[n][2 * h] *= shrink, total[n][2 * h + 1] *= shrink;
        }
        unsigned weights[4];
        for (int i = 0; i < 4; i++) {
            const float* pair = &score[i / 2][i % 2 * 2];
            weights[i] = two(__float2half(pair[0]), __float2half(pair[1]));
        }
        for (int n = 0; n < 4; n++) {
            const half* at = v + (first + column) * DIM + 8 * n + group;
            multiply(total[n], weights, two(at[0], at[DIM]), two(at[8 * DIM], at[9 * DIM]));
        }
        // END SOLUTION
    }
    for (int h = 0; h < 2; h++) {
        sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
        sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
        const int row = top + group + 8 * h;
        for (int n = 0; n < 4; n++) {
            y[row * DIM + 8 * n + column] = total[n][2 * h] / sum[h];
            y[row * DIM + 8 * n + column + 1] = total[n][2 * h + 1] / sum[h];
        }
        if (column == 0) lse[row] = largest[h] + logf(sum[h]);
    }
}
