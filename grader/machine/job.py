"""A launch, ready to run."""

from __future__ import annotations

from dataclasses import dataclass

from ..ptx.assembly import Assembly
from ..ptx.executable import Executable
from ..ptx.naming import Names
from .geometry import Geometry
from .memory.layout import LocalLayout
from .memory.spaces import GlobalSpace, Heap, PrivateSpace
from .options import Options
from .printf import Output


@dataclass(frozen=True)
class Job:
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
    names: Names
    geometry: Geometry
    heap: Heap
    flat: GlobalSpace
    shared: PrivateSpace
    local: PrivateSpace
    symbols: dict[str, int]
    options: Options
    output: Output
    cooperative: bool
