"""One case on the real GPU, every buffer fenced by red zones. Runs only what was clean before."""

from __future__ import annotations

from ..cuda import gpu
from ..cuda.errors import OutOfBounds
from .simulated import argument
from .wire import Arrays

RED_BYTES = 4096  # before and after each buffer; a multiple of CUDA's 256-byte alignment
RED = 0xA5
POISON = 0xFF  # every float is NaN, every signed integer -1


def run_case(source: str, case: dict, inputs: Arrays, steps: int) -> tuple[dict[str, int], Arrays]:
    """Run the case's launches; no counters, and by name "input/x" and "output/y" as they are
    afterwards. Raises CudaError; OutOfBounds if a red zone has changed."""
    import cupy

    module = gpu.RawModule(code=source)
    fenced = {name: _fenced(value.shape, value.dtype) for name, value in inputs.items()}
    for name, value in inputs.items():
        fenced[name][1].set(value)
    for name, (shape, dtype) in {**case["outputs"], **case["scratch"]}.items():
        fenced[name] = _fenced(tuple(shape), dtype)
    buffers = {name: inner for name, (_, inner) in fenced.items()}
    for launch in case["launches"]:
        kernel = module.get_function(launch["kernel"])
        args = tuple(argument(arg, buffers) for arg in launch["args"])
        grid, block = tuple(launch["grid"]), tuple(launch["block"])
        kernel(grid, block, args, shared_mem=launch["shared_mem"])
    cupy.cuda.Device().synchronize()
    for name, (whole, inner) in fenced.items():
        _check_red_zones(name, whole, inner.nbytes)
    results = {f"input/{name}": buffers[name].get() for name in case["inputs"]}
    return {}, results | {f"output/{name}": buffers[name].get() for name in case["outputs"]}


def _fenced(shape: tuple[int, ...], dtype):
    """(whole, inner): bytes with a red zone at both ends, and the poisoned buffer between."""
    import cupy
    import numpy as np

    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    whole = cupy.full(size + 2 * RED_BYTES, RED, cupy.uint8)
    inside = whole[RED_BYTES : RED_BYTES + size]
    inside.fill(POISON)
    return whole, inside.view(dtype).reshape(shape)


def _check_red_zones(name: str, whole, size: int) -> None:
    before, after = whole[:RED_BYTES], whole[RED_BYTES + size :]
    for zone, where in ((before, "before its first"), (after, "after its last")):
        if (zone != RED).any():
            raise OutOfBounds(
                f"On the GPU a thread wrote outside `{name}`, {where} element. "
                "Look at how each thread's index is computed and guarded."
            )
