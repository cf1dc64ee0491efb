"""What a scan of a grid and a histogram take on a GPU, next to libraries."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from grader.course import Benchmark, Launch, Variant

BLOCK = 256
BINS = 256
MULTIPROCESSORS = 132  # of an H100 and an H200
MOST_BLOCKS = 8 * MULTIPROCESSORS
TILE = 8192  # elements, of 9_scan_ring.cu
RING = 6 * 4 * TILE  # bytes


def blocks_for(n: int) -> int:
    return -(-n // BLOCK)


# --- CUB ---------------------------------------------------------------------------------------

CUB = """
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_scan.cuh>

extern "C" int scan(void* room, size_t* bytes, const float* x, float* y, size_t n) {
    return cub::DeviceScan::InclusiveSum(room, *bytes, x, y, n);
}

extern "C" int histogram(void* room, size_t* bytes, const int* values, int* bins, size_t n) {
    const long long count = n;
    return cub::DeviceHistogram::HistogramEven(room, *bytes, values, bins, 257, 0, 256, count);
}
"""


@cache
def _cub() -> ctypes.CDLL:
    """CUB's functions for a whole GPU, which only nvcc compiles. ImportError if there is none."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise ImportError("nvcc")
    folder = Path(tempfile.mkdtemp(prefix="warpwise-"))
    (folder / "cub.cu").write_text(CUB, encoding="utf-8")
    options = ("-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler=-fPIC")
    command = [nvcc, *options, "-o", str(folder / "cub.so"), str(folder / "cub.cu")]
    subprocess.run(command, check=True, capture_output=True)
    return ctypes.CDLL(str(folder / "cub.so"))


def _by_cub(function: str, source: str, target: str):
    """A library: CUB's `function` from the array called `source` to that called `target`."""

    def prepare(arrays) -> Callable[[], object]:
        import cupy

        call, bytes_needed = getattr(_cub(), function), ctypes.c_size_t()
        x, y = (ctypes.c_void_p(arrays[name].data.ptr) for name in (source, target))
        args = (ctypes.byref(bytes_needed), x, y, ctypes.c_size_t(arrays[source].size))
        call(None, *args)  # only says how much room it needs
        room = cupy.empty(bytes_needed.value, cupy.uint8)

        def run() -> None:
            if error := call(ctypes.c_void_p(room.data.ptr), *args):
                raise RuntimeError(f"CUDA error {error}")

        return run

    return prepare


# --- scan --------------------------------------------------------------------------------------


