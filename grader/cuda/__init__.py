"""One CUDA interface, two devices: a GPU through CuPy, or the simulated one.

    from grader import cuda
    x = cuda.xp.arange(1000, dtype="float32")
    cuda.RawModule(code=source).get_function("name")((blocks,), (threads,), (x, ...))

`device` is "gpu" where CuPy finds one and "simulator" elsewhere; the environment variable
WARPWISE_DEVICE (simulator or gpu) decides instead. `xp` is cupy or numpy accordingly.
"""

import ctypes
import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from ..errors import unless
from .errors import (
    BarrierDivergence,
    CompileError,
    ConstWrite,
    CudaError,
    DataRace,
    DivisionByZero,
    LaunchError,
    Misaligned,
    OutOfBounds,
    ShuffleDivergence,
    StepLimit,
    UninitializedRead,
    UnsupportedInstruction,
)

__all__ = [
    "BarrierDivergence",
    "CompileError",
    "ConstWrite",
    "CudaError",
    "DataRace",
    "DivisionByZero",
    "LaunchError",
    "Misaligned",
    "OutOfBounds",
    "RawModule",
    "ShuffleDivergence",
    "StepLimit",
    "UninitializedRead",
    "UnsupportedInstruction",
    "arguments",
    "device",
    "tensor_map",
    "xp",
]


def tensor_map(array: Any, box: tuple[int, ...], swizzle: int = 0) -> Any:
    """The tensor map of an array, on the device that the array is on: an argument for a parameter
    `const __grid_constant__ CUtensorMap`. A copy moves a box of shape `box`; shapes begin with the
    outermost dimension, as NumPy's do. `swizzle`: 0, 32, 64 or 128 bytes. bfloat16 goes as uint16.
    Raises LaunchError."""
    from .tensor_maps import encoding

    on_gpu = type(array).__module__.partition(".")[0] == "cupy"
    return import_module(f"{__name__}.{'gpu' if on_gpu else 'simulator'}").cuTensorMapEncodeTiled(
        *encoding(array, box, swizzle)
    )


def arguments(args: Iterable[Any], buffers: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a launch is given: for the name of a buffer that buffer, or its tensor map where the
    name says so (`course.Boxes`)."""
    return tuple(
        arg
        if not isinstance(arg, str)
        else tensor_map(buffers[arg], box, vars(arg)["swizzle"])
        if (box := getattr(arg, "box", None))
        else buffers[arg]
        for arg in args
    )


def __getattr__(name: str) -> Any:
    # Resolved when first asked for: looking for a GPU imports CuPy, which the compiler does not.
    if name in ("RawModule", "device", "xp"):
        return _chosen()[name]
    if name == "compilers":  # as lessons and learners' notebooks import it
        from .. import compilers

        return compilers
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _chosen() -> dict[str, object]:
    device = os.environ.get("WARPWISE_DEVICE") or ("gpu" if gpu_count() else "simulator")
    unless(
        device in ("gpu", "simulator"),
        ValueError(f"WARPWISE_DEVICE is {device!r}; it can be gpu or simulator"),
    )
    return {
        "device": device,
        "xp": import_module("cupy" if device == "gpu" else "numpy"),
        "RawModule": import_module(f"{__name__}.{device}").RawModule,
    }


def gpu_count() -> int:
    """How many GPUs CuPy can use; 0 where there is no driver."""
    driver = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        ctypes.CDLL(driver)  # without one, spare the time CuPy takes to import
        import cupy
    except (OSError, ImportError):  # the course without its extra [gpu]
        return 0
    try:
        return int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0
