"""Expand and where at four dimensions (A, B, C, D), along which different operands are expanded."""

from __future__ import annotations

from math import prod

import numpy as np

from grader.course import Benchmark, Launch, Variant

SIZES = ((8, 8, 512, 128), (16, 16, 512, 128), (32, 32, 512, 128), (64, 64, 512, 128))
TINY = (2, 3, 5, 8)  # D is a multiple of 4, as the 16-byte stores ask
BLOCK = 256
LINES = 8  # of D elements each, for a block of the kernels that do not divide


def walk(xp, size) -> dict:
    """What the kernels with a loop over the dimensions need to know about the shape."""
    shifts = [(extent - 1).bit_length() for extent in size]
    multipliers = [
        2 ** (32 + shift) // extent + 1 - 2**32 for extent, shift in zip(size, shifts, strict=True)
    ]
    return {
        "shape": xp.array(size, np.uint32),
        "multipliers": xp.array(multipliers, np.uint32),
        "shifts": xp.array(shifts, np.int32),
    }


def a_thread_an_element(kernel: str, size, *args) -> tuple[Launch, ...]:
    return (Launch(kernel, -(-prod(size) // BLOCK), BLOCK, args),)


def a_warp_a_line(kernel: str, size, *args) -> tuple[Launch, ...]:
    a, b, c, d = size
    sizes = (np.int32(c), np.int32(d))
    return (Launch(kernel, (-(-c // LINES), b, a), (32, LINES), (*args, *sizes)),)


# --- expand: x is (A, 1, C, 1) -----------------------------------------------------------------


def expand_arrays(xp, size) -> dict:
    a, _, c, _ = size
    return {
        "x": xp.random.default_rng(0).standard_normal((a, 1, c, 1), dtype=xp.float32),
        "out": xp.empty(size, xp.float32),
        **walk(xp, size),
        "strides": xp.array([c, 0, 1, 0], np.int32),
    }


def expanded(arrays):
    _, b, _, d = arrays["out"].shape
    return arrays["x"].astype("float64").repeat(b, axis=1).repeat(d, axis=3)


def dividing_expand(size):
    scalars = (np.int32(4), np.uint32(0), np.int32(prod(size)))
    return a_thread_an_element("expand", size, "x", "out", "shape", "strides", *scalars)


def multiplying_expand(size):
    names = ("x", "out", "shape", "multipliers", "shifts", "strides")
    scalars = (np.int32(4), np.uint32(0), np.int32(prod(size)))
    return a_thread_an_element("fast_expand", size, *names, *scalars)


def cupy_expand(arrays):
    import cupy

    x, out = arrays["x"], arrays["out"]
    return lambda: cupy.copyto(out, x)


def torch_expand(arrays):
    import torch

    x, out = (torch.as_tensor(arrays[name], device="cuda") for name in ("x", "out"))
    return lambda: out.copy_(x)


expand = Benchmark(
    name="expand",
    title="Expand A x 1 x C x 1 to A x B x C x D",
    sizes=SIZES,
    extents=("A", "B", "C", "D"),
    arrays=expand_arrays,
    result="out",
    reference=expanded,
    rtol=0.0,
    bytes=lambda size: 4 * (size[0] * size[2] + prod(size)),
    variants={
        "dividing": Variant("4_expand.cu", dividing_expand),
        "multiplying": Variant("7_fast_expand.cu", multiplying_expand),
        "grid, 16 bytes": Variant(
            "8_expand_grid.cu", lambda size: a_warp_a_line("expand_grid", size, "x", "out")
        ),
    },
    libraries={"CuPy": cupy_expand, "PyTorch": torch_expand},
    tiny=TINY,
)


# --- where: cond is (A, 1, C, D), x is (1, B, C, 1), y is (A, B, 1, D) --------------------------


def where_arrays(xp, size) -> dict:
    a, b, c, d = size
    rng = xp.random.default_rng(0)
    return {
        "cond": (rng.random((a, 1, c, d), dtype=xp.float32) < 0.5).astype(xp.uint8),
        "x": rng.standard_normal((1, b, c, 1), dtype=xp.float32),
        "y": rng.standard_normal((a, b, 1, d), dtype=xp.float32),
        "out": xp.empty(size, xp.float32),
        **walk(xp, size),
        "cond_strides": xp.array([c * d, 0, d, 1], np.int32),
        "x_strides": xp.array([0, c, 1, 0], np.int32),
        "y_strides": xp.array([b * d, d, 0, 1], np.int32),
    }


STRIDES = ("cond_strides", "x_strides", "y_strides")
OPERANDS = ("cond", "x", "y", "out")


def where_in_flight(size):
    """Four lines of D elements per thread, two such rows of threads per block."""
    a, b, c, d = size
    args = (*OPERANDS, np.int32(c), np.int32(d))
    return (Launch("where_lines_4", (-(-c // 8), b, a), (32, 2), args),)


def dividing_where(size):
    scalars = (np.int32(4), np.int32(prod(size)))
    return a_thread_an_element("where", size, *OPERANDS, "shape", *STRIDES, *scalars)


def multiplying_where(size):
    names = (*OPERANDS, "shape", "multipliers", "shifts", *STRIDES)
    return a_thread_an_element("fast_where", size, *names, np.int32(4), np.int32(prod(size)))


def cupy_where(arrays):
    import cupy

    cond, x, y = arrays["cond"].view(bool), arrays["x"], arrays["y"]
    return lambda: cupy.where(cond, x, y)


def torch_where(arrays):
    import torch

    cond, x, y, out = (torch.as_tensor(arrays[name], device="cuda") for name in OPERANDS)
    return lambda: torch.where(cond.view(torch.bool), x, y, out=out)


def compiled_where(arrays):
    import torch

    cond, x, y = (torch.as_tensor(arrays[name], device="cuda") for name in OPERANDS[:3])
    where = torch.compile(torch.where)
    return lambda: where(cond.view(torch.bool), x, y)


where = Benchmark(
    name="where",
    title="where, a mask A x 1 x C x D, x 1 x B x C x 1 and y A x B x 1 x D",
    sizes=SIZES,
    extents=("A", "B", "C", "D"),
    arrays=where_arrays,
    result="out",
    reference=lambda arrays: (
        arrays["x"].astype("float64") * arrays["cond"] + arrays["y"] * (1.0 - arrays["cond"])
    ),
    rtol=0.0,
    bytes=lambda size: (
        size[0] * size[2] * size[3]
        + 4 * (size[1] * size[2] + size[0] * size[1] * size[3] + prod(size))
    ),
    variants={
        "dividing": Variant("5_where.cu", dividing_where),
        "multiplying": Variant("8_fast_where.cu", multiplying_where),
        "grid, 16 bytes": Variant(
            "9_where_grid.cu", lambda size: a_warp_a_line("where_grid", size, *OPERANDS)
        ),
        "lines in flight": Variant("9_lines_in_flight.cu", where_in_flight),
    },
    libraries={"CuPy": cupy_where, "PyTorch": torch_where, "torch.compile": compiled_where},
    tiny=TINY,
)
