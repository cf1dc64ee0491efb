"""CUDA C++ to PTX or to a cubin: the compilers, and one cache for all.

Another compiler is another module with a class that has what `Nvrtc` has, and an entry in
`COMPILERS`.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import lru_cache

from .. import disk_cache
from ..cuda.errors import CompileError, CompilerFailure, Diagnostic, forbidden, one_line_end
from ..errors import unless
from .advice import advised, doubtful
from .clang import Clang
from .compiler import AS_CALLS, DEFAULT_ARCH, HEADERS, SOURCE_NAME, Job, Program
from .lexer import renumbering
from .nvrtc import Nvrtc

__all__ = [
    "AS_CALLS",
    "CHOICE",
    "COMPILERS",
    "DEFAULT_ARCH",
    "SOURCE_NAME",
    "Compiler",
    "Job",
    "Program",
    "calls_library",
    "chosen",
    "chosen_name",
    "compile_cubin",
    "compile_ptx",
    "used",
]

_LIBRARY = re.findall(r"#define (\w+)\(\.\.\.\)", HEADERS["library_calls.h"])
_CALLED = re.compile(rf"\b({'|'.join(_LIBRARY)})\s*\(")
CHOICE = "WARPWISE_COMPILER"  # the environment's variable that names one
# The first that is installed is used: NVRTC where it exists, as hardware runs what it makes.
Compiler = Nvrtc | Clang
COMPILERS: dict[str, Compiler] = {"nvrtc": Nvrtc(), "clang": Clang()}


def chosen_name() -> str:
    """The name, in `COMPILERS`, of the compiler that is used. CompilerFailure for a wrong one."""
    wanted = os.environ.get(CHOICE) or _first_available()
    unless(
        wanted in COMPILERS,
        CompilerFailure(f"{CHOICE} is {wanted!r}, and must be {' or '.join(COMPILERS)}."),
    )
    return wanted


@contextmanager
def used(name: str) -> Iterator[None]:
    """That compiler is the one that is used, by this process and those that it starts."""
    before = os.environ.get(CHOICE)
    os.environ[CHOICE] = name
    try:
        yield
    finally:
        del os.environ[CHOICE]
        if before is not None:
            os.environ[CHOICE] = before


@lru_cache
def _first_available() -> str:
    return next((name for name, one in COMPILERS.items() if one.available()), "nvrtc")


def chosen() -> Compiler:
    """The compiler that is used."""
    return COMPILERS[chosen_name()]


def compile_ptx(
    code: str, options: tuple[str, ...] = (), name_expressions: tuple[str, ...] = ()
) -> Program:
    """Compile CUDA C++ `code` to PTX with line information. Raises CompileError."""
    given = [option for option in options if option.startswith(_TARGET)]
    return _program(
        chosen(),
        Job(
            one_line_end(code),
            tuple(option for option in options if option not in given),
            name_expressions,
            given[-1].partition("=")[2] if given else DEFAULT_ARCH,
        ),
    )


def calls_library(code: str) -> bool:
    """Whether it calls functions that `AS_CALLS` makes calls of."""
    return _CALLED.search(code) is not None


def compile_cubin(
    code: str, options: tuple[str, ...], name_expressions: tuple[str, ...], architecture: str
) -> Program:
    """Compile `code` for real hardware, e.g. architecture "sm_90", by NVRTC whichever compiler is
    chosen. A cubin loads under any driver of the same CUDA major version, PTX may not. Raises
    CompileError."""
    return _program(
        COMPILERS["nvrtc"],
        Job(one_line_end(code), options, name_expressions, architecture, cubin=True),
    )


_TARGET = ("-arch=", "--gpu-architecture=")


def _program(compiler: Compiler, job: Job) -> Program:
    _refuse_what_reads_otherwise(job.source)
    key = json.dumps([asdict(job), compiler.identity()])
    return _kept(disk_cache.of_user(), hashlib.sha256(key.encode()).hexdigest(), compiler, job)


@lru_cache(maxsize=16)  # the judge asks for the same program in every case
def _kept(cache: disk_cache.DiskCache, key: str, compiler: Compiler, job: Job) -> Program:
    """The program from the cache, or compiled."""
    if (program := cache.read(key, Program)) is not None:
        return program
    try:
        program = compiler.compile(job)
    except CompileError as error:
        if not error.diagnostics:
            raise
        raise CompileError(diagnostics=advised(error.diagnostics, job.source)) from None
    doubts = {(one.line, one.message): one for one in reversed(program.warnings)}
    first = tuple(reversed(doubts.values()))  # one for what a line repeats
    program = replace(program, warnings=(*advised(first, job.source), *doubtful(job.source)))
    if not program.files:  # they can change, and the key knows nothing of them
        with suppress(OSError):  # a cache that cannot be written costs time and nothing else
            cache.add(key, program)
    return program


def _refuse_what_reads_otherwise(source: str) -> None:
    """Line numbers, and what a reader sees, must be the same everywhere."""
    if found := forbidden(source):
        line, column, name = found
        raise CompileError(
            diagnostics=(
                Diagnostic(
                    f"the character {name} is not allowed in a source: it cannot be seen, and what "
                    "people read would not be what the compiler reads; delete it",
                    line,
                    column,
                ),
            )
        )
    if renumbered := renumbering(source):
        raise CompileError(
            diagnostics=(
                Diagnostic(
                    "this directive gives the lines after it other numbers, and no error could be "
                    "found by its line; delete it",
                    renumbered,
                ),
            )
        )
