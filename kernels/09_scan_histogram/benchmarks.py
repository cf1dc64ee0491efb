"""What a scan of a grid and a histogram of bytes take on a GPU, next to libraries."""

from __future__ import annotations

import numpy as np

from grader.course import Benchmark, Launch, Variant

BLOCK = 256
BINS = 256
MOST_BLOCKS = 8 * 132  # eight for each multiprocessor of an H200


def blocks_for(n: int) -> int:
    return -(-n // BLOCK)


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
    }


def _one_pass(size):
    (n,) = size
    args = ("x", "y", "own", "up_to", "state", "counts", np.int32(n))
    return (Launch("scan_grid", blocks_for(n), BLOCK, args),)


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
    sizes=((1 << 20,), (1 << 24,), (1 << 26,)),
    tiny=(1000,),
    arrays=_scan_arrays,
    result="y",
    reference=lambda arrays: arrays["x"].astype("float64").cumsum(),
    rtol=1e-4,
    bytes=lambda size: 2 * 4 * size[0],
    variants={"look-back by one thread": Variant("5_look_back.cu", _one_pass)},
    libraries={"CuPy": _cupy_scan, "PyTorch": _torch_scan},
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
