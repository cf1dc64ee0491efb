"""One case on the real GPU, every buffer fenced by red zones. Runs only what was clean before."""

from pathlib import Path

import cupy
import numpy as np
from cupy.cuda import driver, runtime

from ...cuda import LaunchError, Misaligned, OutOfBounds, gpu
from ...errors import unless
from ..protocol import Arrays, CaseRequest, Ran
from .simulated import argument

RED_BYTES = 4096  # before and after each buffer; keeps the 256-byte alignment of CUDA's own
RED = 0xA5
POISONS = {  # what outputs hold before a run: nobody's answer is right under both
    "output": 0xFF,  # every float is NaN, every signed integer -1
    "second": 0x3F,  # floats are 0.747, and doubles 0.000477
}

STOPPED = {"IllegalAddress": OutOfBounds, "MisalignedAddress": Misaligned}


def run_case(source: str, case: CaseRequest, cubin: Path) -> Ran:
    """Run the case's launches twice, over memory poisoned in two ways; nothing is counted. Raises
    CudaError, OutOfBounds if a red zone was written to."""
    cupy.clear_memo()  # of modules: each case begins with its __device__ variables as written
    module = gpu.RawModule(code=source, cubin=cubin)
    try:
        results = [_run(module, case, *poison) for poison in POISONS.items()]
        return Ran(arrays={name: array for found in results for name, array in found.items()})
    except (runtime.CUDARuntimeError, driver.CUDADriverError) as error:
        kind = next((kind for name, kind in STOPPED.items() if name in str(error)), LaunchError)
        raise kind(
            f"The simulated GPU found nothing wrong, but the real one stopped: {error}."
        ) from error  # CUDA's words: "cudaErrorIllegalAddress: an illegal ..."


def _run(module: gpu.RawModule, case: CaseRequest, name_of: str, poison: int) -> Arrays:
    made = {
        **case.outputs,
        **case.scratch,
        **{name: (value.shape, value.dtype.str) for name, value in case.inputs.items()},
    }
    fenced = {
        name: _fenced(shape, dtype, poison, case.begins.get(name, 0))
        for name, (shape, dtype) in made.items()
    }
    buffers = {name: inner for name, (_, inner) in fenced.items()}
    for name, value in case.inputs.items():
        buffers[name].set(value)
    for launch in case.launches:
        kernel = module.get_function(launch.kernel)
        args = tuple(argument(arg, buffers) for arg in launch.args)
        kernel(launch.grid, launch.block, args, shared_mem=launch.shared_mem)
    cupy.cuda.Device().synchronize()
    for name, (whole, inner) in fenced.items():
        _check_red_zones(name, whole, inner.nbytes, case.begins.get(name, 0) * inner.itemsize)
    return {f"input/{name}": buffers[name].get() for name in case.inputs} | {
        f"{name_of}/{name}": buffers[name].get() for name in case.outputs
    }


def _fenced(
    shape: tuple[int, ...], dtype: str, poison: int, begin: int
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """(whole, inner): bytes with a red zone at both ends, the first of them `begin` elements
    longer, and the poisoned buffer between."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    first = RED_BYTES + begin * np.dtype(dtype).itemsize
    whole = cupy.empty(first + size + RED_BYTES, cupy.uint8)
    whole.data.memset(RED, whole.nbytes)  # `fill` would have to be compiled first
    inside = whole[first : first + size]
    inside.data.memset(poison, size)
    return whole, inside.view(dtype).reshape(shape)


def _check_red_zones(name: str, whole: cupy.ndarray, size: int, begin: int) -> None:
    first = RED_BYTES + begin
    zones = {"before its first": whole[:first], "after its last": whole[first + size :]}
    for where, zone in zones.items():
        unless(
            (zone.get() == RED).all(),
            OutOfBounds(
                f"On the GPU a thread wrote outside {name}, {where} element. "
                "Look at how each thread's index is computed and guarded."
            ),
        )
