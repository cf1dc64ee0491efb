"""The simulated GPU: runs the PTX that NVRTC makes, one NumPy operation for many threads.

    module = simulator.RawModule(code=source)
    with simulator.observe() as run:
        module.get_function("name")((blocks,), (threads,), (x, y, np.int32(n)))
    run.hazards, run.counters, run.trace, run.printed

From text to result, room by room: `program` parses PTX and links a kernel with what it calls;
`module` prepares a launch; `memory` lays out buffers and checks every address; `machine` runs
waves of blocks, `schedule` says which lanes go next, `instructions` what each instruction does,
in the arithmetic of `numeric`; `waiting` is where threads meet; `hazards` finds what nothing
synchronises; `watching` counts and traces.
"""

from .hazards.naming import plain
from .memory.allocations import address, empty, written
from .module import RawKernel, RawModule
from .watching.observe import observe, options

__all__ = ["RawKernel", "RawModule", "address", "empty", "observe", "options", "plain", "written"]
