// What NVRTC leaves out and sources written for nvcc take for granted. Included before every kernel.
#pragma once

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef __FLT_MAX__
#define __FLT_MAX__ 3.402823466e+38f
#define __FLT_MIN__ 1.175494351e-38f
#define __FLT_EPSILON__ 1.192092896e-07f
#define __DBL_MAX__ 1.7976931348623158e+308
#define __DBL_MIN__ 2.2250738585072014e-308
#define __DBL_EPSILON__ 2.2204460492503131e-16
#endif
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ull

typedef unsigned char uint8_t;
typedef signed char int8_t;
typedef unsigned short uint16_t;
typedef short int16_t;
typedef unsigned int uint32_t;
typedef int int32_t;
typedef unsigned long long uint64_t;
typedef long long int64_t;
typedef uint64_t uintptr_t;
typedef int64_t intptr_t;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char uchar;

// Mathematics of integers is that of doubles, as in <cmath>.
namespace prelude {
template <typename T> struct Integer {};
#define PRELUDE_INTEGER(T) template <> struct Integer<T> { typedef double Double; };
PRELUDE_INTEGER(char) PRELUDE_INTEGER(signed char) PRELUDE_INTEGER(unsigned char)
PRELUDE_INTEGER(short) PRELUDE_INTEGER(unsigned short) PRELUDE_INTEGER(int)
PRELUDE_INTEGER(unsigned) PRELUDE_INTEGER(long) PRELUDE_INTEGER(unsigned long)
PRELUDE_INTEGER(long long) PRELUDE_INTEGER(unsigned long long)
#undef PRELUDE_INTEGER
}  // namespace prelude
#define PRELUDE_OF_ONE(name)                                                                 \
  template <typename T>                                                                      \
  __device__ __forceinline__ typename prelude::Integer<T>::Double name(T x) {                \
    return name(static_cast<double>(x));                                                     \
  }
#define PRELUDE_OF_TWO(name)                                                                 \
  template <typename T, typename U>                                                          \
  __device__ __forceinline__ decltype(typename prelude::Integer<T>::Double() +               \
                                      typename prelude::Integer<U>::Double()) name(T x, U y) { \
    return name(static_cast<double>(x), static_cast<double>(y));                             \
  }
PRELUDE_OF_ONE(acos) PRELUDE_OF_ONE(asin) PRELUDE_OF_ONE(atan) PRELUDE_OF_ONE(cbrt)
PRELUDE_OF_ONE(ceil) PRELUDE_OF_ONE(cos) PRELUDE_OF_ONE(cosh) PRELUDE_OF_ONE(erf)
PRELUDE_OF_ONE(exp) PRELUDE_OF_ONE(exp2) PRELUDE_OF_ONE(fabs) PRELUDE_OF_ONE(floor)
PRELUDE_OF_ONE(log) PRELUDE_OF_ONE(log10) PRELUDE_OF_ONE(log2) PRELUDE_OF_ONE(round)
PRELUDE_OF_ONE(rsqrt) PRELUDE_OF_ONE(sin) PRELUDE_OF_ONE(sinh) PRELUDE_OF_ONE(sqrt)
PRELUDE_OF_ONE(tan) PRELUDE_OF_ONE(tanh) PRELUDE_OF_ONE(trunc)
PRELUDE_OF_TWO(atan2) PRELUDE_OF_TWO(fmax) PRELUDE_OF_TWO(fmin) PRELUDE_OF_TWO(fmod)
PRELUDE_OF_TWO(hypot) PRELUDE_OF_TWO(pow)
#undef PRELUDE_OF_ONE
#undef PRELUDE_OF_TWO

namespace std {
using ::abs;
using ::ceil;
using ::cos;
using ::exp;
using ::fabs;
using ::floor;
using ::fmax;
using ::fmin;
using ::fmod;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intptr_t;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::log2;
using ::max;
using ::min;
using ::pow;
using ::printf;
using ::round;
using ::sin;
using ::sqrt;
using ::tan;
using ::tanh;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
}  // namespace std

#ifdef FOLLOW_LIBRARY_CALLS
#include <library_calls.h>
#endif
