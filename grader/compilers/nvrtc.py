"""NVRTC, NVIDIA's compiler as a library. Needs no GPU."""

import ctypes
import hashlib
import locale
import os
import platform
import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

from ..cuda.errors import CompileError, CompilerFailure
from ..errors import unless
from .compiler import HEADERS, PRELUDE, SOURCE_NAME, Job, Program
from .cuda_files import include_folders
from .logs import NvrtcLog

_FLAGS = (
    *("--std=c++17", "-lineinfo", f"--pre-include={PRELUDE}"),
    "-Xcudafe=--error_limit=20",  # who has more fixes the first ones first
    # On Arm a constructor hands back `this`. Those of __nv_bfloat162 do not in what NVRTC 12 there
    # has compiled beforehand: for a function that takes one by value it makes a trap. This compiles
    # them with the kernel, as cuda_bf16.h allows.
    *["-D__FORCE_INCLUDE_CUDA_BF16_HPP_FROM_BF16_H__"] * (platform.machine() == "aarch64"),
)
# In which it takes the names of folders: on Windows in the machine's code page.
_CODE = locale.getencoding() if sys.platform == "win32" else "utf-8"
_HEADERS_DIGEST = hashlib.sha256(repr(HEADERS).encode()).hexdigest()  # that a source can include
_READ_BYTES = 256 << 10  # of a log: a template's errors can have hundreds of megabytes
_WRONG_SOURCE = 6  # NVRTC_ERROR_COMPILATION
_WRONG_OPTION = 5  # NVRTC_ERROR_INVALID_OPTION
_MEMORY = 1  # NVRTC_ERROR_OUT_OF_MEMORY


class Nvrtc:
    """A compiler; each of `COMPILERS` has the same methods."""

    # It is a library and no program: a process that compiles need not be allowed another.
    starts_programs = False

    def available(self) -> bool:
        """Whether it is installed."""
        return _found() is not None

    def identity(self) -> list[object]:
        """All but the job that decides on its programs, as JSON: version, headers, flags."""
        return ["nvrtc", self.version(), include_folders(), SOURCE_NAME, _FLAGS, _HEADERS_DIGEST]

    def shut(self) -> None:
        """From now on, in this process, sources can neither read files nor learn whether there are
        any, but for the compiler's own: beside the process's confinement, not in its place. NVRTC
        takes what cannot be opened for what is not there."""

    def version(self) -> tuple[int, int]:
        """Major and minor."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        _call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        return major.value, minor.value

    def folders(self) -> tuple[Path, ...]:
        """The folders that it reads when it compiles; a confined process may not lose them. NVRTC
        opens more libraries that lie beside it."""
        return Path(_path()).resolve().parent, *map(Path, include_folders())

    def compile(self, job: Job) -> Program:
        """CompileError if the source is wrong, CompilerFailure if the compiler cannot run."""
        program = ctypes.c_void_p()
        names, texts = list(HEADERS), list(HEADERS.values())
        _call(
            "nvrtcCreateProgram",
            *(ctypes.byref(program), job.source.encode(), SOURCE_NAME.encode()),
            *(len(names), _strings(texts), _strings(names)),
        )
        try:
            for expression in job.name_expressions:
                _call("nvrtcAddNameExpression", program, expression.encode())
            flags = [
                *_FLAGS,
                *(f"-I{folder}" for folder in include_folders()),
                f"-arch={job.target}",
                *job.options,
            ]
            status = _library().nvrtcCompileProgram(program, len(flags), _strings(flags, _CODE))
            if status:
                raise _error(status, program, job.source)
            return _result(program, job)
        except MemoryError:  # NVRTC hands over its log whole, and a template's may be huge
            raise CompileError(_OUT_OF_MEMORY) from None
        finally:
            _call("nvrtcDestroyProgram", ctypes.byref(program))


def _result(program: ctypes.c_void_p, job: Job) -> Program:
    code, names = _read("nvrtcGetCUBIN" if job.cubin else "nvrtcGetPTX", program), {}
    for expression in job.name_expressions:
        name = ctypes.c_char_p()
        _call("nvrtcGetLoweredName", program, expression.encode(), ctypes.byref(name))
        names[expression] = (name.value or b"").decode()
    if job.cubin:
        return Program(code, names)
    text, files = _without_places(code.rstrip(b"\0").decode(), job.folders)
    return Program(text.encode(), names, files, NvrtcLog(_log(program), job.source).warnings())


def _without_places(ptx: str, folders: list[Path]) -> tuple[str, tuple[str, ...]]:
    """`ptx` with the learner's source and the headers that are no files under their own names
    (NVRTC puts the current folder before a header, and before the source on Windows, where a path
    without a drive is a relative one), and the files that are not among the compiler's."""
    own = [*include_folders(), *map(str, folders)]
    here, moved = str(Path.cwd()), not Path(SOURCE_NAME).is_absolute()
    strange = []

    def named(found: re.Match[str]) -> str:
        path = re.sub(
            rb"\\([0-7]{3}|.)",  # as in C: a byte by its number, or a backslash
            lambda one: bytes([int(one[1], 8)]) if len(one[1]) > 1 else one[1],
            found[2].encode(),
        ).decode(errors="replace")
        name = path.removeprefix(here).lstrip("/\\")
        if path == SOURCE_NAME or (moved and name == SOURCE_NAME.lstrip("/")):
            return f'{found[1]}"{SOURCE_NAME}"'
        if name in HEADERS:
            return f'{found[1]}"{name}"'
        if not any(_resolved(path).is_relative_to(_resolved(folder)) for folder in own):
            strange.append(path)
        return found[0]

    return (
        re.sub(r'^(\s*\.file\s+\d+\s+)"([^"]*)"', named, ptx, flags=re.MULTILINE),
        tuple(strange),
    )


