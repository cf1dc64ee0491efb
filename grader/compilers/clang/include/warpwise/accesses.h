static __device__ __forceinline__ char __ldg(const char* p) { short v; asm("ld.global.nc.s8 %0, [%1];" : "=h"(v) : "l"(p)); return (char)v; }  // Written by `python -m tools.headers`.
static __device__ __forceinline__ char __ldcg(const char* p) { short v; asm volatile("ld.global.cg.s8 %0, [%1];" : "=h"(v) : "l"(p)); return (char)v; }
static __device__ __forceinline__ char __ldca(const char* p) { short v; asm volatile("ld.global.ca.s8 %0, [%1];" : "=h"(v) : "l"(p)); return (char)v; }
static __device__ __forceinline__ char __ldcs(const char* p) { short v; asm volatile("ld.global.cs.s8 %0, [%1];" : "=h"(v) : "l"(p)); return (char)v; }
static __device__ __forceinline__ char __ldlu(const char* p) { short v; asm volatile("ld.global.lu.s8 %0, [%1];" : "=h"(v) : "l"(p)); return (char)v; }
static __device__ __forceinline__ char __ldcv(const char* p) { short v; asm volatile("ld.global.cv.s8 %0, [%1];" : "=h"(v) : "l"(p)); return (char)v; }
static __device__ __forceinline__ void __stwb(char* p, char v) { asm volatile("st.global.wb.s8 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stcg(char* p, char v) { asm volatile("st.global.cg.s8 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stcs(char* p, char v) { asm volatile("st.global.cs.s8 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stwt(char* p, char v) { asm volatile("st.global.wt.s8 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ char2 __ldg(const char2* p) { short x, y; asm("ld.global.nc.v2.s8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_char2(x, y); }
static __device__ __forceinline__ char2 __ldcg(const char2* p) { short x, y; asm volatile("ld.global.cg.v2.s8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_char2(x, y); }
static __device__ __forceinline__ char2 __ldca(const char2* p) { short x, y; asm volatile("ld.global.ca.v2.s8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_char2(x, y); }
static __device__ __forceinline__ char2 __ldcs(const char2* p) { short x, y; asm volatile("ld.global.cs.v2.s8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_char2(x, y); }
static __device__ __forceinline__ char2 __ldlu(const char2* p) { short x, y; asm volatile("ld.global.lu.v2.s8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_char2(x, y); }
static __device__ __forceinline__ char2 __ldcv(const char2* p) { short x, y; asm volatile("ld.global.cv.v2.s8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_char2(x, y); }
static __device__ __forceinline__ void __stwb(char2* p, char2 v) { asm volatile("st.global.wb.v2.s8 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ void __stcg(char2* p, char2 v) { asm volatile("st.global.cg.v2.s8 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ void __stcs(char2* p, char2 v) { asm volatile("st.global.cs.v2.s8 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ void __stwt(char2* p, char2 v) { asm volatile("st.global.wt.v2.s8 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ char4 __ldg(const char4* p) { short x, y, z, w; asm("ld.global.nc.v4.s8 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_char4(x, y, z, w); }
static __device__ __forceinline__ char4 __ldcg(const char4* p) { short x, y, z, w; asm volatile("ld.global.cg.v4.s8 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_char4(x, y, z, w); }
static __device__ __forceinline__ char4 __ldca(const char4* p) { short x, y, z, w; asm volatile("ld.global.ca.v4.s8 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_char4(x, y, z, w); }
static __device__ __forceinline__ char4 __ldcs(const char4* p) { short x, y, z, w; asm volatile("ld.global.cs.v4.s8 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_char4(x, y, z, w); }
static __device__ __forceinline__ char4 __ldlu(const char4* p) { short x, y, z, w; asm volatile("ld.global.lu.v4.s8 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_char4(x, y, z, w); }
static __device__ __forceinline__ char4 __ldcv(const char4* p) { short x, y, z, w; asm volatile("ld.global.cv.v4.s8 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_char4(x, y, z, w); }
static __device__ __forceinline__ void __stwb(char4* p, char4 v) { asm volatile("st.global.wb.v4.s8 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ void __stcg(char4* p, char4 v) { asm volatile("st.global.cg.v4.s8 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ void __stcs(char4* p, char4 v) { asm volatile("st.global.cs.v4.s8 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ void __stwt(char4* p, char4 v) { asm volatile("st.global.wt.v4.s8 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ signed char __ldg(const signed char* p) { short v; asm("ld.global.nc.s8 %0, [%1];" : "=h"(v) : "l"(p)); return (signed char)v; }
static __device__ __forceinline__ signed char __ldcg(const signed char* p) { short v; asm volatile("ld.global.cg.s8 %0, [%1];" : "=h"(v) : "l"(p)); return (signed char)v; }
static __device__ __forceinline__ signed char __ldca(const signed char* p) { short v; asm volatile("ld.global.ca.s8 %0, [%1];" : "=h"(v) : "l"(p)); return (signed char)v; }
static __device__ __forceinline__ signed char __ldcs(const signed char* p) { short v; asm volatile("ld.global.cs.s8 %0, [%1];" : "=h"(v) : "l"(p)); return (signed char)v; }
static __device__ __forceinline__ signed char __ldlu(const signed char* p) { short v; asm volatile("ld.global.lu.s8 %0, [%1];" : "=h"(v) : "l"(p)); return (signed char)v; }
static __device__ __forceinline__ signed char __ldcv(const signed char* p) { short v; asm volatile("ld.global.cv.s8 %0, [%1];" : "=h"(v) : "l"(p)); return (signed char)v; }
static __device__ __forceinline__ void __stwb(signed char* p, signed char v) { asm volatile("st.global.wb.s8 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stcg(signed char* p, signed char v) { asm volatile("st.global.cg.s8 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stcs(signed char* p, signed char v) { asm volatile("st.global.cs.s8 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stwt(signed char* p, signed char v) { asm volatile("st.global.wt.s8 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ unsigned char __ldg(const unsigned char* p) { short v; asm("ld.global.nc.u8 %0, [%1];" : "=h"(v) : "l"(p)); return (unsigned char)v; }
static __device__ __forceinline__ unsigned char __ldcg(const unsigned char* p) { short v; asm volatile("ld.global.cg.u8 %0, [%1];" : "=h"(v) : "l"(p)); return (unsigned char)v; }
static __device__ __forceinline__ unsigned char __ldca(const unsigned char* p) { short v; asm volatile("ld.global.ca.u8 %0, [%1];" : "=h"(v) : "l"(p)); return (unsigned char)v; }
static __device__ __forceinline__ unsigned char __ldcs(const unsigned char* p) { short v; asm volatile("ld.global.cs.u8 %0, [%1];" : "=h"(v) : "l"(p)); return (unsigned char)v; }
static __device__ __forceinline__ unsigned char __ldlu(const unsigned char* p) { short v; asm volatile("ld.global.lu.u8 %0, [%1];" : "=h"(v) : "l"(p)); return (unsigned char)v; }
static __device__ __forceinline__ unsigned char __ldcv(const unsigned char* p) { short v; asm volatile("ld.global.cv.u8 %0, [%1];" : "=h"(v) : "l"(p)); return (unsigned char)v; }
static __device__ __forceinline__ void __stwb(unsigned char* p, unsigned char v) { asm volatile("st.global.wb.u8 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stcg(unsigned char* p, unsigned char v) { asm volatile("st.global.cg.u8 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stcs(unsigned char* p, unsigned char v) { asm volatile("st.global.cs.u8 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stwt(unsigned char* p, unsigned char v) { asm volatile("st.global.wt.u8 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ uchar2 __ldg(const uchar2* p) { short x, y; asm("ld.global.nc.v2.u8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_uchar2(x, y); }
static __device__ __forceinline__ uchar2 __ldcg(const uchar2* p) { short x, y; asm volatile("ld.global.cg.v2.u8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_uchar2(x, y); }
static __device__ __forceinline__ uchar2 __ldca(const uchar2* p) { short x, y; asm volatile("ld.global.ca.v2.u8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_uchar2(x, y); }
static __device__ __forceinline__ uchar2 __ldcs(const uchar2* p) { short x, y; asm volatile("ld.global.cs.v2.u8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_uchar2(x, y); }
static __device__ __forceinline__ uchar2 __ldlu(const uchar2* p) { short x, y; asm volatile("ld.global.lu.v2.u8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_uchar2(x, y); }
static __device__ __forceinline__ uchar2 __ldcv(const uchar2* p) { short x, y; asm volatile("ld.global.cv.v2.u8 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_uchar2(x, y); }
static __device__ __forceinline__ void __stwb(uchar2* p, uchar2 v) { asm volatile("st.global.wb.v2.u8 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ void __stcg(uchar2* p, uchar2 v) { asm volatile("st.global.cg.v2.u8 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ void __stcs(uchar2* p, uchar2 v) { asm volatile("st.global.cs.v2.u8 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ void __stwt(uchar2* p, uchar2 v) { asm volatile("st.global.wt.v2.u8 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ uchar4 __ldg(const uchar4* p) { short x, y, z, w; asm("ld.global.nc.v4.u8 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_uchar4(x, y, z, w); }
static __device__ __forceinline__ uchar4 __ldcg(const uchar4* p) { short x, y, z, w; asm volatile("ld.global.cg.v4.u8 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_uchar4(x, y, z, w); }
static __device__ __forceinline__ uchar4 __ldca(const uchar4* p) { short x, y, z, w; asm volatile("ld.global.ca.v4.u8 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_uchar4(x, y, z, w); }
static __device__ __forceinline__ uchar4 __ldcs(const uchar4* p) { short x, y, z, w; asm volatile("ld.global.cs.v4.u8 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_uchar4(x, y, z, w); }
static __device__ __forceinline__ uchar4 __ldlu(const uchar4* p) { short x, y, z, w; asm volatile("ld.global.lu.v4.u8 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_uchar4(x, y, z, w); }
static __device__ __forceinline__ uchar4 __ldcv(const uchar4* p) { short x, y, z, w; asm volatile("ld.global.cv.v4.u8 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_uchar4(x, y, z, w); }
static __device__ __forceinline__ void __stwb(uchar4* p, uchar4 v) { asm volatile("st.global.wb.v4.u8 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ void __stcg(uchar4* p, uchar4 v) { asm volatile("st.global.cg.v4.u8 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ void __stcs(uchar4* p, uchar4 v) { asm volatile("st.global.cs.v4.u8 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ void __stwt(uchar4* p, uchar4 v) { asm volatile("st.global.wt.v4.u8 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ short __ldg(const short* p) { short v; asm("ld.global.nc.s16 %0, [%1];" : "=h"(v) : "l"(p)); return (short)v; }
static __device__ __forceinline__ short __ldcg(const short* p) { short v; asm volatile("ld.global.cg.s16 %0, [%1];" : "=h"(v) : "l"(p)); return (short)v; }
static __device__ __forceinline__ short __ldca(const short* p) { short v; asm volatile("ld.global.ca.s16 %0, [%1];" : "=h"(v) : "l"(p)); return (short)v; }
static __device__ __forceinline__ short __ldcs(const short* p) { short v; asm volatile("ld.global.cs.s16 %0, [%1];" : "=h"(v) : "l"(p)); return (short)v; }
static __device__ __forceinline__ short __ldlu(const short* p) { short v; asm volatile("ld.global.lu.s16 %0, [%1];" : "=h"(v) : "l"(p)); return (short)v; }
static __device__ __forceinline__ short __ldcv(const short* p) { short v; asm volatile("ld.global.cv.s16 %0, [%1];" : "=h"(v) : "l"(p)); return (short)v; }
static __device__ __forceinline__ void __stwb(short* p, short v) { asm volatile("st.global.wb.s16 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stcg(short* p, short v) { asm volatile("st.global.cg.s16 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stcs(short* p, short v) { asm volatile("st.global.cs.s16 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stwt(short* p, short v) { asm volatile("st.global.wt.s16 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ short2 __ldg(const short2* p) { short x, y; asm("ld.global.nc.v2.s16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_short2(x, y); }
static __device__ __forceinline__ short2 __ldcg(const short2* p) { short x, y; asm volatile("ld.global.cg.v2.s16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_short2(x, y); }
static __device__ __forceinline__ short2 __ldca(const short2* p) { short x, y; asm volatile("ld.global.ca.v2.s16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_short2(x, y); }
static __device__ __forceinline__ short2 __ldcs(const short2* p) { short x, y; asm volatile("ld.global.cs.v2.s16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_short2(x, y); }
static __device__ __forceinline__ short2 __ldlu(const short2* p) { short x, y; asm volatile("ld.global.lu.v2.s16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_short2(x, y); }
static __device__ __forceinline__ short2 __ldcv(const short2* p) { short x, y; asm volatile("ld.global.cv.v2.s16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_short2(x, y); }
static __device__ __forceinline__ void __stwb(short2* p, short2 v) { asm volatile("st.global.wb.v2.s16 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ void __stcg(short2* p, short2 v) { asm volatile("st.global.cg.v2.s16 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ void __stcs(short2* p, short2 v) { asm volatile("st.global.cs.v2.s16 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ void __stwt(short2* p, short2 v) { asm volatile("st.global.wt.v2.s16 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ short4 __ldg(const short4* p) { short x, y, z, w; asm("ld.global.nc.v4.s16 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_short4(x, y, z, w); }
static __device__ __forceinline__ short4 __ldcg(const short4* p) { short x, y, z, w; asm volatile("ld.global.cg.v4.s16 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_short4(x, y, z, w); }
static __device__ __forceinline__ short4 __ldca(const short4* p) { short x, y, z, w; asm volatile("ld.global.ca.v4.s16 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_short4(x, y, z, w); }
static __device__ __forceinline__ short4 __ldcs(const short4* p) { short x, y, z, w; asm volatile("ld.global.cs.v4.s16 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_short4(x, y, z, w); }
static __device__ __forceinline__ short4 __ldlu(const short4* p) { short x, y, z, w; asm volatile("ld.global.lu.v4.s16 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_short4(x, y, z, w); }
static __device__ __forceinline__ short4 __ldcv(const short4* p) { short x, y, z, w; asm volatile("ld.global.cv.v4.s16 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_short4(x, y, z, w); }
static __device__ __forceinline__ void __stwb(short4* p, short4 v) { asm volatile("st.global.wb.v4.s16 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ void __stcg(short4* p, short4 v) { asm volatile("st.global.cg.v4.s16 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ void __stcs(short4* p, short4 v) { asm volatile("st.global.cs.v4.s16 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ void __stwt(short4* p, short4 v) { asm volatile("st.global.wt.v4.s16 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ unsigned short __ldg(const unsigned short* p) { short v; asm("ld.global.nc.u16 %0, [%1];" : "=h"(v) : "l"(p)); return (unsigned short)v; }
static __device__ __forceinline__ unsigned short __ldcg(const unsigned short* p) { short v; asm volatile("ld.global.cg.u16 %0, [%1];" : "=h"(v) : "l"(p)); return (unsigned short)v; }
static __device__ __forceinline__ unsigned short __ldca(const unsigned short* p) { short v; asm volatile("ld.global.ca.u16 %0, [%1];" : "=h"(v) : "l"(p)); return (unsigned short)v; }
static __device__ __forceinline__ unsigned short __ldcs(const unsigned short* p) { short v; asm volatile("ld.global.cs.u16 %0, [%1];" : "=h"(v) : "l"(p)); return (unsigned short)v; }
static __device__ __forceinline__ unsigned short __ldlu(const unsigned short* p) { short v; asm volatile("ld.global.lu.u16 %0, [%1];" : "=h"(v) : "l"(p)); return (unsigned short)v; }
static __device__ __forceinline__ unsigned short __ldcv(const unsigned short* p) { short v; asm volatile("ld.global.cv.u16 %0, [%1];" : "=h"(v) : "l"(p)); return (unsigned short)v; }
static __device__ __forceinline__ void __stwb(unsigned short* p, unsigned short v) { asm volatile("st.global.wb.u16 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stcg(unsigned short* p, unsigned short v) { asm volatile("st.global.cg.u16 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stcs(unsigned short* p, unsigned short v) { asm volatile("st.global.cs.u16 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ void __stwt(unsigned short* p, unsigned short v) { asm volatile("st.global.wt.u16 [%0], %1;" :: "l"(p), "h"((short)v) : "memory"); }
static __device__ __forceinline__ ushort2 __ldg(const ushort2* p) { short x, y; asm("ld.global.nc.v2.u16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_ushort2(x, y); }
static __device__ __forceinline__ ushort2 __ldcg(const ushort2* p) { short x, y; asm volatile("ld.global.cg.v2.u16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_ushort2(x, y); }
static __device__ __forceinline__ ushort2 __ldca(const ushort2* p) { short x, y; asm volatile("ld.global.ca.v2.u16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_ushort2(x, y); }
static __device__ __forceinline__ ushort2 __ldcs(const ushort2* p) { short x, y; asm volatile("ld.global.cs.v2.u16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_ushort2(x, y); }
static __device__ __forceinline__ ushort2 __ldlu(const ushort2* p) { short x, y; asm volatile("ld.global.lu.v2.u16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_ushort2(x, y); }
static __device__ __forceinline__ ushort2 __ldcv(const ushort2* p) { short x, y; asm volatile("ld.global.cv.v2.u16 {%0, %1}, [%2];" : "=h"(x), "=h"(y) : "l"(p)); return make_ushort2(x, y); }
static __device__ __forceinline__ void __stwb(ushort2* p, ushort2 v) { asm volatile("st.global.wb.v2.u16 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ void __stcg(ushort2* p, ushort2 v) { asm volatile("st.global.cg.v2.u16 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ void __stcs(ushort2* p, ushort2 v) { asm volatile("st.global.cs.v2.u16 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ void __stwt(ushort2* p, ushort2 v) { asm volatile("st.global.wt.v2.u16 [%0], {%1, %2};" :: "l"(p), "h"((short)v.x), "h"((short)v.y) : "memory"); }
static __device__ __forceinline__ ushort4 __ldg(const ushort4* p) { short x, y, z, w; asm("ld.global.nc.v4.u16 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_ushort4(x, y, z, w); }
static __device__ __forceinline__ ushort4 __ldcg(const ushort4* p) { short x, y, z, w; asm volatile("ld.global.cg.v4.u16 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_ushort4(x, y, z, w); }
static __device__ __forceinline__ ushort4 __ldca(const ushort4* p) { short x, y, z, w; asm volatile("ld.global.ca.v4.u16 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_ushort4(x, y, z, w); }
static __device__ __forceinline__ ushort4 __ldcs(const ushort4* p) { short x, y, z, w; asm volatile("ld.global.cs.v4.u16 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_ushort4(x, y, z, w); }
static __device__ __forceinline__ ushort4 __ldlu(const ushort4* p) { short x, y, z, w; asm volatile("ld.global.lu.v4.u16 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_ushort4(x, y, z, w); }
static __device__ __forceinline__ ushort4 __ldcv(const ushort4* p) { short x, y, z, w; asm volatile("ld.global.cv.v4.u16 {%0, %1, %2, %3}, [%4];" : "=h"(x), "=h"(y), "=h"(z), "=h"(w) : "l"(p)); return make_ushort4(x, y, z, w); }
static __device__ __forceinline__ void __stwb(ushort4* p, ushort4 v) { asm volatile("st.global.wb.v4.u16 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ void __stcg(ushort4* p, ushort4 v) { asm volatile("st.global.cg.v4.u16 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ void __stcs(ushort4* p, ushort4 v) { asm volatile("st.global.cs.v4.u16 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ void __stwt(ushort4* p, ushort4 v) { asm volatile("st.global.wt.v4.u16 [%0], {%1, %2, %3, %4};" :: "l"(p), "h"((short)v.x), "h"((short)v.y), "h"((short)v.z), "h"((short)v.w) : "memory"); }
static __device__ __forceinline__ int __ldg(const int* p) { int v; asm("ld.global.nc.s32 %0, [%1];" : "=r"(v) : "l"(p)); return (int)v; }
static __device__ __forceinline__ int __ldcg(const int* p) { int v; asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(v) : "l"(p)); return (int)v; }
static __device__ __forceinline__ int __ldca(const int* p) { int v; asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(v) : "l"(p)); return (int)v; }
static __device__ __forceinline__ int __ldcs(const int* p) { int v; asm volatile("ld.global.cs.s32 %0, [%1];" : "=r"(v) : "l"(p)); return (int)v; }
static __device__ __forceinline__ int __ldlu(const int* p) { int v; asm volatile("ld.global.lu.s32 %0, [%1];" : "=r"(v) : "l"(p)); return (int)v; }
static __device__ __forceinline__ int __ldcv(const int* p) { int v; asm volatile("ld.global.cv.s32 %0, [%1];" : "=r"(v) : "l"(p)); return (int)v; }
static __device__ __forceinline__ void __stwb(int* p, int v) { asm volatile("st.global.wb.s32 [%0], %1;" :: "l"(p), "r"((int)v) : "memory"); }
static __device__ __forceinline__ void __stcg(int* p, int v) { asm volatile("st.global.cg.s32 [%0], %1;" :: "l"(p), "r"((int)v) : "memory"); }
static __device__ __forceinline__ void __stcs(int* p, int v) { asm volatile("st.global.cs.s32 [%0], %1;" :: "l"(p), "r"((int)v) : "memory"); }
static __device__ __forceinline__ void __stwt(int* p, int v) { asm volatile("st.global.wt.s32 [%0], %1;" :: "l"(p), "r"((int)v) : "memory"); }
static __device__ __forceinline__ int2 __ldg(const int2* p) { int x, y; asm("ld.global.nc.v2.s32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p)); return make_int2(x, y); }
static __device__ __forceinline__ int2 __ldcg(const int2* p) { int x, y; asm volatile("ld.global.cg.v2.s32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p)); return make_int2(x, y); }
static __device__ __forceinline__ int2 __ldca(const int2* p) { int x, y; asm volatile("ld.global.ca.v2.s32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p)); return make_int2(x, y); }
static __device__ __forceinline__ int2 __ldcs(const int2* p) { int x, y; asm volatile("ld.global.cs.v2.s32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p)); return make_int2(x, y); }
static __device__ __forceinline__ int2 __ldlu(const int2* p) { int x, y; asm volatile("ld.global.lu.v2.s32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p)); return make_int2(x, y); }
static __device__ __forceinline__ int2 __ldcv(const int2* p) { int x, y; asm volatile("ld.global.cv.v2.s32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p)); return make_int2(x, y); }
static __device__ __forceinline__ void __stwb(int2* p, int2 v) { asm volatile("st.global.wb.v2.s32 [%0], {%1, %2};" :: "l"(p), "r"((int)v.x), "r"((int)v.y) : "memory"); }
static __device__ __forceinline__ void __stcg(int2* p, int2 v) { asm volatile("st.global.cg.v2.s32 [%0], {%1, %2};" :: "l"(p), "r"((int)v.x), "r"((int)v.y) : "memory"); }
static __device__ __forceinline__ void __stcs(int2* p, int2 v) { asm volatile("st.global.cs.v2.s32 [%0], {%1, %2};" :: "l"(p), "r"((int)v.x), "r"((int)v.y) : "memory"); }
static __device__ __forceinline__ void __stwt(int2* p, int2 v) { asm volatile("st.global.wt.v2.s32 [%0], {%1, %2};" :: "l"(p), "r"((int)v.x), "r"((int)v.y) : "memory"); }
static __device__ __forceinline__ int4 __ldg(const int4* p) { int x, y, z, w; asm("ld.global.nc.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p)); return make_int4(x, y, z, w); }
static __device__ __forceinline__ int4 __ldcg(const int4* p) { int x, y, z, w; asm volatile("ld.global.cg.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p)); return make_int4(x, y, z, w); }
static __device__ __forceinline__ int4 __ldca(const int4* p) { int x, y, z, w; asm volatile("ld.global.ca.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p)); return make_int4(x, y, z, w); }
static __device__ __forceinline__ int4 __ldcs(const int4* p) { int x, y, z, w; asm volatile("ld.global.cs.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p)); return make_int4(x, y, z, w); }
static __device__ __forceinline__ int4 __ldlu(const int4* p) { int x, y, z, w; asm volatile("ld.global.lu.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p)); return make_int4(x, y, z, w); }
static __device__ __forceinline__ int4 __ldcv(const int4* p) { int x, y, z, w; asm volatile("ld.global.cv.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p)); return make_int4(x, y, z, w); }
static __device__ __forceinline__ void __stwb(int4* p, int4 v) { asm volatile("st.global.wb.v4.s32 [%0], {%1, %2, %3, %4};" :: "l"(p), "r"((int)v.x), "r"((int)v.y), "r"((int)v.z), "r"((int)v.w) : "memory"); }
static __device__ __forceinline__ void __stcg(int4* p, int4 v) { asm volatile("st.global.cg.v4.s32 [%0], {%1, %2, %3, %4};" :: "l"(p), "r"((int)v.x), "r"((int)v.y), "r"((int)v.z), "r"((int)v.w) : "memory"); }
static __device__ __forceinline__ void __stcs(int4* p, int4 v) { asm volatile("st.global.cs.v4.s32 [%0], {%1, %2, %3, %4};" :: "l"(p), "r"((int)v.x), "r"((int)v.y), "r"((int)v.z), "r"((int)v.w) : "memory"); }
static __device__ __forceinline__ void __stwt(int4* p, int4 v) { asm volatile("st.global.wt.v4.s32 [%0], {%1, %2, %3, %4};" :: "l"(p), "r"((int)v.x), "r"((int)v.y), "r"((int)v.z), "r"((int)v.w) : "memory"); }
static __device__ __forceinline__ unsigned __ldg(const unsigned* p) { unsigned v; asm("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(p)); return (unsigned)v; }
static __device__ __forceinline__ unsigned __ldcg(const unsigned* p) { unsigned v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p)); return (unsigned)v; }
static __device__ __forceinline__ unsigned __ldca(const unsigned* p) { unsigned v; asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p)); return (unsigned)v; }
static __device__ __forceinline__ unsigned __ldcs(const unsigned* p) { unsigned v; asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(v) : "l"(p)); return (unsigned)v; }
static __device__ __forceinline__ unsigned __ldlu(const unsigned* p) { unsigned v; asm volatile("ld.global.lu.u32 %0, [%1];" : "=r"(v) : "l"(p)); return (unsigned)v; }
static __device__ __forceinline__ unsigned __ldcv(const unsigned* p) { unsigned v; asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(v) : "l"(p)); return (unsigned)v; }
static __device__ __forceinline__ void __stwb(unsigned* p, unsigned v) { asm volatile("st.global.wb.u32 [%0], %1;" :: "l"(p), "r"((unsigned)v) : "memory"); }
static __device__ __forceinline__ void __stcg(unsigned* p, unsigned v) { asm volatile("st.global.cg.u32 [%0], %1;" :: "l"(p), "r"((unsigned)v) : "memory"); }
static __device__ __forceinline__ void __stcs(unsigned* p, unsigned v) { asm volatile("st.global.cs.u32 [%0], %1;" :: "l"(p), "r"((unsigned)v) : "memory"); }
static __device__ __forceinline__ void __stwt(unsigned* p, unsigned v) { asm volatile("st.global.wt.u32 [%0], %1;" :: "l"(p), "r"((unsigned)v) : "memory"); }
static __device__ __forceinline__ uint2 __ldg(const uint2* p) { unsigned x, y; asm("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p)); return make_uint2(x, y); }
static __device__ __forceinline__ uint2 __ldcg(const uint2* p) { unsigned x, y; asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p)); return make_uint2(x, y); }
static __device__ __forceinline__ uint2 __ldca(const uint2* p) { unsigned x, y; asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p)); return make_uint2(x, y); }
static __device__ __forceinline__ uint2 __ldcs(const uint2* p) { unsigned x, y; asm volatile("ld.global.cs.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p)); return make_uint2(x, y); }
static __device__ __forceinline__ uint2 __ldlu(const uint2* p) { unsigned x, y; asm volatile("ld.global.lu.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p)); return make_uint2(x, y); }
static __device__ __forceinline__ uint2 __ldcv(const uint2* p) { unsigned x, y; asm volatile("ld.global.cv.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p)); return make_uint2(x, y); }
static __device__ __forceinline__ void __stwb(uint2* p, uint2 v) { asm volatile("st.global.wb.v2.u32 [%0], {%1, %2};" :: "l"(p), "r"((unsigned)v.x), "r"((unsigned)v.y) : "memory"); }
static __device__ __forceinline__ void __stcg(uint2* p, uint2 v) { asm volatile("st.global.cg.v2.u32 [%0], {%1, %2};" :: "l"(p), "r"((unsigned)v.x), "r"((unsigned)v.y) : "memory"); }
static __device__ __forceinline__ void __stcs(uint2* p, uint2 v) { asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" :: "l"(p), "r"((unsigned)v.x), "r"((unsigned)v.y) : "memory"); }
static __device__ __forceinline__ void __stwt(uint2* p, uint2 v) { asm volatile("st.global.wt.v2.u32 [%0], {%1, %2};" :: "l"(p), "r"((unsigned)v.x), "r"((unsigned)v.y) : "memory"); }
static __device__ __forceinline__ uint4 __ldg(const uint4* p) { unsigned x, y, z, w; asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p)); return make_uint4(x, y, z, w); }
static __device__ __forceinline__ uint4 __ldcg(const uint4* p) { unsigned x, y, z, w; asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p)); return make_uint4(x, y, z, w); }
static __device__ __forceinline__ uint4 __ldca(const uint4* p) { unsigned x, y, z, w; asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p)); return make_uint4(x, y, z, w); }
static __device__ __forceinline__ uint4 __ldcs(const uint4* p) { unsigned x, y, z, w; asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p)); return make_uint4(x, y, z, w); }
static __device__ __forceinline__ uint4 __ldlu(const uint4* p) { unsigned x, y, z, w; asm volatile("ld.global.lu.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p)); return make_uint4(x, y, z, w); }
static __device__ __forceinline__ uint4 __ldcv(const uint4* p) { unsigned x, y, z, w; asm volatile("ld.global.cv.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p)); return make_uint4(x, y, z, w); }
static __device__ __forceinline__ void __stwb(uint4* p, uint4 v) { asm volatile("st.global.wb.v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(p), "r"((unsigned)v.x), "r"((unsigned)v.y), "r"((unsigned)v.z), "r"((unsigned)v.w) : "memory"); }
static __device__ __forceinline__ void __stcg(uint4* p, uint4 v) { asm volatile("st.global.cg.v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(p), "r"((unsigned)v.x), "r"((unsigned)v.y), "r"((unsigned)v.z), "r"((unsigned)v.w) : "memory"); }
static __device__ __forceinline__ void __stcs(uint4* p, uint4 v) { asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(p), "r"((unsigned)v.x), "r"((unsigned)v.y), "r"((unsigned)v.z), "r"((unsigned)v.w) : "memory"); }
static __device__ __forceinline__ void __stwt(uint4* p, uint4 v) { asm volatile("st.global.wt.v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(p), "r"((unsigned)v.x), "r"((unsigned)v.y), "r"((unsigned)v.z), "r"((unsigned)v.w) : "memory"); }
static __device__ __forceinline__ long __ldg(const long* p) { long v; asm("ld.global.nc.s64 %0, [%1];" : "=l"(v) : "l"(p)); return (long)v; }
static __device__ __forceinline__ long __ldcg(const long* p) { long v; asm volatile("ld.global.cg.s64 %0, [%1];" : "=l"(v) : "l"(p)); return (long)v; }
static __device__ __forceinline__ long __ldca(const long* p) { long v; asm volatile("ld.global.ca.s64 %0, [%1];" : "=l"(v) : "l"(p)); return (long)v; }
static __device__ __forceinline__ long __ldcs(const long* p) { long v; asm volatile("ld.global.cs.s64 %0, [%1];" : "=l"(v) : "l"(p)); return (long)v; }
static __device__ __forceinline__ long __ldlu(const long* p) { long v; asm volatile("ld.global.lu.s64 %0, [%1];" : "=l"(v) : "l"(p)); return (long)v; }
static __device__ __forceinline__ long __ldcv(const long* p) { long v; asm volatile("ld.global.cv.s64 %0, [%1];" : "=l"(v) : "l"(p)); return (long)v; }
static __device__ __forceinline__ void __stwb(long* p, long v) { asm volatile("st.global.wb.s64 [%0], %1;" :: "l"(p), "l"((long)v) : "memory"); }
static __device__ __forceinline__ void __stcg(long* p, long v) { asm volatile("st.global.cg.s64 [%0], %1;" :: "l"(p), "l"((long)v) : "memory"); }
static __device__ __forceinline__ void __stcs(long* p, long v) { asm volatile("st.global.cs.s64 [%0], %1;" :: "l"(p), "l"((long)v) : "memory"); }
static __device__ __forceinline__ void __stwt(long* p, long v) { asm volatile("st.global.wt.s64 [%0], %1;" :: "l"(p), "l"((long)v) : "memory"); }
static __device__ __forceinline__ unsigned long __ldg(const unsigned long* p) { unsigned long v; asm("ld.global.nc.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (unsigned long)v; }
static __device__ __forceinline__ unsigned long __ldcg(const unsigned long* p) { unsigned long v; asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (unsigned long)v; }
static __device__ __forceinline__ unsigned long __ldca(const unsigned long* p) { unsigned long v; asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (unsigned long)v; }
static __device__ __forceinline__ unsigned long __ldcs(const unsigned long* p) { unsigned long v; asm volatile("ld.global.cs.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (unsigned long)v; }
static __device__ __forceinline__ unsigned long __ldlu(const unsigned long* p) { unsigned long v; asm volatile("ld.global.lu.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (unsigned long)v; }
static __device__ __forceinline__ unsigned long __ldcv(const unsigned long* p) { unsigned long v; asm volatile("ld.global.cv.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (unsigned long)v; }
static __device__ __forceinline__ void __stwb(unsigned long* p, unsigned long v) { asm volatile("st.global.wb.u64 [%0], %1;" :: "l"(p), "l"((unsigned long)v) : "memory"); }
static __device__ __forceinline__ void __stcg(unsigned long* p, unsigned long v) { asm volatile("st.global.cg.u64 [%0], %1;" :: "l"(p), "l"((unsigned long)v) : "memory"); }
static __device__ __forceinline__ void __stcs(unsigned long* p, unsigned long v) { asm volatile("st.global.cs.u64 [%0], %1;" :: "l"(p), "l"((unsigned long)v) : "memory"); }
static __device__ __forceinline__ void __stwt(unsigned long* p, unsigned long v) { asm volatile("st.global.wt.u64 [%0], %1;" :: "l"(p), "l"((unsigned long)v) : "memory"); }
static __device__ __forceinline__ long long __ldg(const long long* p) { long long v; asm("ld.global.nc.s64 %0, [%1];" : "=l"(v) : "l"(p)); return (long long)v; }
static __device__ __forceinline__ long long __ldcg(const long long* p) { long long v; asm volatile("ld.global.cg.s64 %0, [%1];" : "=l"(v) : "l"(p)); return (long long)v; }
static __device__ __forceinline__ long long __ldca(const long long* p) { long long v; asm volatile("ld.global.ca.s64 %0, [%1];" : "=l"(v) : "l"(p)); return (long long)v; }
static __device__ __forceinline__ long long __ldcs(const long long* p) { long long v; asm volatile("ld.global.cs.s64 %0, [%1];" : "=l"(v) : "l"(p)); return (long long)v; }
static __device__ __forceinline__ long long __ldlu(const long long* p) { long long v; asm volatile("ld.global.lu.s64 %0, [%1];" : "=l"(v) : "l"(p)); return (long long)v; }
static __device__ __forceinline__ long long __ldcv(const long long* p) { long long v; asm volatile("ld.global.cv.s64 %0, [%1];" : "=l"(v) : "l"(p)); return (long long)v; }
static __device__ __forceinline__ void __stwb(long long* p, long long v) { asm volatile("st.global.wb.s64 [%0], %1;" :: "l"(p), "l"((long long)v) : "memory"); }
static __device__ __forceinline__ void __stcg(long long* p, long long v) { asm volatile("st.global.cg.s64 [%0], %1;" :: "l"(p), "l"((long long)v) : "memory"); }
static __device__ __forceinline__ void __stcs(long long* p, long long v) { asm volatile("st.global.cs.s64 [%0], %1;" :: "l"(p), "l"((long long)v) : "memory"); }
static __device__ __forceinline__ void __stwt(long long* p, long long v) { asm volatile("st.global.wt.s64 [%0], %1;" :: "l"(p), "l"((long long)v) : "memory"); }
static __device__ __forceinline__ longlong2 __ldg(const longlong2* p) { long long x, y; asm("ld.global.nc.v2.s64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p)); return make_longlong2(x, y); }
static __device__ __forceinline__ longlong2 __ldcg(const longlong2* p) { long long x, y; asm volatile("ld.global.cg.v2.s64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p)); return make_longlong2(x, y); }
static __device__ __forceinline__ longlong2 __ldca(const longlong2* p) { long long x, y; asm volatile("ld.global.ca.v2.s64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p)); return make_longlong2(x, y); }
static __device__ __forceinline__ longlong2 __ldcs(const longlong2* p) { long long x, y; asm volatile("ld.global.cs.v2.s64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p)); return make_longlong2(x, y); }
static __device__ __forceinline__ longlong2 __ldlu(const longlong2* p) { long long x, y; asm volatile("ld.global.lu.v2.s64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p)); return make_longlong2(x, y); }
static __device__ __forceinline__ longlong2 __ldcv(const longlong2* p) { long long x, y; asm volatile("ld.global.cv.v2.s64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p)); return make_longlong2(x, y); }
static __device__ __forceinline__ void __stwb(longlong2* p, longlong2 v) { asm volatile("st.global.wb.v2.s64 [%0], {%1, %2};" :: "l"(p), "l"((long long)v.x), "l"((long long)v.y) : "memory"); }
static __device__ __forceinline__ void __stcg(longlong2* p, longlong2 v) { asm volatile("st.global.cg.v2.s64 [%0], {%1, %2};" :: "l"(p), "l"((long long)v.x), "l"((long long)v.y) : "memory"); }
static __device__ __forceinline__ void __stcs(longlong2* p, longlong2 v) { asm volatile("st.global.cs.v2.s64 [%0], {%1, %2};" :: "l"(p), "l"((long long)v.x), "l"((long long)v.y) : "memory"); }
static __device__ __forceinline__ void __stwt(longlong2* p, longlong2 v) { asm volatile("st.global.wt.v2.s64 [%0], {%1, %2};" :: "l"(p), "l"((long long)v.x), "l"((long long)v.y) : "memory"); }
static __device__ __forceinline__ unsigned long long __ldg(const unsigned long long* p) { unsigned long long v; asm("ld.global.nc.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (unsigned long long)v; }
static __device__ __forceinline__ unsigned long long __ldcg(const unsigned long long* p) { unsigned long long v; asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (unsigned long long)v; }
static __device__ __forceinline__ unsigned long long __ldca(const unsigned long long* p) { unsigned long long v; asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (unsigned long long)v; }
static __device__ __forceinline__ unsigned long long __ldcs(const unsigned long long* p) { unsigned long long v; asm volatile("ld.global.cs.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (unsigned long long)v; }
static __device__ __forceinline__ unsigned long long __ldlu(const unsigned long long* p) { unsigned long long v; asm volatile("ld.global.lu.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (unsigned long long)v; }
static __device__ __forceinline__ unsigned long long __ldcv(const unsigned long long* p) { unsigned long long v; asm volatile("ld.global.cv.u64 %0, [%1];" : "=l"(v) : "l"(p)); return (unsigned long long)v; }
static __device__ __forceinline__ void __stwb(unsigned long long* p, unsigned long long v) { asm volatile("st.global.wb.u64 [%0], %1;" :: "l"(p), "l"((unsigned long long)v) : "memory"); }
static __device__ __forceinline__ void __stcg(unsigned long long* p, unsigned long long v) { asm volatile("st.global.cg.u64 [%0], %1;" :: "l"(p), "l"((unsigned long long)v) : "memory"); }
static __device__ __forceinline__ void __stcs(unsigned long long* p, unsigned long long v) { asm volatile("st.global.cs.u64 [%0], %1;" :: "l"(p), "l"((unsigned long long)v) : "memory"); }
static __device__ __forceinline__ void __stwt(unsigned long long* p, unsigned long long v) { asm volatile("st.global.wt.u64 [%0], %1;" :: "l"(p), "l"((unsigned long long)v) : "memory"); }
static __device__ __forceinline__ ulonglong2 __ldg(const ulonglong2* p) { unsigned long long x, y; asm("ld.global.nc.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p)); return make_ulonglong2(x, y); }
static __device__ __forceinline__ ulonglong2 __ldcg(const ulonglong2* p) { unsigned long long x, y; asm volatile("ld.global.cg.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p)); return make_ulonglong2(x, y); }
static __device__ __forceinline__ ulonglong2 __ldca(const ulonglong2* p) { unsigned long long x, y; asm volatile("ld.global.ca.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p)); return make_ulonglong2(x, y); }
static __device__ __forceinline__ ulonglong2 __ldcs(const ulonglong2* p) { unsigned long long x, y; asm volatile("ld.global.cs.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p)); return make_ulonglong2(x, y); }
static __device__ __forceinline__ ulonglong2 __ldlu(const ulonglong2* p) { unsigned long long x, y; asm volatile("ld.global.lu.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p)); return make_ulonglong2(x, y); }
static __device__ __forceinline__ ulonglong2 __ldcv(const ulonglong2* p) { unsigned long long x, y; asm volatile("ld.global.cv.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p)); return make_ulonglong2(x, y); }
static __device__ __forceinline__ void __stwb(ulonglong2* p, ulonglong2 v) { asm volatile("st.global.wb.v2.u64 [%0], {%1, %2};" :: "l"(p), "l"((unsigned long long)v.x), "l"((unsigned long long)v.y) : "memory"); }
static __device__ __forceinline__ void __stcg(ulonglong2* p, ulonglong2 v) { asm volatile("st.global.cg.v2.u64 [%0], {%1, %2};" :: "l"(p), "l"((unsigned long long)v.x), "l"((unsigned long long)v.y) : "memory"); }
static __device__ __forceinline__ void __stcs(ulonglong2* p, ulonglong2 v) { asm volatile("st.global.cs.v2.u64 [%0], {%1, %2};" :: "l"(p), "l"((unsigned long long)v.x), "l"((unsigned long long)v.y) : "memory"); }
static __device__ __forceinline__ void __stwt(ulonglong2* p, ulonglong2 v) { asm volatile("st.global.wt.v2.u64 [%0], {%1, %2};" :: "l"(p), "l"((unsigned long long)v.x), "l"((unsigned long long)v.y) : "memory"); }
static __device__ __forceinline__ float __ldg(const float* p) { float v; asm("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(p)); return (float)v; }
static __device__ __forceinline__ float __ldcg(const float* p) { float v; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p)); return (float)v; }
static __device__ __forceinline__ float __ldca(const float* p) { float v; asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p)); return (float)v; }
static __device__ __forceinline__ float __ldcs(const float* p) { float v; asm volatile("ld.global.cs.f32 %0, [%1];" : "=f"(v) : "l"(p)); return (float)v; }
static __device__ __forceinline__ float __ldlu(const float* p) { float v; asm volatile("ld.global.lu.f32 %0, [%1];" : "=f"(v) : "l"(p)); return (float)v; }
static __device__ __forceinline__ float __ldcv(const float* p) { float v; asm volatile("ld.global.cv.f32 %0, [%1];" : "=f"(v) : "l"(p)); return (float)v; }
static __device__ __forceinline__ void __stwb(float* p, float v) { asm volatile("st.global.wb.f32 [%0], %1;" :: "l"(p), "f"((float)v) : "memory"); }
static __device__ __forceinline__ void __stcg(float* p, float v) { asm volatile("st.global.cg.f32 [%0], %1;" :: "l"(p), "f"((float)v) : "memory"); }
static __device__ __forceinline__ void __stcs(float* p, float v) { asm volatile("st.global.cs.f32 [%0], %1;" :: "l"(p), "f"((float)v) : "memory"); }
static __device__ __forceinline__ void __stwt(float* p, float v) { asm volatile("st.global.wt.f32 [%0], %1;" :: "l"(p), "f"((float)v) : "memory"); }
static __device__ __forceinline__ float2 __ldg(const float2* p) { float x, y; asm("ld.global.nc.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(p)); return make_float2(x, y); }
static __device__ __forceinline__ float2 __ldcg(const float2* p) { float x, y; asm volatile("ld.global.cg.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(p)); return make_float2(x, y); }
static __device__ __forceinline__ float2 __ldca(const float2* p) { float x, y; asm volatile("ld.global.ca.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(p)); return make_float2(x, y); }
static __device__ __forceinline__ float2 __ldcs(const float2* p) { float x, y; asm volatile("ld.global.cs.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(p)); return make_float2(x, y); }
static __device__ __forceinline__ float2 __ldlu(const float2* p) { float x, y; asm volatile("ld.global.lu.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(p)); return make_float2(x, y); }
static __device__ __forceinline__ float2 __ldcv(const float2* p) { float x, y; asm volatile("ld.global.cv.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(p)); return make_float2(x, y); }
static __device__ __forceinline__ void __stwb(float2* p, float2 v) { asm volatile("st.global.wb.v2.f32 [%0], {%1, %2};" :: "l"(p), "f"((float)v.x), "f"((float)v.y) : "memory"); }
static __device__ __forceinline__ void __stcg(float2* p, float2 v) { asm volatile("st.global.cg.v2.f32 [%0], {%1, %2};" :: "l"(p), "f"((float)v.x), "f"((float)v.y) : "memory"); }
static __device__ __forceinline__ void __stcs(float2* p, float2 v) { asm volatile("st.global.cs.v2.f32 [%0], {%1, %2};" :: "l"(p), "f"((float)v.x), "f"((float)v.y) : "memory"); }
static __device__ __forceinline__ void __stwt(float2* p, float2 v) { asm volatile("st.global.wt.v2.f32 [%0], {%1, %2};" :: "l"(p), "f"((float)v.x), "f"((float)v.y) : "memory"); }
static __device__ __forceinline__ float4 __ldg(const float4* p) { float x, y, z, w; asm("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p)); return make_float4(x, y, z, w); }
static __device__ __forceinline__ float4 __ldcg(const float4* p) { float x, y, z, w; asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p)); return make_float4(x, y, z, w); }
static __device__ __forceinline__ float4 __ldca(const float4* p) { float x, y, z, w; asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p)); return make_float4(x, y, z, w); }
static __device__ __forceinline__ float4 __ldcs(const float4* p) { float x, y, z, w; asm volatile("ld.global.cs.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p)); return make_float4(x, y, z, w); }
static __device__ __forceinline__ float4 __ldlu(const float4* p) { float x, y, z, w; asm volatile("ld.global.lu.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p)); return make_float4(x, y, z, w); }
static __device__ __forceinline__ float4 __ldcv(const float4* p) { float x, y, z, w; asm volatile("ld.global.cv.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p)); return make_float4(x, y, z, w); }
static __device__ __forceinline__ void __stwb(float4* p, float4 v) { asm volatile("st.global.wb.v4.f32 [%0], {%1, %2, %3, %4};" :: "l"(p), "f"((float)v.x), "f"((float)v.y), "f"((float)v.z), "f"((float)v.w) : "memory"); }
static __device__ __forceinline__ void __stcg(float4* p, float4 v) { asm volatile("st.global.cg.v4.f32 [%0], {%1, %2, %3, %4};" :: "l"(p), "f"((float)v.x), "f"((float)v.y), "f"((float)v.z), "f"((float)v.w) : "memory"); }
static __device__ __forceinline__ void __stcs(float4* p, float4 v) { asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" :: "l"(p), "f"((float)v.x), "f"((float)v.y), "f"((float)v.z), "f"((float)v.w) : "memory"); }
static __device__ __forceinline__ void __stwt(float4* p, float4 v) { asm volatile("st.global.wt.v4.f32 [%0], {%1, %2, %3, %4};" :: "l"(p), "f"((float)v.x), "f"((float)v.y), "f"((float)v.z), "f"((float)v.w) : "memory"); }
static __device__ __forceinline__ double __ldg(const double* p) { double v; asm("ld.global.nc.f64 %0, [%1];" : "=d"(v) : "l"(p)); return (double)v; }
static __device__ __forceinline__ double __ldcg(const double* p) { double v; asm volatile("ld.global.cg.f64 %0, [%1];" : "=d"(v) : "l"(p)); return (double)v; }
static __device__ __forceinline__ double __ldca(const double* p) { double v; asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(v) : "l"(p)); return (double)v; }
static __device__ __forceinline__ double __ldcs(const double* p) { double v; asm volatile("ld.global.cs.f64 %0, [%1];" : "=d"(v) : "l"(p)); return (double)v; }
static __device__ __forceinline__ double __ldlu(const double* p) { double v; asm volatile("ld.global.lu.f64 %0, [%1];" : "=d"(v) : "l"(p)); return (double)v; }
static __device__ __forceinline__ double __ldcv(const double* p) { double v; asm volatile("ld.global.cv.f64 %0, [%1];" : "=d"(v) : "l"(p)); return (double)v; }
static __device__ __forceinline__ void __stwb(double* p, double v) { asm volatile("st.global.wb.f64 [%0], %1;" :: "l"(p), "d"((double)v) : "memory"); }
static __device__ __forceinline__ void __stcg(double* p, double v) { asm volatile("st.global.cg.f64 [%0], %1;" :: "l"(p), "d"((double)v) : "memory"); }
static __device__ __forceinline__ void __stcs(double* p, double v) { asm volatile("st.global.cs.f64 [%0], %1;" :: "l"(p), "d"((double)v) : "memory"); }
static __device__ __forceinline__ void __stwt(double* p, double v) { asm volatile("st.global.wt.f64 [%0], %1;" :: "l"(p), "d"((double)v) : "memory"); }
static __device__ __forceinline__ double2 __ldg(const double2* p) { double x, y; asm("ld.global.nc.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "l"(p)); return make_double2(x, y); }
static __device__ __forceinline__ double2 __ldcg(const double2* p) { double x, y; asm volatile("ld.global.cg.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "l"(p)); return make_double2(x, y); }
static __device__ __forceinline__ double2 __ldca(const double2* p) { double x, y; asm volatile("ld.global.ca.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "l"(p)); return make_double2(x, y); }
static __device__ __forceinline__ double2 __ldcs(const double2* p) { double x, y; asm volatile("ld.global.cs.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "l"(p)); return make_double2(x, y); }
static __device__ __forceinline__ double2 __ldlu(const double2* p) { double x, y; asm volatile("ld.global.lu.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "l"(p)); return make_double2(x, y); }
static __device__ __forceinline__ double2 __ldcv(const double2* p) { double x, y; asm volatile("ld.global.cv.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "l"(p)); return make_double2(x, y); }
static __device__ __forceinline__ void __stwb(double2* p, double2 v) { asm volatile("st.global.wb.v2.f64 [%0], {%1, %2};" :: "l"(p), "d"((double)v.x), "d"((double)v.y) : "memory"); }
static __device__ __forceinline__ void __stcg(double2* p, double2 v) { asm volatile("st.global.cg.v2.f64 [%0], {%1, %2};" :: "l"(p), "d"((double)v.x), "d"((double)v.y) : "memory"); }
static __device__ __forceinline__ void __stcs(double2* p, double2 v) { asm volatile("st.global.cs.v2.f64 [%0], {%1, %2};" :: "l"(p), "d"((double)v.x), "d"((double)v.y) : "memory"); }
static __device__ __forceinline__ void __stwt(double2* p, double2 v) { asm volatile("st.global.wt.v2.f64 [%0], {%1, %2};" :: "l"(p), "d"((double)v.x), "d"((double)v.y) : "memory"); }
