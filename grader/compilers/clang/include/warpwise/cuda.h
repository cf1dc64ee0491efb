// What NVRTC has built in and clang has not: CUDA's words, types, variables and functions, from
// the CUDA C++ Programming Guide. The headers beside this one hold mathematics, vectors,
// atomics and more. Included before the prelude and every source.
#pragma once

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1  // headers then leave out what belongs to a host
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 9
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_API_VER_MAJOR__ 12
#define __CUDA_API_VER_MINOR__ 9

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared, annotate("kept, even if nobody writes it")))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...) __attribute__((annotate("warpwise cluster", __VA_ARGS__)))
#define __maxnreg__(n)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __cudart_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define CUDARTAPI
#define CUDART_DEVICE __device__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_TYPES_H__
#define __CUDA_RUNTIME_H__

#define CUDA_FUNCTION static __device__ __forceinline__

// Room in shared memory for a variable, whose type is a name of its own (source.py).
template <typename T> struct __cuda_unconstructed {
  __align__(alignof(T)) unsigned char bytes[sizeof(T)];
};
#define WARPWISE_UNCONSTRUCTED(name)                                                     \
  struct name##__room {                                                                  \
    static __device__ __forceinline__ name##__type& found() {                            \
      __shared__ __align__(alignof(name##__type)) __cuda_unconstructed<name##__type> name; \
      return (name##__type&)name.bytes;                                                  \
    }                                                                                    \
  };                                                                                     \
  name##__type& name = name##__room::found();

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;
#define NULL __null
#include <warpwise/vectors.h>
#include <driver_types.h>  // of the host's half: sources that are for both name them
#include <surface_types.h>
#include <texture_types.h>

// Textures and surfaces are refused where they are used, by the instruction that they are.
#define WARPWISE_TEXTURE(name)                                                    \
  template <class T, class... At>                                                 \
  CUDA_FUNCTION T name(cudaTextureObject_t object, At...) {                       \
    asm volatile("tex.1d.v4.f32.s32 {%%f0, %%f1, %%f2, %%f3}, [%0, {%1}];" ::"l"(object),\
                 "r"(0));                                                         \
    return T();                                                                   \
  }
#define WARPWISE_SURFACE(name)                                                    \
  template <class T, class... At>                                                 \
  CUDA_FUNCTION T name##read(cudaSurfaceObject_t object, At...) {                 \
    asm volatile("suld.b.1d.b32.trap {%%r0}, [%0, {%1}];" ::"l"(object), "r"(0)); \
    return T();                                                                   \
  }                                                                               \
  template <class T, class... At>                                                 \
  CUDA_FUNCTION void name##read(T*, cudaSurfaceObject_t object, At...) {          \
    asm volatile("suld.b.1d.b32.trap {%%r0}, [%0, {%1}];" ::"l"(object), "r"(0)); \
  }                                                                               \
  template <class T, class... At>                                                 \
  CUDA_FUNCTION void name##write(T, cudaSurfaceObject_t object, At...) {          \
    asm volatile("sust.b.1d.b32.trap [%0, {%1}], {%1};" ::"l"(object), "r"(0));   \
  }
WARPWISE_TEXTURE(tex1D)
WARPWISE_TEXTURE(tex1Dfetch)
WARPWISE_TEXTURE(tex1DLod)
WARPWISE_TEXTURE(tex1DLayered)
WARPWISE_TEXTURE(tex2D)
WARPWISE_TEXTURE(tex2DLod)
WARPWISE_TEXTURE(tex2DLayered)
WARPWISE_TEXTURE(tex2Dgather)
WARPWISE_TEXTURE(tex3D)
WARPWISE_TEXTURE(tex3DLod)
WARPWISE_TEXTURE(texCubemap)
WARPWISE_SURFACE(surf1D)
WARPWISE_SURFACE(surf1DLayered)
WARPWISE_SURFACE(surf2D)
WARPWISE_SURFACE(surf2DLayered)
WARPWISE_SURFACE(surf3D)
#undef WARPWISE_TEXTURE
#undef WARPWISE_SURFACE
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
#define offsetof(type, member) __builtin_offsetof(type, member)

#include <nv/target>

