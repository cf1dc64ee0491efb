#ifdef __USE_FAST_MATH__  // Written by `python -m tools.headers`.
#define __nv_cosf __nv_fast_cosf
#define __nv_exp10f __nv_fast_exp10f
#define __nv_expf __nv_fast_expf
#define __nv_log10f __nv_fast_log10f
#define __nv_log2f __nv_fast_log2f
#define __nv_logf __nv_fast_logf
#define __nv_sinf __nv_fast_sinf
#define __nv_tanf __nv_fast_tanf
#define __nv_tanhf __nv_fast_tanhf
#define __nv_powf __nv_fast_powf
#define __nv_fdividef __nv_fast_fdividef
#define __nv_sincosf __nv_fast_sincosf
#endif
extern "C" __device__ double __nv_acos(double) noexcept;
static __device__ __forceinline__ double acos(double a0) noexcept { return __nv_acos(a0); }
extern "C" __device__ float __nv_acosf(float) noexcept;
static __device__ __forceinline__ float acosf(float a0) noexcept { return __nv_acosf(a0); }
static __device__ __forceinline__ float acos(float a0) noexcept { return __nv_acosf(a0); }
extern "C" __device__ double __nv_acosh(double) noexcept;
static __device__ __forceinline__ double acosh(double a0) noexcept { return __nv_acosh(a0); }
extern "C" __device__ float __nv_acoshf(float) noexcept;
static __device__ __forceinline__ float acoshf(float a0) noexcept { return __nv_acoshf(a0); }
static __device__ __forceinline__ float acosh(float a0) noexcept { return __nv_acoshf(a0); }
extern "C" __device__ double __nv_asin(double) noexcept;
static __device__ __forceinline__ double asin(double a0) noexcept { return __nv_asin(a0); }
extern "C" __device__ float __nv_asinf(float) noexcept;
static __device__ __forceinline__ float asinf(float a0) noexcept { return __nv_asinf(a0); }
static __device__ __forceinline__ float asin(float a0) noexcept { return __nv_asinf(a0); }
extern "C" __device__ double __nv_asinh(double) noexcept;
static __device__ __forceinline__ double asinh(double a0) noexcept { return __nv_asinh(a0); }
extern "C" __device__ float __nv_asinhf(float) noexcept;
static __device__ __forceinline__ float asinhf(float a0) noexcept { return __nv_asinhf(a0); }
static __device__ __forceinline__ float asinh(float a0) noexcept { return __nv_asinhf(a0); }
extern "C" __device__ double __nv_atan(double) noexcept;
static __device__ __forceinline__ double atan(double a0) noexcept { return __nv_atan(a0); }
extern "C" __device__ float __nv_atanf(float) noexcept;
static __device__ __forceinline__ float atanf(float a0) noexcept { return __nv_atanf(a0); }
static __device__ __forceinline__ float atan(float a0) noexcept { return __nv_atanf(a0); }
extern "C" __device__ double __nv_atanh(double) noexcept;
static __device__ __forceinline__ double atanh(double a0) noexcept { return __nv_atanh(a0); }
extern "C" __device__ float __nv_atanhf(float) noexcept;
static __device__ __forceinline__ float atanhf(float a0) noexcept { return __nv_atanhf(a0); }
static __device__ __forceinline__ float atanh(float a0) noexcept { return __nv_atanhf(a0); }
extern "C" __device__ double __nv_cbrt(double) noexcept;
static __device__ __forceinline__ double cbrt(double a0) noexcept { return __nv_cbrt(a0); }
extern "C" __device__ float __nv_cbrtf(float) noexcept;
static __device__ __forceinline__ float cbrtf(float a0) noexcept { return __nv_cbrtf(a0); }
static __device__ __forceinline__ float cbrt(float a0) noexcept { return __nv_cbrtf(a0); }
extern "C" __device__ double __nv_ceil(double) noexcept;
static __device__ __forceinline__ double ceil(double a0) noexcept { return __nv_ceil(a0); }
extern "C" __device__ float __nv_ceilf(float) noexcept;
static __device__ __forceinline__ float ceilf(float a0) noexcept { return __nv_ceilf(a0); }
static __device__ __forceinline__ float ceil(float a0) noexcept { return __nv_ceilf(a0); }
extern "C" __device__ double __nv_cos(double) noexcept;
static __device__ __forceinline__ double cos(double a0) noexcept { return __nv_cos(a0); }
extern "C" __device__ float __nv_cosf(float) noexcept;
static __device__ __forceinline__ float cosf(float a0) noexcept { return __nv_cosf(a0); }
static __device__ __forceinline__ float cos(float a0) noexcept { return __nv_cosf(a0); }
extern "C" __device__ double __nv_cosh(double) noexcept;
static __device__ __forceinline__ double cosh(double a0) noexcept { return __nv_cosh(a0); }
extern "C" __device__ float __nv_coshf(float) noexcept;
static __device__ __forceinline__ float coshf(float a0) noexcept { return __nv_coshf(a0); }
static __device__ __forceinline__ float cosh(float a0) noexcept { return __nv_coshf(a0); }
extern "C" __device__ double __nv_erf(double) noexcept;
static __device__ __forceinline__ double erf(double a0) noexcept { return __nv_erf(a0); }
extern "C" __device__ float __nv_erff(float) noexcept;
static __device__ __forceinline__ float erff(float a0) noexcept { return __nv_erff(a0); }
static __device__ __forceinline__ float erf(float a0) noexcept { return __nv_erff(a0); }
extern "C" __device__ double __nv_erfc(double) noexcept;
static __device__ __forceinline__ double erfc(double a0) noexcept { return __nv_erfc(a0); }
extern "C" __device__ float __nv_erfcf(float) noexcept;
static __device__ __forceinline__ float erfcf(float a0) noexcept { return __nv_erfcf(a0); }
static __device__ __forceinline__ float erfc(float a0) noexcept { return __nv_erfcf(a0); }
extern "C" __device__ double __nv_exp(double) noexcept;
static __device__ __forceinline__ double exp(double a0) noexcept { return __nv_exp(a0); }
extern "C" __device__ float __nv_expf(float) noexcept;
static __device__ __forceinline__ float expf(float a0) noexcept { return __nv_expf(a0); }
static __device__ __forceinline__ float exp(float a0) noexcept { return __nv_expf(a0); }
extern "C" __device__ double __nv_exp2(double) noexcept;
static __device__ __forceinline__ double exp2(double a0) noexcept { return __nv_exp2(a0); }
extern "C" __device__ float __nv_exp2f(float) noexcept;
static __device__ __forceinline__ float exp2f(float a0) noexcept { return __nv_exp2f(a0); }
static __device__ __forceinline__ float exp2(float a0) noexcept { return __nv_exp2f(a0); }
extern "C" __device__ double __nv_expm1(double) noexcept;
static __device__ __forceinline__ double expm1(double a0) noexcept { return __nv_expm1(a0); }
extern "C" __device__ float __nv_expm1f(float) noexcept;
static __device__ __forceinline__ float expm1f(float a0) noexcept { return __nv_expm1f(a0); }
static __device__ __forceinline__ float expm1(float a0) noexcept { return __nv_expm1f(a0); }
extern "C" __device__ double __nv_fabs(double) noexcept;
static __device__ __forceinline__ double fabs(double a0) noexcept { return __nv_fabs(a0); }
extern "C" __device__ float __nv_fabsf(float) noexcept;
static __device__ __forceinline__ float fabsf(float a0) noexcept { return __nv_fabsf(a0); }
static __device__ __forceinline__ float fabs(float a0) noexcept { return __nv_fabsf(a0); }
extern "C" __device__ double __nv_floor(double) noexcept;
static __device__ __forceinline__ double floor(double a0) noexcept { return __nv_floor(a0); }
extern "C" __device__ float __nv_floorf(float) noexcept;
static __device__ __forceinline__ float floorf(float a0) noexcept { return __nv_floorf(a0); }
static __device__ __forceinline__ float floor(float a0) noexcept { return __nv_floorf(a0); }
extern "C" __device__ double __nv_lgamma(double) noexcept;
static __device__ __forceinline__ double lgamma(double a0) noexcept { return __nv_lgamma(a0); }
extern "C" __device__ float __nv_lgammaf(float) noexcept;
static __device__ __forceinline__ float lgammaf(float a0) noexcept { return __nv_lgammaf(a0); }
static __device__ __forceinline__ float lgamma(float a0) noexcept { return __nv_lgammaf(a0); }
extern "C" __device__ double __nv_log(double) noexcept;
static __device__ __forceinline__ double log(double a0) noexcept { return __nv_log(a0); }
extern "C" __device__ float __nv_logf(float) noexcept;
static __device__ __forceinline__ float logf(float a0) noexcept { return __nv_logf(a0); }
static __device__ __forceinline__ float log(float a0) noexcept { return __nv_logf(a0); }
extern "C" __device__ double __nv_log10(double) noexcept;
static __device__ __forceinline__ double log10(double a0) noexcept { return __nv_log10(a0); }
extern "C" __device__ float __nv_log10f(float) noexcept;
static __device__ __forceinline__ float log10f(float a0) noexcept { return __nv_log10f(a0); }
static __device__ __forceinline__ float log10(float a0) noexcept { return __nv_log10f(a0); }
extern "C" __device__ double __nv_log1p(double) noexcept;
static __device__ __forceinline__ double log1p(double a0) noexcept { return __nv_log1p(a0); }
extern "C" __device__ float __nv_log1pf(float) noexcept;
static __device__ __forceinline__ float log1pf(float a0) noexcept { return __nv_log1pf(a0); }
static __device__ __forceinline__ float log1p(float a0) noexcept { return __nv_log1pf(a0); }
extern "C" __device__ double __nv_log2(double) noexcept;
static __device__ __forceinline__ double log2(double a0) noexcept { return __nv_log2(a0); }
extern "C" __device__ float __nv_log2f(float) noexcept;
static __device__ __forceinline__ float log2f(float a0) noexcept { return __nv_log2f(a0); }
static __device__ __forceinline__ float log2(float a0) noexcept { return __nv_log2f(a0); }
extern "C" __device__ double __nv_logb(double) noexcept;
static __device__ __forceinline__ double logb(double a0) noexcept { return __nv_logb(a0); }
extern "C" __device__ float __nv_logbf(float) noexcept;
static __device__ __forceinline__ float logbf(float a0) noexcept { return __nv_logbf(a0); }
static __device__ __forceinline__ float logb(float a0) noexcept { return __nv_logbf(a0); }
extern "C" __device__ double __nv_nearbyint(double) noexcept;
static __device__ __forceinline__ double nearbyint(double a0) noexcept { return __nv_nearbyint(a0); }
extern "C" __device__ float __nv_nearbyintf(float) noexcept;
static __device__ __forceinline__ float nearbyintf(float a0) noexcept { return __nv_nearbyintf(a0); }
static __device__ __forceinline__ float nearbyint(float a0) noexcept { return __nv_nearbyintf(a0); }
extern "C" __device__ double __nv_rint(double) noexcept;
static __device__ __forceinline__ double rint(double a0) noexcept { return __nv_rint(a0); }
extern "C" __device__ float __nv_rintf(float) noexcept;
static __device__ __forceinline__ float rintf(float a0) noexcept { return __nv_rintf(a0); }
static __device__ __forceinline__ float rint(float a0) noexcept { return __nv_rintf(a0); }
extern "C" __device__ double __nv_round(double) noexcept;
static __device__ __forceinline__ double round(double a0) noexcept { return __nv_round(a0); }
extern "C" __device__ float __nv_roundf(float) noexcept;
static __device__ __forceinline__ float roundf(float a0) noexcept { return __nv_roundf(a0); }
static __device__ __forceinline__ float round(float a0) noexcept { return __nv_roundf(a0); }
extern "C" __device__ double __nv_rsqrt(double) noexcept;
static __device__ __forceinline__ double rsqrt(double a0) noexcept { return __nv_rsqrt(a0); }
extern "C" __device__ float __nv_rsqrtf(float) noexcept;
static __device__ __forceinline__ float rsqrtf(float a0) noexcept { return __nv_rsqrtf(a0); }
static __device__ __forceinline__ float rsqrt(float a0) noexcept { return __nv_rsqrtf(a0); }
extern "C" __device__ double __nv_sin(double) noexcept;
static __device__ __forceinline__ double sin(double a0) noexcept { return __nv_sin(a0); }
extern "C" __device__ float __nv_sinf(float) noexcept;
static __device__ __forceinline__ float sinf(float a0) noexcept { return __nv_sinf(a0); }
static __device__ __forceinline__ float sin(float a0) noexcept { return __nv_sinf(a0); }
extern "C" __device__ double __nv_sinh(double) noexcept;
static __device__ __forceinline__ double sinh(double a0) noexcept { return __nv_sinh(a0); }
extern "C" __device__ float __nv_sinhf(float) noexcept;
static __device__ __forceinline__ float sinhf(float a0) noexcept { return __nv_sinhf(a0); }
static __device__ __forceinline__ float sinh(float a0) noexcept { return __nv_sinhf(a0); }
extern "C" __device__ double __nv_tan(double) noexcept;
static __device__ __forceinline__ double tan(double a0) noexcept { return __nv_tan(a0); }
extern "C" __device__ float __nv_tanf(float) noexcept;
static __device__ __forceinline__ float tanf(float a0) noexcept { return __nv_tanf(a0); }
static __device__ __forceinline__ float tan(float a0) noexcept { return __nv_tanf(a0); }
extern "C" __device__ double __nv_tanh(double) noexcept;
static __device__ __forceinline__ double tanh(double a0) noexcept { return __nv_tanh(a0); }
extern "C" __device__ float __nv_tanhf(float) noexcept;
static __device__ __forceinline__ float tanhf(float a0) noexcept { return __nv_tanhf(a0); }
static __device__ __forceinline__ float tanh(float a0) noexcept { return __nv_tanhf(a0); }
extern "C" __device__ double __nv_tgamma(double) noexcept;
static __device__ __forceinline__ double tgamma(double a0) noexcept { return __nv_tgamma(a0); }
extern "C" __device__ float __nv_tgammaf(float) noexcept;
static __device__ __forceinline__ float tgammaf(float a0) noexcept { return __nv_tgammaf(a0); }
static __device__ __forceinline__ float tgamma(float a0) noexcept { return __nv_tgammaf(a0); }
extern "C" __device__ double __nv_trunc(double) noexcept;
static __device__ __forceinline__ double trunc(double a0) noexcept { return __nv_trunc(a0); }
extern "C" __device__ float __nv_truncf(float) noexcept;
static __device__ __forceinline__ float truncf(float a0) noexcept { return __nv_truncf(a0); }
static __device__ __forceinline__ float trunc(float a0) noexcept { return __nv_truncf(a0); }
extern "C" __device__ double __nv_sinpi(double) noexcept;
static __device__ __forceinline__ double sinpi(double a0) noexcept { return __nv_sinpi(a0); }
extern "C" __device__ float __nv_sinpif(float) noexcept;
static __device__ __forceinline__ float sinpif(float a0) noexcept { return __nv_sinpif(a0); }
static __device__ __forceinline__ float sinpi(float a0) noexcept { return __nv_sinpif(a0); }
extern "C" __device__ double __nv_cospi(double) noexcept;
static __device__ __forceinline__ double cospi(double a0) noexcept { return __nv_cospi(a0); }
extern "C" __device__ float __nv_cospif(float) noexcept;
static __device__ __forceinline__ float cospif(float a0) noexcept { return __nv_cospif(a0); }
static __device__ __forceinline__ float cospi(float a0) noexcept { return __nv_cospif(a0); }
extern "C" __device__ double __nv_exp10(double) noexcept;
static __device__ __forceinline__ double exp10(double a0) noexcept { return __nv_exp10(a0); }
extern "C" __device__ float __nv_exp10f(float) noexcept;
static __device__ __forceinline__ float exp10f(float a0) noexcept { return __nv_exp10f(a0); }
static __device__ __forceinline__ float exp10(float a0) noexcept { return __nv_exp10f(a0); }
extern "C" __device__ double __nv_erfinv(double) noexcept;
static __device__ __forceinline__ double erfinv(double a0) noexcept { return __nv_erfinv(a0); }
extern "C" __device__ float __nv_erfinvf(float) noexcept;
static __device__ __forceinline__ float erfinvf(float a0) noexcept { return __nv_erfinvf(a0); }
static __device__ __forceinline__ float erfinv(float a0) noexcept { return __nv_erfinvf(a0); }
extern "C" __device__ double __nv_erfcinv(double) noexcept;
static __device__ __forceinline__ double erfcinv(double a0) noexcept { return __nv_erfcinv(a0); }
extern "C" __device__ float __nv_erfcinvf(float) noexcept;
static __device__ __forceinline__ float erfcinvf(float a0) noexcept { return __nv_erfcinvf(a0); }
static __device__ __forceinline__ float erfcinv(float a0) noexcept { return __nv_erfcinvf(a0); }
extern "C" __device__ double __nv_erfcx(double) noexcept;
static __device__ __forceinline__ double erfcx(double a0) noexcept { return __nv_erfcx(a0); }
extern "C" __device__ float __nv_erfcxf(float) noexcept;
static __device__ __forceinline__ float erfcxf(float a0) noexcept { return __nv_erfcxf(a0); }
static __device__ __forceinline__ float erfcx(float a0) noexcept { return __nv_erfcxf(a0); }
extern "C" __device__ double __nv_normcdf(double) noexcept;
static __device__ __forceinline__ double normcdf(double a0) noexcept { return __nv_normcdf(a0); }
extern "C" __device__ float __nv_normcdff(float) noexcept;
static __device__ __forceinline__ float normcdff(float a0) noexcept { return __nv_normcdff(a0); }
static __device__ __forceinline__ float normcdf(float a0) noexcept { return __nv_normcdff(a0); }
extern "C" __device__ double __nv_normcdfinv(double) noexcept;
static __device__ __forceinline__ double normcdfinv(double a0) noexcept { return __nv_normcdfinv(a0); }
extern "C" __device__ float __nv_normcdfinvf(float) noexcept;
static __device__ __forceinline__ float normcdfinvf(float a0) noexcept { return __nv_normcdfinvf(a0); }
static __device__ __forceinline__ float normcdfinv(float a0) noexcept { return __nv_normcdfinvf(a0); }
extern "C" __device__ double __nv_rcbrt(double) noexcept;
static __device__ __forceinline__ double rcbrt(double a0) noexcept { return __nv_rcbrt(a0); }
extern "C" __device__ float __nv_rcbrtf(float) noexcept;
static __device__ __forceinline__ float rcbrtf(float a0) noexcept { return __nv_rcbrtf(a0); }
static __device__ __forceinline__ float rcbrt(float a0) noexcept { return __nv_rcbrtf(a0); }
extern "C" __device__ double __nv_atan2(double, double) noexcept;
static __device__ __forceinline__ double atan2(double a0, double a1) noexcept { return __nv_atan2(a0, a1); }
extern "C" __device__ float __nv_atan2f(float, float) noexcept;
static __device__ __forceinline__ float atan2f(float a0, float a1) noexcept { return __nv_atan2f(a0, a1); }
static __device__ __forceinline__ float atan2(float a0, float a1) noexcept { return __nv_atan2f(a0, a1); }
extern "C" __device__ double __nv_copysign(double, double) noexcept;
static __device__ __forceinline__ double copysign(double a0, double a1) noexcept { return __nv_copysign(a0, a1); }
extern "C" __device__ float __nv_copysignf(float, float) noexcept;
static __device__ __forceinline__ float copysignf(float a0, float a1) noexcept { return __nv_copysignf(a0, a1); }
static __device__ __forceinline__ float copysign(float a0, float a1) noexcept { return __nv_copysignf(a0, a1); }
extern "C" __device__ double __nv_fdim(double, double) noexcept;
static __device__ __forceinline__ double fdim(double a0, double a1) noexcept { return __nv_fdim(a0, a1); }
extern "C" __device__ float __nv_fdimf(float, float) noexcept;
static __device__ __forceinline__ float fdimf(float a0, float a1) noexcept { return __nv_fdimf(a0, a1); }
static __device__ __forceinline__ float fdim(float a0, float a1) noexcept { return __nv_fdimf(a0, a1); }
extern "C" __device__ double __nv_fmax(double, double) noexcept;
static __device__ __forceinline__ double fmax(double a0, double a1) noexcept { return __nv_fmax(a0, a1); }
extern "C" __device__ float __nv_fmaxf(float, float) noexcept;
static __device__ __forceinline__ float fmaxf(float a0, float a1) noexcept { return __nv_fmaxf(a0, a1); }
static __device__ __forceinline__ float fmax(float a0, float a1) noexcept { return __nv_fmaxf(a0, a1); }
extern "C" __device__ double __nv_fmin(double, double) noexcept;
static __device__ __forceinline__ double fmin(double a0, double a1) noexcept { return __nv_fmin(a0, a1); }
extern "C" __device__ float __nv_fminf(float, float) noexcept;
static __device__ __forceinline__ float fminf(float a0, float a1) noexcept { return __nv_fminf(a0, a1); }
static __device__ __forceinline__ float fmin(float a0, float a1) noexcept { return __nv_fminf(a0, a1); }
extern "C" __device__ double __nv_fmod(double, double) noexcept;
static __device__ __forceinline__ double fmod(double a0, double a1) noexcept { return __nv_fmod(a0, a1); }
extern "C" __device__ float __nv_fmodf(float, float) noexcept;
static __device__ __forceinline__ float fmodf(float a0, float a1) noexcept { return __nv_fmodf(a0, a1); }
static __device__ __forceinline__ float fmod(float a0, float a1) noexcept { return __nv_fmodf(a0, a1); }
extern "C" __device__ double __nv_hypot(double, double) noexcept;
static __device__ __forceinline__ double hypot(double a0, double a1) noexcept { return __nv_hypot(a0, a1); }
extern "C" __device__ float __nv_hypotf(float, float) noexcept;
static __device__ __forceinline__ float hypotf(float a0, float a1) noexcept { return __nv_hypotf(a0, a1); }
static __device__ __forceinline__ float hypot(float a0, float a1) noexcept { return __nv_hypotf(a0, a1); }
extern "C" __device__ double __nv_nextafter(double, double) noexcept;
static __device__ __forceinline__ double nextafter(double a0, double a1) noexcept { return __nv_nextafter(a0, a1); }
extern "C" __device__ float __nv_nextafterf(float, float) noexcept;
static __device__ __forceinline__ float nextafterf(float a0, float a1) noexcept { return __nv_nextafterf(a0, a1); }
static __device__ __forceinline__ float nextafter(float a0, float a1) noexcept { return __nv_nextafterf(a0, a1); }
extern "C" __device__ double __nv_pow(double, double) noexcept;
static __device__ __forceinline__ double pow(double a0, double a1) noexcept { return __nv_pow(a0, a1); }
extern "C" __device__ float __nv_powf(float, float) noexcept;
static __device__ __forceinline__ float powf(float a0, float a1) noexcept { return __nv_powf(a0, a1); }
static __device__ __forceinline__ float pow(float a0, float a1) noexcept { return __nv_powf(a0, a1); }
extern "C" __device__ double __nv_remainder(double, double) noexcept;
static __device__ __forceinline__ double remainder(double a0, double a1) noexcept { return __nv_remainder(a0, a1); }
extern "C" __device__ float __nv_remainderf(float, float) noexcept;
static __device__ __forceinline__ float remainderf(float a0, float a1) noexcept { return __nv_remainderf(a0, a1); }
static __device__ __forceinline__ float remainder(float a0, float a1) noexcept { return __nv_remainderf(a0, a1); }
extern "C" __device__ double __nv_rhypot(double, double) noexcept;
static __device__ __forceinline__ double rhypot(double a0, double a1) noexcept { return __nv_rhypot(a0, a1); }
extern "C" __device__ float __nv_rhypotf(float, float) noexcept;
static __device__ __forceinline__ float rhypotf(float a0, float a1) noexcept { return __nv_rhypotf(a0, a1); }
static __device__ __forceinline__ float rhypot(float a0, float a1) noexcept { return __nv_rhypotf(a0, a1); }
extern "C" __device__ double __nv_fma(double, double, double) noexcept;
static __device__ __forceinline__ double fma(double a0, double a1, double a2) noexcept { return __nv_fma(a0, a1, a2); }
extern "C" __device__ float __nv_fmaf(float, float, float) noexcept;
static __device__ __forceinline__ float fmaf(float a0, float a1, float a2) noexcept { return __nv_fmaf(a0, a1, a2); }
static __device__ __forceinline__ float fma(float a0, float a1, float a2) noexcept { return __nv_fmaf(a0, a1, a2); }
extern "C" __device__ double __nv_norm3d(double, double, double) noexcept;
static __device__ __forceinline__ double norm3d(double a0, double a1, double a2) noexcept { return __nv_norm3d(a0, a1, a2); }
extern "C" __device__ float __nv_norm3df(float, float, float) noexcept;
static __device__ __forceinline__ float norm3df(float a0, float a1, float a2) noexcept { return __nv_norm3df(a0, a1, a2); }
static __device__ __forceinline__ float norm3d(float a0, float a1, float a2) noexcept { return __nv_norm3df(a0, a1, a2); }
extern "C" __device__ double __nv_rnorm3d(double, double, double) noexcept;
static __device__ __forceinline__ double rnorm3d(double a0, double a1, double a2) noexcept { return __nv_rnorm3d(a0, a1, a2); }
extern "C" __device__ float __nv_rnorm3df(float, float, float) noexcept;
static __device__ __forceinline__ float rnorm3df(float a0, float a1, float a2) noexcept { return __nv_rnorm3df(a0, a1, a2); }
static __device__ __forceinline__ float rnorm3d(float a0, float a1, float a2) noexcept { return __nv_rnorm3df(a0, a1, a2); }
extern "C" __device__ double __nv_ldexp(double, int) noexcept;
static __device__ __forceinline__ double ldexp(double a0, int a1) noexcept { return __nv_ldexp(a0, a1); }
extern "C" __device__ float __nv_ldexpf(float, int) noexcept;
static __device__ __forceinline__ float ldexpf(float a0, int a1) noexcept { return __nv_ldexpf(a0, a1); }
static __device__ __forceinline__ float ldexp(float a0, int a1) noexcept { return __nv_ldexpf(a0, a1); }
extern "C" __device__ double __nv_scalbn(double, int) noexcept;
static __device__ __forceinline__ double scalbn(double a0, int a1) noexcept { return __nv_scalbn(a0, a1); }
extern "C" __device__ float __nv_scalbnf(float, int) noexcept;
static __device__ __forceinline__ float scalbnf(float a0, int a1) noexcept { return __nv_scalbnf(a0, a1); }
static __device__ __forceinline__ float scalbn(float a0, int a1) noexcept { return __nv_scalbnf(a0, a1); }
extern "C" __device__ double __nv_frexp(double, int*) noexcept;
static __device__ __forceinline__ double frexp(double a0, int* a1) noexcept { return __nv_frexp(a0, a1); }
extern "C" __device__ float __nv_frexpf(float, int*) noexcept;
static __device__ __forceinline__ float frexpf(float a0, int* a1) noexcept { return __nv_frexpf(a0, a1); }
static __device__ __forceinline__ float frexp(float a0, int* a1) noexcept { return __nv_frexpf(a0, a1); }
extern "C" __device__ double __nv_modf(double, double*) noexcept;
static __device__ __forceinline__ double modf(double a0, double* a1) noexcept { return __nv_modf(a0, a1); }
extern "C" __device__ float __nv_modff(float, float*) noexcept;
static __device__ __forceinline__ float modff(float a0, float* a1) noexcept { return __nv_modff(a0, a1); }
static __device__ __forceinline__ float modf(float a0, float* a1) noexcept { return __nv_modff(a0, a1); }
extern "C" __device__ double __nv_remquo(double, double, int*) noexcept;
static __device__ __forceinline__ double remquo(double a0, double a1, int* a2) noexcept { return __nv_remquo(a0, a1, a2); }
extern "C" __device__ float __nv_remquof(float, float, int*) noexcept;
static __device__ __forceinline__ float remquof(float a0, float a1, int* a2) noexcept { return __nv_remquof(a0, a1, a2); }
static __device__ __forceinline__ float remquo(float a0, float a1, int* a2) noexcept { return __nv_remquof(a0, a1, a2); }
extern "C" __device__ int __nv_ilogb(double) noexcept;
static __device__ __forceinline__ int ilogb(double a0) noexcept { return __nv_ilogb(a0); }
extern "C" __device__ int __nv_ilogbf(float) noexcept;
static __device__ __forceinline__ int ilogbf(float a0) noexcept { return __nv_ilogbf(a0); }
static __device__ __forceinline__ int ilogb(float a0) noexcept { return __nv_ilogbf(a0); }
extern "C" __device__ long long __nv_llrint(double) noexcept;
static __device__ __forceinline__ long long llrint(double a0) noexcept { return __nv_llrint(a0); }
extern "C" __device__ long long __nv_llrintf(float) noexcept;
static __device__ __forceinline__ long long llrintf(float a0) noexcept { return __nv_llrintf(a0); }
static __device__ __forceinline__ long long llrint(float a0) noexcept { return __nv_llrintf(a0); }
extern "C" __device__ long long __nv_llround(double) noexcept;
static __device__ __forceinline__ long long llround(double a0) noexcept { return __nv_llround(a0); }
extern "C" __device__ long long __nv_llroundf(float) noexcept;
static __device__ __forceinline__ long long llroundf(float a0) noexcept { return __nv_llroundf(a0); }
static __device__ __forceinline__ long long llround(float a0) noexcept { return __nv_llroundf(a0); }
extern "C" __device__ void __nv_sincos(double, double*, double*) noexcept;
static __device__ __forceinline__ void sincos(double a0, double* a1, double* a2) noexcept { return __nv_sincos(a0, a1, a2); }
extern "C" __device__ void __nv_sincosf(float, float*, float*) noexcept;
static __device__ __forceinline__ void sincosf(float a0, float* a1, float* a2) noexcept { return __nv_sincosf(a0, a1, a2); }
static __device__ __forceinline__ void sincos(float a0, float* a1, float* a2) noexcept { return __nv_sincosf(a0, a1, a2); }
extern "C" __device__ void __nv_sincospi(double, double*, double*) noexcept;
static __device__ __forceinline__ void sincospi(double a0, double* a1, double* a2) noexcept { return __nv_sincospi(a0, a1, a2); }
extern "C" __device__ void __nv_sincospif(float, float*, float*) noexcept;
static __device__ __forceinline__ void sincospif(float a0, float* a1, float* a2) noexcept { return __nv_sincospif(a0, a1, a2); }
static __device__ __forceinline__ void sincospi(float a0, float* a1, float* a2) noexcept { return __nv_sincospif(a0, a1, a2); }
extern "C" __device__ double __nv_j0(double) noexcept;
static __device__ __forceinline__ double j0(double a0) noexcept { return __nv_j0(a0); }
extern "C" __device__ float __nv_j0f(float) noexcept;
static __device__ __forceinline__ float j0f(float a0) noexcept { return __nv_j0f(a0); }
extern "C" __device__ double __nv_j1(double) noexcept;
static __device__ __forceinline__ double j1(double a0) noexcept { return __nv_j1(a0); }
extern "C" __device__ float __nv_j1f(float) noexcept;
static __device__ __forceinline__ float j1f(float a0) noexcept { return __nv_j1f(a0); }
extern "C" __device__ double __nv_y0(double) noexcept;
static __device__ __forceinline__ double y0(double a0) noexcept { return __nv_y0(a0); }
extern "C" __device__ float __nv_y0f(float) noexcept;
static __device__ __forceinline__ float y0f(float a0) noexcept { return __nv_y0f(a0); }
extern "C" __device__ double __nv_y1(double) noexcept;
static __device__ __forceinline__ double y1(double a0) noexcept { return __nv_y1(a0); }
extern "C" __device__ float __nv_y1f(float) noexcept;
static __device__ __forceinline__ float y1f(float a0) noexcept { return __nv_y1f(a0); }
extern "C" __device__ double __nv_cyl_bessel_i0(double) noexcept;
static __device__ __forceinline__ double cyl_bessel_i0(double a0) noexcept { return __nv_cyl_bessel_i0(a0); }
extern "C" __device__ float __nv_cyl_bessel_i0f(float) noexcept;
static __device__ __forceinline__ float cyl_bessel_i0f(float a0) noexcept { return __nv_cyl_bessel_i0f(a0); }
extern "C" __device__ double __nv_cyl_bessel_i1(double) noexcept;
static __device__ __forceinline__ double cyl_bessel_i1(double a0) noexcept { return __nv_cyl_bessel_i1(a0); }
extern "C" __device__ float __nv_cyl_bessel_i1f(float) noexcept;
static __device__ __forceinline__ float cyl_bessel_i1f(float a0) noexcept { return __nv_cyl_bessel_i1f(a0); }
extern "C" __device__ double __nv_jn(int, double) noexcept;
static __device__ __forceinline__ double jn(int a0, double a1) noexcept { return __nv_jn(a0, a1); }
extern "C" __device__ float __nv_jnf(int, float) noexcept;
static __device__ __forceinline__ float jnf(int a0, float a1) noexcept { return __nv_jnf(a0, a1); }
extern "C" __device__ double __nv_yn(int, double) noexcept;
static __device__ __forceinline__ double yn(int a0, double a1) noexcept { return __nv_yn(a0, a1); }
extern "C" __device__ float __nv_ynf(int, float) noexcept;
static __device__ __forceinline__ float ynf(int a0, float a1) noexcept { return __nv_ynf(a0, a1); }
extern "C" __device__ double __nv_norm4d(double, double, double, double) noexcept;
static __device__ __forceinline__ double norm4d(double a0, double a1, double a2, double a3) noexcept { return __nv_norm4d(a0, a1, a2, a3); }
extern "C" __device__ float __nv_norm4df(float, float, float, float) noexcept;
static __device__ __forceinline__ float norm4df(float a0, float a1, float a2, float a3) noexcept { return __nv_norm4df(a0, a1, a2, a3); }
extern "C" __device__ double __nv_rnorm4d(double, double, double, double) noexcept;
static __device__ __forceinline__ double rnorm4d(double a0, double a1, double a2, double a3) noexcept { return __nv_rnorm4d(a0, a1, a2, a3); }
extern "C" __device__ float __nv_rnorm4df(float, float, float, float) noexcept;
static __device__ __forceinline__ float rnorm4df(float a0, float a1, float a2, float a3) noexcept { return __nv_rnorm4df(a0, a1, a2, a3); }
extern "C" __device__ double __nv_norm(int, const double*) noexcept;
static __device__ __forceinline__ double norm(int a0, const double* a1) noexcept { return __nv_norm(a0, a1); }
extern "C" __device__ float __nv_normf(int, const float*) noexcept;
static __device__ __forceinline__ float normf(int a0, const float* a1) noexcept { return __nv_normf(a0, a1); }
extern "C" __device__ double __nv_rnorm(int, const double*) noexcept;
static __device__ __forceinline__ double rnorm(int a0, const double* a1) noexcept { return __nv_rnorm(a0, a1); }
extern "C" __device__ float __nv_rnormf(int, const float*) noexcept;
static __device__ __forceinline__ float rnormf(int a0, const float* a1) noexcept { return __nv_rnormf(a0, a1); }
extern "C" __device__ float __nv_fadd_rn(float, float) noexcept;
static __device__ __forceinline__ float __fadd_rn(float a0, float a1) noexcept { return __nv_fadd_rn(a0, a1); }
extern "C" __device__ float __nv_fadd_rz(float, float) noexcept;
static __device__ __forceinline__ float __fadd_rz(float a0, float a1) noexcept { return __nv_fadd_rz(a0, a1); }
extern "C" __device__ float __nv_fadd_ru(float, float) noexcept;
static __device__ __forceinline__ float __fadd_ru(float a0, float a1) noexcept { return __nv_fadd_ru(a0, a1); }
extern "C" __device__ float __nv_fadd_rd(float, float) noexcept;
static __device__ __forceinline__ float __fadd_rd(float a0, float a1) noexcept { return __nv_fadd_rd(a0, a1); }
extern "C" __device__ float __nv_fsub_rn(float, float) noexcept;
static __device__ __forceinline__ float __fsub_rn(float a0, float a1) noexcept { return __nv_fsub_rn(a0, a1); }
extern "C" __device__ float __nv_fsub_rz(float, float) noexcept;
static __device__ __forceinline__ float __fsub_rz(float a0, float a1) noexcept { return __nv_fsub_rz(a0, a1); }
extern "C" __device__ float __nv_fsub_ru(float, float) noexcept;
static __device__ __forceinline__ float __fsub_ru(float a0, float a1) noexcept { return __nv_fsub_ru(a0, a1); }
extern "C" __device__ float __nv_fsub_rd(float, float) noexcept;
static __device__ __forceinline__ float __fsub_rd(float a0, float a1) noexcept { return __nv_fsub_rd(a0, a1); }
extern "C" __device__ float __nv_fmul_rn(float, float) noexcept;
static __device__ __forceinline__ float __fmul_rn(float a0, float a1) noexcept { return __nv_fmul_rn(a0, a1); }
extern "C" __device__ float __nv_fmul_rz(float, float) noexcept;
static __device__ __forceinline__ float __fmul_rz(float a0, float a1) noexcept { return __nv_fmul_rz(a0, a1); }
extern "C" __device__ float __nv_fmul_ru(float, float) noexcept;
static __device__ __forceinline__ float __fmul_ru(float a0, float a1) noexcept { return __nv_fmul_ru(a0, a1); }
extern "C" __device__ float __nv_fmul_rd(float, float) noexcept;
static __device__ __forceinline__ float __fmul_rd(float a0, float a1) noexcept { return __nv_fmul_rd(a0, a1); }
extern "C" __device__ float __nv_fdiv_rn(float, float) noexcept;
static __device__ __forceinline__ float __fdiv_rn(float a0, float a1) noexcept { return __nv_fdiv_rn(a0, a1); }
extern "C" __device__ float __nv_fdiv_rz(float, float) noexcept;
static __device__ __forceinline__ float __fdiv_rz(float a0, float a1) noexcept { return __nv_fdiv_rz(a0, a1); }
extern "C" __device__ float __nv_fdiv_ru(float, float) noexcept;
static __device__ __forceinline__ float __fdiv_ru(float a0, float a1) noexcept { return __nv_fdiv_ru(a0, a1); }
extern "C" __device__ float __nv_fdiv_rd(float, float) noexcept;
static __device__ __forceinline__ float __fdiv_rd(float a0, float a1) noexcept { return __nv_fdiv_rd(a0, a1); }
extern "C" __device__ float __nv_frcp_rn(float) noexcept;
static __device__ __forceinline__ float __frcp_rn(float a0) noexcept { return __nv_frcp_rn(a0); }
extern "C" __device__ float __nv_frcp_rz(float) noexcept;
static __device__ __forceinline__ float __frcp_rz(float a0) noexcept { return __nv_frcp_rz(a0); }
extern "C" __device__ float __nv_frcp_ru(float) noexcept;
static __device__ __forceinline__ float __frcp_ru(float a0) noexcept { return __nv_frcp_ru(a0); }
extern "C" __device__ float __nv_frcp_rd(float) noexcept;
static __device__ __forceinline__ float __frcp_rd(float a0) noexcept { return __nv_frcp_rd(a0); }
extern "C" __device__ float __nv_fsqrt_rn(float) noexcept;
static __device__ __forceinline__ float __fsqrt_rn(float a0) noexcept { return __nv_fsqrt_rn(a0); }
extern "C" __device__ float __nv_fsqrt_rz(float) noexcept;
static __device__ __forceinline__ float __fsqrt_rz(float a0) noexcept { return __nv_fsqrt_rz(a0); }
extern "C" __device__ float __nv_fsqrt_ru(float) noexcept;
static __device__ __forceinline__ float __fsqrt_ru(float a0) noexcept { return __nv_fsqrt_ru(a0); }
extern "C" __device__ float __nv_fsqrt_rd(float) noexcept;
static __device__ __forceinline__ float __fsqrt_rd(float a0) noexcept { return __nv_fsqrt_rd(a0); }
extern "C" __device__ float __nv_frsqrt_rn(float) noexcept;
static __device__ __forceinline__ float __frsqrt_rn(float a0) noexcept { return __nv_frsqrt_rn(a0); }
extern "C" __device__ float __nv_saturatef(float) noexcept;
static __device__ __forceinline__ float __saturatef(float a0) noexcept { return __nv_saturatef(a0); }
extern "C" __device__ float __nv_fmaf_rn(float, float, float) noexcept;
static __device__ __forceinline__ float __fmaf_rn(float a0, float a1, float a2) noexcept { return __nv_fmaf_rn(a0, a1, a2); }
extern "C" __device__ float __nv_fmaf_rz(float, float, float) noexcept;
static __device__ __forceinline__ float __fmaf_rz(float a0, float a1, float a2) noexcept { return __nv_fmaf_rz(a0, a1, a2); }
extern "C" __device__ float __nv_fmaf_ru(float, float, float) noexcept;
static __device__ __forceinline__ float __fmaf_ru(float a0, float a1, float a2) noexcept { return __nv_fmaf_ru(a0, a1, a2); }
extern "C" __device__ float __nv_fmaf_rd(float, float, float) noexcept;
static __device__ __forceinline__ float __fmaf_rd(float a0, float a1, float a2) noexcept { return __nv_fmaf_rd(a0, a1, a2); }
extern "C" __device__ float __nv_fmaf_ieee_rn(float, float, float) noexcept;
static __device__ __forceinline__ float __fmaf_ieee_rn(float a0, float a1, float a2) noexcept { return __nv_fmaf_ieee_rn(a0, a1, a2); }
extern "C" __device__ float __nv_fmaf_ieee_rz(float, float, float) noexcept;
static __device__ __forceinline__ float __fmaf_ieee_rz(float a0, float a1, float a2) noexcept { return __nv_fmaf_ieee_rz(a0, a1, a2); }
extern "C" __device__ float __nv_fmaf_ieee_ru(float, float, float) noexcept;
static __device__ __forceinline__ float __fmaf_ieee_ru(float a0, float a1, float a2) noexcept { return __nv_fmaf_ieee_ru(a0, a1, a2); }
extern "C" __device__ float __nv_fmaf_ieee_rd(float, float, float) noexcept;
static __device__ __forceinline__ float __fmaf_ieee_rd(float a0, float a1, float a2) noexcept { return __nv_fmaf_ieee_rd(a0, a1, a2); }
extern "C" __device__ double __nv_dadd_rn(double, double) noexcept;
static __device__ __forceinline__ double __dadd_rn(double a0, double a1) noexcept { return __nv_dadd_rn(a0, a1); }
extern "C" __device__ double __nv_dadd_rz(double, double) noexcept;
static __device__ __forceinline__ double __dadd_rz(double a0, double a1) noexcept { return __nv_dadd_rz(a0, a1); }
extern "C" __device__ double __nv_dadd_ru(double, double) noexcept;
static __device__ __forceinline__ double __dadd_ru(double a0, double a1) noexcept { return __nv_dadd_ru(a0, a1); }
extern "C" __device__ double __nv_dadd_rd(double, double) noexcept;
static __device__ __forceinline__ double __dadd_rd(double a0, double a1) noexcept { return __nv_dadd_rd(a0, a1); }
extern "C" __device__ double __nv_dsub_rn(double, double) noexcept;
static __device__ __forceinline__ double __dsub_rn(double a0, double a1) noexcept { return __nv_dsub_rn(a0, a1); }
extern "C" __device__ double __nv_dsub_rz(double, double) noexcept;
static __device__ __forceinline__ double __dsub_rz(double a0, double a1) noexcept { return __nv_dsub_rz(a0, a1); }
extern "C" __device__ double __nv_dsub_ru(double, double) noexcept;
static __device__ __forceinline__ double __dsub_ru(double a0, double a1) noexcept { return __nv_dsub_ru(a0, a1); }
extern "C" __device__ double __nv_dsub_rd(double, double) noexcept;
static __device__ __forceinline__ double __dsub_rd(double a0, double a1) noexcept { return __nv_dsub_rd(a0, a1); }
extern "C" __device__ double __nv_dmul_rn(double, double) noexcept;
static __device__ __forceinline__ double __dmul_rn(double a0, double a1) noexcept { return __nv_dmul_rn(a0, a1); }
extern "C" __device__ double __nv_dmul_rz(double, double) noexcept;
static __device__ __forceinline__ double __dmul_rz(double a0, double a1) noexcept { return __nv_dmul_rz(a0, a1); }
extern "C" __device__ double __nv_dmul_ru(double, double) noexcept;
static __device__ __forceinline__ double __dmul_ru(double a0, double a1) noexcept { return __nv_dmul_ru(a0, a1); }
extern "C" __device__ double __nv_dmul_rd(double, double) noexcept;
static __device__ __forceinline__ double __dmul_rd(double a0, double a1) noexcept { return __nv_dmul_rd(a0, a1); }
extern "C" __device__ double __nv_ddiv_rn(double, double) noexcept;
static __device__ __forceinline__ double __ddiv_rn(double a0, double a1) noexcept { return __nv_ddiv_rn(a0, a1); }
extern "C" __device__ double __nv_ddiv_rz(double, double) noexcept;
static __device__ __forceinline__ double __ddiv_rz(double a0, double a1) noexcept { return __nv_ddiv_rz(a0, a1); }
extern "C" __device__ double __nv_ddiv_ru(double, double) noexcept;
static __device__ __forceinline__ double __ddiv_ru(double a0, double a1) noexcept { return __nv_ddiv_ru(a0, a1); }
extern "C" __device__ double __nv_ddiv_rd(double, double) noexcept;
static __device__ __forceinline__ double __ddiv_rd(double a0, double a1) noexcept { return __nv_ddiv_rd(a0, a1); }
extern "C" __device__ double __nv_drcp_rn(double) noexcept;
static __device__ __forceinline__ double __drcp_rn(double a0) noexcept { return __nv_drcp_rn(a0); }
extern "C" __device__ double __nv_drcp_rz(double) noexcept;
static __device__ __forceinline__ double __drcp_rz(double a0) noexcept { return __nv_drcp_rz(a0); }
extern "C" __device__ double __nv_drcp_ru(double) noexcept;
static __device__ __forceinline__ double __drcp_ru(double a0) noexcept { return __nv_drcp_ru(a0); }
extern "C" __device__ double __nv_drcp_rd(double) noexcept;
static __device__ __forceinline__ double __drcp_rd(double a0) noexcept { return __nv_drcp_rd(a0); }
extern "C" __device__ double __nv_dsqrt_rn(double) noexcept;
static __device__ __forceinline__ double __dsqrt_rn(double a0) noexcept { return __nv_dsqrt_rn(a0); }
extern "C" __device__ double __nv_dsqrt_rz(double) noexcept;
static __device__ __forceinline__ double __dsqrt_rz(double a0) noexcept { return __nv_dsqrt_rz(a0); }
extern "C" __device__ double __nv_dsqrt_ru(double) noexcept;
static __device__ __forceinline__ double __dsqrt_ru(double a0) noexcept { return __nv_dsqrt_ru(a0); }
extern "C" __device__ double __nv_dsqrt_rd(double) noexcept;
static __device__ __forceinline__ double __dsqrt_rd(double a0) noexcept { return __nv_dsqrt_rd(a0); }
extern "C" __device__ double __nv_fma_rn(double, double, double) noexcept;
static __device__ __forceinline__ double __fma_rn(double a0, double a1, double a2) noexcept { return __nv_fma_rn(a0, a1, a2); }
extern "C" __device__ double __nv_fma_rz(double, double, double) noexcept;
static __device__ __forceinline__ double __fma_rz(double a0, double a1, double a2) noexcept { return __nv_fma_rz(a0, a1, a2); }
extern "C" __device__ double __nv_fma_ru(double, double, double) noexcept;
static __device__ __forceinline__ double __fma_ru(double a0, double a1, double a2) noexcept { return __nv_fma_ru(a0, a1, a2); }
extern "C" __device__ double __nv_fma_rd(double, double, double) noexcept;
static __device__ __forceinline__ double __fma_rd(double a0, double a1, double a2) noexcept { return __nv_fma_rd(a0, a1, a2); }
extern "C" __device__ int __nv_float2int_rn(float) noexcept;
static __device__ __forceinline__ int __float2int_rn(float a0) noexcept { return __nv_float2int_rn(a0); }
extern "C" __device__ int __nv_float2int_rz(float) noexcept;
static __device__ __forceinline__ int __float2int_rz(float a0) noexcept { return __nv_float2int_rz(a0); }
extern "C" __device__ int __nv_float2int_ru(float) noexcept;
static __device__ __forceinline__ int __float2int_ru(float a0) noexcept { return __nv_float2int_ru(a0); }
extern "C" __device__ int __nv_float2int_rd(float) noexcept;
static __device__ __forceinline__ int __float2int_rd(float a0) noexcept { return __nv_float2int_rd(a0); }
extern "C" __device__ int __nv_float_as_int(float) noexcept;
static __device__ __forceinline__ int __float_as_int(float a0) noexcept { return __nv_float_as_int(a0); }
extern "C" __device__ unsigned __nv_float2uint_rn(float) noexcept;
static __device__ __forceinline__ unsigned __float2uint_rn(float a0) noexcept { return __nv_float2uint_rn(a0); }
extern "C" __device__ unsigned __nv_float2uint_rz(float) noexcept;
static __device__ __forceinline__ unsigned __float2uint_rz(float a0) noexcept { return __nv_float2uint_rz(a0); }
extern "C" __device__ unsigned __nv_float2uint_ru(float) noexcept;
static __device__ __forceinline__ unsigned __float2uint_ru(float a0) noexcept { return __nv_float2uint_ru(a0); }
extern "C" __device__ unsigned __nv_float2uint_rd(float) noexcept;
static __device__ __forceinline__ unsigned __float2uint_rd(float a0) noexcept { return __nv_float2uint_rd(a0); }
extern "C" __device__ unsigned __nv_float_as_uint(float) noexcept;
static __device__ __forceinline__ unsigned __float_as_uint(float a0) noexcept { return __nv_float_as_uint(a0); }
extern "C" __device__ long long __nv_float2ll_rn(float) noexcept;
static __device__ __forceinline__ long long __float2ll_rn(float a0) noexcept { return __nv_float2ll_rn(a0); }
extern "C" __device__ long long __nv_float2ll_rz(float) noexcept;
static __device__ __forceinline__ long long __float2ll_rz(float a0) noexcept { return __nv_float2ll_rz(a0); }
extern "C" __device__ long long __nv_float2ll_ru(float) noexcept;
static __device__ __forceinline__ long long __float2ll_ru(float a0) noexcept { return __nv_float2ll_ru(a0); }
extern "C" __device__ long long __nv_float2ll_rd(float) noexcept;
static __device__ __forceinline__ long long __float2ll_rd(float a0) noexcept { return __nv_float2ll_rd(a0); }
extern "C" __device__ unsigned long long __nv_float2ull_rn(float) noexcept;
static __device__ __forceinline__ unsigned long long __float2ull_rn(float a0) noexcept { return __nv_float2ull_rn(a0); }
extern "C" __device__ unsigned long long __nv_float2ull_rz(float) noexcept;
static __device__ __forceinline__ unsigned long long __float2ull_rz(float a0) noexcept { return __nv_float2ull_rz(a0); }
extern "C" __device__ unsigned long long __nv_float2ull_ru(float) noexcept;
static __device__ __forceinline__ unsigned long long __float2ull_ru(float a0) noexcept { return __nv_float2ull_ru(a0); }
extern "C" __device__ unsigned long long __nv_float2ull_rd(float) noexcept;
static __device__ __forceinline__ unsigned long long __float2ull_rd(float a0) noexcept { return __nv_float2ull_rd(a0); }
extern "C" __device__ int __nv_double2int_rn(double) noexcept;
static __device__ __forceinline__ int __double2int_rn(double a0) noexcept { return __nv_double2int_rn(a0); }
extern "C" __device__ int __nv_double2int_rz(double) noexcept;
static __device__ __forceinline__ int __double2int_rz(double a0) noexcept { return __nv_double2int_rz(a0); }
extern "C" __device__ int __nv_double2int_ru(double) noexcept;
static __device__ __forceinline__ int __double2int_ru(double a0) noexcept { return __nv_double2int_ru(a0); }
extern "C" __device__ int __nv_double2int_rd(double) noexcept;
static __device__ __forceinline__ int __double2int_rd(double a0) noexcept { return __nv_double2int_rd(a0); }
extern "C" __device__ int __nv_double2hiint(double) noexcept;
static __device__ __forceinline__ int __double2hiint(double a0) noexcept { return __nv_double2hiint(a0); }
extern "C" __device__ int __nv_double2loint(double) noexcept;
static __device__ __forceinline__ int __double2loint(double a0) noexcept { return __nv_double2loint(a0); }
extern "C" __device__ unsigned __nv_double2uint_rn(double) noexcept;
static __device__ __forceinline__ unsigned __double2uint_rn(double a0) noexcept { return __nv_double2uint_rn(a0); }
extern "C" __device__ unsigned __nv_double2uint_rz(double) noexcept;
static __device__ __forceinline__ unsigned __double2uint_rz(double a0) noexcept { return __nv_double2uint_rz(a0); }
extern "C" __device__ unsigned __nv_double2uint_ru(double) noexcept;
static __device__ __forceinline__ unsigned __double2uint_ru(double a0) noexcept { return __nv_double2uint_ru(a0); }
extern "C" __device__ unsigned __nv_double2uint_rd(double) noexcept;
static __device__ __forceinline__ unsigned __double2uint_rd(double a0) noexcept { return __nv_double2uint_rd(a0); }
extern "C" __device__ long long __nv_double2ll_rn(double) noexcept;
static __device__ __forceinline__ long long __double2ll_rn(double a0) noexcept { return __nv_double2ll_rn(a0); }
extern "C" __device__ long long __nv_double2ll_rz(double) noexcept;
static __device__ __forceinline__ long long __double2ll_rz(double a0) noexcept { return __nv_double2ll_rz(a0); }
extern "C" __device__ long long __nv_double2ll_ru(double) noexcept;
static __device__ __forceinline__ long long __double2ll_ru(double a0) noexcept { return __nv_double2ll_ru(a0); }
extern "C" __device__ long long __nv_double2ll_rd(double) noexcept;
static __device__ __forceinline__ long long __double2ll_rd(double a0) noexcept { return __nv_double2ll_rd(a0); }
extern "C" __device__ long long __nv_double_as_longlong(double) noexcept;
static __device__ __forceinline__ long long __double_as_longlong(double a0) noexcept { return __nv_double_as_longlong(a0); }
extern "C" __device__ unsigned long long __nv_double2ull_rn(double) noexcept;
static __device__ __forceinline__ unsigned long long __double2ull_rn(double a0) noexcept { return __nv_double2ull_rn(a0); }
extern "C" __device__ unsigned long long __nv_double2ull_rz(double) noexcept;
static __device__ __forceinline__ unsigned long long __double2ull_rz(double a0) noexcept { return __nv_double2ull_rz(a0); }
extern "C" __device__ unsigned long long __nv_double2ull_ru(double) noexcept;
static __device__ __forceinline__ unsigned long long __double2ull_ru(double a0) noexcept { return __nv_double2ull_ru(a0); }
extern "C" __device__ unsigned long long __nv_double2ull_rd(double) noexcept;
static __device__ __forceinline__ unsigned long long __double2ull_rd(double a0) noexcept { return __nv_double2ull_rd(a0); }
extern "C" __device__ float __nv_double2float_rn(double) noexcept;
static __device__ __forceinline__ float __double2float_rn(double a0) noexcept { return __nv_double2float_rn(a0); }
extern "C" __device__ float __nv_double2float_rz(double) noexcept;
static __device__ __forceinline__ float __double2float_rz(double a0) noexcept { return __nv_double2float_rz(a0); }
extern "C" __device__ float __nv_double2float_ru(double) noexcept;
static __device__ __forceinline__ float __double2float_ru(double a0) noexcept { return __nv_double2float_ru(a0); }
extern "C" __device__ float __nv_double2float_rd(double) noexcept;
static __device__ __forceinline__ float __double2float_rd(double a0) noexcept { return __nv_double2float_rd(a0); }
extern "C" __device__ float __nv_int2float_rn(int) noexcept;
static __device__ __forceinline__ float __int2float_rn(int a0) noexcept { return __nv_int2float_rn(a0); }
extern "C" __device__ float __nv_int2float_rz(int) noexcept;
static __device__ __forceinline__ float __int2float_rz(int a0) noexcept { return __nv_int2float_rz(a0); }
extern "C" __device__ float __nv_int2float_ru(int) noexcept;
static __device__ __forceinline__ float __int2float_ru(int a0) noexcept { return __nv_int2float_ru(a0); }
extern "C" __device__ float __nv_int2float_rd(int) noexcept;
static __device__ __forceinline__ float __int2float_rd(int a0) noexcept { return __nv_int2float_rd(a0); }
extern "C" __device__ float __nv_int_as_float(int) noexcept;
static __device__ __forceinline__ float __int_as_float(int a0) noexcept { return __nv_int_as_float(a0); }
extern "C" __device__ float __nv_uint2float_rn(unsigned) noexcept;
static __device__ __forceinline__ float __uint2float_rn(unsigned a0) noexcept { return __nv_uint2float_rn(a0); }
extern "C" __device__ float __nv_uint2float_rz(unsigned) noexcept;
static __device__ __forceinline__ float __uint2float_rz(unsigned a0) noexcept { return __nv_uint2float_rz(a0); }
extern "C" __device__ float __nv_uint2float_ru(unsigned) noexcept;
static __device__ __forceinline__ float __uint2float_ru(unsigned a0) noexcept { return __nv_uint2float_ru(a0); }
extern "C" __device__ float __nv_uint2float_rd(unsigned) noexcept;
static __device__ __forceinline__ float __uint2float_rd(unsigned a0) noexcept { return __nv_uint2float_rd(a0); }
extern "C" __device__ float __nv_uint_as_float(unsigned) noexcept;
static __device__ __forceinline__ float __uint_as_float(unsigned a0) noexcept { return __nv_uint_as_float(a0); }
extern "C" __device__ float __nv_ll2float_rn(long long) noexcept;
static __device__ __forceinline__ float __ll2float_rn(long long a0) noexcept { return __nv_ll2float_rn(a0); }
extern "C" __device__ float __nv_ll2float_rz(long long) noexcept;
static __device__ __forceinline__ float __ll2float_rz(long long a0) noexcept { return __nv_ll2float_rz(a0); }
extern "C" __device__ float __nv_ll2float_ru(long long) noexcept;
static __device__ __forceinline__ float __ll2float_ru(long long a0) noexcept { return __nv_ll2float_ru(a0); }
extern "C" __device__ float __nv_ll2float_rd(long long) noexcept;
static __device__ __forceinline__ float __ll2float_rd(long long a0) noexcept { return __nv_ll2float_rd(a0); }
extern "C" __device__ float __nv_ull2float_rn(unsigned long long) noexcept;
static __device__ __forceinline__ float __ull2float_rn(unsigned long long a0) noexcept { return __nv_ull2float_rn(a0); }
extern "C" __device__ float __nv_ull2float_rz(unsigned long long) noexcept;
static __device__ __forceinline__ float __ull2float_rz(unsigned long long a0) noexcept { return __nv_ull2float_rz(a0); }
extern "C" __device__ float __nv_ull2float_ru(unsigned long long) noexcept;
static __device__ __forceinline__ float __ull2float_ru(unsigned long long a0) noexcept { return __nv_ull2float_ru(a0); }
extern "C" __device__ float __nv_ull2float_rd(unsigned long long) noexcept;
static __device__ __forceinline__ float __ull2float_rd(unsigned long long a0) noexcept { return __nv_ull2float_rd(a0); }
extern "C" __device__ double __nv_int2double_rn(int) noexcept;
static __device__ __forceinline__ double __int2double_rn(int a0) noexcept { return __nv_int2double_rn(a0); }
extern "C" __device__ double __nv_uint2double_rn(unsigned) noexcept;
static __device__ __forceinline__ double __uint2double_rn(unsigned a0) noexcept { return __nv_uint2double_rn(a0); }
extern "C" __device__ double __nv_ll2double_rn(long long) noexcept;
static __device__ __forceinline__ double __ll2double_rn(long long a0) noexcept { return __nv_ll2double_rn(a0); }
extern "C" __device__ double __nv_ll2double_rz(long long) noexcept;
static __device__ __forceinline__ double __ll2double_rz(long long a0) noexcept { return __nv_ll2double_rz(a0); }
extern "C" __device__ double __nv_ll2double_ru(long long) noexcept;
static __device__ __forceinline__ double __ll2double_ru(long long a0) noexcept { return __nv_ll2double_ru(a0); }
extern "C" __device__ double __nv_ll2double_rd(long long) noexcept;
static __device__ __forceinline__ double __ll2double_rd(long long a0) noexcept { return __nv_ll2double_rd(a0); }
extern "C" __device__ double __nv_longlong_as_double(long long) noexcept;
static __device__ __forceinline__ double __longlong_as_double(long long a0) noexcept { return __nv_longlong_as_double(a0); }
extern "C" __device__ double __nv_ull2double_rn(unsigned long long) noexcept;
static __device__ __forceinline__ double __ull2double_rn(unsigned long long a0) noexcept { return __nv_ull2double_rn(a0); }
extern "C" __device__ double __nv_ull2double_rz(unsigned long long) noexcept;
static __device__ __forceinline__ double __ull2double_rz(unsigned long long a0) noexcept { return __nv_ull2double_rz(a0); }
extern "C" __device__ double __nv_ull2double_ru(unsigned long long) noexcept;
static __device__ __forceinline__ double __ull2double_ru(unsigned long long a0) noexcept { return __nv_ull2double_ru(a0); }
extern "C" __device__ double __nv_ull2double_rd(unsigned long long) noexcept;
static __device__ __forceinline__ double __ull2double_rd(unsigned long long a0) noexcept { return __nv_ull2double_rd(a0); }
extern "C" __device__ double __nv_hiloint2double(int, int) noexcept;
static __device__ __forceinline__ double __hiloint2double(int a0, int a1) noexcept { return __nv_hiloint2double(a0, a1); }
extern "C" __device__ int __nv_popc(int) noexcept;
static __device__ __forceinline__ int __popc(int a0) noexcept { return __nv_popc(a0); }
extern "C" __device__ int __nv_clz(int) noexcept;
static __device__ __forceinline__ int __clz(int a0) noexcept { return __nv_clz(a0); }
extern "C" __device__ int __nv_ffs(int) noexcept;
static __device__ __forceinline__ int __ffs(int a0) noexcept { return __nv_ffs(a0); }
extern "C" __device__ int __nv_popcll(long long) noexcept;
static __device__ __forceinline__ int __popcll(long long a0) noexcept { return __nv_popcll(a0); }
extern "C" __device__ int __nv_clzll(long long) noexcept;
static __device__ __forceinline__ int __clzll(long long a0) noexcept { return __nv_clzll(a0); }
extern "C" __device__ int __nv_ffsll(long long) noexcept;
static __device__ __forceinline__ int __ffsll(long long a0) noexcept { return __nv_ffsll(a0); }
extern "C" __device__ unsigned __nv_brev(unsigned) noexcept;
static __device__ __forceinline__ unsigned __brev(unsigned a0) noexcept { return __nv_brev(a0); }
extern "C" __device__ unsigned long long __nv_brevll(unsigned long long) noexcept;
static __device__ __forceinline__ unsigned long long __brevll(unsigned long long a0) noexcept { return __nv_brevll(a0); }
extern "C" __device__ int __nv_mulhi(int, int) noexcept;
static __device__ __forceinline__ int __mulhi(int a0, int a1) noexcept { return __nv_mulhi(a0, a1); }
extern "C" __device__ int __nv_mul24(int, int) noexcept;
static __device__ __forceinline__ int __mul24(int a0, int a1) noexcept { return __nv_mul24(a0, a1); }
extern "C" __device__ int __nv_hadd(int, int) noexcept;
static __device__ __forceinline__ int __hadd(int a0, int a1) noexcept { return __nv_hadd(a0, a1); }
extern "C" __device__ int __nv_rhadd(int, int) noexcept;
static __device__ __forceinline__ int __rhadd(int a0, int a1) noexcept { return __nv_rhadd(a0, a1); }
extern "C" __device__ unsigned __nv_umulhi(unsigned, unsigned) noexcept;
static __device__ __forceinline__ unsigned __umulhi(unsigned a0, unsigned a1) noexcept { return __nv_umulhi(a0, a1); }
extern "C" __device__ unsigned __nv_umul24(unsigned, unsigned) noexcept;
static __device__ __forceinline__ unsigned __umul24(unsigned a0, unsigned a1) noexcept { return __nv_umul24(a0, a1); }
extern "C" __device__ unsigned __nv_uhadd(unsigned, unsigned) noexcept;
static __device__ __forceinline__ unsigned __uhadd(unsigned a0, unsigned a1) noexcept { return __nv_uhadd(a0, a1); }
extern "C" __device__ unsigned __nv_urhadd(unsigned, unsigned) noexcept;
static __device__ __forceinline__ unsigned __urhadd(unsigned a0, unsigned a1) noexcept { return __nv_urhadd(a0, a1); }
extern "C" __device__ long long __nv_mul64hi(long long, long long) noexcept;
static __device__ __forceinline__ long long __mul64hi(long long a0, long long a1) noexcept { return __nv_mul64hi(a0, a1); }
extern "C" __device__ unsigned long long __nv_umul64hi(unsigned long long, unsigned long long) noexcept;
static __device__ __forceinline__ unsigned long long __umul64hi(unsigned long long a0, unsigned long long a1) noexcept { return __nv_umul64hi(a0, a1); }
extern "C" __device__ unsigned __nv_sad(int, int, unsigned) noexcept;
static __device__ __forceinline__ unsigned __sad(int a0, int a1, unsigned a2) noexcept { return __nv_sad(a0, a1, a2); }
extern "C" __device__ unsigned __nv_usad(unsigned, unsigned, unsigned) noexcept;
static __device__ __forceinline__ unsigned __usad(unsigned a0, unsigned a1, unsigned a2) noexcept { return __nv_usad(a0, a1, a2); }
extern "C" __device__ unsigned __nv_byte_perm(unsigned, unsigned, unsigned) noexcept;
static __device__ __forceinline__ unsigned __byte_perm(unsigned a0, unsigned a1, unsigned a2) noexcept { return __nv_byte_perm(a0, a1, a2); }
extern "C" __device__ float __nv_fast_cosf(float) noexcept;
static __device__ __forceinline__ float __cosf(float a0) noexcept { return __nv_fast_cosf(a0); }
extern "C" __device__ float __nv_fast_exp10f(float) noexcept;
static __device__ __forceinline__ float __exp10f(float a0) noexcept { return __nv_fast_exp10f(a0); }
extern "C" __device__ float __nv_fast_expf(float) noexcept;
static __device__ __forceinline__ float __expf(float a0) noexcept { return __nv_fast_expf(a0); }
extern "C" __device__ float __nv_fast_log10f(float) noexcept;
static __device__ __forceinline__ float __log10f(float a0) noexcept { return __nv_fast_log10f(a0); }
extern "C" __device__ float __nv_fast_log2f(float) noexcept;
static __device__ __forceinline__ float __log2f(float a0) noexcept { return __nv_fast_log2f(a0); }
extern "C" __device__ float __nv_fast_logf(float) noexcept;
static __device__ __forceinline__ float __logf(float a0) noexcept { return __nv_fast_logf(a0); }
extern "C" __device__ float __nv_fast_sinf(float) noexcept;
static __device__ __forceinline__ float __sinf(float a0) noexcept { return __nv_fast_sinf(a0); }
extern "C" __device__ float __nv_fast_tanf(float) noexcept;
static __device__ __forceinline__ float __tanf(float a0) noexcept { return __nv_fast_tanf(a0); }
extern "C" __device__ float __nv_fast_tanhf(float) noexcept;
static __device__ __forceinline__ float __tanhf(float a0) noexcept { return __nv_fast_tanhf(a0); }
extern "C" __device__ float __nv_fast_powf(float, float) noexcept;
static __device__ __forceinline__ float __powf(float a0, float a1) noexcept { return __nv_fast_powf(a0, a1); }
extern "C" __device__ float __nv_fast_fdividef(float, float) noexcept;
static __device__ __forceinline__ float __fdividef(float a0, float a1) noexcept { return __nv_fast_fdividef(a0, a1); }
extern "C" __device__ void __nv_fast_sincosf(float, float*, float*) noexcept;
static __device__ __forceinline__ void __sincosf(float a0, float* a1, float* a2) noexcept { return __nv_fast_sincosf(a0, a1, a2); }
