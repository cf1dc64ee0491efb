"""What can go wrong when CUDA C++ is compiled, launched and run, as exceptions that teach.

Each exception carries where it happened: `kernel` (name), `line` (from 1, in the source as the
learner wrote it), `block` and `thread` (each an (x, y, z) tuple); None where unknown. The class
attribute `status` is what a verdict says of it. `Message` has what the exception says, in parts.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any

from msgspec import Meta

from ..status import Status
from .diagnostics import Diagnostic, summary

Index = tuple[int, int, int]

MOST_WORDS = 25  # of what everybody reads first: 30 with the place that a heading names
_SPLIT = 1000  # characters in which sentences are looked for
_SENTENCE = re.compile(r"(?:`[^`]*`|[^`])*?[.!?](?=\s|$)", re.DOTALL)


@dataclass(frozen=True)
class Message:
    """A message about a mistake in its parts: each is whole sentences, or empty. In an exercise
    that is open `remedy` and `ours` are hints, which a person asks for."""

    first: Annotated[
        str,
        Meta(
            description="The event and its place: at most 30 words, except in the compiler's own "
            "messages. A card always shows it."
        ),
    ] = ""
    why: Annotated[
        str,
        Meta(description="The reason why it is wrong, what it leads to, and details: in a fold."),
    ] = ""
    remedy: Annotated[str, Meta(description="The next thing to look at or to do.")] = ""
    ours: Annotated[
        str, Meta(description="The step of our own kernel in its place. Only a hint shows it.")
    ] = ""

    def __str__(self) -> str:
        """All but `ours`."""
        return _joined(self.first, self.why, self.remedy)

    def __add__(self, more: "Message") -> "Message":
        """Both, part by part. What comes first in `more` stays first if there is room for it."""
        first, rest = _led(self.first, more.first)
        texts = (self.why, rest, more.why), (self.remedy, more.remedy), (self.ours, more.ours)
        return Message(first, *(_joined(*some) for some in texts))

    @property
    def while_open(self) -> "Message":
        """Only what a person may read who has not asked for a hint."""
        return replace(self, remedy="", ours="")

    @property
    def hints(self) -> tuple[tuple[str, str], ...]:
        """The titles and texts of the other parts, to be shown one at a time."""
        both = ("What to look at next", self.remedy), ("What our kernel does", self.ours)
        return tuple(one for one in both if one[1])


def in_parts(text: str | Message) -> Message:
    """A text without parts as a message: as many of its sentences come first as there is room
    for. A message is left as it is."""
    if isinstance(text, Message):
        return text
    told = Message() + Message(text)
    return told if str(told) == text else Message(text)


def _led(begun: str, text: str) -> tuple[str, str]:
    """What is begun with as many sentences of a text as there is room for, at least one in all;
    and the rest of the text."""
    ends = [*(found.end() for found in _SENTENCE.finditer(text[:_SPLIT])), len(text)]
    room = [end for end in ends if len(f"{begun} {text[:end]}".split()) <= MOST_WORDS]
    end = max(room, default=0 if begun else ends[0])
    return _joined(begun, text[:end].strip()), text[end:].strip()


def _joined(*texts: str) -> str:
    return " ".join(filter(None, texts))


class CudaError(Exception):
    """Base of every error a kernel can cause; `str(error)` is a sentence a learner understands."""

    status = Status.LAUNCH_ERROR
    source = ""  # the text it is about, from whoever knows that
    cell = ""  # the `%%cuda` cell that has that text, if any
    launch = 0  # of several, from 1, and in which order threads ran, from whoever launched them
    order = ""

    def __init__(
        self,
        message: str | Message,
        *,
        kernel: str | None = None,
        line: int | None = None,
        block: Index | None = None,
        thread: Index | None = None,
    ):
        super().__init__(str(message))
        self.parts = in_parts(message)
        self.kernel = kernel
        self.line = line
        self.block = block
        self.thread = thread


class CompileError(CudaError):
    """The compiler rejected the source: `diagnostics` say what and where, the message has a line
    for each. Without any the message says it all."""

    status = Status.COMPILE_ERROR

    def __init__(
        self,
        message: str | Message = "",
        *,
        diagnostics: tuple[Diagnostic, ...] = (),
        **where: Any,
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
        message: str | Message,
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