namespace cuda { namespace std { inline namespace __4 {} } }
namespace std {
using namespace cuda::std;  // CUB says `std::is_pointer` and takes what NVRTC has
template <typename T> struct __cuda_plain { typedef T type; };
template <typename T> struct __cuda_plain<T&> { typedef T type; };
template <typename T> struct __cuda_plain<T&&> { typedef T type; };
template <typename T>
__host__ __device__ constexpr typename __cuda_plain<T>::type&& move(T&& x) noexcept {
  return static_cast<typename __cuda_plain<T>::type&&>(x);
}
template <typename T>
__host__ __device__ constexpr T&& forward(typename __cuda_plain<T>::type& x) noexcept {
  return static_cast<T&&>(x);
}
template <typename T>
__host__ __device__ constexpr T&& forward(typename __cuda_plain<T>::type&& x) noexcept {
  return static_cast<T&&>(x);
}
template <typename T> class initializer_list {
  const T* first;
  size_t count;

 public:
  typedef T value_type;
  typedef const T* iterator;
  __host__ __device__ constexpr initializer_list() noexcept : first(nullptr), count(0) {}
  __host__ __device__ constexpr size_t size() const noexcept { return count; }
  __host__ __device__ constexpr const T* begin() const noexcept { return first; }
  __host__ __device__ constexpr const T* end() const noexcept { return first + count; }
};
}  // namespace std

// threadIdx and its like are read from registers, and can be given on as uint3 or dim3.
#define CUDA_INDEX(Name, x_, y_, z_, Type)                                             \
  struct Name {                                                                        \
    __declspec(property(get = get_x)) unsigned x;                                      \
    __declspec(property(get = get_y)) unsigned y;                                      \
    __declspec(property(get = get_z)) unsigned z;                                      \
    CUDA_FUNCTION unsigned get_x() { return x_(); }                                    \
    CUDA_FUNCTION unsigned get_y() { return y_(); }                                    \
    CUDA_FUNCTION unsigned get_z() { return z_(); }                                    \
    __device__ __forceinline__ operator uint3() const { return {x_(), y_(), z_()}; }   \
    __device__ __forceinline__ operator dim3() const { return dim3(x_(), y_(), z_()); } \
  };
CUDA_INDEX(__cuda_thread_index, __nvvm_read_ptx_sreg_tid_x, __nvvm_read_ptx_sreg_tid_y,
           __nvvm_read_ptx_sreg_tid_z, uint3)
CUDA_INDEX(__cuda_block_index, __nvvm_read_ptx_sreg_ctaid_x, __nvvm_read_ptx_sreg_ctaid_y,
           __nvvm_read_ptx_sreg_ctaid_z, uint3)
CUDA_INDEX(__cuda_block_size, __nvvm_read_ptx_sreg_ntid_x, __nvvm_read_ptx_sreg_ntid_y,
           __nvvm_read_ptx_sreg_ntid_z, dim3)
CUDA_INDEX(__cuda_grid_size, __nvvm_read_ptx_sreg_nctaid_x, __nvvm_read_ptx_sreg_nctaid_y,
           __nvvm_read_ptx_sreg_nctaid_z, dim3)
#undef CUDA_INDEX
extern const __device__ __attribute__((weak)) __cuda_thread_index threadIdx;
extern const __device__ __attribute__((weak)) __cuda_block_index blockIdx;
extern const __device__ __attribute__((weak)) __cuda_block_size blockDim;
extern const __device__ __attribute__((weak)) __cuda_grid_size gridDim;
static const __device__ int warpSize = 32;

extern "C" {
__device__ int printf(const char*, ...);
__device__ void* malloc(size_t);
__device__ void free(void*);
__device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t)
    __attribute__((noreturn));
