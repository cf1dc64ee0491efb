// The functions of CUDA's library as calls of functions that are not inlined: when a value is followed,
// each of them is one step. The prelude includes this where a source is compiled to be followed.
#pragma once

// What is passed is hidden from the compiler, which would make a function for a constant of its own.
static __device__ float called_argument(float a) {
    asm("" : "+f"(a));
    return a;
}
static __device__ double called_argument(double a) {
    asm("" : "+d"(a));
    return a;
}
#define OF_ONE(name, T) \
    static __device__ __noinline__ T library_##name(T a) { \
        return name(a); \
    } \
    static __device__ T called_##name(T a) { \
        return library_##name(called_argument(a)); \
    }
#define OF_TWO(name, T) \
    static __device__ __noinline__ T library_##name(T a, T b) { \
        return name(a, b); \
    } \
    static __device__ T called_##name(T a, T b) { \
        return library_##name(called_argument(a), called_argument(b)); \
    }
#define OF_EACH_TYPE(define, name) \
    define(name, float) define(name, double) define(name##f, float) \
    namespace std { \
    using ::called_##name; \
    using ::called_##name##f; \
    }

OF_EACH_TYPE(OF_ONE, exp)
OF_EACH_TYPE(OF_ONE, exp2)
OF_EACH_TYPE(OF_ONE, exp10)
OF_EACH_TYPE(OF_ONE, expm1)
OF_EACH_TYPE(OF_ONE, log)
OF_EACH_TYPE(OF_ONE, log2)
OF_EACH_TYPE(OF_ONE, log10)
OF_EACH_TYPE(OF_ONE, log1p)
OF_EACH_TYPE(OF_ONE, sin)
OF_EACH_TYPE(OF_ONE, cos)
OF_EACH_TYPE(OF_ONE, tan)
OF_EACH_TYPE(OF_ONE, sinh)
OF_EACH_TYPE(OF_ONE, cosh)
OF_EACH_TYPE(OF_ONE, tanh)
OF_EACH_TYPE(OF_ONE, asin)
OF_EACH_TYPE(OF_ONE, acos)
OF_EACH_TYPE(OF_ONE, atan)
OF_EACH_TYPE(OF_ONE, asinh)
OF_EACH_TYPE(OF_ONE, acosh)
OF_EACH_TYPE(OF_ONE, atanh)
OF_EACH_TYPE(OF_ONE, erf)
OF_EACH_TYPE(OF_ONE, erfc)
OF_EACH_TYPE(OF_ONE, cbrt)
OF_EACH_TYPE(OF_ONE, tgamma)
OF_EACH_TYPE(OF_ONE, lgamma)
OF_EACH_TYPE(OF_TWO, pow)
OF_EACH_TYPE(OF_TWO, fmod)
OF_EACH_TYPE(OF_TWO, remainder)
OF_EACH_TYPE(OF_TWO, atan2)
OF_EACH_TYPE(OF_TWO, hypot)
OF_ONE(__expf, float)
OF_ONE(__exp10f, float)
OF_ONE(__logf, float)
OF_ONE(__log2f, float)
OF_ONE(__log10f, float)
OF_ONE(__sinf, float)
OF_ONE(__cosf, float)
OF_ONE(__tanf, float)
OF_TWO(__powf, float)

#define exp(...) called_exp(__VA_ARGS__)
#define expf(...) called_expf(__VA_ARGS__)
#define exp2(...) called_exp2(__VA_ARGS__)
#define exp2f(...) called_exp2f(__VA_ARGS__)
#define exp10(...) called_exp10(__VA_ARGS__)
#define exp10f(...) called_exp10f(__VA_ARGS__)
#define expm1(...) called_expm1(__VA_ARGS__)
#define expm1f(...) called_expm1f(__VA_ARGS__)
#define log(...) called_log(__VA_ARGS__)
#define logf(...) called_logf(__VA_ARGS__)
#define log2(...) called_log2(__VA_ARGS__)
#define log2f(...) called_log2f(__VA_ARGS__)
#define log10(...) called_log10(__VA_ARGS__)
#define log10f(...) called_log10f(__VA_ARGS__)
#define log1p(...) called_log1p(__VA_ARGS__)
#define log1pf(...) called_log1pf(__VA_ARGS__)
#define sin(...) called_sin(__VA_ARGS__)
#define sinf(...) called_sinf(__VA_ARGS__)
#define cos(...) called_cos(__VA_ARGS__)
#define cosf(...) called_cosf(__VA_ARGS__)
#define tan(...) called_tan(__VA_ARGS__)
#define tanf(...) called_tanf(__VA_ARGS__)
#define sinh(...) called_sinh(__VA_ARGS__)
#define sinhf(...) called_sinhf(__VA_ARGS__)
#define cosh(...) called_cosh(__VA_ARGS__)
#define coshf(...) called_coshf(__VA_ARGS__)
#define tanh(...) called_tanh(__VA_ARGS__)
#define tanhf(...) called_tanhf(__VA_ARGS__)
#define asin(...) called_asin(__VA_ARGS__)
#define asinf(...) called_asinf(__VA_ARGS__)
#define acos(...) called_acos(__VA_ARGS__)
#define acosf(...) called_acosf(__VA_ARGS__)
#define atan(...) called_atan(__VA_ARGS__)
#define atanf(...) called_atanf(__VA_ARGS__)
#define asinh(...) called_asinh(__VA_ARGS__)
#define asinhf(...) called_asinhf(__VA_ARGS__)
#define acosh(...) called_acosh(__VA_ARGS__)
#define acoshf(...) called_acoshf(__VA_ARGS__)
#define atanh(...) called_atanh(__VA_ARGS__)
#define atanhf(...) called_atanhf(__VA_ARGS__)
#define erf(...) called_erf(__VA_ARGS__)
#define erff(...) called_erff(__VA_ARGS__)
#define erfc(...) called_erfc(__VA_ARGS__)
#define erfcf(...) called_erfcf(__VA_ARGS__)
#define cbrt(...) called_cbrt(__VA_ARGS__)
#define cbrtf(...) called_cbrtf(__VA_ARGS__)
#define tgamma(...) called_tgamma(__VA_ARGS__)
#define tgammaf(...) called_tgammaf(__VA_ARGS__)
#define lgamma(...) called_lgamma(__VA_ARGS__)
#define lgammaf(...) called_lgammaf(__VA_ARGS__)
#define pow(...) called_pow(__VA_ARGS__)
#define powf(...) called_powf(__VA_ARGS__)
#define fmod(...) called_fmod(__VA_ARGS__)
#define fmodf(...) called_fmodf(__VA_ARGS__)
#define remainder(...) called_remainder(__VA_ARGS__)
#define remainderf(...) called_remainderf(__VA_ARGS__)
#define atan2(...) called_atan2(__VA_ARGS__)
#define atan2f(...) called_atan2f(__VA_ARGS__)
#define hypot(...) called_hypot(__VA_ARGS__)
#define hypotf(...) called_hypotf(__VA_ARGS__)
#define __expf(...) called___expf(__VA_ARGS__)
#define __exp10f(...) called___exp10f(__VA_ARGS__)
#define __logf(...) called___logf(__VA_ARGS__)
#define __log2f(...) called___log2f(__VA_ARGS__)
#define __log10f(...) called___log10f(__VA_ARGS__)
#define __sinf(...) called___sinf(__VA_ARGS__)
#define __cosf(...) called___cosf(__VA_ARGS__)
#define __tanf(...) called___tanf(__VA_ARGS__)
#define __powf(...) called___powf(__VA_ARGS__)
