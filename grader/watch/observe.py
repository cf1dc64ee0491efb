"""Watching launches: `with observe() as run: kernel(...)`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from ..machine.events import Observer
from ..machine.printf import Output
from .arrays import ArrayLayout
from .counters import Counters
from .findings import FindingReport, HazardReport
from .trace import Trace

Kind = Callable[[FindingReport], Observer]  # makes the observer of a launch; as a rule its class


@dataclass
class Run:
    """What was seen of the launches inside `observe`. `steps` counts the instructions that the
    machine executed, each once for all the threads that stood at it together. `observers` are
    those that were asked for, one of each kind for each launch; `counted`: whether counters and
    trace are kept, which takes as long as the launch itself; `traced`: whether the trace is.
    `source` and `arrays` (for each argument, None if it is no array) are for pictures, and are set
    by whoever launches for them. `causes` are those of the hazards that were tolerated: what the
    threads did and to what, without a line or a number of it."""

    hazards: list[HazardReport] = field(default_factory=list)
    counters: Counters = field(default_factory=Counters)
    trace: Trace = field(default_factory=Trace)
    output: Output = field(default_factory=Output)
    steps: int = 0
    kinds: Sequence[Kind] = ()
    counted: bool = True
    traced: bool = True
    observers: list[Observer] = field(default_factory=list)
    source: str = ""
    arrays: tuple[ArrayLayout | None, ...] = ()
    causes: set[str] = field(default_factory=set)

    @property
    def printed(self) -> str:
        """What the kernels printed."""
        return self.output.text

    def __repr__(self) -> str:
        steps, hazards = len(self.trace.events), len(self.hazards)
        seen = f"events traced: {steps}, hazards: {hazards}"
        return f"<run: {seen}; see .counters.total, .hazards, .printed, .trace.events>"


_run: ContextVar[Run | None] = ContextVar("run", default=None)


@contextmanager
def observe(
    blocks: int = 1, observers: Sequence[Kind] = (), counted: bool = True, traced: bool = True
) -> Iterator[Run]:
    """Collects hazards, counters, trace and printed text of the launches in the block. Of the
    first `blocks` blocks of a grid the trace holds what they did with global memory. `observers`:
    classes of further observers, which each launch gets one of; without `counted` there are no
    counters and no trace, without `traced` no trace."""
    run = Run(trace=Trace(blocks), kinds=observers, counted=counted, traced=counted and traced)
    token = _run.set(run)
    try:
        yield run
    finally:
        _run.reset(token)


def current_run() -> Run | None:
    return _run.get()
