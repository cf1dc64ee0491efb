"""The headers that clang is handed with a source: those of every compiler, and what NVRTC has
built in."""

from __future__ import annotations

from pathlib import Path

from .. import headers
from .accesses import accesses
from .atomics import atomics
from .math_functions import math_functions
from .simd import simd
from .vectors import vectors

# CUDA's headers include these, whose content is built in.
_BUILT_IN = """
common_functions cudacc_ext device_double_functions device_functions func_macro host_config
host_defines math_functions sm_100_rt sm_70_rt sm_80_rt sm_90_rt storage_class
"""
# For NVRTC it asks for an offset by way of a null pointer, which clang will not have constant.
_BARRIER = """#pragma once
#include <cuda/std/__barrier/barrier.h>
#include <cuda/std/chrono>
#include <cuda/std/cstdint>
#pragma push_macro("_CCCL_COMPILER_NVRTC")
#undef _CCCL_COMPILER_NVRTC
#include_next <cuda/__barrier/barrier_block_scope.h>
#pragma pop_macro("_CCCL_COMPILER_NVRTC")
"""
# Of an NVRTC since 12.3 they believe that it has their functions built in.
_HALF = """#pragma once
#pragma push_macro("__CUDACC_VER_MINOR__")
#undef __CUDACC_VER_MINOR__
#define __CUDACC_VER_MINOR__ 2
#include_next <{}>
#pragma pop_macro("__CUDACC_VER_MINOR__")
"""
_HALVES = ("cuda_bf16.h", "cuda_fp16.h", "cuda_fp4.h", "cuda_fp6.h", "cuda_fp8.h")

# A friend of theirs lacks the `__device__` of the function that is meant.
_GROUPS = """#pragma once
#define this_multi_grid __device__ this_multi_grid
#include_next <{}>
#undef this_multi_grid
"""
_GROUP_HEADERS = (
    "cooperative_groups.h",
    *(f"cooperative_groups/{name}.h" for name in ("memcpy_async", "reduce", "scan")),
)

FIRST = "warpwise/first.h"  # included before every source
# What clang has of its own, `operator new`, cannot be the host's as well.
_DEFAULT_DEVICE = f"#include <{FIRST}>\n#pragma clang force_cuda_host_device begin\n"
HEADERS = {
    **headers.HEADERS,
    FIRST: f"#pragma once\n#include <warpwise/cuda.h>\n#include <{headers.PRELUDE}>\n",
    **dict.fromkeys((f"crt/{name}.h" for name in _BUILT_IN.split()), ""),
    **{name: _HALF.format(name) for name in _HALVES},
    **{name: _GROUPS.format(name) for name in _GROUP_HEADERS},
    "cuda/__barrier/barrier_block_scope.h": _BARRIER,
    "warpwise/accesses.h": accesses(),
    "warpwise/atomics.h": atomics(),
    "warpwise/cuda.h": (Path(__file__).parent / "cuda.h").read_text(encoding="utf-8"),
    "warpwise/default_device.h": _DEFAULT_DEVICE,
    "warpwise/math_functions.h": math_functions(),
    "warpwise/simd.h": simd(),
    "warpwise/vectors.h": vectors(),
}
