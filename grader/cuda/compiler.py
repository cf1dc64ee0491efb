"""CUDA C++ to PTX (or to a cubin) with NVRTC, the only place that calls it.

NVRTC is reached through CuPy's bindings, so whichever CUDA (12 or 13) CuPy was built for is
used. Needs no GPU. Results are cached on disk by content.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .compilers.mma_header import mma_header
from .errors import CompileError, CompilerFailure

# What NVRTC calls the learner's text in messages and line tables; no file lies there.
SOURCE_NAME = "/learner/kernel.cu"
DEFAULT_ARCH = "compute_90"  # the simulated GPU is a Hopper, like the H200 it is checked against

_PRELUDE = (Path(__file__).parent / "prelude.h").read_text()
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
# Headers that teaching kernels include for their host half and NVRTC does not have, or cannot read.
_HOST_HEADERS = (
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
_HEADERS = {
    "prelude.h": _PRELUDE,
    # The whole of CUB wants a host compiler; its block and warp collectives do not.
    "cub/cub.cuh": "#include <type_traits>\n"
    + "".join(
        [f"#include <cub/block/{name}.cuh>\n" for name in _CUB]
        + [f"#include <cub/warp/{name}.cuh>\n" for name in _CUB_WARP]
    ),
    **dict.fromkeys(_HOST_HEADERS, ""),
    # Sources rely on cuBLAS bringing the half types along.
    "cublas_v2.h": "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n",
    "crt/mma.h": mma_header(),
    **{name: _CCCL.format(name) for name in ("cstddef", "limits", "type_traits", "utility")},
}


@dataclass(frozen=True)
class Ptx:
    """PTX text, and the mangled name of each name expression that was asked for."""

    text: str
    names: dict[str, str]


def compile_ptx(
    code: str, options: tuple[str, ...] = (), name_expressions: tuple[str, ...] = ()
) -> Ptx:
    """Compile CUDA C++ `code` to PTX with line information.

    `options` are NVRTC's, e.g. ("-DBLOCK=256", "--use_fast_math"); `name_expressions` are
    template instances to emit, e.g. ("softmax<float>",). Raises CompileError.
    """
    text, names = _cached(code, options, name_expressions, "PTX")
    return Ptx(text.read_text(), names)


def compile_cubin(
    code: str, options: tuple[str, ...], name_expressions: tuple[str, ...], arch: str
) -> tuple[Path, dict[str, str]]:
    """Compile `code` for real hardware, e.g. arch "sm_90"; the path of the cubin and the mangled
    names. A cubin loads under any driver of the same CUDA major version, PTX may not."""
    return _cached(code, (*options, f"-arch={arch}"), name_expressions, "CUBIN")


@cache
def version() -> tuple[int, int]:
    """NVRTC's version, e.g. (12, 9)."""
    from cupy.cuda import nvrtc

    return nvrtc.getVersion()


@cache
def include_folders() -> tuple[str, ...]:
    """Folders of CUDA's own headers: cub, thrust and cuda/std (CCCL), cuda_fp16 and friends."""
    from cuda.pathfinder import find_nvidia_header_directory

    folders = [find_nvidia_header_directory(name) for name in ("cccl", "cudart")]
    found = [Path(folder) for folder in folders if folder]
    nested = [folder / "cccl" for folder in found if (folder / "cccl").is_dir()]
    return tuple(dict.fromkeys(str(folder) for folder in (*nested, *found)))


@cache
def library_folders() -> tuple[Path, ...]:
    """Where NVRTC is loaded from; it opens more libraries that lie beside it when it compiles."""
    version()  # loads it
    with suppress(OSError):  # not on every system
        lines = Path("/proc/self/maps").read_text().splitlines()
        loaded = [Path(line.split(maxsplit=5)[5]) for line in lines if "libnvrtc" in line]
        return tuple(dict.fromkeys(path.parent for path in loaded))
    return ()


def files_read(ptx: Ptx) -> tuple[Path, ...]:
    """The files beside the source that the compiler made code of."""
    named = re.findall(r'^\s*\.file\s+\d+\s+"([^"]*)"', ptx.text, re.MULTILINE)
    return tuple(Path(name) for name in named if name != SOURCE_NAME)


