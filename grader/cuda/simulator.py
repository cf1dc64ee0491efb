"""The simulated GPU: runs the PTX that NVRTC makes, one NumPy operation for many threads.

    module = simulator.RawModule(code=source)
    with simulator.observe() as run:
        module.get_function("name")((blocks,), (threads,), (x, y, np.int32(n)))
    run.hazards, run.counters, run.trace, run.printed

This is the door; behind it `ptx` parses and links, and says what each instruction does, `machine`
runs waves of blocks over checked memory, and `watch` finds what nothing orders and what has no
value, counts and traces.
"""

from typing import Any

import numpy as np

from ..machine.memory.allocations import address, empty, written
from ..machine.naming import plain
from ..machine.state import options
from ..watch.observe import Event, Run, observe
from .module import SimulatedKernel as RawKernel
from .module import SimulatedModule as RawModule
from .module import prepare
from .tensor_maps import Encoding

__all__ = [
    "Event",
    "RawKernel",
    "RawModule",
    "Run",
    "address",
    "cuTensorMapEncodeTiled",
    "empty",
    "observe",
    "options",
    "plain",
    "prepare",
    "written",
]


def cuTensorMapEncodeTiled(*arguments: Any) -> np.void:
    """A tensor map (128 bytes), to be passed to a launch; the arguments are those of `Encoding`.
    Kernels can reach the array through it for as long as the array lives. Raises LaunchError."""
    given = Encoding(*arguments)
    return given.map(int(address(given.globalAddress))).encoded()
