"""Headers that the compiler is handed with a source: the prelude, and stand-ins for headers that
teaching kernels include for their host half and no compiler for the device can read."""

from __future__ import annotations

from pathlib import Path

from .helper_math import helper_math
from .mma_header import mma_header

PRELUDE = "prelude.h"  # included before every source

_CCCL = "#include <cuda/std/{0}>\nnamespace std {{ using namespace cuda::std; }}\n"
_STANDARD = (
    *("atomic", "bit", "cstddef", "limits", "optional", "span", "tuple", "type_traits"),
    "utility",
)
_CUB_BLOCK = """
adjacent_difference discontinuity exchange histogram load merge_sort radix_rank radix_sort reduce
run_length_decode scan shuffle store
"""
_CUB_WARP = "exchange load merge_sort reduce scan store"
# What a host half includes: empty for the device, or all of it is built in.
_HOST = """
algorithm any array assert.h bits/stdc++.h bitset cassert cctype cerrno cfloat chrono cinttypes
climits cmath complex condition_variable conio.h cstdarg cstdint cstdio cstdlib cstring ctime
ctype.h deque errno.h exception filesystem float.h fstream functional future getopt.h
initializer_list inttypes.h iomanip ios iostream istream iterator limits.h list locale malloc.h
map math.h memory mutex new numeric omp.h ostream pthread.h queue random ratio regex set signal.h
sstream stack stdarg.h stdbool.h stddef.h stdexcept stdint.h stdio.h stdlib.h string string.h
string_view sys/mman.h sys/stat.h sys/time.h sys/types.h system_error thread time.h typeinfo
unistd.h unordered_map unordered_set valarray variant vector wchar.h windows.h
"""
_LIBRARIES = """
cublas.h cublasLt.h cublasXt.h cuda.h cuda_profiler_api.h cuda_runtime_api.h cudnn.h cufft.h
cufftXt.h curand.h curand_kernel.h cusolverDn.h cusparse.h cusparse_v2.h device_functions.h
exception.h helper_cuda.h helper_functions.h helper_image.h helper_string.h helper_timer.h
host_defines.h math_functions.h nvToolsExt.h nvtx3/nvToolsExt.h nvrtc.h
"""
HEADERS = {
    PRELUDE: (Path(__file__).parent / PRELUDE).read_text(encoding="utf-8"),
    # The whole of CUB wants a host compiler; its block and warp collectives do not.
    "cub/cub.cuh": "#include <type_traits>\n"
    + "".join(
        [f"#include <cub/block/block_{name}.cuh>\n" for name in _CUB_BLOCK.split()]
        + [f"#include <cub/warp/warp_{name}.cuh>\n" for name in _CUB_WARP.split()]
    ),
    **dict.fromkeys((_HOST + _LIBRARIES).split(), ""),
    # Sources rely on cuBLAS bringing the half types along.
    "cublas_v2.h": "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n",
    "crt/mma.h": mma_header(),
    "helper_math.h": helper_math(),
    **{name: _CCCL.format(name) for name in _STANDARD},
}


def included_as(path: str | None) -> str:
    """A header as the learner would include it: what follows the last "include/", no folder of
    ours. On Windows a path may have slashes of both kinds."""
    path = (path or "").replace("\\", "/")
    return path.rpartition("/include/")[2] if "/include/" in path else path.rpartition("/")[2]
