// Written by `python -m tools.headers`.
template <int bits, bool is_signed> struct __cuda_lanes {
  __device__ __forceinline__ static int at(unsigned word, int n) {
    unsigned value = word << (32 - bits * (n + 1));
    return is_signed ? (int)value >> (32 - bits) : (int)(value >> (32 - bits));
  }
  __device__ __forceinline__ static int S(int v) {
    const int most = (1 << (bits - 1)) - 1;
    return v > most ? most : v < -most - 1 ? -most - 1 : v;
  }
  __device__ __forceinline__ static int U(int v) {
    const int most = (1 << bits) - 1;
    return v > most ? most : v < 0 ? 0 : v;
  }
  template <typename F> __device__ __forceinline__ static unsigned each(F f) {
    unsigned out = 0;
#pragma unroll
    for (int n = 0; n < 32 / bits; n++)
      out |= ((unsigned)f(n) & ((1u << bits) - 1)) << (bits * n);
    return out;
  }
};
static __device__ __forceinline__ unsigned __vadd2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a + b); }); }
static __device__ __forceinline__ unsigned __vaddss2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(L::S(a + b)); }); }
static __device__ __forceinline__ unsigned __vaddus2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(L::U(a + b)); }); }
static __device__ __forceinline__ unsigned __vsub2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a - b); }); }
static __device__ __forceinline__ unsigned __vsubss2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(L::S(a - b)); }); }
static __device__ __forceinline__ unsigned __vsubus2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(L::U(a - b)); }); }
static __device__ __forceinline__ unsigned __vavgs2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int((a + b + (a + b >= 0)) >> 1); }); }
static __device__ __forceinline__ unsigned __vavgu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int((a + b + 1) >> 1); }); }
static __device__ __forceinline__ unsigned __vhaddu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int((a + b) >> 1); }); }
static __device__ __forceinline__ unsigned __vabsdiffs2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b ? a - b : b - a); }); }
static __device__ __forceinline__ unsigned __vabsdiffu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b ? a - b : b - a); }); }
static __device__ __forceinline__ unsigned __vmaxs2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b ? a : b); }); }
static __device__ __forceinline__ unsigned __vmaxu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b ? a : b); }); }
static __device__ __forceinline__ unsigned __vmins2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a < b ? a : b); }); }
static __device__ __forceinline__ unsigned __vminu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a < b ? a : b); }); }
static __device__ __forceinline__ unsigned __vabs2(unsigned a_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); return int(a < 0 ? -a : a); }); }
static __device__ __forceinline__ unsigned __vabsss2(unsigned a_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); return int(L::S(a < 0 ? -a : a)); }); }
static __device__ __forceinline__ unsigned __vneg2(unsigned a_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); return int(-a); }); }
static __device__ __forceinline__ unsigned __vnegss2(unsigned a_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); return int(L::S(-a)); }); }
static __device__ __forceinline__ unsigned __vcmpeq2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a == b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vseteq2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a == b); }); }
static __device__ __forceinline__ unsigned __vcmpne2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a != b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetne2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a != b); }); }
static __device__ __forceinline__ unsigned __vcmpgts2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetgts2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b); }); }
static __device__ __forceinline__ unsigned __vcmpgtu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetgtu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b); }); }
static __device__ __forceinline__ unsigned __vcmpges2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a >= b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetges2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a >= b); }); }
static __device__ __forceinline__ unsigned __vcmpgeu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a >= b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetgeu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a >= b); }); }
static __device__ __forceinline__ unsigned __vcmplts2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a < b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetlts2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a < b); }); }
static __device__ __forceinline__ unsigned __vcmpltu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a < b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetltu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a < b); }); }
static __device__ __forceinline__ unsigned __vcmples2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a <= b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetles2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a <= b); }); }
static __device__ __forceinline__ unsigned __vcmpleu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a <= b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetleu2(unsigned a_, unsigned b_) { typedef __cuda_lanes<16, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a <= b); }); }
static __device__ __forceinline__ unsigned __vsads2(unsigned a, unsigned b) { return ::abs(__cuda_lanes<16, true>::at(a, 0) - __cuda_lanes<16, true>::at(b, 0)) + ::abs(__cuda_lanes<16, true>::at(a, 1) - __cuda_lanes<16, true>::at(b, 1)); }
static __device__ __forceinline__ unsigned __vsadu2(unsigned a, unsigned b) { return ::abs(__cuda_lanes<16, false>::at(a, 0) - __cuda_lanes<16, false>::at(b, 0)) + ::abs(__cuda_lanes<16, false>::at(a, 1) - __cuda_lanes<16, false>::at(b, 1)); }
static __device__ __forceinline__ unsigned __vadd4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a + b); }); }
static __device__ __forceinline__ unsigned __vaddss4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(L::S(a + b)); }); }
static __device__ __forceinline__ unsigned __vaddus4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(L::U(a + b)); }); }
static __device__ __forceinline__ unsigned __vsub4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a - b); }); }
static __device__ __forceinline__ unsigned __vsubss4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(L::S(a - b)); }); }
static __device__ __forceinline__ unsigned __vsubus4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(L::U(a - b)); }); }
static __device__ __forceinline__ unsigned __vavgs4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int((a + b + (a + b >= 0)) >> 1); }); }
static __device__ __forceinline__ unsigned __vavgu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int((a + b + 1) >> 1); }); }
static __device__ __forceinline__ unsigned __vhaddu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int((a + b) >> 1); }); }
static __device__ __forceinline__ unsigned __vabsdiffs4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b ? a - b : b - a); }); }
static __device__ __forceinline__ unsigned __vabsdiffu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b ? a - b : b - a); }); }
static __device__ __forceinline__ unsigned __vmaxs4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b ? a : b); }); }
static __device__ __forceinline__ unsigned __vmaxu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b ? a : b); }); }
static __device__ __forceinline__ unsigned __vmins4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a < b ? a : b); }); }
static __device__ __forceinline__ unsigned __vminu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a < b ? a : b); }); }
static __device__ __forceinline__ unsigned __vabs4(unsigned a_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); return int(a < 0 ? -a : a); }); }
static __device__ __forceinline__ unsigned __vabsss4(unsigned a_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); return int(L::S(a < 0 ? -a : a)); }); }
static __device__ __forceinline__ unsigned __vneg4(unsigned a_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); return int(-a); }); }
static __device__ __forceinline__ unsigned __vnegss4(unsigned a_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); return int(L::S(-a)); }); }
static __device__ __forceinline__ unsigned __vcmpeq4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a == b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vseteq4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a == b); }); }
static __device__ __forceinline__ unsigned __vcmpne4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a != b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetne4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a != b); }); }
static __device__ __forceinline__ unsigned __vcmpgts4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetgts4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b); }); }
static __device__ __forceinline__ unsigned __vcmpgtu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetgtu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a > b); }); }
static __device__ __forceinline__ unsigned __vcmpges4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a >= b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetges4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a >= b); }); }
static __device__ __forceinline__ unsigned __vcmpgeu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a >= b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetgeu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a >= b); }); }
static __device__ __forceinline__ unsigned __vcmplts4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a < b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetlts4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a < b); }); }
static __device__ __forceinline__ unsigned __vcmpltu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a < b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetltu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a < b); }); }
static __device__ __forceinline__ unsigned __vcmples4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a <= b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetles4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, true> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a <= b); }); }
static __device__ __forceinline__ unsigned __vcmpleu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a <= b ? -1 : 0); }); }
static __device__ __forceinline__ unsigned __vsetleu4(unsigned a_, unsigned b_) { typedef __cuda_lanes<8, false> L; return L::each([=](int n) { int a = L::at(a_, n); int b = L::at(b_, n); return int(a <= b); }); }
static __device__ __forceinline__ unsigned __vsads4(unsigned a, unsigned b) { return ::abs(__cuda_lanes<8, true>::at(a, 0) - __cuda_lanes<8, true>::at(b, 0)) + ::abs(__cuda_lanes<8, true>::at(a, 1) - __cuda_lanes<8, true>::at(b, 1)) + ::abs(__cuda_lanes<8, true>::at(a, 2) - __cuda_lanes<8, true>::at(b, 2)) + ::abs(__cuda_lanes<8, true>::at(a, 3) - __cuda_lanes<8, true>::at(b, 3)); }
static __device__ __forceinline__ unsigned __vsadu4(unsigned a, unsigned b) { return ::abs(__cuda_lanes<8, false>::at(a, 0) - __cuda_lanes<8, false>::at(b, 0)) + ::abs(__cuda_lanes<8, false>::at(a, 1) - __cuda_lanes<8, false>::at(b, 1)) + ::abs(__cuda_lanes<8, false>::at(a, 2) - __cuda_lanes<8, false>::at(b, 2)) + ::abs(__cuda_lanes<8, false>::at(a, 3) - __cuda_lanes<8, false>::at(b, 3)); }
static __device__ __forceinline__ int __vimax3_s32(int a, int b, int c) { return ::max(::max(a, b), c); }
static __device__ __forceinline__ int __viaddmax_s32(int a, int b, int c) { return ::max(int(a + b), c); }
static __device__ __forceinline__ int __vimax3_s32_relu(int a, int b, int c) { return ::max(::max(::max(a, b), c), 0); }
static __device__ __forceinline__ int __viaddmax_s32_relu(int a, int b, int c) { return ::max(::max(int(a + b), c), 0); }
static __device__ __forceinline__ int __vimax_s32_relu(int a, int b) { return ::max(::max(a, b), 0); }
static __device__ __forceinline__ int __vibmax_s32(int a, int b, bool* which) { *which = a >= b; return *which ? a : b; }
static __device__ __forceinline__ unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) { return ::max(::max(a, b), c); }
static __device__ __forceinline__ unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c) { return ::max(unsigned(a + b), c); }
static __device__ __forceinline__ unsigned __vibmax_u32(unsigned a, unsigned b, bool* which) { *which = a >= b; return *which ? a : b; }
static __device__ __forceinline__ unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vmaxs2(a, b), c); }
static __device__ __forceinline__ unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vadd2(a, b), c); }
static __device__ __forceinline__ unsigned __vimax3_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vmaxs2(__vmaxs2(a, b), c), 0); }
static __device__ __forceinline__ unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vmaxs2(__vadd2(a, b), c), 0); }
static __device__ __forceinline__ unsigned __vimax_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__vmaxs2(a, b), 0); }
static __device__ __forceinline__ unsigned __vibmax_s16x2(unsigned a, unsigned b, bool* high, bool* low) { unsigned which = __vsetges2(a, b); *high = which >> 16; *low = which & 1; return __vmaxs2(a, b); }
static __device__ __forceinline__ unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c) { return __vmaxu2(__vmaxu2(a, b), c); }
static __device__ __forceinline__ unsigned __viaddmax_u16x2(unsigned a, unsigned b, unsigned c) { return __vmaxu2(__vadd2(a, b), c); }
static __device__ __forceinline__ unsigned __vibmax_u16x2(unsigned a, unsigned b, bool* high, bool* low) { unsigned which = __vsetgeu2(a, b); *high = which >> 16; *low = which & 1; return __vmaxu2(a, b); }
static __device__ __forceinline__ int __vimin3_s32(int a, int b, int c) { return ::min(::min(a, b), c); }
static __device__ __forceinline__ int __viaddmin_s32(int a, int b, int c) { return ::min(int(a + b), c); }
static __device__ __forceinline__ int __vimin3_s32_relu(int a, int b, int c) { return ::max(::min(::min(a, b), c), 0); }
static __device__ __forceinline__ int __viaddmin_s32_relu(int a, int b, int c) { return ::max(::min(int(a + b), c), 0); }
static __device__ __forceinline__ int __vimin_s32_relu(int a, int b) { return ::max(::min(a, b), 0); }
static __device__ __forceinline__ int __vibmin_s32(int a, int b, bool* which) { *which = a <= b; return *which ? a : b; }
static __device__ __forceinline__ unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) { return ::min(::min(a, b), c); }
static __device__ __forceinline__ unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) { return ::min(unsigned(a + b), c); }
static __device__ __forceinline__ unsigned __vibmin_u32(unsigned a, unsigned b, bool* which) { *which = a <= b; return *which ? a : b; }
static __device__ __forceinline__ unsigned __vimin3_s16x2(unsigned a, unsigned b, unsigned c) { return __vmins2(__vmins2(a, b), c); }
static __device__ __forceinline__ unsigned __viaddmin_s16x2(unsigned a, unsigned b, unsigned c) { return __vmins2(__vadd2(a, b), c); }
static __device__ __forceinline__ unsigned __vimin3_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vmins2(__vmins2(a, b), c), 0); }
static __device__ __forceinline__ unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vmins2(__vadd2(a, b), c), 0); }
static __device__ __forceinline__ unsigned __vimin_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__vmins2(a, b), 0); }
static __device__ __forceinline__ unsigned __vibmin_s16x2(unsigned a, unsigned b, bool* high, bool* low) { unsigned which = __vsetles2(a, b); *high = which >> 16; *low = which & 1; return __vmins2(a, b); }
static __device__ __forceinline__ unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) { return __vminu2(__vminu2(a, b), c); }
static __device__ __forceinline__ unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) { return __vminu2(__vadd2(a, b), c); }
static __device__ __forceinline__ unsigned __vibmin_u16x2(unsigned a, unsigned b, bool* high, bool* low) { unsigned which = __vsetleu2(a, b); *high = which >> 16; *low = which & 1; return __vminu2(a, b); }
