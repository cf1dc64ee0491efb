"""What is copied and never looked at need have no value, a struct's padding above all; what was
copied and then is looked at is reported where it was read first, whatever way it took."""

import numpy as np
import pytest

from grader import compilers
from grader.cuda import UninitializedRead, simulator

# By what it is: a struct with bytes that belong to no member, and what one is made of.
PADDED = {
    "between": ("struct S { char i; float m; };", "{3, 1.f * t}"),
    "at the end": ("struct S { double m; int i; };", "{1.0 * t, 3}"),
    "in both": ("struct S { long long m; char c; int i; double z; char e; };", "{t, 2, 3, 4, 5}"),
    "by its alignment": ("struct alignas(16) S { float m; int i; float c; };", "{1.f * t, 3, 2}"),
    "within another": (
        "struct T { int i; char c; }; struct S { double m; T t; int i; };",
        "{1.0 * t, {3, 2}, 3}",
    ),
    "behind an array": (
        "struct S { float m; short i; float z[3]; char c; };",
        "{1.f * t, 3, {1, 2, 3}, 1}",
    ),
}
# By how it is copied, from thread `t`, whose own has m = t and i = 3: to what y[t] becomes of it.
COPIED = {
    "given to a function": "y[t] = looked(S MADE);",
    "an element given": "S s[4]; for (int n = 0; n < 4; ++n) s[n] = MADE; y[t] = looked(s[t & 3]);",
    "handed back": "y[t] = sum(larger(made(t), made(t - 1)));",
    "given by a pointer": "S s = MADE; y[t] = pointed(&s);",
    "within another struct": (
        "Four a; for (int n = 0; n < 4; ++n) a.s[n] = MADE; y[t] = chosen(a, t & 3);"
    ),
    "as bytes": "S s = MADE, r; memcpy(&r, &s, sizeof r); y[t] = looked(r);",
    "exchanged in shared memory": (
        "__shared__ S s[32]; S own = MADE; s[31 - t] = own; __syncthreads();\n"
        "if (t < 16) { S a = s[t], b = s[31 - t]; s[t] = b; s[31 - t] = a; }\n"
        "__syncthreads(); y[t] = looked(s[t]);"
    ),
    "by recursion": "S s = MADE; y[t] = deep(s, t & 3);",
}
FUNCTIONS = """
struct Four { S s[4]; };
__device__ double sum(S s) { return s.m + s.i; }
__device__ __noinline__ double looked(S s) { return sum(s); }
__device__ __noinline__ double pointed(const S* s) { S own = *s; return looked(own); }
__device__ __noinline__ S made(int t) { S s = MADE; return s; }
__device__ __noinline__ S larger(S a, S b) { return a.m > b.m ? a : b; }
__device__ __noinline__ double chosen(Four a, int n) { return sum(a.s[n]); }
__device__ __noinline__ double deep(S s, int n) { return n ? deep(s, n - 1) : sum(s); }
extern "C" __global__ void k(double* y) {
int t = threadIdx.x;
"""


@pytest.fixture(params=compilers.COMPILERS)
def compiler(request):
    if not compilers.COMPILERS[request.param].available():
        pytest.skip(f"{request.param} is not installed")
    with compilers.used(request.param):
        yield request.param


def launched(code):
    y = np.zeros(32)
    simulator.RawModule(code=code).get_function("k")(1, 32, (y,))
    return y


@pytest.mark.parametrize("how", COPIED)
@pytest.mark.parametrize("padded", PADDED)
def test_padding_that_is_copied_is_no_uninitialized_read(compiler, padded, how):
    struct, made = PADDED[padded]
    y = launched((struct + FUNCTIONS + COPIED[how] + "}").replace("MADE", made))
    assert (y == np.arange(32) + 3).all()


# Thread 5 is the one that leaves something without a value; line 4 reads that first.
LOOKED_AT = {
    "an element given to a function": (
        "int s[4]; s[t & 1] = t; if (t != 5) s[2 + (t & 1)] = 1;\n  y[t] = twice(s[(t + 2) & 3]);"
    ),
    "copied in shared memory": (
        "__shared__ int s[32], r[32]; if (t != 5) s[t] = t; __syncthreads();\n"
        "  r[t] = s[t];\n  __syncthreads(); y[t] = r[31 - t];"
    ),
    "copied, given, and handed back": (
        "__shared__ int s[32], r[32]; if (t != 5) s[t] = t; __syncthreads();\n"
        "  r[t] = s[t];\n  __syncthreads(); y[t] = twice(r[31 - t]);"
    ),
    "printed": (
        "__shared__ int s[32]; if (t != 5) s[t] = t; __syncthreads();\n"
        '  printf("%d", s[t]); y[t] = 1;'
    ),
}
TWICE = "__device__ __noinline__ int twice(int x) { return x * 2; }\n"
KERNEL = 'extern "C" __global__ void k(double* y) { int t = threadIdx.x;\n'


@pytest.mark.parametrize("how", LOOKED_AT)
def test_what_is_copied_and_then_looked_at_is_reported_where_it_was_read(compiler, how):
    with pytest.raises(UninitializedRead) as caught:
        launched(f"{TWICE}{KERNEL}{LOOKED_AT[how]}\n}}")
    assert (caught.value.line, caught.value.thread) == (4, (5, 0, 0))
    assert "which nobody has written yet" in str(caught.value)


def test_a_scalar_without_a_value_is_followed_into_the_function_that_needs_it():
    if not compilers.COMPILERS["clang"].available():
        pytest.skip("clang is not installed; NVRTC takes any value for it")
    code = f"{TWICE}{KERNEL}int x; if (t != 5) x = t;\n  y[t] = twice(x);\n}}"
    with compilers.used("clang"), pytest.raises(UninitializedRead, match="`x`") as caught:
        launched(code)
    assert (caught.value.line, caught.value.thread) == (1, (5, 0, 0))