def _cached(code, options, name_expressions, kind) -> tuple[Path, dict[str, str]]:
    """The file with what the compiler made, and the mangled names."""
    key = _key(code, options, name_expressions, kind)
    found = _files(cache_folder(), key)
    if not all(file.exists() for file in found):
        binary, names = _compile(code, options, name_expressions, kind)
        contents = (binary, json.dumps(names).encode())
        try:
            _write(found, contents)
        except OSError:  # a home that cannot be written, or a full disk
            found = _files(_folder_of_this_process(), key)
            _write(found, contents)
    return found[0], json.loads(found[1].read_text())


def _files(folder: Path, key: str) -> tuple[Path, Path]:
    return folder / f"{key}.bin", folder / f"{key}.json"


@cache
def _folder_of_this_process() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="warpwise-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _key(code, options, name_expressions, kind) -> str:
    parts = [code, list(options), list(name_expressions), kind, version(), include_folders()]
    return hashlib.sha256(json.dumps([*parts, SOURCE_NAME, _HEADERS]).encode()).hexdigest()


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "warpwise"


def _write(files: tuple[Path, ...], contents: tuple[bytes, ...]) -> None:
    """Write so that a reader sees a whole file or none: several judges share the cache."""
    for path, content in zip(files, contents, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
            part.write(content)
        Path(part.name).replace(path)


def _compile(code, options, name_expressions, kind) -> tuple[bytes, dict[str, str]]:
    from cupy.cuda import nvrtc

    names = [name.encode() for name in _HEADERS]
    texts = [text.encode() for text in _HEADERS.values()]
    program = nvrtc.createProgram(code, SOURCE_NAME, texts, names)
    try:
        for expression in name_expressions:
            nvrtc.addNameExpression(program, expression)
        try:
            nvrtc.compileProgram(program, _flags(options))
        except nvrtc.NVRTCError as error:
            raise _compile_error(nvrtc.getProgramLog(program), code) from error
        result = nvrtc.getPTX(program) if kind == "PTX" else nvrtc.getCUBIN(program)
        names = {name: nvrtc.getLoweredName(program, name) for name in name_expressions}
    finally:
        nvrtc.destroyProgram(program)
    return bytes(result), {key: _text(value) for key, value in names.items()}


def _flags(options: tuple[str, ...]) -> list[str]:
    flags = ["--std=c++17", "-lineinfo", "-w", "--pre-include=prelude.h"]
    flags += [f"-I{folder}" for folder in include_folders()]
    if not any(option.startswith(("-arch", "--gpu-architecture")) for option in options):
        flags.append(f"-arch={DEFAULT_ARCH}")
    return [*flags, *options]


def _text(value) -> str:
    return value.decode() if isinstance(value, bytes) else value


# The system's reason for not opening a file would tell whether there is one.
_NOT_FOUND = re.compile(r'(cannot open source file "[^"]*"):.*')
_DIAGNOSTIC = re.compile(r"^(.*?)\((\d+)\): (?:catastrophic )?error(?: #[\w-]+)?: (.*)$")


def _compile_error(log: str, code: str) -> CompileError:
    """NVRTC's log as a message in the learner's own lines, each with the line it is about."""
    lines = log.rstrip("\0").splitlines()
    found = [(at, match) for at, line in enumerate(lines) if (match := _DIAGNOSTIC.match(line))]
    own = [(at, match) for at, match in found if match.group(1) == SOURCE_NAME]
    if not own and found:
        return CompileError(_elsewhere(found))
    if not own:
        said = [line for line in lines if line.startswith("nvrtc: ")][:1] or ["without saying why"]
        return CompilerFailure(f"NVRTC itself failed ({said[0]}).")
    shown = [_shown(code, match, lines[at + 2 : at + 3]) for at, match in own[:5]]
    if len(own) > 5:
        shown.append(f"... and {len(own) - 5} more errors; mend the first one first.")
    return CompileError("\n".join(shown), line=int(own[0][1].group(2)))


def _elsewhere(found: list[tuple[int, re.Match]]) -> str:
    """Errors in headers, without the lines they are about: any file can be made to be one."""
    return "\n".join(f"{match[1]}, line {match[2]}: {match[3]}" for _, match in found[:5])


def _shown(code: str, error: re.Match, pointer: list[str]) -> str:
    """One error, the line it is about and, where NVRTC draws one, the caret (`pointer`) under it.
    NVRTC indents both by two more columns than the source."""
    number, message = int(error.group(2)), _NOT_FOUND.sub(r"\1", error.group(3))
    lines = code.splitlines()
    source = lines[number - 1] if number <= len(lines) else ""
    carets = [f"\n         | {line[2:]}" for line in pointer if line.strip() == "^"]
    return f"line {number}: {message}\n    {number:>4} | {source}" + "".join(carets)
