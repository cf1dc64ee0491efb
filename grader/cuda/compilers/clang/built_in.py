"""The headers that clang is handed with a source: those of every compiler, and what NVRTC has
built in."""

from __future__ import annotations

from pathlib import Path

from .. import headers
from .accesses import accesses
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

FIRST = "warpwise/first.h"  # included before every source
HEADERS = {
    **headers.HEADERS,
    FIRST: f"#include <warpwise/cuda.h>\n#include <{headers.PRELUDE}>\n",
    **dict.fromkeys((f"crt/{name}.h" for name in _BUILT_IN.split()), ""),
    **{name: _HALF.format(name) for name in _HALVES},
    "cuda/__barrier/barrier_block_scope.h": _BARRIER,
    "warpwise/accesses.h": accesses(),
    "warpwise/cuda.h": (Path(__file__).parent / "cuda.h").read_text(encoding="utf-8"),
    "warpwise/default_device.h": "#pragma clang force_cuda_host_device begin\n",
    "warpwise/math_functions.h": math_functions(),
    "warpwise/simd.h": simd(),
    "warpwise/vectors.h": vectors(),
}
