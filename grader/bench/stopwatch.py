"""Fair times on a GPU: the same conditions for everything that is compared.

The GPU is held back by a kernel that spins until a whole round is queued, so that the host's speed
is not in the times. In a round everybody runs once, in a random order. Every run takes the next
set of buffers, and so many sets there are that what was in the L2 cache is gone when a set's turn
comes again; what a run leaves there to be written back is paid for by whoever comes next.
"""

import itertools
import math
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import cupy
import numpy as np
from cupy.cuda import Event, get_elapsed_time, runtime

from ..cuda import gpu
from .runner import Run
from .timings import Device

COLD = 5  # times the L2 cache is read or written between two runs on the same buffers
MOST_SETS = 64
MOST_MEMORY = 0.4  # of what is free; references and libraries need some as well
FEWEST_ROUNDS, MOST_ROUNDS, WARM_UP = 5, 60, 2
SECONDS = 0.3  # on the GPU, for each of those compared
COPIED = 1 << 31  # bytes
FP32_LANES = 128  # of a multiprocessor, since Ampere's 8.6; one fused multiply-add a cycle each


_SPIN = """
extern "C" __global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {}
}
"""
_MOST_HELD = 0.05  # seconds; a library that waits for the GPU would wait so long in each round


def sets_of_buffers(bytes_moved: int, bytes_held: int) -> int:
    """How many sets are needed until the first is cold again, and as many as fit."""
    needed = math.ceil(COLD * l2_bytes() / bytes_moved) + 1
    fitting = int(MOST_MEMORY * runtime.memGetInfo()[0] / bytes_held)
    return max(1, min(needed, fitting, MOST_SETS))


def times(runs: Sequence[Run], sets: int, bytes_moved: int) -> list[list[float]]:
    """For each of `runs`, its times in ms. What a few sets of little cannot push out of the L2
    cache, a read of something large does before each run."""
    spin = gpu.RawModule(code=_SPIN).get_function("spin")
    cold = sets * bytes_moved >= COLD * l2_bytes()
    stale = cupy.zeros(0 if cold else COLD * l2_bytes() // 4, cupy.float32)
    total = cupy.empty((), cupy.float32)
    order, turn = np.random.default_rng(0), itertools.cycle(range(sets))
    found: list[list[float]] = [[] for _ in runs]
    held = _MOST_HELD
    for number in range(1, WARM_UP + MOST_ROUNDS + 1):
        spin((1,), (1,), (np.int64(held * _clock_hertz()),))  # nobody waits for it
        began = time.perf_counter()
        marks = []
        for i in order.permutation(len(runs)):
            if not cold:
                stale.sum(out=total)
            start, end = Event(), Event()
            start.record()
            runs[i](next(turn))
            end.record()
            marks.append((i, start, end))
        held = min(1.5 * (time.perf_counter() - began), _MOST_HELD)
        cupy.cuda.Device().synchronize()
        if number > WARM_UP:
            for i, start, end in marks:
                found[i].append(get_elapsed_time(start, end))
        if number >= WARM_UP + FEWEST_ROUNDS and sum(map(sum, found)) > SECONDS * 1e3 * len(runs):
            break
    return found


def device() -> Device:
    """This machine's GPU, its copy measured now."""
    lanes = _attribute("MultiProcessorCount") * FP32_LANES
    cuda = {
        "CUDA driver": _cuda_version(runtime.driverGetVersion()),
        "CUDA runtime": _cuda_version(runtime.runtimeGetVersion()),
    }
    return Device(
        name=runtime.getDeviceProperties(0)["name"].decode(),
        date=date.today().isoformat(),
        copy_gb_per_s=round(_copy_gb_per_s()),
        peak_gflop_per_s=round(lanes * 2 * _clock_hertz() / 1e9),
        l2_bytes=l2_bytes(),
        versions={**cuda, "CuPy": cupy.__version__},
    )


def libraries() -> dict[str, str]:
    """The versions of the libraries that may have been measured: those that are installed."""
    names = {
        "PyTorch": "torch",
        "Triton": "triton",
        "QuACK": "quack-kernels",
        "CUTLASS DSL": "nvidia-cutlass-dsl",
    }
    found = {}
    for name, distribution in names.items():
        with suppress(PackageNotFoundError):
            found[name] = version(distribution)
    return found


def l2_bytes() -> int:
    return _attribute("L2CacheSize")


def _clock_hertz() -> float:
    return _attribute("ClockRate") * 1e3


@cache
def _attribute(name: str) -> int:
    return int(cupy.cuda.Device().attributes[name])


def _cuda_version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _copy_gb_per_s() -> float:
    """Bytes read and written a second by the largest copy that is sure to fit, in 1e9."""
    size = min(COPIED, runtime.memGetInfo()[0] // 4)
    source, target = cupy.ones(size, cupy.uint8), cupy.empty(size, cupy.uint8)
    (taken,) = times([lambda _: cupy.copyto(target, source)], 1, 2 * size)
    return float(2 * size / np.median(taken) / 1e6)
