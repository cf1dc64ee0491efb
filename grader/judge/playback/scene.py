"""What is to be recorded of a case to see how it went wrong: one launch, in one block or a few."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from ...cuda.kernel import Extent
from ...machine.events import Observer
from ...machine.lanes import WARP
from ...watch.observe import Kind
from ...watch.recorder import recording

STEPS = 20_000  # instructions a wave of blocks: a recording is looked at, and somebody waits for it
FIRST_BLOCKS = (0, 1, 2, 3)
_MOST_THREADS = 128  # recorded: what went wrong is in one block

Blocks = Sequence[int | Extent]  # by number, or by blockIdx


def blocks_around(block: Extent | None, threads: int) -> Blocks:
    """The first few blocks, of so many threads each; or that one, if it is none of those that are
    recorded."""
    if block is None:
        return FIRST_BLOCKS
    number, y, z = block
    warps = -(-threads // WARP)
    recorded = FIRST_BLOCKS[: max(1, _MOST_THREADS // (warps * WARP))]
    return FIRST_BLOCKS if number in recorded and not (y or z) else (block,)


def one_launch(blocks: Blocks, launch: int) -> Kind:
    """What records these blocks of one launch of several, counted from 1, or of each (0)."""
    record, numbers = recording(blocks, _MOST_THREADS), count(1)
    return lambda report: record(report) if next(numbers) == launch or not launch else Observer()
