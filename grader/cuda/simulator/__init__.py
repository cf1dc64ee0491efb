"""The simulated GPU: runs the PTX that NVRTC makes, one NumPy operation for many threads.

    module = simulator.RawModule(code=source)
    with simulator.observe() as run:
        module.get_function("name")((blocks,), (threads,), (x, y, np.int32(n)))
    run.hazards, run.counters, run.trace, run.printed

From text to result, room by room: `program` parses PTX and links a kernel with what it calls;
`module` prepares a launch; `memory` lays out buffers and checks every address; `engine` runs waves
of blocks, `isa` says what each instruction does, in the arithmetic of `numeric`; `observers` find
what nothing synchronizes and what never got a value, count and trace.
"""

from .engine.options import options
from .memory.allocations import address, empty, written
from .module import RawKernel, RawModule, prepare
from .observers.observe import Run, observe
from .observers.trace import Event
from .program.naming import plain

__all__ = [
    "Event",
    "RawKernel",
    "RawModule",
    "Run",
    "address",
    "empty",
    "observe",
    "options",
    "plain",
    "prepare",
    "written",
]
