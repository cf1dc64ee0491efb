#pragma once  // Written by `python -m tools.headers`.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace nvcuda { namespace wmma {
struct row_major; struct col_major; struct matrix_a; struct matrix_b; struct accumulator;
namespace precision { struct tf32; struct u4; struct s4; struct b1; }
enum layout_t { mem_row_major, mem_col_major };
template <typename T, int count> struct __fragment {
  typedef T element_type;
  enum { num_elements = count, num_storage_elements = count };
  T x[count];
};
template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment;
template <typename Use, int m, int n, int k, typename T, typename Layout>
__device__ inline void fill_fragment(
    fragment<Use, m, n, k, T, Layout>& f,
    const typename fragment<Use, m, n, k, T, Layout>::element_type& value) {
#pragma unroll
  for (int i = 0; i < f.num_elements; i++) f.x[i] = value;
}
__device__ inline float __float_to_tf32(float in) {
  float out;
  asm("{ .reg .b32 t; cvt.rna.tf32.f32 t, %1; mov.b32 %0, t; }" : "=f"(out) : "f"(in));
  return out;
}
template <> class fragment<matrix_a, 16, 16, 16, __half, row_major> : public __fragment<__half, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, __half, row_major>& f, const __half* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 16, 16, 16, __half, col_major> : public __fragment<__half, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, __half, col_major>& f, const __half* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 16, 16, 16, __half, row_major> : public __fragment<__half, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, __half, row_major>& f, const __half* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 16, 16, 16, __half, col_major> : public __fragment<__half, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, __half, col_major>& f, const __half* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 8, 32, 16, __half, row_major> : public __fragment<__half, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, __half, row_major>& f, const __half* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m8n32k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 8, 32, 16, __half, col_major> : public __fragment<__half, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, __half, col_major>& f, const __half* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m8n32k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 8, 32, 16, __half, row_major> : public __fragment<__half, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, __half, row_major>& f, const __half* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m8n32k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 8, 32, 16, __half, col_major> : public __fragment<__half, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, __half, col_major>& f, const __half* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m8n32k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 32, 8, 16, __half, row_major> : public __fragment<__half, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, __half, row_major>& f, const __half* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m32n8k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 32, 8, 16, __half, col_major> : public __fragment<__half, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, __half, col_major>& f, const __half* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m32n8k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 32, 8, 16, __half, row_major> : public __fragment<__half, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, __half, row_major>& f, const __half* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m32n8k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 32, 8, 16, __half, col_major> : public __fragment<__half, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, __half, col_major>& f, const __half* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m32n8k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> : public __fragment<__nv_bfloat16, 8> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major>& f, const __nv_bfloat16* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.bf16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 16, 16, 16, __nv_bfloat16, col_major> : public __fragment<__nv_bfloat16, 8> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, __nv_bfloat16, col_major>& f, const __nv_bfloat16* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m16n16k16.bf16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> : public __fragment<__nv_bfloat16, 8> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major>& f, const __nv_bfloat16* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.bf16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major> : public __fragment<__nv_bfloat16, 8> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major>& f, const __nv_bfloat16* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.bf16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 8, 32, 16, __nv_bfloat16, row_major> : public __fragment<__nv_bfloat16, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, __nv_bfloat16, row_major>& f, const __nv_bfloat16* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m8n32k16.bf16 {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 8, 32, 16, __nv_bfloat16, col_major> : public __fragment<__nv_bfloat16, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, __nv_bfloat16, col_major>& f, const __nv_bfloat16* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m8n32k16.bf16 {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 8, 32, 16, __nv_bfloat16, row_major> : public __fragment<__nv_bfloat16, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, __nv_bfloat16, row_major>& f, const __nv_bfloat16* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m8n32k16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 8, 32, 16, __nv_bfloat16, col_major> : public __fragment<__nv_bfloat16, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, __nv_bfloat16, col_major>& f, const __nv_bfloat16* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m8n32k16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 32, 8, 16, __nv_bfloat16, row_major> : public __fragment<__nv_bfloat16, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, __nv_bfloat16, row_major>& f, const __nv_bfloat16* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m32n8k16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 32, 8, 16, __nv_bfloat16, col_major> : public __fragment<__nv_bfloat16, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, __nv_bfloat16, col_major>& f, const __nv_bfloat16* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m32n8k16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 32, 8, 16, __nv_bfloat16, row_major> : public __fragment<__nv_bfloat16, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, __nv_bfloat16, row_major>& f, const __nv_bfloat16* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m32n8k16.bf16 {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 32, 8, 16, __nv_bfloat16, col_major> : public __fragment<__nv_bfloat16, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, __nv_bfloat16, col_major>& f, const __nv_bfloat16* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m32n8k16.bf16 {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> : public __fragment<float, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 8, precision::tf32, row_major>& f, const float* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m16n16k8.tf32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 16, 16, 8, precision::tf32, col_major> : public __fragment<float, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 8, precision::tf32, col_major>& f, const float* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m16n16k8.tf32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> : public __fragment<float, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 8, precision::tf32, row_major>& f, const float* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m16n16k8.tf32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 16, 16, 8, precision::tf32, col_major> : public __fragment<float, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 8, precision::tf32, col_major>& f, const float* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m16n16k8.tf32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 16, 16, 16, signed char, row_major> : public __fragment<signed char, 8> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, signed char, row_major>& f, const signed char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.s8 {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 16, 16, 16, signed char, col_major> : public __fragment<signed char, 8> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, signed char, col_major>& f, const signed char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m16n16k16.s8 {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 16, 16, 16, signed char, row_major> : public __fragment<signed char, 8> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, signed char, row_major>& f, const signed char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.s8 {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 16, 16, 16, signed char, col_major> : public __fragment<signed char, 8> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, signed char, col_major>& f, const signed char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.s8 {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 8, 32, 16, signed char, row_major> : public __fragment<signed char, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, signed char, row_major>& f, const signed char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m8n32k16.s8 {%0}, [%1], %2;" : "=r"(r[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 8, 32, 16, signed char, col_major> : public __fragment<signed char, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, signed char, col_major>& f, const signed char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m8n32k16.s8 {%0}, [%1], %2;" : "=r"(r[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 8, 32, 16, signed char, row_major> : public __fragment<signed char, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, signed char, row_major>& f, const signed char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m8n32k16.s8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 8, 32, 16, signed char, col_major> : public __fragment<signed char, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, signed char, col_major>& f, const signed char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m8n32k16.s8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 32, 8, 16, signed char, row_major> : public __fragment<signed char, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, signed char, row_major>& f, const signed char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m32n8k16.s8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 32, 8, 16, signed char, col_major> : public __fragment<signed char, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, signed char, col_major>& f, const signed char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m32n8k16.s8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 32, 8, 16, signed char, row_major> : public __fragment<signed char, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, signed char, row_major>& f, const signed char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m32n8k16.s8 {%0}, [%1], %2;" : "=r"(r[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 32, 8, 16, signed char, col_major> : public __fragment<signed char, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, signed char, col_major>& f, const signed char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m32n8k16.s8 {%0}, [%1], %2;" : "=r"(r[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 16, 16, 16, unsigned char, row_major> : public __fragment<unsigned char, 8> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, unsigned char, row_major>& f, const unsigned char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.u8 {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 16, 16, 16, unsigned char, col_major> : public __fragment<unsigned char, 8> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, unsigned char, col_major>& f, const unsigned char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m16n16k16.u8 {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 16, 16, 16, unsigned char, row_major> : public __fragment<unsigned char, 8> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, unsigned char, row_major>& f, const unsigned char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.u8 {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 16, 16, 16, unsigned char, col_major> : public __fragment<unsigned char, 8> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, unsigned char, col_major>& f, const unsigned char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.u8 {%0, %1}, [%2], %3;" : "=r"(r[0]), "=r"(r[1]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 8, 32, 16, unsigned char, row_major> : public __fragment<unsigned char, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, unsigned char, row_major>& f, const unsigned char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m8n32k16.u8 {%0}, [%1], %2;" : "=r"(r[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 8, 32, 16, unsigned char, col_major> : public __fragment<unsigned char, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, unsigned char, col_major>& f, const unsigned char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m8n32k16.u8 {%0}, [%1], %2;" : "=r"(r[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 8, 32, 16, unsigned char, row_major> : public __fragment<unsigned char, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, unsigned char, row_major>& f, const unsigned char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m8n32k16.u8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 8, 32, 16, unsigned char, col_major> : public __fragment<unsigned char, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, unsigned char, col_major>& f, const unsigned char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m8n32k16.u8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 32, 8, 16, unsigned char, row_major> : public __fragment<unsigned char, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, unsigned char, row_major>& f, const unsigned char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.row.m32n8k16.u8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_a, 32, 8, 16, unsigned char, col_major> : public __fragment<unsigned char, 16> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, unsigned char, col_major>& f, const unsigned char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.a.sync.aligned.col.m32n8k16.u8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 32, 8, 16, unsigned char, row_major> : public __fragment<unsigned char, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, unsigned char, row_major>& f, const unsigned char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.row.m32n8k16.u8 {%0}, [%1], %2;" : "=r"(r[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<matrix_b, 32, 8, 16, unsigned char, col_major> : public __fragment<unsigned char, 4> {};
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, unsigned char, col_major>& f, const unsigned char* p, unsigned stride) {
  unsigned* r = (unsigned*)f.x; asm volatile("wmma.load.b.sync.aligned.col.m32n8k16.u8 {%0}, [%1], %2;" : "=r"(r[0]) : "l"(p), "r"(stride) : "memory");
}
template <> class fragment<accumulator, 16, 16, 16, float> : public __fragment<float, 8> {};
__device__ inline void load_matrix_sync(fragment<accumulator, 16, 16, 16, float>& f, const float* p, unsigned stride, layout_t layout) {
  unsigned* r = (unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.load.c.sync.aligned.col.m16n16k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
}
__device__ inline void store_matrix_sync(float* p, const fragment<accumulator, 16, 16, 16, float>& f, unsigned stride, layout_t layout) {
  const unsigned* r = (const unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.store.d.sync.aligned.col.m16n16k16.f32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
}
template <> class fragment<accumulator, 16, 16, 16, __half> : public __fragment<__half, 8> {};
__device__ inline void load_matrix_sync(fragment<accumulator, 16, 16, 16, __half>& f, const __half* p, unsigned stride, layout_t layout) {
  unsigned* r = (unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.load.c.sync.aligned.col.m16n16k16.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory"); }
}
__device__ inline void store_matrix_sync(__half* p, const fragment<accumulator, 16, 16, 16, __half>& f, unsigned stride, layout_t layout) {
  const unsigned* r = (const unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.f16 [%0], {%2, %3, %4, %5}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.store.d.sync.aligned.col.m16n16k16.f16 [%0], {%2, %3, %4, %5}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory"); }
}
template <> class fragment<accumulator, 16, 16, 16, int> : public __fragment<int, 8> {};
__device__ inline void load_matrix_sync(fragment<accumulator, 16, 16, 16, int>& f, const int* p, unsigned stride, layout_t layout) {
  unsigned* r = (unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.load.c.sync.aligned.col.m16n16k16.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
}
__device__ inline void store_matrix_sync(int* p, const fragment<accumulator, 16, 16, 16, int>& f, unsigned stride, layout_t layout) {
  const unsigned* r = (const unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.s32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.store.d.sync.aligned.col.m16n16k16.s32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
}
template <> class fragment<accumulator, 8, 32, 16, float> : public __fragment<float, 8> {};
__device__ inline void load_matrix_sync(fragment<accumulator, 8, 32, 16, float>& f, const float* p, unsigned stride, layout_t layout) {
  unsigned* r = (unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.load.c.sync.aligned.row.m8n32k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.load.c.sync.aligned.col.m8n32k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
}
__device__ inline void store_matrix_sync(float* p, const fragment<accumulator, 8, 32, 16, float>& f, unsigned stride, layout_t layout) {
  const unsigned* r = (const unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.store.d.sync.aligned.row.m8n32k16.f32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.store.d.sync.aligned.col.m8n32k16.f32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
}
template <> class fragment<accumulator, 8, 32, 16, __half> : public __fragment<__half, 8> {};
__device__ inline void load_matrix_sync(fragment<accumulator, 8, 32, 16, __half>& f, const __half* p, unsigned stride, layout_t layout) {
  unsigned* r = (unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.load.c.sync.aligned.row.m8n32k16.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.load.c.sync.aligned.col.m8n32k16.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory"); }
}
__device__ inline void store_matrix_sync(__half* p, const fragment<accumulator, 8, 32, 16, __half>& f, unsigned stride, layout_t layout) {
  const unsigned* r = (const unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.store.d.sync.aligned.row.m8n32k16.f16 [%0], {%2, %3, %4, %5}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.store.d.sync.aligned.col.m8n32k16.f16 [%0], {%2, %3, %4, %5}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory"); }
}
template <> class fragment<accumulator, 8, 32, 16, int> : public __fragment<int, 8> {};
__device__ inline void load_matrix_sync(fragment<accumulator, 8, 32, 16, int>& f, const int* p, unsigned stride, layout_t layout) {
  unsigned* r = (unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.load.c.sync.aligned.row.m8n32k16.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.load.c.sync.aligned.col.m8n32k16.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
}
__device__ inline void store_matrix_sync(int* p, const fragment<accumulator, 8, 32, 16, int>& f, unsigned stride, layout_t layout) {
  const unsigned* r = (const unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.store.d.sync.aligned.row.m8n32k16.s32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.store.d.sync.aligned.col.m8n32k16.s32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
}
template <> class fragment<accumulator, 32, 8, 16, float> : public __fragment<float, 8> {};
__device__ inline void load_matrix_sync(fragment<accumulator, 32, 8, 16, float>& f, const float* p, unsigned stride, layout_t layout) {
  unsigned* r = (unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.load.c.sync.aligned.row.m32n8k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.load.c.sync.aligned.col.m32n8k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
}
__device__ inline void store_matrix_sync(float* p, const fragment<accumulator, 32, 8, 16, float>& f, unsigned stride, layout_t layout) {
  const unsigned* r = (const unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.store.d.sync.aligned.row.m32n8k16.f32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.store.d.sync.aligned.col.m32n8k16.f32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
}
template <> class fragment<accumulator, 32, 8, 16, __half> : public __fragment<__half, 8> {};
__device__ inline void load_matrix_sync(fragment<accumulator, 32, 8, 16, __half>& f, const __half* p, unsigned stride, layout_t layout) {
  unsigned* r = (unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.load.c.sync.aligned.row.m32n8k16.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.load.c.sync.aligned.col.m32n8k16.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(p), "r"(stride) : "memory"); }
}
__device__ inline void store_matrix_sync(__half* p, const fragment<accumulator, 32, 8, 16, __half>& f, unsigned stride, layout_t layout) {
  const unsigned* r = (const unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.store.d.sync.aligned.row.m32n8k16.f16 [%0], {%2, %3, %4, %5}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.store.d.sync.aligned.col.m32n8k16.f16 [%0], {%2, %3, %4, %5}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory"); }
}
template <> class fragment<accumulator, 32, 8, 16, int> : public __fragment<int, 8> {};
__device__ inline void load_matrix_sync(fragment<accumulator, 32, 8, 16, int>& f, const int* p, unsigned stride, layout_t layout) {
  unsigned* r = (unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.load.c.sync.aligned.row.m32n8k16.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.load.c.sync.aligned.col.m32n8k16.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
}
__device__ inline void store_matrix_sync(int* p, const fragment<accumulator, 32, 8, 16, int>& f, unsigned stride, layout_t layout) {
  const unsigned* r = (const unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.store.d.sync.aligned.row.m32n8k16.s32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.store.d.sync.aligned.col.m32n8k16.s32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
}
template <> class fragment<accumulator, 16, 16, 8, float> : public __fragment<float, 8> {};
__device__ inline void load_matrix_sync(fragment<accumulator, 16, 16, 8, float>& f, const float* p, unsigned stride, layout_t layout) {
  unsigned* r = (unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.load.c.sync.aligned.row.m16n16k8.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.load.c.sync.aligned.col.m16n16k8.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(stride) : "memory"); }
}
__device__ inline void store_matrix_sync(float* p, const fragment<accumulator, 16, 16, 8, float>& f, unsigned stride, layout_t layout) {
  const unsigned* r = (const unsigned*)f.x;
  if (layout == mem_row_major) { asm volatile("wmma.store.d.sync.aligned.row.m16n16k8.f32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
  if (layout == mem_col_major) { asm volatile("wmma.store.d.sync.aligned.col.m16n16k8.f32 [%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;" :: "l"(p), "r"(stride), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]) : "memory"); }
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, __half, row_major>& a, const fragment<matrix_b, 16, 16, 16, __half, row_major>& b, const fragment<accumulator, 16, 16, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, __half, row_major>& a, const fragment<matrix_b, 16, 16, 16, __half, col_major>& b, const fragment<accumulator, 16, 16, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, __half, col_major>& a, const fragment<matrix_b, 16, 16, 16, __half, row_major>& b, const fragment<accumulator, 16, 16, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, __half, col_major>& a, const fragment<matrix_b, 16, 16, 16, __half, col_major>& b, const fragment<accumulator, 16, 16, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, __half, row_major>& a, const fragment<matrix_b, 16, 16, 16, __half, row_major>& b, const fragment<accumulator, 16, 16, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, __half, row_major>& a, const fragment<matrix_b, 16, 16, 16, __half, col_major>& b, const fragment<accumulator, 16, 16, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, __half, col_major>& a, const fragment<matrix_b, 16, 16, 16, __half, row_major>& b, const fragment<accumulator, 16, 16, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, __half, col_major>& a, const fragment<matrix_b, 16, 16, 16, __half, col_major>& b, const fragment<accumulator, 16, 16, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, __half>& d, const fragment<matrix_a, 16, 16, 16, __half, row_major>& a, const fragment<matrix_b, 16, 16, 16, __half, row_major>& b, const fragment<accumulator, 16, 16, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, __half>& d, const fragment<matrix_a, 16, 16, 16, __half, row_major>& a, const fragment<matrix_b, 16, 16, 16, __half, col_major>& b, const fragment<accumulator, 16, 16, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, __half>& d, const fragment<matrix_a, 16, 16, 16, __half, col_major>& a, const fragment<matrix_b, 16, 16, 16, __half, row_major>& b, const fragment<accumulator, 16, 16, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, __half>& d, const fragment<matrix_a, 16, 16, 16, __half, col_major>& a, const fragment<matrix_b, 16, 16, 16, __half, col_major>& b, const fragment<accumulator, 16, 16, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, __half>& d, const fragment<matrix_a, 16, 16, 16, __half, row_major>& a, const fragment<matrix_b, 16, 16, 16, __half, row_major>& b, const fragment<accumulator, 16, 16, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, __half>& d, const fragment<matrix_a, 16, 16, 16, __half, row_major>& a, const fragment<matrix_b, 16, 16, 16, __half, col_major>& b, const fragment<accumulator, 16, 16, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, __half>& d, const fragment<matrix_a, 16, 16, 16, __half, col_major>& a, const fragment<matrix_b, 16, 16, 16, __half, row_major>& b, const fragment<accumulator, 16, 16, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, __half>& d, const fragment<matrix_a, 16, 16, 16, __half, col_major>& a, const fragment<matrix_b, 16, 16, 16, __half, col_major>& b, const fragment<accumulator, 16, 16, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float>& d, const fragment<matrix_a, 8, 32, 16, __half, row_major>& a, const fragment<matrix_b, 8, 32, 16, __half, row_major>& b, const fragment<accumulator, 8, 32, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float>& d, const fragment<matrix_a, 8, 32, 16, __half, row_major>& a, const fragment<matrix_b, 8, 32, 16, __half, col_major>& b, const fragment<accumulator, 8, 32, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float>& d, const fragment<matrix_a, 8, 32, 16, __half, col_major>& a, const fragment<matrix_b, 8, 32, 16, __half, row_major>& b, const fragment<accumulator, 8, 32, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float>& d, const fragment<matrix_a, 8, 32, 16, __half, col_major>& a, const fragment<matrix_b, 8, 32, 16, __half, col_major>& b, const fragment<accumulator, 8, 32, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float>& d, const fragment<matrix_a, 8, 32, 16, __half, row_major>& a, const fragment<matrix_b, 8, 32, 16, __half, row_major>& b, const fragment<accumulator, 8, 32, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float>& d, const fragment<matrix_a, 8, 32, 16, __half, row_major>& a, const fragment<matrix_b, 8, 32, 16, __half, col_major>& b, const fragment<accumulator, 8, 32, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float>& d, const fragment<matrix_a, 8, 32, 16, __half, col_major>& a, const fragment<matrix_b, 8, 32, 16, __half, row_major>& b, const fragment<accumulator, 8, 32, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float>& d, const fragment<matrix_a, 8, 32, 16, __half, col_major>& a, const fragment<matrix_b, 8, 32, 16, __half, col_major>& b, const fragment<accumulator, 8, 32, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, __half>& d, const fragment<matrix_a, 8, 32, 16, __half, row_major>& a, const fragment<matrix_b, 8, 32, 16, __half, row_major>& b, const fragment<accumulator, 8, 32, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, __half>& d, const fragment<matrix_a, 8, 32, 16, __half, row_major>& a, const fragment<matrix_b, 8, 32, 16, __half, col_major>& b, const fragment<accumulator, 8, 32, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, __half>& d, const fragment<matrix_a, 8, 32, 16, __half, col_major>& a, const fragment<matrix_b, 8, 32, 16, __half, row_major>& b, const fragment<accumulator, 8, 32, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, __half>& d, const fragment<matrix_a, 8, 32, 16, __half, col_major>& a, const fragment<matrix_b, 8, 32, 16, __half, col_major>& b, const fragment<accumulator, 8, 32, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, __half>& d, const fragment<matrix_a, 8, 32, 16, __half, row_major>& a, const fragment<matrix_b, 8, 32, 16, __half, row_major>& b, const fragment<accumulator, 8, 32, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, __half>& d, const fragment<matrix_a, 8, 32, 16, __half, row_major>& a, const fragment<matrix_b, 8, 32, 16, __half, col_major>& b, const fragment<accumulator, 8, 32, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, __half>& d, const fragment<matrix_a, 8, 32, 16, __half, col_major>& a, const fragment<matrix_b, 8, 32, 16, __half, row_major>& b, const fragment<accumulator, 8, 32, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, __half>& d, const fragment<matrix_a, 8, 32, 16, __half, col_major>& a, const fragment<matrix_b, 8, 32, 16, __half, col_major>& b, const fragment<accumulator, 8, 32, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float>& d, const fragment<matrix_a, 32, 8, 16, __half, row_major>& a, const fragment<matrix_b, 32, 8, 16, __half, row_major>& b, const fragment<accumulator, 32, 8, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float>& d, const fragment<matrix_a, 32, 8, 16, __half, row_major>& a, const fragment<matrix_b, 32, 8, 16, __half, col_major>& b, const fragment<accumulator, 32, 8, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float>& d, const fragment<matrix_a, 32, 8, 16, __half, col_major>& a, const fragment<matrix_b, 32, 8, 16, __half, row_major>& b, const fragment<accumulator, 32, 8, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float>& d, const fragment<matrix_a, 32, 8, 16, __half, col_major>& a, const fragment<matrix_b, 32, 8, 16, __half, col_major>& b, const fragment<accumulator, 32, 8, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float>& d, const fragment<matrix_a, 32, 8, 16, __half, row_major>& a, const fragment<matrix_b, 32, 8, 16, __half, row_major>& b, const fragment<accumulator, 32, 8, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float>& d, const fragment<matrix_a, 32, 8, 16, __half, row_major>& a, const fragment<matrix_b, 32, 8, 16, __half, col_major>& b, const fragment<accumulator, 32, 8, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float>& d, const fragment<matrix_a, 32, 8, 16, __half, col_major>& a, const fragment<matrix_b, 32, 8, 16, __half, row_major>& b, const fragment<accumulator, 32, 8, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float>& d, const fragment<matrix_a, 32, 8, 16, __half, col_major>& a, const fragment<matrix_b, 32, 8, 16, __half, col_major>& b, const fragment<accumulator, 32, 8, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.f32.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, __half>& d, const fragment<matrix_a, 32, 8, 16, __half, row_major>& a, const fragment<matrix_b, 32, 8, 16, __half, row_major>& b, const fragment<accumulator, 32, 8, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, __half>& d, const fragment<matrix_a, 32, 8, 16, __half, row_major>& a, const fragment<matrix_b, 32, 8, 16, __half, col_major>& b, const fragment<accumulator, 32, 8, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, __half>& d, const fragment<matrix_a, 32, 8, 16, __half, col_major>& a, const fragment<matrix_b, 32, 8, 16, __half, row_major>& b, const fragment<accumulator, 32, 8, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, __half>& d, const fragment<matrix_a, 32, 8, 16, __half, col_major>& a, const fragment<matrix_b, 32, 8, 16, __half, col_major>& b, const fragment<accumulator, 32, 8, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23, %24, %25, %26, %27};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, __half>& d, const fragment<matrix_a, 32, 8, 16, __half, row_major>& a, const fragment<matrix_b, 32, 8, 16, __half, row_major>& b, const fragment<accumulator, 32, 8, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, __half>& d, const fragment<matrix_a, 32, 8, 16, __half, row_major>& a, const fragment<matrix_b, 32, 8, 16, __half, col_major>& b, const fragment<accumulator, 32, 8, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, __half>& d, const fragment<matrix_a, 32, 8, 16, __half, col_major>& a, const fragment<matrix_b, 32, 8, 16, __half, row_major>& b, const fragment<accumulator, 32, 8, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, __half>& d, const fragment<matrix_a, 32, 8, 16, __half, col_major>& a, const fragment<matrix_b, 32, 8, 16, __half, col_major>& b, const fragment<accumulator, 32, 8, 16, __half>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major>& a, const fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major>& b, const fragment<accumulator, 16, 16, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major>& a, const fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major>& b, const fragment<accumulator, 16, 16, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, __nv_bfloat16, col_major>& a, const fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major>& b, const fragment<accumulator, 16, 16, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float>& d, const fragment<matrix_a, 16, 16, 16, __nv_bfloat16, col_major>& a, const fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major>& b, const fragment<accumulator, 16, 16, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float>& d, const fragment<matrix_a, 8, 32, 16, __nv_bfloat16, row_major>& a, const fragment<matrix_b, 8, 32, 16, __nv_bfloat16, row_major>& b, const fragment<accumulator, 8, 32, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float>& d, const fragment<matrix_a, 8, 32, 16, __nv_bfloat16, row_major>& a, const fragment<matrix_b, 8, 32, 16, __nv_bfloat16, col_major>& b, const fragment<accumulator, 8, 32, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float>& d, const fragment<matrix_a, 8, 32, 16, __nv_bfloat16, col_major>& a, const fragment<matrix_b, 8, 32, 16, __nv_bfloat16, row_major>& b, const fragment<accumulator, 8, 32, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float>& d, const fragment<matrix_a, 8, 32, 16, __nv_bfloat16, col_major>& a, const fragment<matrix_b, 8, 32, 16, __nv_bfloat16, col_major>& b, const fragment<accumulator, 8, 32, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(s[4]), "r"(s[5]), "r"(s[6]), "r"(s[7]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float>& d, const fragment<matrix_a, 32, 8, 16, __nv_bfloat16, row_major>& a, const fragment<matrix_b, 32, 8, 16, __nv_bfloat16, row_major>& b, const fragment<accumulator, 32, 8, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float>& d, const fragment<matrix_a, 32, 8, 16, __nv_bfloat16, row_major>& a, const fragment<matrix_b, 32, 8, 16, __nv_bfloat16, col_major>& b, const fragment<accumulator, 32, 8, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float>& d, const fragment<matrix_a, 32, 8, 16, __nv_bfloat16, col_major>& a, const fragment<matrix_b, 32, 8, 16, __nv_bfloat16, row_major>& b, const fragment<accumulator, 32, 8, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float>& d, const fragment<matrix_a, 32, 8, 16, __nv_bfloat16, col_major>& a, const fragment<matrix_b, 32, 8, 16, __nv_bfloat16, col_major>& b, const fragment<accumulator, 32, 8, 16, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 8, float>& d, const fragment<matrix_a, 16, 16, 8, precision::tf32, row_major>& a, const fragment<matrix_b, 16, 16, 8, precision::tf32, row_major>& b, const fragment<accumulator, 16, 16, 8, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.row.m16n16k8.f32.tf32.tf32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 8, float>& d, const fragment<matrix_a, 16, 16, 8, precision::tf32, row_major>& a, const fragment<matrix_b, 16, 16, 8, precision::tf32, col_major>& b, const fragment<accumulator, 16, 16, 8, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 8, float>& d, const fragment<matrix_a, 16, 16, 8, precision::tf32, col_major>& a, const fragment<matrix_b, 16, 16, 8, precision::tf32, row_major>& b, const fragment<accumulator, 16, 16, 8, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.row.m16n16k8.f32.tf32.tf32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 8, float>& d, const fragment<matrix_a, 16, 16, 8, precision::tf32, col_major>& a, const fragment<matrix_b, 16, 16, 8, precision::tf32, col_major>& b, const fragment<accumulator, 16, 16, 8, float>& c, bool = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  asm volatile("wmma.mma.sync.aligned.col.col.m16n16k8.f32.tf32.tf32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int>& d, const fragment<matrix_a, 16, 16, 16, signed char, row_major>& a, const fragment<matrix_b, 16, 16, 16, signed char, row_major>& b, const fragment<accumulator, 16, 16, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.s32.s8.s8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int>& d, const fragment<matrix_a, 16, 16, 16, signed char, row_major>& a, const fragment<matrix_b, 16, 16, 16, signed char, col_major>& b, const fragment<accumulator, 16, 16, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int>& d, const fragment<matrix_a, 16, 16, 16, signed char, col_major>& a, const fragment<matrix_b, 16, 16, 16, signed char, row_major>& b, const fragment<accumulator, 16, 16, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.s32.s8.s8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int>& d, const fragment<matrix_a, 16, 16, 16, signed char, col_major>& a, const fragment<matrix_b, 16, 16, 16, signed char, col_major>& b, const fragment<accumulator, 16, 16, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.s32.s8.s8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int>& d, const fragment<matrix_a, 8, 32, 16, signed char, row_major>& a, const fragment<matrix_b, 8, 32, 16, signed char, row_major>& b, const fragment<accumulator, 8, 32, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.s32.s8.s8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int>& d, const fragment<matrix_a, 8, 32, 16, signed char, row_major>& a, const fragment<matrix_b, 8, 32, 16, signed char, col_major>& b, const fragment<accumulator, 8, 32, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int>& d, const fragment<matrix_a, 8, 32, 16, signed char, col_major>& a, const fragment<matrix_b, 8, 32, 16, signed char, row_major>& b, const fragment<accumulator, 8, 32, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.s32.s8.s8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int>& d, const fragment<matrix_a, 8, 32, 16, signed char, col_major>& a, const fragment<matrix_b, 8, 32, 16, signed char, col_major>& b, const fragment<accumulator, 8, 32, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.s32.s8.s8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int>& d, const fragment<matrix_a, 32, 8, 16, signed char, row_major>& a, const fragment<matrix_b, 32, 8, 16, signed char, row_major>& b, const fragment<accumulator, 32, 8, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.s32.s8.s8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int>& d, const fragment<matrix_a, 32, 8, 16, signed char, row_major>& a, const fragment<matrix_b, 32, 8, 16, signed char, col_major>& b, const fragment<accumulator, 32, 8, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.s32.s8.s8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int>& d, const fragment<matrix_a, 32, 8, 16, signed char, col_major>& a, const fragment<matrix_b, 32, 8, 16, signed char, row_major>& b, const fragment<accumulator, 32, 8, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.s32.s8.s8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int>& d, const fragment<matrix_a, 32, 8, 16, signed char, col_major>& a, const fragment<matrix_b, 32, 8, 16, signed char, col_major>& b, const fragment<accumulator, 32, 8, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.s32.s8.s8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int>& d, const fragment<matrix_a, 16, 16, 16, unsigned char, row_major>& a, const fragment<matrix_b, 16, 16, 16, unsigned char, row_major>& b, const fragment<accumulator, 16, 16, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.s32.u8.u8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int>& d, const fragment<matrix_a, 16, 16, 16, unsigned char, row_major>& a, const fragment<matrix_b, 16, 16, 16, unsigned char, col_major>& b, const fragment<accumulator, 16, 16, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int>& d, const fragment<matrix_a, 16, 16, 16, unsigned char, col_major>& a, const fragment<matrix_b, 16, 16, 16, unsigned char, row_major>& b, const fragment<accumulator, 16, 16, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.s32.u8.u8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int>& d, const fragment<matrix_a, 16, 16, 16, unsigned char, col_major>& a, const fragment<matrix_b, 16, 16, 16, unsigned char, col_major>& b, const fragment<accumulator, 16, 16, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.s32.u8.u8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int>& d, const fragment<matrix_a, 8, 32, 16, unsigned char, row_major>& a, const fragment<matrix_b, 8, 32, 16, unsigned char, row_major>& b, const fragment<accumulator, 8, 32, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.s32.u8.u8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int>& d, const fragment<matrix_a, 8, 32, 16, unsigned char, row_major>& a, const fragment<matrix_b, 8, 32, 16, unsigned char, col_major>& b, const fragment<accumulator, 8, 32, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.s32.u8.u8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int>& d, const fragment<matrix_a, 8, 32, 16, unsigned char, col_major>& a, const fragment<matrix_b, 8, 32, 16, unsigned char, row_major>& b, const fragment<accumulator, 8, 32, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.s32.u8.u8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int>& d, const fragment<matrix_a, 8, 32, 16, unsigned char, col_major>& a, const fragment<matrix_b, 8, 32, 16, unsigned char, col_major>& b, const fragment<accumulator, 8, 32, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.s32.u8.u8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int>& d, const fragment<matrix_a, 32, 8, 16, unsigned char, row_major>& a, const fragment<matrix_b, 32, 8, 16, unsigned char, row_major>& b, const fragment<accumulator, 32, 8, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.s32.u8.u8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int>& d, const fragment<matrix_a, 32, 8, 16, unsigned char, row_major>& a, const fragment<matrix_b, 32, 8, 16, unsigned char, col_major>& b, const fragment<accumulator, 32, 8, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int>& d, const fragment<matrix_a, 32, 8, 16, unsigned char, col_major>& a, const fragment<matrix_b, 32, 8, 16, unsigned char, row_major>& b, const fragment<accumulator, 32, 8, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.s32.u8.u8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int>& d, const fragment<matrix_a, 32, 8, 16, unsigned char, col_major>& a, const fragment<matrix_b, 32, 8, 16, unsigned char, col_major>& b, const fragment<accumulator, 32, 8, 16, int>& c, bool saturates = false) {
  unsigned* q = (unsigned*)d.x;
  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, *t = (const unsigned*)c.x;
  if (saturates) { asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.s32.u8.u8.s32.satfinite {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); } else { asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]), "=r"(q[4]), "=r"(q[5]), "=r"(q[6]), "=r"(q[7]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(s[0]), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7])); }
}
} }
