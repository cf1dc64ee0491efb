"""Words of CUDA C++ that a misspelled one may be meant for, and words of other languages."""

from __future__ import annotations

import re

IDENTIFIER = re.compile(r"[A-Za-z_]\w*")

_TEXT = """
threadIdx blockIdx blockDim gridDim warpSize __global__ __device__ __shared__ __constant__
__restrict__ __launch_bounds__ __forceinline__ __syncthreads __syncwarp __threadfence
__threadfence_block __activemask __ballot_sync __any_sync __all_sync __shfl_sync
__shfl_up_sync __shfl_down_sync __shfl_xor_sync __reduce_add_sync __reduce_max_sync
__reduce_min_sync atomicAdd atomicSub atomicMax atomicMin atomicExch atomicCAS atomicInc
atomicOr atomicAnd fmaxf fminf fabsf expf exp2f logf log2f sqrtf rsqrtf powf fmaf __expf __logf
__fdividef __ldg printf INFINITY NAN nullptr true false const constexpr static extern template
typename struct union return continue break while switch double int float float2 float4 half
unsigned size_t void bool char short signed reinterpret_cast static_cast sizeof pragma unroll
"""
BUILT_IN = frozenset(IDENTIFIER.findall(_TEXT))

_PRINT = 'In a kernel one prints by `printf("%f\\n", value)`.'
_MODULE = (
    "Python's modules are not here. CUDA's mathematical functions need none: `sqrtf`, `expf`, "
    "`fmaxf`."
)
_BEFORE_VOLTA = (
    "Since CUDA 9 its name ends in `_sync`, and its first argument is the mask of the lanes that "
    "take part: `0xffffffff` for all 32."
)
# What a name that nothing declares was meant to be, by the name.
ELSEWHERE = (
    dict.fromkeys(("print", "cout", "cerr", "endl", "println"), _PRINT)
    | dict.fromkeys(("np", "numpy", "math", "torch", "cp", "cupy", "import"), _MODULE)
    | dict.fromkeys(
        ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__any", "__all"),
        _BEFORE_VOLTA,
    )
    | {
        word: f"`__{word}__` is written with two underscores on either side."
        for word in ("global", "device", "shared")
    }
    | {
        "None": "No pointer at all is `nullptr` in C++.",
        "True": "In C++ it is `true`.",
        "False": "In C++ it is `false`.",
        "inf": "In CUDA it is `INFINITY`.",
        "nan": "In CUDA it is `NAN`.",
        "let": "C++ wants a type: `int i = ...`, `float sum = ...`.",
        "var": "C++ wants a type: `int i = ...`, `float sum = ...`.",
        "def": "A function begins with the type of what it returns: `__device__ float f(float x)`.",
        "elif": "In C++ it is `else if`.",
        "range": "A loop counts in C++: `for (int i = 0; i < n; i++) {`.",
        "len": "A pointer does not know how long its array is: that is a parameter, such as `n`.",
        "syncthreads": "It is `__syncthreads()`, with two underscores in front.",
        "syncwarp": "It is `__syncwarp()`, with two underscores in front.",
    }
)


def without_comments(line: str) -> str:
    """The line up to a `//`; a comment over several lines is left as it is."""
    return line.partition("//")[0]
