"""What can go wrong when CUDA C++ is compiled, launched and run, as exceptions that teach.

Each exception carries where it happened: `kernel` (name), `line` (from 1, in the source as the
learner wrote it), `block` and `thread` (each an (x, y, z) tuple); None where unknown. The class
attribute `status` is what a verdict says of it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..status import Status
from .diagnostics import Diagnostic, summary

Index = tuple[int, int, int]


class CudaError(Exception):
    """Base of every error a kernel can cause; `str(error)` is a sentence a learner understands."""

    status = Status.LAUNCH_ERROR
    source = ""  # the text it is about, from whoever knows that
    cell = ""  # the `%%cuda` cell that has that text, if any
    launch = 0  # of several, from 1, and in which order threads ran, from whoever launched them
    order = ""

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

    status = Status.COMPILE_ERROR

    def __init__(
        self, message: str = "", *, diagnostics: tuple[Diagnostic, ...] = (), **where: Any
    ):
        if diagnostics:
            message, where = summary(diagnostics), {"line": diagnostics[0].line} | where
        super().__init__(message, **where)
        self.diagnostics = diagnostics


class CompilerFailure(CompileError):
    """The compiler could not do its work, and the source is not what it complains of."""

    status = Status.UNSUPPORTED


class CompilerTimeout(CompileError):
    """The compiler was stopped before it was through."""

    status = Status.TIMEOUT


class LaunchError(CudaError):
    """The launch itself is impossible: unknown kernel, wrong arguments, grid or block too large."""

    status = Status.LAUNCH_ERROR


class OutOfBounds(CudaError):
    """A thread touched memory outside every buffer it was given."""

    status = Status.OUT_OF_BOUNDS


class Misaligned(CudaError):
    """An address is not a multiple of the size of the access."""

    status = Status.MISALIGNED


class UninitializedRead(CudaError):
    """A thread read memory that nobody had written, or needed a variable that never got a value."""

    status = Status.UNINITIALIZED_READ


class DataRace(CudaError):
    """Two threads touched one place, at least one wrote, and nothing ordered them."""

    status = Status.DATA_RACE

    def __init__(
        self,
        message: str,
        *,
        other_line: int | None = None,
        other_thread: Index | None = None,
        **where: Any,
    ):
        super().__init__(message, **where)
        self.other_line = other_line
        self.other_thread = other_thread


class BarrierDivergence(CudaError):
    """Some threads of a block wait at a barrier that others of the block never reach."""

    status = Status.BARRIER_DIVERGENCE


class ShuffleDivergence(CudaError):
    """A warp-wide operation names lanes that do not take part in it."""

    status = Status.SHUFFLE_DIVERGENCE


class DivisionByZero(CudaError):
    """An integer was divided by zero; the hardware gives an undefined result and goes on."""

    status = Status.WRONG_ANSWER


class ConstWrite(CudaError):
    """A thread wrote to what the kernel promised, or was told, only to read."""

    status = Status.WRONG_ANSWER


class StepLimit(CudaError):
    """The kernel ran longer than the simulator was told to wait, most likely an endless loop.
    `counters`: what its case had come to by then, where somebody counted."""

    status = Status.TIMEOUT
    counters: Mapping[str, int] = MappingProxyType({})


class UnsupportedInstruction(CudaError):
    """The kernel uses an instruction that the simulated GPU does not have."""

    status = Status.UNSUPPORTED


class OutOfTime(BaseException):
    """Raised into a running kernel by whoever watches the clock; a machine that hears it says
    where the kernel was, as StepLimit."""
