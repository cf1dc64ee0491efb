"""clang, by the wheel `ziglang`: compiles CUDA C++ to PTX on every system, without a toolkit.

What NVRTC has built in and clang has not stands in `include/`. clang poses as NVRTC to CUDA's own
headers (`__CUDACC_RTC__`, no `__clang__`), which then ask for no host. It is a program: it inherits
the limits and the confinement of the process that starts it, and is given no child of its own.
"""

import hashlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

from ...cuda.errors import CompileError, CompilerFailure, CompilerTimeout, Diagnostic, Message
from ...errors import unless
from ...whole_files import filed
from .. import cuda_files
from ..compiler import FIRST_OF_CLANG, HEADERS_OF_CLANG, SOURCE_NAME, TOO_MUCH, Job, Program
from ..logs import ClangLog
from . import llvm_text
from .ptx import laid_out, like_nvrtc, named
from .source import (
    back,
    front,
    is_debug,
    name_variables,
    optimiser,
    plain,
    with_room,
    without_unroll,
)

_LOG_BYTES = 256 << 10  # of a log that are read: a template's errors can have many megabytes
_PTX_BYTES = 64 << 20
_MOST_REWRITINGS = 10  # of a source, each by up to five errors


class Clang:
    """A compiler: see `Nvrtc`."""

    starts_programs = True
    _shut = False

    def shut(self) -> None:
        self._shut = True

    def available(self) -> bool:
        return importlib.util.find_spec("ziglang") is not None

    def identity(self) -> list[object]:
        return ["clang", _wheel_version(), front(Job("")), _own(), cuda_files.identity()]

    def version(self) -> tuple[int, int]:
        major, minor, *_ = _wheel_version().split(".")
        return int(major), int(minor)

    def folders(self) -> tuple[Path, ...]:
        return _program().parent, _precompiled().parent, *_cuda_folders(), cuda_files.libdevice()

    def compile(self, job: Job) -> Program:
        unless(not job.cubin, CompilerFailure("clang makes PTX; only NVRTC makes code for a GPU."))
        rewritings = 0
        while True:
            try:
                with tempfile.TemporaryDirectory(
                    prefix="clang-", ignore_cleanup_errors=True
                ) as folder:
                    return _compiled(job, Path(folder), self._shut)
            except CompileError as error:
                found = error.diagnostics
                source = with_room(without_unroll(job.source, found), found)
                if source == job.source or rewritings == _MOST_REWRITINGS:
                    raise
                job, rewritings = replace(job, source=source), rewritings + 1


@cache
def _own() -> str:
    """What this package makes of sources and of PTX, as a digest."""
    parts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.sha256(
        b"".join([*parts, repr(sorted(HEADERS_OF_CLANG.items())).encode()])
    ).hexdigest()


def _compiled(job: Job, folder: Path, shut: bool) -> Program:
    text = (
        # By it a source could ask whether there is a file. (A flag would not outlast first.pch.)
        "#undef __has_embed\n"
        f'# 1 "{SOURCE_NAME}"\n{job.source}\n{name_variables(job.name_expressions)}'
    )
    (folder / "source").write_bytes(text.encode(errors="replace"))
    first = ("-include-pch", str(_precompiled())) if plain(job) else ("-include", FIRST_OF_CLANG)
    seen = ("-ivfsoverlay", _nothing_but(folder, job)) if shut else ()
    more = (*first, *seen, "-dependency-file", "included", "-MT", "ptx", "-sys-header-deps")
    log = _run([*front(job), *_places(), *more, "-o", "middle", "source"], folder, job.source)
    middle = folder / "middle"
    if llvm_text.doubted(log):
        slowly = ("-include", FIRST_OF_CLANG, *seen, llvm_text.FILLED, "-disable-llvm-passes")
        _run([*front(job), *_places(), *slowly, "-o", "middle", "source"], folder, job.source)
        (folder / "unset").write_bytes(llvm_text.unknown(_read(middle, _PTX_BYTES)))
        _run([*optimiser(job), "-o", "middle", "unset"], folder, job.source)
    middle.write_bytes(llvm_text.finished(_read(middle, _PTX_BYTES)))
    _run([*back(job), "-o", "ptx", "middle"], folder, job.source)
    ptx, found = named(_read(folder / "ptx", _PTX_BYTES).decode(), job.name_expressions)
    ptx = like_nvrtc(laid_out(ptx), debug=is_debug(job))
    return Program(
        ptx.encode(),
        found,
        _strange(folder / "included", job),
        ClangLog(log, job.source).warnings(),
    )


def _nothing_but(folder: Path, job: Job) -> str:
    """A file that has clang believe that there are no files but those in this folder and its own:
    the system would still say of any whether it is there, and `__has_include` ask."""
    own = (folder, _headers(), *_cuda_folders(), cuda_files.libdevice().parent, *job.folders)
    roots = [
        {"type": "directory-remap", "name": str(one), "external-contents": str(one)}
        for one in dict.fromkeys(path.resolve() for path in own)
    ]
    path = folder.resolve() / "seen"
    path.write_text(
        json.dumps({"version": 0, "redirecting-with": "redirect-only", "roots": roots}),
        encoding="utf-8",
    )
    return str(path)


