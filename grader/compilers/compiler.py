"""What a compiler is: from a source and how to compile it, to a program or a CompileError; and the
headers that it is handed with a source."""

from dataclasses import dataclass
from pathlib import Path

from ..cuda.errors import Diagnostic

# What a compiler calls the learner's text in line tables; no file lies there.
SOURCE_NAME = "/learner/kernel.cu"
TOO_MUCH = (
    "Look for code that grows without an end, or becomes very long: templates, constexpr "
    "functions, inlined calls, unrolled loops, arrays with long initializers."
)
# The simulated GPU is a Hopper, like the H200 it is checked against, with all that is its own.
DEFAULT_ARCH = "compute_90a"


@dataclass(frozen=True)
class Job:
    """A source and how to compile it. `options` are NVRTC's, e.g. ("-DBLOCK=256",
    "--use_fast_math"); `name_expressions` are template instances to emit, e.g.
    ("softmax<float>",); `target` is an architecture; `cubin` asks for one in PTX's place."""

    source: str
    options: tuple[str, ...] = ()
    name_expressions: tuple[str, ...] = ()
    target: str = DEFAULT_ARCH
    cubin: bool = False

    @property
    def folders(self) -> list[Path]:
        """Those of headers that the options name."""
        return [Path(option[2:]) for option in self.options if option.startswith("-I")]


@dataclass(frozen=True)
class Program:
    """`code` is PTX text or a cubin, `names` the mangled name of each name expression, `files`
    the files that it was made of beside the source, the compiler's own headers and those of
    folders that the job's options name, `warnings` what the compiler doubts. It depends on the job
    and the compiler alone, never on where, when or by whom it was compiled."""

    code: bytes
    names: dict[str, str]
    files: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def text(self) -> str:
        """The PTX."""
        return self.code.decode()


# ---- headers ----
#
# Those in `include/`, and stand-ins for headers that teaching kernels include for their host half
# and no compiler for the device can read. clang gets more of them, for what NVRTC has built in
# (`clang/include/`). `tools/headers` writes the headers that define the same functions for many
# types.

PRELUDE = "prelude.h"  # included before every source
# Options: functions of the library are calls; the prelude asks for that.
AS_CALLS = ("-DFOLLOW_LIBRARY_CALLS",)
FIRST_OF_CLANG = "warpwise/first.h"  # the same for clang


def _texts(folder: Path) -> dict[str, str]:
    """The files below a folder, by the name under which a source includes them."""
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


_STANDARD = (
    *("atomic", "bit", "cstddef", "limits", "optional", "span", "tuple", "type_traits"),
    "utility",
)
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
cublas.h cublasLt.h cublasXt.h cuda_profiler_api.h cuda_runtime_api.h cudnn.h cufft.h
cufftXt.h curand.h curand_kernel.h cusolverDn.h cusparse.h cusparse_v2.h device_functions.h
exception.h helper_cuda.h helper_functions.h helper_image.h helper_string.h helper_timer.h
host_defines.h math_functions.h nvToolsExt.h nvtx3/nvToolsExt.h nvrtc.h
"""
HEADERS = {
    **_texts(Path(__file__).parent / "include"),
    **dict.fromkeys((_HOST + _LIBRARIES).split(), ""),
    **{
        name: f"#include <cuda/std/{name}>\nnamespace std {{ using namespace cuda::std; }}\n"
        for name in _STANDARD
    },
}

# CUDA's headers include these, whose content is built into NVRTC.
_BUILT_IN = """
common_functions cudacc_ext device_double_functions device_functions func_macro host_config
host_defines math_functions sm_100_rt sm_70_rt sm_80_rt sm_90_rt storage_class
"""
# Of an NVRTC since 12.3 these headers believe that it has their functions built in.
_HALF = """#pragma once
#pragma push_macro("__CUDACC_VER_MINOR__")
#undef __CUDACC_VER_MINOR__
#define __CUDACC_VER_MINOR__ 2
#include_next <{}>
#pragma pop_macro("__CUDACC_VER_MINOR__")
"""
# A friend of theirs lacks the `__device__` of the function that is meant.
_GROUPS = """#pragma once
#define this_multi_grid __device__ this_multi_grid
#include_next <{}>
#undef this_multi_grid
"""
HEADERS_OF_CLANG = {
    **HEADERS,
    **_texts(Path(__file__).parent / "clang" / "include"),
    **dict.fromkeys((f"crt/{name}.h" for name in _BUILT_IN.split()), ""),
    **{
        name: _HALF.format(name)
        for name in ("cuda_bf16.h", "cuda_fp16.h", "cuda_fp4.h", "cuda_fp6.h", "cuda_fp8.h")
    },
    **{
        f"cooperative_groups{name}.h": _GROUPS.format(f"cooperative_groups{name}.h")
        for name in ("", "/memcpy_async", "/reduce", "/scan")
    },
}


def included_as(path: str | None) -> str:
    """A header as the learner would include it: what follows the last "include/", no folder of
    ours. On Windows a path may have slashes of both kinds."""
    path = (path or "").replace("\\", "/")
    return path.rpartition("/include/")[2] if "/include/" in path else path.rpartition("/")[2]
