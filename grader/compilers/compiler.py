"""What a compiler is: from a source and how to compile it, to a program or a CompileError."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

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


class Compiler(Protocol):
    """One of the compilers there are (see `COMPILERS`). `starts_programs`: it is not a library but
    a program, so that a process that compiles must be allowed another."""

    starts_programs: bool

    def available(self) -> bool:
        """Whether it is installed."""

    def identity(self) -> list[object]:
        """All but the job that decides on its programs, as JSON: version, headers, flags."""

    def __hash__(self) -> int:
        """It is a key of a cache."""

    def version(self) -> tuple[int, int]:
        """Major and minor."""

    def folders(self) -> tuple[Path, ...]:
        """The folders that it reads when it compiles; a confined process may not lose them."""

    def shut(self) -> None:
        """From now on, in this process, sources can neither read files nor learn whether there are
        any, but for the compiler's own: beside the process's confinement, not in its place."""

    def compile(self, job: Job) -> Program:
        """CompileError if the source is wrong, CompilerFailure if the compiler cannot run."""
