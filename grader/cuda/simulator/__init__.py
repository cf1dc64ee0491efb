"""The simulated GPU: runs the PTX that NVRTC makes, one NumPy operation for many threads.

    module = simulator.RawModule(code=source)
    with simulator.observe() as run:
        module.get_function("name")((blocks,), (threads,), (x, y, np.int32(n)))
    run.hazards, run.counters, run.trace, run.printed

From text to result: `parser` makes a `ptx.Program`; `module` lays out memory for a launch;
`machine` runs waves of blocks; `instructions` says what each instruction does; `memory` and
`access` check every address; `races` and `barriers` find what is not synchronised; `watch`
counts and traces.
"""

from .allocations import address, empty, written
from .module import RawKernel, RawModule
from .observe import observe, options

__all__ = ["RawKernel", "RawModule", "address", "empty", "observe", "options", "written"]