def _scan_arrays(xp, size):
    (n,) = size
    tiles = blocks_for(n)
    return {
        "x": xp.random.default_rng(0).random(n, dtype=xp.float32),
        "y": xp.empty(n, xp.float32),
        "own": xp.empty(tiles, xp.float32),
        "up_to": xp.empty(tiles, xp.float32),
        "state": xp.zeros(tiles, xp.uint32),
        "counts": xp.zeros(2, xp.uint32),
        "states": xp.empty(-(-n // TILE), xp.uint64),
    }


def _one_pass(size):
    (n,) = size
    if n > 1 << 26:  # blocks_for(n) would be more than a million tiles
        return ()
    args = ("x", "y", "own", "up_to", "state", "counts", np.int32(n))
    return (Launch("scan_grid", blocks_for(n), BLOCK, args),)


def _in_a_ring(size):
    (n,) = size
    tiles = -(-n // TILE)
    blocks, args = min(MULTIPROCESSORS, tiles), ("x", "y", "states", np.uint64(n))
    return (
        Launch("clear_states", blocks_for(tiles), BLOCK, ("states", np.int32(tiles))),
        Launch("scan_ring", blocks, 352, args, shared_mem=RING, cooperative=True),
    )


def _cupy_scan(arrays):
    x, y = arrays["x"], arrays["y"]
    return lambda: x.cumsum(out=y)


def _torch_scan(arrays):
    import torch

    x, y = (torch.from_dlpack(arrays[name]) for name in ("x", "y"))

    def running_sums():
        torch.cumsum(x, dim=0, out=y)

    return running_sums


scan = Benchmark(
    name="scan",
    title="Inclusive scan of a long vector, fp32",
    sizes=((1 << 20,), (1 << 24,), (1 << 26,), (1 << 28,)),
    tiny=(1000,),
    arrays=_scan_arrays,
    result="y",
    reference=lambda arrays: arrays["x"].astype("float64").cumsum(),
    rtol=1e-4,
    bytes=lambda size: 2 * 4 * size[0],
    variants={
        "look-back by one thread": Variant("5_look_back.cu", _one_pass),
        "ring": Variant("9_scan_ring.cu", _in_a_ring),
    },
    libraries={"CuPy": _cupy_scan, "PyTorch": _torch_scan, "CUB": _by_cub("scan", "x", "y")},
)


# --- histogram ---------------------------------------------------------------------------------


def _bytes_below(most: int):
    def arrays(xp, size):
        (n,) = size
        values = xp.random.default_rng(0).integers(0, most, n, dtype=xp.uint8)
        return {"values": values, "bins": xp.empty(BINS, xp.int32)}

    return arrays


def _private(size):
    (n,) = size
    blocks = min(MOST_BLOCKS, blocks_for(n))
    return (
        Launch("clear", 1, BINS, ("bins",)),
        Launch("private_bins", blocks, BLOCK, ("values", "bins", np.int32(n))),
    )


def _one_block(size):
    return (Launch("together", 1, BLOCK, ("values", "bins", np.int32(size[0]))),)


def _cupy_bins(arrays):
    import cupy

    values = arrays["values"]
    return lambda: cupy.bincount(values, minlength=BINS)


def _torch_bins(arrays):
    import torch

    values = torch.from_dlpack(arrays["values"])
    return lambda: torch.bincount(values, minlength=BINS)


def _reference(arrays):
    # NumPy's function calls CuPy's if the array is on the device.
    return np.bincount(arrays["values"], minlength=BINS).astype("float64")


def _counted(name: str, title: str, most: int) -> Benchmark:
    return Benchmark(
        name=name,
        title=title,
        sizes=((1 << 20,), (1 << 24,), (1 << 28,)),
        tiny=(1000,),
        arrays=_bytes_below(most),
        result="bins",
        reference=_reference,
        rtol=1e-9,
        bytes=lambda size: size[0],
        variants={
            "bins of each block": Variant("8_private_bins.cu", _private),
            "one block, lanes that agree": Variant("9_together.cu", _one_block),
        },
        libraries={"CuPy": _cupy_bins, "PyTorch": _torch_bins},
    )


histogram = _counted("histogram", "Histogram of random bytes", 256)
one_value = _counted("one_value", "Histogram of bytes that are all alike", 1)


# --- histogram of whole numbers ----------------------------------------------------------------


def _numbers_below(most: int):
    def arrays(xp, size):
        (n,) = size
        values = xp.random.default_rng(0).integers(0, most, n, dtype=xp.int32)
        return {"values": values, "bins": xp.empty(BINS, xp.int32)}

    return arrays


def _of_lanes(size):
    (n,) = size
    blocks = min(2 * MULTIPROCESSORS, -(-n // 1024))
    return (
        Launch("clear_bins", 1, BINS, ("bins",)),
        Launch("lane_bins", blocks, 1024, ("values", "bins", np.uint64(n))),
    )


def _torch_histc(arrays):
    import torch

    values = torch.from_dlpack(arrays["values"])
    return lambda: torch.histc(values, bins=BINS, min=0, max=BINS)


def _of_numbers(name: str, title: str, most: int) -> Benchmark:
    return Benchmark(
        name=name,
        title=title,
        sizes=((1 << 20,), (1 << 24,), (1 << 28,)),
        tiny=(1003,),
        arrays=_numbers_below(most),
        result="bins",
        reference=_reference,
        rtol=1e-9,
        bytes=lambda size: 4 * size[0],
        variants={"bins of each lane": Variant("9_lane_bins.cu", _of_lanes)},
        libraries={
            "CuPy": _cupy_bins,
            "PyTorch": _torch_bins,
            "torch.histc": _torch_histc,
            "CUB": _by_cub("histogram", "values", "bins"),
        },
    )


numbers = _of_numbers("numbers", "Histogram of random int32 from 0 to 255", 256)
one_number = _of_numbers("one_number", "Histogram of int32 that are all alike", 1)
