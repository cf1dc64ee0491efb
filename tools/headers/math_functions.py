"""CUDA's mathematical functions for clang: NVRTC has them built in, clang finds them in libdevice.

libdevice is the library of bitcode that NVIDIA's compilers link themselves, so accuracy is what
the CUDA C++ Programming Guide documents. Its functions are called `__nv_` and CUDA's name; a `d`
stands for double, `f` float, `i` int, `l` long long, a capital for a pointer to that.
"""

from __future__ import annotations

from collections.abc import Iterator

_TYPES = {
    **{"d": "double", "f": "float", "i": "int", "u": "unsigned", "v": "void"},
    **{"l": "long long", "L": "unsigned long long", "s": "unsigned short"},
    **{"D": "double*", "F": "float*", "I": "int*", "P": "const double*", "Q": "const float*"},
}
# Those of doubles, and with an f behind their name of floats; the name alone takes either.
_REAL = {
    "dd": """acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs
        floor lgamma log log10 log1p log2 logb nearbyint rint round rsqrt sin sinh tan tanh tgamma
        trunc sinpi cospi exp10 erfinv erfcinv erfcx normcdf normcdfinv rcbrt""",
    "ddd": """atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder rhypot""",
    "dddd": "fma norm3d rnorm3d",
    "ddi": "ldexp scalbn",
    "ddI": "frexp",
    "ddD": "modf",
    "dddI": "remquo",
    "id": "ilogb",
    "ld": "llrint llround",
    "vdDD": "sincos sincospi",
}
# The same without the name that takes either: CUDA has no such overloads.
_APART = {
    "dd": "j0 j1 y0 y1 cyl_bessel_i0 cyl_bessel_i1",
    "did": "jn yn",
    "ddddd": "norm4d rnorm4d",
    "diP": "norm rnorm",
}
_ROUNDINGS = ("rn", "rz", "ru", "rd")
# With two underscores in front, as libdevice has them behind "__nv_"; * stands for a rounding.
_INTRINSICS = {
    "fff": "fadd_* fsub_* fmul_* fdiv_*",
    "ff": "frcp_* fsqrt_* frsqrt_rn saturatef",
    "ffff": "fmaf_* fmaf_ieee_*",
    "ddd": "dadd_* dsub_* dmul_* ddiv_*",
    "dd": "drcp_* dsqrt_*",
    "dddd": "fma_*",
    "if": "float2int_* float_as_int",
    "uf": "float2uint_* float_as_uint",
    "lf": "float2ll_*",
    "Lf": "float2ull_*",
    "id": "double2int_* double2hiint double2loint",
    "ud": "double2uint_*",
    "ld": "double2ll_* double_as_longlong",
    "Ld": "double2ull_*",
    "fd": "double2float_*",
    "fi": "int2float_* int_as_float",
    "fu": "uint2float_* uint_as_float",
    "fl": "ll2float_*",
    "fL": "ull2float_*",
    "di": "int2double_rn",
    "du": "uint2double_rn",
    "dl": "ll2double_* longlong_as_double",
    "dL": "ull2double_*",
    "dii": "hiloint2double",
    "ii": "popc clz ffs",
    "il": "popcll clzll ffsll",
    "uu": "brev",
    "LL": "brevll",
    "iii": "mulhi mul24 hadd rhadd",
    "uuu": "umulhi umul24 uhadd urhadd",
    "lll": "mul64hi",
    "LLL": "umul64hi",
    "uiiu": "sad",
    "uuuu": "usad byte_perm",
}
# Those that libdevice has behind "__nv_fast_". -use_fast_math means them without underscores, too.
_FAST = {
    "ff": "cosf exp10f expf log10f log2f logf sinf tanf tanhf",
    "fff": "powf fdividef",
    "vfFF": "sincosf",
}


def math_functions() -> str:
    """The text that declares and defines them all."""
    return "\n".join([*_meant_fast(), *_reals(), *_intrinsics(), *_fast()]) + "\n"


def _meant_fast() -> Iterator[str]:
    yield "#ifdef __USE_FAST_MATH__"
    yield from (f"#define __nv_{name} __nv_fast_{name}" for _, name in _rows(_FAST))
    yield "#endif"


def _reals() -> Iterator[str]:
    for table, overloaded in ((_REAL, True), (_APART, False)):
        for kinds, name in _rows(table):
            floats = kinds.translate(str.maketrans("dDP", "fFQ"))
            yield _function(name, kinds, f"__nv_{name}")
            yield _function(f"{name}f", floats, f"__nv_{name}f")
            if overloaded:
                yield _function(name, floats, f"__nv_{name}f", declared=True)


def _intrinsics() -> Iterator[str]:
    for kinds, pattern in _rows(_INTRINSICS):
        for rounding in _ROUNDINGS if "*" in pattern else ("",):
            name = pattern.replace("*", rounding)
            yield _function(f"__{name}", kinds, f"__nv_{name}")


def _fast() -> Iterator[str]:
    for kinds, name in _rows(_FAST):
        yield _function(f"__{name}", kinds, f"__nv_fast_{name}")


def _rows(table: dict[str, str]) -> Iterator[tuple[str, str]]:
    return ((kinds, name) for kinds, names in table.items() for name in names.split())


def _function(name: str, kinds: str, calls: str, *, declared: bool = False) -> str:
    """`name` as a call of libdevice's `calls`, which is declared unless it is already."""
    result, *taken = (_TYPES[kind] for kind in kinds)
    types = ", ".join(taken)
    named = ", ".join(f"{kind} a{n}" for n, kind in enumerate(taken))
    passed = ", ".join(f"a{n}" for n in range(len(taken)))
    declaration = "" if declared else f'extern "C" __device__ {result} {calls}({types}) noexcept;\n'
    return (
        f"{declaration}static __device__ __forceinline__ {result} {name}({named}) noexcept "
        f"{{ return {calls}({passed}); }}"
    )