def _resolved(path: str) -> Path:
    """Absolute and without "..", whether or not this process may look at it."""
    return Path(os.path.normpath(Path.cwd() / path))


def _log(program: ctypes.c_void_p) -> str:
    return _read("nvrtcGetProgramLog", program, _READ_BYTES).decode(errors="replace").rstrip("\0")


def _error(status: int, program: ctypes.c_void_p, source: str) -> CompileError:
    log = _log(program)
    if status == _MEMORY:
        return CompileError(_OUT_OF_MEMORY)
    if status == _WRONG_OPTION or log.startswith("Command-line error"):
        return CompileError(f"The compiler does not know one of its options: {log.strip()[:300]}")
    if status == _WRONG_SOURCE and (found := NvrtcLog(log, source).diagnostics()):
        if found[0].message == "out of memory":
            found = (replace(found[0], message=_OUT_OF_MEMORY),)
        return CompileError(diagnostics=found)
    said = log.strip()[:300] or _library().nvrtcGetErrorString(status).decode()
    return CompilerFailure(f"NVRTC itself failed ({said}).")


_OUT_OF_MEMORY = (
    "The compiler ran out of memory. Look for templates that make ever more of themselves, and "
    "for arrays with very long initializers."
)


def _read(function: str, program: ctypes.c_void_p, most: int | None = None) -> bytes:
    """What the function of that name gives, at most `most` bytes of it."""
    size = ctypes.c_size_t()
    _call(f"{function}Size", program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    _call(function, program, buffer)
    return bytes(memoryview(buffer)[:most])


def _strings(values: list[str], code: str = "utf-8") -> ctypes.Array[ctypes.c_char_p]:
    try:
        return (ctypes.c_char_p * len(values))(*(value.encode(code) for value in values))
    except UnicodeEncodeError as error:
        raise CompilerFailure(
            f"NVRTC cannot read {error.object!r}: this Windows' code page lacks "
            f"{error.object[error.start : error.end]!r}. Install the course in another folder."
        ) from None


def _call(function: str, *arguments: object) -> None:
    status = getattr(_library(), function)(*arguments)
    unless(status != _MEMORY, CompileError(_OUT_OF_MEMORY))
    unless(
        not status,
        CompilerFailure(
            f"NVRTC itself failed ({function}: {_library().nvrtcGetErrorString(status).decode()})."
        ),
    )


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(_path())
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    return library


def _path() -> str:
    """Where the library lies. CompilerFailure if it is not installed."""
    return unless(
        _found(),
        CompilerFailure(
            "NVRTC is not here: `pip install cuda-toolkit[nvrtc,cudart,cccl]` brings it where "
            "NVIDIA makes it. WARPWISE_COMPILER=clang chooses the other compiler."
        ),
    )


@cache
def _found() -> str | None:
    try:
        from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib
    except ImportError:
        return None
    try:
        return str(load_nvidia_dynamic_lib("nvrtc").abs_path)
    except DynamicLibNotFoundError:
        return None
