"""Kernels that pay for memory, atomics and barriers in many different ways, with their launches."""

from pathlib import Path

import numpy as np

from ...course import Dim, Launch
from ...cuda.work import Work

_LANE = np.arange(32)
_N = 5000  # not a multiple of a block

# Cells that the lanes of a warp go to, by what is notable about them. Neighbours that share a
# cell, or stay away, change how many lanes are served at once when cells are wide.
CELLS = {
    "one after the other": _LANE,
    "every second": _LANE * 2,
    "every fourth": _LANE * 4,
    "every fourth, padded": _LANE * 4 + _LANE // 8,
    "all the same": _LANE * 0,
    "two lanes a cell": _LANE // 2,
    "lanes 0 and 2 share": _LANE // 4 * 2 + _LANE % 2,
    "lanes 0 and 4 share": _LANE // 8 * 4 + _LANE % 4,
    "halves the same": _LANE % 16,
    "quarters the same": _LANE % 8,
    "first half only": np.where(_LANE < 16, _LANE, -1),
    "first quarter only": np.where(_LANE < 8, _LANE, -1),
    "even lanes only": np.where(_LANE % 2 == 0, _LANE, -1),
    "shuffled": np.random.default_rng(0).permutation(32),
    "random": np.random.default_rng(0).permutation(256)[:32],
}
COMMON = {  # two lanes would write one cell
    *("two lanes a cell", "lanes 0 and 2 share", "lanes 0 and 4 share", "all the same"),
    *("halves the same", "quarters the same"),
}


def works() -> list[Work]:
    """Every microbenchmark, once for each launch."""
    x, n, blocks = _floats(_N), np.int32(_N), -(-_N // 256)
    side, square = 96, _floats(96 * 96)
    index = np.random.default_rng(1).integers(0, _N, _N).astype(np.int32)
    whole = np.random.default_rng(2).integers(0, 64, _N).astype(np.int32)
    counts, few, int8 = np.zeros(64, np.int32), np.zeros(8, np.int32), x.view(np.int8)[:_N]
    moved = [
        *(("copy_strided", stride) for stride in (1, 2, 3, 8, 32)),
        *(("copy_shifted", shift) for shift in (1, 4, 8)),
    ]
    by_256, rows = (blocks, 256), (square, "y", np.int32(side))
    return [
        *(
            _work(name, "copies.cu", by_256, (x, "y", np.int32(by), n), note=f" by {by}", y=_N)
            for name, by in moved
        ),
        _work("copy_wide", "copies.cu", (-(-_N // 1024), 256), (x, "y", np.int32(_N // 4)), y=_N),
        _work("copy_bytes", "copies.cu", by_256, (int8, "y", n), dtype=np.int8, y=_N),
        _work("spread_one", "copies.cu", by_256, (x, "y", n), y=_N),
        _work("gather", "copies.cu", by_256, (x, index, "y", n), y=_N),
        _work("stencil", "stencil.cu", by_256, (x, "y", n), y=_N),
        *(
            _work(f"transpose_{how}", "transposes.cu", ((3, 3), (32, 8)), rows, y=side * side)
            for how in ("naive", "tiled", "padded")
        ),
        *(
            _work(
                name,
                "matmul.cu",
                ((6, 6), (16, 16)),
                (square, square, "c", np.int32(side)),
                c=side * side,
            )
            for name in ("matmul_naive", "matmul_tiled")
        ),
        block_sums(_N),
        _work("sum_by_cub", "block_sums.cu", by_256, (x, "y", n), y=blocks),
        _work("scan_by_cub", "block_sums.cu", by_256, (x, "y", n), y=_N),
        softmax(4, 1000),
        _work("histogram_global", "histograms.cu", by_256, (whole, counts, n)),
        _work("histogram_shared", "histograms.cu", (4, 256), (whole, counts, n)),
        _work("tickets", "histograms.cu", by_256, (few, "mine", n), dtype=np.int32, mine=_N),
        *(_pattern("read", width, name) for width in (4, 8, 16) for name in CELLS),
        *(_pattern("write", width, n) for width in (4, 8, 16) for n in CELLS if n not in COMMON),
    ]


def softmax(rows: int, columns: int) -> Work:
    """Online softmax of float32[rows, columns], 256 threads per row."""
    x = _floats(rows * columns)
    return _work("softmax", "softmax.cu", (rows, 256), (x, "y", np.int32(columns)), y=x.size)


def block_sums(n: int) -> Work:
    """Sums of 256 elements of float32[n] each, one a block."""
    args, blocks = (_floats(n), "y", np.int32(n)), -(-n // 256)
    return _work("sum_by_shuffles", "block_sums.cu", (blocks, 256), args, y=blocks)


def _pattern(verb: str, width: int, name: str) -> Work:
    """One warp; cells of `width` bytes."""
    dtype, numbers = (np.float64, 1) if width == 8 else (np.float32, width // 4)
    return _work(
        f"{verb}_{width}_bytes",
        "shared_patterns.cu",
        (1, 32),
        (_floats(256 * numbers).astype(dtype), CELLS[name].astype(np.int32), "y"),
        note=f", {name}",
        dtype=dtype,
        y=256 * numbers,
    )


def _work(
    kernel: str,
    file: str,
    shape: tuple[Dim, Dim],
    args: tuple[str | np.ndarray | np.generic, ...],
    *,
    note: str = "",
    dtype: type[np.generic] = np.float32,
    **blank: int,
) -> Work:
    """`shape` is the grid and the block. Arrays among `args` are inputs; `blank` has the lengths of
    outputs, of type `dtype`."""
    named = [f"input {k}" if isinstance(a, np.ndarray) else a for k, a in enumerate(args)]
    return Work(
        kernel + note,
        (Path(__file__).parent / file).read_text(encoding="utf-8"),
        (Launch(kernel, *shape, tuple(named)),),
        {f"input {k}": a for k, a in enumerate(args) if isinstance(a, np.ndarray)},
        {name: ((length,), dtype) for name, length in blank.items()},
    )


def _floats(n: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(n, np.float32)