def _cuda_folders() -> tuple[Path, ...]:
    return tuple(map(Path, cuda_files.include_folders()))


@cache
def _precompiled() -> Path:
    """What every source begins with, read once for all sources of this process and its children."""
    made = _headers() / "first.pch"
    flags = [one if one != "-emit-llvm" else "-emit-pch" for one in front(Job(""))]
    _run([*flags, *_places(), "-o", str(made), str(_headers() / FIRST_OF_CLANG)], _headers(), "")
    return made


def _places() -> tuple[str, ...]:
    return (
        *(
            part
            for one in (_headers(), *_cuda_folders())
            for part in ("-internal-isystem", str(one))
        ),
        *("-mlink-builtin-bitcode", str(cuda_files.libdevice())),
        f"-fdebug-prefix-map={_headers()}{os.sep}=",
        f"-fmacro-prefix-map={_headers()}{os.sep}=",
    )


def _run(arguments: list[str], folder: Path, source: str) -> str:
    """What clang says with these arguments in that folder. CompileError where it refuses."""
    with (folder / "log").open("wb") as log, (folder / "log").open("rb") as nothing:
        try:
            child = subprocess.Popen(
                [str(_program()), "-cc1", *arguments],
                stdin=nothing,
                stdout=log,
                stderr=log,
                cwd=folder,
                # Windows starts nothing without.
                env={name: os.environ[name] for name in {"SYSTEMROOT"} & os.environ.keys()},
            )
        except OSError as error:
            raise CompilerFailure(f"clang could not be started ({error}).") from error
        try:
            _childless(child.pid)
            status = child.wait()
        finally:
            child.kill()
            child.wait()
    said = _read(folder / "log", _LOG_BYTES).decode(errors="replace")
    if status:
        raise _error(status, said, source)
    return said


def _childless(pid: int) -> None:
    """A compiler needs no processes of its own."""
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_NPROC, (0, 0))


def _error(status: int, log: str, source: str) -> CompileError:
    limits = (getattr(signal, name, 0) for name in ("SIGXCPU", "SIGPROF"))  # of time
    if status < 0 and -status in limits:
        return CompilerTimeout(
            Message("The compiler was still busy at its time limit.", "", TOO_MUCH)
        )
    if option := re.search(
        r"^error: (unknown (argument|target CPU)|invalid value|unsupported option).*|"
        r"^clang \(LLVM option parsing\): .*",
        log,
        re.MULTILINE,
    ):
        return CompileError(f"The compiler does not know one of its options: {option[0][:300]}")
    if found := ClangLog(log, source).diagnostics():
        return CompileError(diagnostics=found)
    if status < 0 or "out of memory" in log or "bad_alloc" in log:
        broke_down = Diagnostic(
            "the compiler stopped with this source: it ran out of memory, or the source is nested "
            "too deeply. Look for templates that instantiate themselves, very long initializers, "
            "and expressions or types of thousands of characters",
            line=1,
        )
        return CompileError(diagnostics=(broke_down,))
    return CompilerFailure(f"clang itself failed ({log.strip()[:300]}).")


def _strange(rule_file: Path, job: Job) -> tuple[str, ...]:
    """The files that went into the program and are no headers of the compiler's."""
    own = [
        folder.resolve()
        for folder in (rule_file.parent, _headers(), *_cuda_folders(), *job.folders)
    ]
    # A rule of make's, in which a blank inside a path has a backslash before it.
    rule = _read(rule_file, _LOG_BYTES).decode(errors="replace").partition(":")[2]
    rule = rule.replace("\\\n", " ").replace("\\ ", "\0")
    return tuple(
        path
        for path in dict.fromkeys(path.replace("\0", " ") for path in rule.split())
        if path not in ("source", SOURCE_NAME)
        and not any(Path(path).resolve().is_relative_to(folder) for folder in own)
    )


def _read(path: Path, most: int) -> bytes:
    """A text that clang wrote, which on Windows ends its lines in two characters."""
    try:
        with path.open("rb") as file:
            return file.read(most).replace(b"\r\n", b"\n")
    except OSError:
        return b""


@cache
def _program() -> Path:
    try:
        import ziglang
    except ImportError as error:
        raise CompilerFailure(
            "clang is not here: `pip install ziglang` brings it, the version that "
            "constraints.txt names."
        ) from error
    folder = Path(ziglang.__file__).parent
    return next(folder.glob("zig.exe"), folder / "zig")


@cache
def _wheel_version() -> str:
    return unless(
        cuda_files.version("ziglang"),
        CompilerFailure("clang is not here: `pip install ziglang` brings it."),
    )


_kept: list[tempfile.TemporaryDirectory[str]] = []  # goes when this process ends


@cache
def _headers() -> Path:
    """A folder with `HEADERS_OF_CLANG`. The judge's workers inherit it, and can only read it."""
    _kept.append(tempfile.TemporaryDirectory(prefix="warpwise-headers-"))
    folder = Path(_kept[0].name).resolve()
    for name, text in HEADERS_OF_CLANG.items():
        filed(folder / name, text)
    return folder