__host__ __device__ void* memcpy(void*, const void*, size_t) noexcept;
__host__ __device__ void* memmove(void*, const void*, size_t) noexcept;
__host__ __device__ void* memset(void*, int, size_t) noexcept;
}
namespace std {
using ::memcpy;
using ::memmove;
using ::memset;
}  // namespace std
#define alloca(size) __builtin_alloca(size)
#define __prof_trigger(n)
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...)                                                                \
  ((__VA_ARGS__) ? (void)0                                                         \
                 : __assertfail(#__VA_ARGS__, __FILE__, __LINE__, __PRETTY_FUNCTION__, 1))
#endif
__device__ inline void* operator new(size_t, void* at) noexcept { return at; }
__device__ inline void* operator new[](size_t, void* at) noexcept { return at; }
__device__ inline void* operator new(size_t size) { return malloc(size); }
__device__ inline void* operator new[](size_t size) { return malloc(size); }
__device__ inline void operator delete(void* at) noexcept { free(at); }
__device__ inline void operator delete[](void* at) noexcept { free(at); }
__device__ inline void operator delete(void* at, size_t) noexcept { free(at); }
__device__ inline void operator delete[](void* at, size_t) noexcept { free(at); }

#include <warpwise/math_functions.h>

CUDA_FUNCTION float sqrtf(float x) noexcept { return __builtin_sqrtf(x); }
CUDA_FUNCTION double sqrt(double x) noexcept { return __builtin_sqrt(x); }
CUDA_FUNCTION float sqrt(float x) noexcept { return __builtin_sqrtf(x); }
CUDA_FUNCTION float nanf(const char*) noexcept { return __builtin_nanf(""); }
CUDA_FUNCTION double nan(const char*) noexcept { return __builtin_nan(""); }
#define CUDA_CLASSIFY(name, T) \
  CUDA_FUNCTION bool name(T x) noexcept { return __builtin_##name(x); }
CUDA_CLASSIFY(isnan, float) CUDA_CLASSIFY(isnan, double)
CUDA_CLASSIFY(isinf, float) CUDA_CLASSIFY(isinf, double)
CUDA_CLASSIFY(isfinite, float) CUDA_CLASSIFY(isfinite, double)
CUDA_CLASSIFY(signbit, float) CUDA_CLASSIFY(signbit, double)
#undef CUDA_CLASSIFY
CUDA_FUNCTION float abs(float x) noexcept { return __builtin_fabsf(x); }
CUDA_FUNCTION double abs(double x) noexcept { return __builtin_fabs(x); }
CUDA_FUNCTION int abs(int x) noexcept { return x < 0 ? -x : x; }
CUDA_FUNCTION long abs(long x) noexcept { return x < 0 ? -x : x; }
CUDA_FUNCTION long long abs(long long x) noexcept { return x < 0 ? -x : x; }
CUDA_FUNCTION long labs(long x) noexcept { return x < 0 ? -x : x; }
CUDA_FUNCTION long long llabs(long long x) noexcept { return x < 0 ? -x : x; }
CUDA_FUNCTION float pow(float x, int y) noexcept { return powf(x, y); }
CUDA_FUNCTION double pow(double x, int y) noexcept { return __nv_pow(x, y); }
CUDA_FUNCTION double fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
CUDA_FUNCTION float fdividef(float x, float y) { return x / y; }
CUDA_FUNCTION long lrint(double x) noexcept { return llrint(x); }
CUDA_FUNCTION long lrintf(float x) noexcept { return llrintf(x); }
CUDA_FUNCTION long lround(double x) noexcept { return llround(x); }
CUDA_FUNCTION long lroundf(float x) noexcept { return llroundf(x); }

// The least and the greatest, in the pairs of types that CUDA has.
#define CUDA_LEAST_GREATEST(T, U, R)                                        \
  CUDA_FUNCTION R min(T a, U b) noexcept { return (R)a < (R)b ? (R)a : (R)b; } \
  CUDA_FUNCTION R max(T a, U b) noexcept { return (R)a > (R)b ? (R)a : (R)b; }
#define CUDA_UNSIGNED_PAIRS(I, U)                            \
  CUDA_LEAST_GREATEST(I, I, I) CUDA_LEAST_GREATEST(U, U, U) \
  CUDA_LEAST_GREATEST(I, U, U) CUDA_LEAST_GREATEST(U, I, U)
CUDA_UNSIGNED_PAIRS(int, unsigned)
CUDA_UNSIGNED_PAIRS(long, unsigned long)
CUDA_UNSIGNED_PAIRS(long long, unsigned long long)
#undef CUDA_UNSIGNED_PAIRS
#undef CUDA_LEAST_GREATEST
CUDA_FUNCTION float min(float a, float b) noexcept { return __builtin_fminf(a, b); }
CUDA_FUNCTION float max(float a, float b) noexcept { return __builtin_fmaxf(a, b); }
CUDA_FUNCTION double min(double a, double b) noexcept { return __builtin_fmin(a, b); }
CUDA_FUNCTION double max(double a, double b) noexcept { return __builtin_fmax(a, b); }
CUDA_FUNCTION double min(float a, double b) noexcept { return __builtin_fmin(a, b); }
CUDA_FUNCTION double max(float a, double b) noexcept { return __builtin_fmax(a, b); }
CUDA_FUNCTION double min(double a, float b) noexcept { return __builtin_fmin(a, b); }
CUDA_FUNCTION double max(double a, float b) noexcept { return __builtin_fmax(a, b); }
CUDA_FUNCTION unsigned umin(unsigned a, unsigned b) noexcept { return a < b ? a : b; }
CUDA_FUNCTION unsigned umax(unsigned a, unsigned b) noexcept { return a > b ? a : b; }
CUDA_FUNCTION long long llmin(long long a, long long b) noexcept { return a < b ? a : b; }
CUDA_FUNCTION long long llmax(long long a, long long b) noexcept { return a > b ? a : b; }

// Bits.
#define CUDA_FUNNEL(name, mode)                                                            \
  CUDA_FUNCTION unsigned name(unsigned lo, unsigned hi, unsigned shift) {                  \
    unsigned out;                                                                          \
    asm("shf." mode ".b32 %0, %1, %2, %3;" : "=r"(out) : "r"(lo), "r"(hi), "r"(shift));    \
    return out;                                                                            \
  }
CUDA_FUNNEL(__funnelshift_l, "l.wrap")
CUDA_FUNNEL(__funnelshift_lc, "l.clamp")
CUDA_FUNNEL(__funnelshift_r, "r.wrap")
CUDA_FUNNEL(__funnelshift_rc, "r.clamp")
#undef CUDA_FUNNEL
#define CUDA_DOT(name, opcode, A, B, R)                                                    \
  CUDA_FUNCTION R name(A a, B b, R c) {                                                    \
    R out;                                                                                 \
    asm(opcode " %0, %1, %2, %3;" : "=r"(out) : "r"(__builtin_bit_cast(unsigned, a)),      \
        "r"(__builtin_bit_cast(unsigned, b)), "r"(c));                                     \
    return out;                                                                            \
  }
CUDA_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
CUDA_DOT(__dp4a, "dp4a.u32.u32", unsigned, unsigned, unsigned)
CUDA_DOT(__dp4a, "dp4a.s32.s32", char4, char4, int)
CUDA_DOT(__dp4a, "dp4a.u32.u32", uchar4, uchar4, unsigned)
#undef CUDA_DOT
CUDA_FUNCTION unsigned __fns(unsigned mask, unsigned base, int offset) {
  unsigned out;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(out) : "r"(mask), "r"(base), "r"(offset));
  return out;
}
#define __builtin___nv_assume(x) __builtin_assume(x)
#define __nv_is_extended_device_lambda_closure_type(T) false
#define __nv_is_extended_host_device_lambda_closure_type(T) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(T) false

// Barriers, fences, clocks.
CUDA_FUNCTION int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
CUDA_FUNCTION int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
CUDA_FUNCTION int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
CUDA_FUNCTION void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
CUDA_FUNCTION void __barrier_sync(unsigned id) { __nvvm_barrier_sync(id); }
CUDA_FUNCTION void __barrier_sync_count(unsigned id, unsigned n) {
  __nvvm_barrier_sync_cnt(id, n);
}
CUDA_FUNCTION void __threadfence_block() { __nvvm_membar_cta(); }
CUDA_FUNCTION void __threadfence() { __nvvm_membar_gl(); }
CUDA_FUNCTION void __threadfence_system() { __nvvm_membar_sys(); }
CUDA_FUNCTION int clock() { return __nvvm_read_ptx_sreg_clock(); }
CUDA_FUNCTION long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
CUDA_FUNCTION void __nanosleep(unsigned ns) { __nvvm_nanosleep(ns); }
CUDA_FUNCTION void __trap() { asm volatile("trap;"); }
CUDA_FUNCTION void __brkpt() { asm volatile("brkpt;"); }
CUDA_FUNCTION void __cluster_barrier_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
CUDA_FUNCTION void __cluster_barrier_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed;");
}
CUDA_FUNCTION void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }

