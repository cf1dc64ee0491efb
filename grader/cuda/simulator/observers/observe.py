"""Watching launches: `with observe() as run: kernel(...)`; and the simulator's options."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from ...limits import DEFAULT
from ..engine.geometry import Index
from ..engine.printf import Output
from .arrays import Array
from .counters import Counters
from .recording import Recording
from .reporting.hazard import Hazard
from .trace import Trace


@dataclass
class Run:
    """What was seen of the launches inside `observe`. `steps` counts the instructions that the
    machine executed, each once for all the threads that stood at it together. Blocks whose
    number or blockIdx is in `record` are recorded, launch by launch. `source` and
    `arrays` (for each argument, None if it is no array) are for pictures, and are set by whoever
    launches for them."""

    hazards: list[Hazard] = field(default_factory=list)
    counters: Counters = field(default_factory=Counters)
    trace: Trace = field(default_factory=Trace)
    output: Output = field(default_factory=Output)
    steps: int = 0
    record: tuple[int | Index, ...] = ()
    recordings: list[Recording] = field(default_factory=list)
    source: str = ""
    arrays: tuple[Array | None, ...] = ()

    @property
    def printed(self) -> str:
        """What the kernels printed."""
        return self.output.text

    def __repr__(self) -> str:
        steps, hazards = len(self.trace.events), len(self.hazards)
        seen = f"{steps} events traced, {hazards} hazards"
        return f"<run: {seen}; see .counters.total, .hazards, .printed, .trace.events>"


@dataclass(frozen=True)
class Options:
    """`checks`: look for races, uninitialised reads and divergence (bounds and alignment are
    always checked). `step_limit`: instruction steps a wave of blocks may take. `order`: "lockstep"
    runs warps side by side, fastest; "forwards" and "backwards" run groups that have parted one
    after the other, the first or the last threads of the grid first; "shuffled" one warp after the
    other from barrier to barrier, in a random order drawn from `seed`, so that a race not only is
    reported but shows.
    `architecture`: whose launch limits hold, e.g. "sm_80"."""

    checks: bool = True
    step_limit: int = 2_000_000
    order: str = "lockstep"
    seed: int = 0
    architecture: str = DEFAULT


_run: ContextVar[Run | None] = ContextVar("run", default=None)
_options: ContextVar[Options | None] = ContextVar("options", default=None)


@contextmanager
def observe(blocks: int = 1, record: tuple[int | Index, ...] = ()) -> Iterator[Run]:
    """Collects hazards, counters, trace and printed text of the launches in the block. Of the
    first `blocks` blocks of a grid the trace holds what they did with global memory. Blocks whose
    number or blockIdx is in `record` are recorded step by step."""
    run = Run(trace=Trace(blocks), record=record)
    token = _run.set(run)
    try:
        yield run
    finally:
        _run.reset(token)


@contextmanager
def options(**changes) -> Iterator[None]:
    """Changes `Options` for the launches in the block, e.g. `options(checks=False)`."""
    token = _options.set(replace(current_options(), **changes))
    try:
        yield
    finally:
        _options.reset(token)


def current_run() -> Run | None:
    return _run.get()


def current_options() -> Options:
    return _options.get() or Options()
