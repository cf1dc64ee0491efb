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

HEADERS = {
    **headers.HEADERS,
    **dict.fromkeys((f"crt/{name}.h" for name in _BUILT_IN.split()), ""),
    "cuda/__barrier/barrier_block_scope.h": _BARRIER,
    "warpwise/accesses.h": accesses(),
    "warpwise/cuda.h": (Path(__file__).parent / "cuda.h").read_text(encoding="utf-8"),
    "warpwise/default_device.h": "#pragma clang force_cuda_host_device begin\n",
    "warpwise/math_functions.h": math_functions(),
    "warpwise/simd.h": simd(),
    "warpwise/vectors.h": vectors(),
}