// Votes, matches, reductions and shuffles among the lanes of a warp.
CUDA_FUNCTION unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
CUDA_FUNCTION int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
CUDA_FUNCTION int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
CUDA_FUNCTION int __uni_sync(unsigned mask, int p) { return __nvvm_vote_uni_sync(mask, p); }
CUDA_FUNCTION unsigned __ballot_sync(unsigned mask, int p) {
  return __nvvm_vote_ballot_sync(mask, p);
}
#define CUDA_MATCH(T, bits, suffix)                                                        \
  CUDA_FUNCTION unsigned __match_any_sync(unsigned mask, T value) {                        \
    return __nvvm_match_any_sync_##suffix(mask, __builtin_bit_cast(bits, value));          \
  }                                                                                        \
  CUDA_FUNCTION unsigned __match_all_sync(unsigned mask, T value, int* all) {              \
    return __nvvm_match_all_sync_##suffix##p(mask, __builtin_bit_cast(bits, value), all);  \
  }
CUDA_MATCH(int, int, i32) CUDA_MATCH(unsigned, int, i32) CUDA_MATCH(float, int, i32)
CUDA_MATCH(long, long long, i64) CUDA_MATCH(unsigned long, long long, i64)
CUDA_MATCH(long long, long long, i64) CUDA_MATCH(unsigned long long, long long, i64)
CUDA_MATCH(double, long long, i64)
#undef CUDA_MATCH
CUDA_FUNCTION int __reduce_add_sync(unsigned mask, int v) { return __nvvm_redux_sync_add(v, mask); }
CUDA_FUNCTION unsigned __reduce_add_sync(unsigned mask, unsigned v) {
  return __nvvm_redux_sync_add(v, mask);
}
CUDA_FUNCTION int __reduce_min_sync(unsigned mask, int v) { return __nvvm_redux_sync_min(v, mask); }
CUDA_FUNCTION int __reduce_max_sync(unsigned mask, int v) { return __nvvm_redux_sync_max(v, mask); }
CUDA_FUNCTION unsigned __reduce_min_sync(unsigned mask, unsigned v) {
  return __nvvm_redux_sync_umin(v, mask);
}
CUDA_FUNCTION unsigned __reduce_max_sync(unsigned mask, unsigned v) {
  return __nvvm_redux_sync_umax(v, mask);
}
CUDA_FUNCTION unsigned __reduce_and_sync(unsigned mask, unsigned v) {
  return __nvvm_redux_sync_and(v, mask);
}
CUDA_FUNCTION unsigned __reduce_or_sync(unsigned mask, unsigned v) {
  return __nvvm_redux_sync_or(v, mask);
}
CUDA_FUNCTION unsigned __reduce_xor_sync(unsigned mask, unsigned v) {
  return __nvvm_redux_sync_xor(v, mask);
}

