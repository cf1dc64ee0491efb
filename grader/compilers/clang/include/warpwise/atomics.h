static __device__ __forceinline__ int atomicAdd(int* p, int v) { return __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }  // Written by `python -m tools.headers`.
static __device__ __forceinline__ unsigned atomicAdd(unsigned* p, unsigned v) { return __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned long long atomicAdd(unsigned long long* p, unsigned long long v) { return __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ float atomicAdd(float* p, float v) { return __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ double atomicAdd(double* p, double v) { return __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ int atomicMin(int* p, int v) { return __scoped_atomic_fetch_min(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned atomicMin(unsigned* p, unsigned v) { return __scoped_atomic_fetch_min(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned long long atomicMin(unsigned long long* p, unsigned long long v) { return __scoped_atomic_fetch_min(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ long long atomicMin(long long* p, long long v) { return __scoped_atomic_fetch_min(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ int atomicMax(int* p, int v) { return __scoped_atomic_fetch_max(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned atomicMax(unsigned* p, unsigned v) { return __scoped_atomic_fetch_max(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned long long atomicMax(unsigned long long* p, unsigned long long v) { return __scoped_atomic_fetch_max(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ long long atomicMax(long long* p, long long v) { return __scoped_atomic_fetch_max(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ int atomicAnd(int* p, int v) { return __scoped_atomic_fetch_and(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned atomicAnd(unsigned* p, unsigned v) { return __scoped_atomic_fetch_and(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned long long atomicAnd(unsigned long long* p, unsigned long long v) { return __scoped_atomic_fetch_and(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ long long atomicAnd(long long* p, long long v) { return __scoped_atomic_fetch_and(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ int atomicOr(int* p, int v) { return __scoped_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned atomicOr(unsigned* p, unsigned v) { return __scoped_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned long long atomicOr(unsigned long long* p, unsigned long long v) { return __scoped_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ long long atomicOr(long long* p, long long v) { return __scoped_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ int atomicXor(int* p, int v) { return __scoped_atomic_fetch_xor(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned atomicXor(unsigned* p, unsigned v) { return __scoped_atomic_fetch_xor(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned long long atomicXor(unsigned long long* p, unsigned long long v) { return __scoped_atomic_fetch_xor(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ long long atomicXor(long long* p, long long v) { return __scoped_atomic_fetch_xor(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned atomicInc(unsigned* p, unsigned v) { return __scoped_atomic_fetch_uinc(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ unsigned atomicDec(unsigned* p, unsigned v) { return __scoped_atomic_fetch_udec(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
static __device__ __forceinline__ int atomicExch(int* p, int v) { int was; __scoped_atomic_exchange(p, &v, &was, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); return was; }
static __device__ __forceinline__ unsigned atomicExch(unsigned* p, unsigned v) { unsigned was; __scoped_atomic_exchange(p, &v, &was, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); return was; }
static __device__ __forceinline__ unsigned long long atomicExch(unsigned long long* p, unsigned long long v) { unsigned long long was; __scoped_atomic_exchange(p, &v, &was, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); return was; }
static __device__ __forceinline__ float atomicExch(float* p, float v) { float was; __scoped_atomic_exchange(p, &v, &was, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); return was; }
static __device__ __forceinline__ int atomicSub(int* p, int v) { return atomicAdd(p, (int)(0u - v)); }
static __device__ __forceinline__ unsigned atomicSub(unsigned* p, unsigned v) { return atomicAdd(p, (unsigned)(0u - v)); }
static __device__ __forceinline__ int atomicCAS(int* p, int expected, int v) { int was; asm volatile("atom.gpu.cas.b32 %0, [%1], %2, %3;" : "=r"(was) : "l"(p), "r"(expected), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicCAS(unsigned* p, unsigned expected, unsigned v) { unsigned was; asm volatile("atom.gpu.cas.b32 %0, [%1], %2, %3;" : "=r"(was) : "l"(p), "r"(expected), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicCAS(unsigned long long* p, unsigned long long expected, unsigned long long v) { unsigned long long was; asm volatile("atom.gpu.cas.b64 %0, [%1], %2, %3;" : "=l"(was) : "l"(p), "l"(expected), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned short atomicCAS(unsigned short* p, unsigned short expected, unsigned short v) { unsigned short was; asm volatile("atom.gpu.cas.b16 %0, [%1], %2, %3;" : "=h"(was) : "l"(p), "h"(expected), "h"(v) : "memory"); return was; }
static __device__ __forceinline__ float2 atomicAdd(float2* p, float2 v) { float2 was; asm volatile("atom.relaxed.gpu.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};" : "=f"(was.x), "=f"(was.y) : "l"(p), "f"(v.x), "f"(v.y) : "memory"); return was; }
static __device__ __forceinline__ float4 atomicAdd(float4* p, float4 v) { float4 was; asm volatile("atom.relaxed.gpu.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" : "=f"(was.x), "=f"(was.y), "=f"(was.z), "=f"(was.w) : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory"); return was; }
static __device__ __forceinline__ int atomicAdd_block(int* p, int v) { int was; asm volatile("atom.cta.add.s32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicAdd_block(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.cta.add.u32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicAdd_block(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.cta.add.u64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ float atomicAdd_block(float* p, float v) { float was; asm volatile("atom.cta.add.f32 %0, [%1], %2;" : "=f"(was) : "l"(p), "f"(v) : "memory"); return was; }
static __device__ __forceinline__ double atomicAdd_block(double* p, double v) { double was; asm volatile("atom.cta.add.f64 %0, [%1], %2;" : "=d"(was) : "l"(p), "d"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicMin_block(int* p, int v) { int was; asm volatile("atom.cta.min.s32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicMin_block(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.cta.min.u32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicMin_block(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.cta.min.u64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ long long atomicMin_block(long long* p, long long v) { long long was; asm volatile("atom.cta.min.s64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicMax_block(int* p, int v) { int was; asm volatile("atom.cta.max.s32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicMax_block(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.cta.max.u32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicMax_block(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.cta.max.u64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ long long atomicMax_block(long long* p, long long v) { long long was; asm volatile("atom.cta.max.s64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicAnd_block(int* p, int v) { int was; asm volatile("atom.cta.and.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicAnd_block(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.cta.and.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicAnd_block(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.cta.and.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ long long atomicAnd_block(long long* p, long long v) { long long was; asm volatile("atom.cta.and.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicOr_block(int* p, int v) { int was; asm volatile("atom.cta.or.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicOr_block(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.cta.or.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicOr_block(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.cta.or.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ long long atomicOr_block(long long* p, long long v) { long long was; asm volatile("atom.cta.or.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicXor_block(int* p, int v) { int was; asm volatile("atom.cta.xor.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicXor_block(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.cta.xor.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicXor_block(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.cta.xor.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ long long atomicXor_block(long long* p, long long v) { long long was; asm volatile("atom.cta.xor.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicInc_block(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.cta.inc.u32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicDec_block(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.cta.dec.u32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicExch_block(int* p, int v) { int was; asm volatile("atom.cta.exch.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicExch_block(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.cta.exch.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicExch_block(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.cta.exch.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ float atomicExch_block(float* p, float v) { float was; asm volatile("atom.cta.exch.b32 %0, [%1], %2;" : "=f"(was) : "l"(p), "f"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicSub_block(int* p, int v) { return atomicAdd_block(p, (int)(0u - v)); }
static __device__ __forceinline__ unsigned atomicSub_block(unsigned* p, unsigned v) { return atomicAdd_block(p, (unsigned)(0u - v)); }
static __device__ __forceinline__ int atomicCAS_block(int* p, int expected, int v) { int was; asm volatile("atom.cta.cas.b32 %0, [%1], %2, %3;" : "=r"(was) : "l"(p), "r"(expected), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicCAS_block(unsigned* p, unsigned expected, unsigned v) { unsigned was; asm volatile("atom.cta.cas.b32 %0, [%1], %2, %3;" : "=r"(was) : "l"(p), "r"(expected), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicCAS_block(unsigned long long* p, unsigned long long expected, unsigned long long v) { unsigned long long was; asm volatile("atom.cta.cas.b64 %0, [%1], %2, %3;" : "=l"(was) : "l"(p), "l"(expected), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ float2 atomicAdd_block(float2* p, float2 v) { float2 was; asm volatile("atom.relaxed.cta.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};" : "=f"(was.x), "=f"(was.y) : "l"(p), "f"(v.x), "f"(v.y) : "memory"); return was; }
static __device__ __forceinline__ float4 atomicAdd_block(float4* p, float4 v) { float4 was; asm volatile("atom.relaxed.cta.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" : "=f"(was.x), "=f"(was.y), "=f"(was.z), "=f"(was.w) : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory"); return was; }
static __device__ __forceinline__ int atomicAdd_system(int* p, int v) { int was; asm volatile("atom.sys.add.s32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicAdd_system(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.sys.add.u32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicAdd_system(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.sys.add.u64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ float atomicAdd_system(float* p, float v) { float was; asm volatile("atom.sys.add.f32 %0, [%1], %2;" : "=f"(was) : "l"(p), "f"(v) : "memory"); return was; }
static __device__ __forceinline__ double atomicAdd_system(double* p, double v) { double was; asm volatile("atom.sys.add.f64 %0, [%1], %2;" : "=d"(was) : "l"(p), "d"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicMin_system(int* p, int v) { int was; asm volatile("atom.sys.min.s32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicMin_system(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.sys.min.u32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicMin_system(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.sys.min.u64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ long long atomicMin_system(long long* p, long long v) { long long was; asm volatile("atom.sys.min.s64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicMax_system(int* p, int v) { int was; asm volatile("atom.sys.max.s32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicMax_system(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.sys.max.u32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicMax_system(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.sys.max.u64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ long long atomicMax_system(long long* p, long long v) { long long was; asm volatile("atom.sys.max.s64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicAnd_system(int* p, int v) { int was; asm volatile("atom.sys.and.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicAnd_system(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.sys.and.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicAnd_system(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.sys.and.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ long long atomicAnd_system(long long* p, long long v) { long long was; asm volatile("atom.sys.and.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicOr_system(int* p, int v) { int was; asm volatile("atom.sys.or.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicOr_system(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.sys.or.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicOr_system(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.sys.or.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ long long atomicOr_system(long long* p, long long v) { long long was; asm volatile("atom.sys.or.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicXor_system(int* p, int v) { int was; asm volatile("atom.sys.xor.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicXor_system(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.sys.xor.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicXor_system(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.sys.xor.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ long long atomicXor_system(long long* p, long long v) { long long was; asm volatile("atom.sys.xor.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicInc_system(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.sys.inc.u32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicDec_system(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.sys.dec.u32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicExch_system(int* p, int v) { int was; asm volatile("atom.sys.exch.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicExch_system(unsigned* p, unsigned v) { unsigned was; asm volatile("atom.sys.exch.b32 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicExch_system(unsigned long long* p, unsigned long long v) { unsigned long long was; asm volatile("atom.sys.exch.b64 %0, [%1], %2;" : "=l"(was) : "l"(p), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ float atomicExch_system(float* p, float v) { float was; asm volatile("atom.sys.exch.b32 %0, [%1], %2;" : "=f"(was) : "l"(p), "f"(v) : "memory"); return was; }
static __device__ __forceinline__ int atomicSub_system(int* p, int v) { return atomicAdd_system(p, (int)(0u - v)); }
static __device__ __forceinline__ unsigned atomicSub_system(unsigned* p, unsigned v) { return atomicAdd_system(p, (unsigned)(0u - v)); }
static __device__ __forceinline__ int atomicCAS_system(int* p, int expected, int v) { int was; asm volatile("atom.sys.cas.b32 %0, [%1], %2, %3;" : "=r"(was) : "l"(p), "r"(expected), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned atomicCAS_system(unsigned* p, unsigned expected, unsigned v) { unsigned was; asm volatile("atom.sys.cas.b32 %0, [%1], %2, %3;" : "=r"(was) : "l"(p), "r"(expected), "r"(v) : "memory"); return was; }
static __device__ __forceinline__ unsigned long long atomicCAS_system(unsigned long long* p, unsigned long long expected, unsigned long long v) { unsigned long long was; asm volatile("atom.sys.cas.b64 %0, [%1], %2, %3;" : "=l"(was) : "l"(p), "l"(expected), "l"(v) : "memory"); return was; }
static __device__ __forceinline__ float2 atomicAdd_system(float2* p, float2 v) { float2 was; asm volatile("atom.relaxed.sys.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};" : "=f"(was.x), "=f"(was.y) : "l"(p), "f"(v.x), "f"(v.y) : "memory"); return was; }
static __device__ __forceinline__ float4 atomicAdd_system(float4* p, float4 v) { float4 was; asm volatile("atom.relaxed.sys.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" : "=f"(was.x), "=f"(was.y), "=f"(was.z), "=f"(was.w) : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory"); return was; }
