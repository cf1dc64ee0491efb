"""A few steps of a launch as text: what a page shows of a run where no script plays it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

MOST_STEPS = 6
MOST_ROWS = 8  # of a step
ACTIVE, APART, STANDS_BY, WAITS, LEFT = SIGNS = "●○·‖✕"


@dataclass(frozen=True)
class Warps:
    """Neighbouring warps whose lanes are all at the same."""

    first: Annotated[int, Meta(description="The number of the first, from 0.")]
    last: Annotated[int, Meta(description="The number of the last.")]
    lanes: Annotated[
        str,
        Meta(
            description=f"A sign for each lane: `{ACTIVE}` runs, `{APART}` its warp runs without "
            f"it, `{STANDS_BY}` stands by, `{WAITS}` waits, `{LEFT}` has left."
        ),
    ]


@dataclass(frozen=True)
class Step:
    """A stretch of instructions of one source line that the same threads pass together."""

    number: Annotated[int, Meta(description="Which one, from 0.")]
    line: Annotated[int, Meta(description="Its source line, from 1; 0 where it is of none.")]
    warps: Annotated[tuple[Warps, ...], Meta(description="The block's warps, from the first on.")]
    more: Annotated[int, Meta(description="How many warps there are beyond these.")]
    said: Annotated[str, Meta(description="What happens, in a sentence or two.")]
    wrong: Annotated[str, Meta(description="What went wrong at it; empty if nothing.")] = ""


@dataclass(frozen=True)
class Strip:
    """A few steps of one block of a launch, those that lead to where it went wrong."""

    kernel: Annotated[str, Meta(description="The kernel's name.")]
    block: Annotated[tuple[int, int, int], Meta(description="The block's blockIdx.")]
    of: Annotated[int, Meta(description="How many steps the recording has.")]
    steps: Annotated[tuple[Step, ...], Meta(description="The steps, in order.")]