#define CUDA_SHUFFLE_HALVES(name, T, By)                                          \
  CUDA_FUNCTION T name(unsigned mask, T value, By by, int width = 32) {           \
    uint2 bits = __builtin_bit_cast(uint2, value);                                \
    bits.x = (unsigned)name(mask, (int)bits.x, by, width);                        \
    bits.y = (unsigned)name(mask, (int)bits.y, by, width);                        \
    return __builtin_bit_cast(T, bits);                                           \
  }
#define CUDA_SHUFFLE(name, kind, By, last)                                                \
  CUDA_FUNCTION int name(unsigned mask, int value, By by, int width = 32) {               \
    return __nvvm_shfl_sync_##kind##_i32(mask, value, by, ((32 - width) << 8) | last);    \
  }                                                                                       \
  CUDA_FUNCTION unsigned name(unsigned mask, unsigned value, By by, int width = 32) {     \
    return name(mask, (int)value, by, width);                                             \
  }                                                                                       \
  CUDA_FUNCTION float name(unsigned mask, float value, By by, int width = 32) {           \
    return __nvvm_shfl_sync_##kind##_f32(mask, value, by, ((32 - width) << 8) | last);    \
  }                                                                                       \
  CUDA_SHUFFLE_HALVES(name, long, By) CUDA_SHUFFLE_HALVES(name, unsigned long, By)        \
  CUDA_SHUFFLE_HALVES(name, long long, By)                                                \
  CUDA_SHUFFLE_HALVES(name, unsigned long long, By) CUDA_SHUFFLE_HALVES(name, double, By)
