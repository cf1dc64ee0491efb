"""What a compiler is: from a source and how to compile it, to a program or a CompileError."""

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
