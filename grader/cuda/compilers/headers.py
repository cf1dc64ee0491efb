"""Headers that the compiler is handed with a source: the prelude, and stand-ins for headers that
teaching kernels include for their host half and no compiler for the device can read."""

from __future__ import annotations

from pathlib import Path

from .mma_header import mma_header

PRELUDE = "prelude.h"  # included before every source

_CCCL = "#include <cuda/std/{0}>\nnamespace std {{ using namespace cuda::std; }}\n"
_CUB = (
    "block_reduce",
    "block_scan",
    "block_load",
    "block_store",
    "block_exchange",
    "block_shuffle",
)
_CUB_WARP = ("warp_reduce", "warp_scan")
_HOST = (
    *(
        "algorithm",
        "array",
        "assert.h",
        "cassert",
        "cfloat",
        "chrono",
        "climits",
        "cmath",
        "cstdint",
    ),
    *("cstdio", "cstdlib", "cstring", "ctime", "float.h", "fstream", "functional", "iomanip"),
    *("iostream", "iterator", "limits.h", "map", "math.h", "memory", "numeric", "omp.h", "random"),
    *("ratio", "set", "sstream", "stdbool.h", "stdexcept", "stdint.h", "stdio.h", "stdlib.h"),
    *("string", "string.h", "sys/time.h", "thread", "time.h", "typeinfo", "unistd.h"),
    *("unordered_map", "vector"),
    *("cublasLt.h", "cuda.h", "cuda_profiler_api.h", "cuda_runtime_api.h", "curand.h"),
    *("cufft.h", "helper_cuda.h", "helper_functions.h", "nvtx3/nvToolsExt.h"),
)
HEADERS = {
    PRELUDE: (Path(__file__).parent / PRELUDE).read_text(),
    # The whole of CUB wants a host compiler; its block and warp collectives do not.
    "cub/cub.cuh": "#include <type_traits>\n"
    + "".join(
        [f"#include <cub/block/{name}.cuh>\n" for name in _CUB]
        + [f"#include <cub/warp/{name}.cuh>\n" for name in _CUB_WARP]
    ),
    **dict.fromkeys(_HOST, ""),
    # Sources rely on cuBLAS bringing the half types along.
    "cublas_v2.h": "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n",
    "crt/mma.h": mma_header(),
    **{name: _CCCL.format(name) for name in ("cstddef", "limits", "type_traits", "utility")},
}