CUDA_SHUFFLE(__shfl_sync, idx, int, 31)
CUDA_SHUFFLE(__shfl_up_sync, up, unsigned, 0)
CUDA_SHUFFLE(__shfl_down_sync, down, unsigned, 31)
CUDA_SHUFFLE(__shfl_xor_sync, bfly, int, 31)
#undef CUDA_SHUFFLE
#undef CUDA_SHUFFLE_HALVES

// State spaces.
CUDA_FUNCTION size_t __cvta_generic_to_shared(const void* p) {
  return (size_t)(__attribute__((address_space(3))) const void*)p;
}
CUDA_FUNCTION size_t __cvta_generic_to_global(const void* p) {
  return (size_t)(__attribute__((address_space(1))) const void*)p;
}
CUDA_FUNCTION size_t __cvta_generic_to_local(const void* p) {
  return (size_t)(__attribute__((address_space(5))) const void*)p;
}
// Not static: CUDA's headers declare it again, as a function of C, in a namespace.
extern "C" __device__ __forceinline__ unsigned __nvvm_get_smem_pointer(void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
CUDA_FUNCTION size_t __cvta_generic_to_constant(const void* p) {
  return (size_t)(__attribute__((address_space(4))) const void*)p;
}
CUDA_FUNCTION void* __cvta_shared_to_generic(size_t p) {
  return (void*)(__attribute__((address_space(3))) void*)p;
}
CUDA_FUNCTION void* __cvta_global_to_generic(size_t p) {
  return (void*)(__attribute__((address_space(1))) void*)p;
}
CUDA_FUNCTION void* __cvta_local_to_generic(size_t p) {
  return (void*)(__attribute__((address_space(5))) void*)p;
}
CUDA_FUNCTION unsigned __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
CUDA_FUNCTION unsigned __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
CUDA_FUNCTION unsigned __isClusterShared(const void* p) {
  return __nvvm_isspacep_shared_cluster(p);
}
CUDA_FUNCTION unsigned __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
CUDA_FUNCTION unsigned __isConstant(const void* p) { return __nvvm_isspacep_const(p); }

// Clusters of blocks.
CUDA_FUNCTION unsigned __clusterDimIsSpecified() {
  return __nvvm_is_explicit_cluster();
}
CUDA_FUNCTION dim3 __clusterDim() {
  return dim3(__nvvm_read_ptx_sreg_cluster_nctaid_x(), __nvvm_read_ptx_sreg_cluster_nctaid_y(),
              __nvvm_read_ptx_sreg_cluster_nctaid_z());
}
CUDA_FUNCTION dim3 __clusterRelativeBlockIdx() {
  return dim3(__nvvm_read_ptx_sreg_cluster_ctaid_x(), __nvvm_read_ptx_sreg_cluster_ctaid_y(),
              __nvvm_read_ptx_sreg_cluster_ctaid_z());
}
CUDA_FUNCTION dim3 __clusterGridDimInClusters() {
  return dim3(__nvvm_read_ptx_sreg_nclusterid_x(), __nvvm_read_ptx_sreg_nclusterid_y(),
              __nvvm_read_ptx_sreg_nclusterid_z());
}
CUDA_FUNCTION dim3 __clusterIdx() {
  return dim3(__nvvm_read_ptx_sreg_clusterid_x(), __nvvm_read_ptx_sreg_clusterid_y(),
              __nvvm_read_ptx_sreg_clusterid_z());
}
CUDA_FUNCTION unsigned __clusterRelativeBlockRank() {
  return __nvvm_read_ptx_sreg_cluster_ctarank();
}
CUDA_FUNCTION unsigned __clusterSizeInBlocks() { return __nvvm_read_ptx_sreg_cluster_nctarank(); }
CUDA_FUNCTION void* __cluster_map_shared_rank(const void* p, unsigned rank) {
  void* out;
  asm("mapa.u64 %0, %1, %2;" : "=l"(out) : "l"(p), "r"(rank));
  return out;
}
CUDA_FUNCTION unsigned __cluster_query_shared_rank(const void* p) {
  unsigned rank;
  asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(p));
  return rank;
}

#include <warpwise/accesses.h>
#include <warpwise/atomics.h>
#include <warpwise/simd.h>
