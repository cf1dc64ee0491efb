"""A launch, ready to run, and how it is to run: what is looked for, in which order threads go, how
long it may take."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from ..cuda.limits import DEFAULT
from ..ptx.assembly import Assembly
from ..ptx.link import Executable
from .lanes import Geometry
from .memory.layout import LocalLayout
from .memory.spaces import GlobalSpace, Heap, PrivateSpace
from .naming import MemoryNames
from .printf import Output


@dataclass(frozen=True)
class Options:
    """`checks`: look for races, uninitialised reads and divergence (bounds and alignment are
    always checked). `step_limit`: instruction steps a wave of blocks may take; an instruction that
    runs for many threads at once counts as several. `order`: "lockstep" runs warps side by side,
    fastest; "forwards" and "backwards" run groups that have parted one after the other, the first
    or the last threads of the grid first; "shuffled" one warp after the other from barrier to
    barrier, in a random order drawn from `seed`, so that a race not only is reported but shows;
    "highest block first" and "block N last" one block after the other, each as far as it gets,
    "warps by chance" one warp after the other, wherever one may notice what another does.
    `architecture`: whose launch limits hold, e.g. "sm_80". `blocks`: the runs of blocks, by their
    numbers, that are executed; none means all of the grid. `tolerated`: the status of hazards that
    stop no launch; `Run.causes` then says what they are."""

    checks: bool = True
    step_limit: int = 2_000_000
    order: str = "lockstep"
    seed: int = 0
    architecture: str = DEFAULT
    blocks: tuple[range, ...] = ()
    tolerated: str = ""


_options: ContextVar[Options | None] = ContextVar("options", default=None)


@contextmanager
def options(**changes: Any) -> Iterator[None]:
    """Changes `Options` for the launches in the block, e.g. `options(checks=False)`."""
    token = _options.set(replace(current_options(), **changes))
    try:
        yield
    finally:
        _options.reset(token)


def current_options() -> Options:
    return _options.get() or Options()


@dataclass(frozen=True)
class PreparedLaunch:
    """A launch, ready to run: what to execute, on how many threads, with which memory.

    `constants` are the parameters that point to const; `assembly` knows what of the program was
    written by hand, `names` what memory is called in the source; `flat` is global memory with
    constants and parameters; `symbols` gives the address of every variable and
    parameter; `output` takes what is printed.
    """

    program: Executable
    constants: frozenset[str]
    assembly: Assembly
    layout: LocalLayout
    names: MemoryNames
    geometry: Geometry
    heap: Heap
    flat: GlobalSpace
    shared: PrivateSpace
    local: PrivateSpace
    symbols: dict[str, int]
    options: Options
    output: Output
    cooperative: bool
