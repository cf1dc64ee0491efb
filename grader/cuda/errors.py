"""What can go wrong when CUDA C++ is compiled, launched and run, as exceptions that teach.

Each exception carries where it happened: `kernel` (name), `line` (from 1, in the source as the
learner wrote it), `block` and `thread` (each an (x, y, z) tuple); None where unknown. The class
attribute `status` is the word a verdict uses for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .diagnostics import Diagnostic, summary

Index = tuple[int, int, int]


class CudaError(Exception):
    """Base of every error a kernel can cause; `str(error)` is a sentence a learner understands."""

    status = "launch_error"

    def __init__(
        self,
        message: str,
        *,
        kernel: str | None = None,
        line: int | None = None,
        block: Index | None = None,
        thread: Index | None = None,
    ):
        super().__init__(message)
        self.kernel = kernel
        self.line = line
        self.block = block
        self.thread = thread


class CompileError(CudaError):
    """The compiler rejected the source: `diagnostics` say what and where, the message has a line
    for each. Without any the message says it all."""

    status = "compile_error"

    def __init__(self, message: str = "", *, diagnostics: tuple[Diagnostic, ...] = (), **where):
        if diagnostics:
            message, where = summary(diagnostics), {"line": diagnostics[0].line, **where}
        super().__init__(message, **where)
        self.diagnostics = diagnostics


class CompilerFailure(CompileError):
    """The compiler could not do its work, and the source is not what it complains of."""

    status = "unsupported"


class LaunchError(CudaError):
    """The launch itself is impossible: unknown kernel, wrong arguments, grid or block too large."""

    status = "launch_error"


class OutOfBounds(CudaError):
    """A thread touched memory outside every buffer it was given."""

    status = "out_of_bounds"


class Misaligned(CudaError):
    """An address is not a multiple of the size of the access."""

    status = "misaligned"


class UninitializedRead(CudaError):
    """A thread read memory that nobody had written, or needed a variable that never got a value."""

    status = "uninitialized_read"


class DataRace(CudaError):
    """Two threads touched one place, at least one wrote, and nothing ordered them."""

    status = "data_race"

    def __init__(
        self,
        message: str,
        *,
        other_line: int | None = None,
        other_thread: Index | None = None,
        **where,
    ):
        super().__init__(message, **where)
        self.other_line = other_line
        self.other_thread = other_thread


class BarrierDivergence(CudaError):
    """Some threads of a block wait at a barrier that others of the block never reach."""

    status = "barrier_divergence"


class ShuffleDivergence(CudaError):
    """A warp-wide operation names lanes that do not take part in it."""

    status = "shuffle_divergence"


class DivisionByZero(CudaError):
    """An integer was divided by zero; the hardware gives an undefined result and goes on."""

    status = "wrong_answer"


class ConstWrite(CudaError):
    """A thread wrote to what the kernel promised, or was told, only to read."""

    status = "wrong_answer"


class StepLimit(CudaError):
    """The kernel ran longer than the simulator was told to wait, most likely an endless loop.
    `counters`: what its case had come to by then, where somebody counted."""

    status = "timeout"
    counters: Mapping[str, int] = MappingProxyType({})


class UnsupportedInstruction(CudaError):
    """The kernel uses an instruction that the simulated GPU does not have."""

    status = "unsupported"


class OutOfTime(BaseException):
    """Raised into a running kernel by whoever watches the clock; a machine that hears it says
    where the kernel was, as StepLimit."""
