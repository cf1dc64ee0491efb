"""draw.exchange: which lane gave its register to which, shuffle by shuffle."""

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from textwrap import wrap

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch

from grader.cuda.simulator import Run
from grader.errors import counted

from .picture import (
    BLUE,
    FAINT,
    HATCH,
    INK,
    PALE,
    PAPER,
    RED,
    SMALL,
    WARP,
    Picture,
    Style,
    arrow,
    beside,
    box,
    empty,
    holding,
    middle,
    note,
    require_run,
    source_line,
    swatch,
    top_axis,
)

_MOST_SHUFFLES = 12
_LEFT, _TOP, _ACROSS = 3.2, 1.05, 6.65  # inches
_GUTTER, _INDENT = 3.05, 0.31  # inches, for source lines left of the lanes; for their numbers
_BOX, _GAP, _STEEP = 0.2, 0.3, 0.013  # inches: a lane, the arrows' room, and more for far lanes
_COLUMNS, _LINE = 44, 0.145  # characters of a source line beside the lanes; inches a line
_MANY = 8  # arrows from one lane, which then are thin


@dataclass(frozen=True)
class _Shuffle:
    """One shuffle of warp 0."""

    line: int  # of the source
    source: dict[
        int, int
    ]  # lane that took part -> lane it received from, itself if it kept its own

    @property
    def moved(self) -> dict[int, int]:
        """Receiver -> giver, of those that received another lane's value."""
        return {lane: giver for lane, giver in self.source.items() if giver != lane}

    @property
    def pattern(self) -> str:
        """The one rule that all receivers follow, if there is one."""
        pairs = self.moved.items()
        rules = {  # what each receiver would put into the rule; below 0: it follows another one
            " from lane {}": {giver for _, giver in pairs},
            " from lane + {}": {giver - lane for lane, giver in pairs},
            " from lane - {}": {lane - giver for lane, giver in pairs},
            " from lane ^ {}": {giver ^ lane for lane, giver in pairs},
        } | {
            f" from lane {{}} of their {width}": {
                giver % width if giver // width == lane // width else -1 for lane, giver in pairs
            }
            for width in (2, 4, 8, 16)
        }
        kept = (rule.format(*way) for rule, way in rules.items() if len(way) == 1 and min(way) >= 0)
        return next(kept, "")

    @property
    def counts(self) -> str:
        """E.g. "28 lanes received from lane + 4; 4 kept their own"."""
        received, kept = len(self.moved), len(self.source) - len(self.moved)
        absent = WARP - len(self.source)
        return "; ".join(
            holding(
                {
                    f"{counted(received, 'lane')} received{self.pattern}": True,
                    f"{kept} kept {'its' if kept == 1 else 'their'} own": kept,
                    f"{absent} took no part": absent,
                }
            )
        )

    @property
    def lanes(self) -> str:
        """Which lanes those are that the counts speak of, where no rule tells it."""
        moved = {} if self.pattern else self.moved
        kept, absent = self.source.keys() - self.moved.keys(), set(range(WARP)) - self.source.keys()
        said = "; ".join(
            holding(
                {
                    ", ".join(f"{giver}→{lane}" for lane, giver in moved.items()): moved,
                    f"kept: {_ranges(kept)}": kept,
                    f"no part: {_ranges(absent)}": absent,
                }
            )
        )
        return f" ({said})" if said else ""


def exchange(run: Run) -> Picture:
    """The shuffles of warp 0 of block 0, one below the other: lanes across, an arrow from the
    lane that gave to the lane that received. `run` is what watch() returned."""
    require_run(run, "draw.exchange")
    shuffles = [
        _Shuffle(
            event.line,
            {
                lane: giver
                for lane, giver in np.stack(
                    [event.threads, event.threads if event.source is None else event.source], 1
                ).tolist()
                if lane < WARP
            },
        )
        for event in run.trace.events
        if event.kind == "shuffle" and event.threads.min() < WARP
    ]
    title = "Who received from whom at each shuffle (warp 0 of block 0)"
    if not shuffles:
        return empty(title, "Warp 0 of this run completed no shuffle.", run)
    shown = shuffles[:_MOST_SHUFFLES]
    # The lines left of each shuffle: those of code, unless the shuffle above has the same, and
    # those that count.
    lines = [shuffle.line for shuffle in shown]
    codes = [
        source_line(run, line, 2 * _COLUMNS - 8) if line != above else ""
        for above, line in zip([0, *lines], lines, strict=False)
    ]
    labels = [
        (wrap(code, _COLUMNS, subsequent_indent=" " * 5), shuffle.counts.split("; ", 1))
        for code, shuffle in zip(codes, shown, strict=True)
    ]
    farthest = [
        max((abs(lane - giver) for lane, giver in shuffle.moved.items()), default=0)
        for shuffle in shown
    ]
    steps = (
        max(_BOX + _GAP + _STEEP * far, _LINE * sum(map(len, label)) + 0.05)
        for far, label in zip(farthest, labels, strict=True)
    )
    tops = [*accumulate(steps, initial=0.0)]  # of the rows of boxes
    tall = tops[-1] + _BOX
    picture = Picture(_TOP + tall + 0.4, title, _description(title, shuffles))
    axes = picture.panel(_LEFT, _TOP, _ACROSS, tall)
    axes.set(xlim=(-0.5, WARP - 0.5), ylim=(tall, 0), xticks=range(WARP), yticks=[])
    top_axis(axes, "lane of the warp")
    for lane in range(WARP):  # before the first shuffle
        _paint_lane(axes, lane, 0, edgecolor=FAINT)
    for shuffle, label, above, top in zip(shown, labels, tops, tops[1:], strict=False):
        _paint(axes, shuffle, above + _BOX, top)
        _write_label(axes, *label, middle=(above + top) / 2 + _BOX)
    picture.key(_key(shown))
    picture.foot(
        f"{note(run, len(shown), len(shuffles), 'shuffle')}The number in a box: the lane that it "
        "received from. What lanes do with what they received is not drawn."
    )
    return picture


def _paint_lane(axes: Axes, lane: int, top: float, **style: str) -> None:
    box(axes, (lane - 0.44, top), (0.88, _BOX), **{"facecolor": PAPER, "lw": 0.7} | style)


def _paint(axes: Axes, shuffle: _Shuffle, start: float, end: float) -> None:
    """Arrows from one row of lanes to the next, and that row."""
    moved = shuffle.moved
    thick = 0.6 if max(Counter(moved.values()).values(), default=0) > _MANY else 1.0
    for lane, giver in moved.items():
        axes.add_patch(
            FancyArrowPatch(
                (giver, start),
                (lane, end),
                arrowstyle="-|>",
                mutation_scale=7,
                shrinkA=0,
                shrinkB=0,
                lw=thick,
                color=BLUE if giver > lane else RED,
            )
        )
    absent: Style = {"facecolor": PALE, "edgecolor": PALE}
    kept: Style = {"edgecolor": FAINT, "hatch": HATCH}
    for lane in range(WARP):
        look = {"edgecolor": INK} if lane in moved else kept if lane in shuffle.source else absent
        _paint_lane(axes, lane, end, **look)
    for lane, giver in moved.items():
        middle(axes, lane, end + _BOX / 2, str(giver), va="center_baseline", size=SMALL - 0.5)


def _write_label(axes: Axes, code: list[str], counts: list[str], middle: float) -> None:
    rows: list[tuple[str, float, Style]] = [
        *((text, -_GUTTER, {"size": SMALL - 1, "family": "monospace"}) for text in code),
        *((text, _INDENT - _GUTTER, {"size": SMALL - 0.5}) for text in counts),
    ]
    for number, (text, left, style) in enumerate(rows):
        beside(axes, left / _ACROSS, middle + _LINE * (number - (len(rows) - 1) / 2), text, **style)


def _key(shown: list[_Shuffle]) -> list[Artist]:
    moved = [(lane, giver) for shuffle in shown for lane, giver in shuffle.moved.items()]
    return holding(
        {
            arrow(BLUE, "from a higher lane", 1.4): any(giver > lane for lane, giver in moved),
            arrow(RED, "from a lower lane", 1.4): any(giver < lane for lane, giver in moved),
            swatch(PAPER, "got its own value back", hatch=HATCH): any(
                len(shuffle.moved) < len(shuffle.source) for shuffle in shown
            ),
            swatch(PALE, "took no part (not in the mask)"): any(
                len(shuffle.source) < WARP for shuffle in shown
            ),
        }
    )


def _description(title: str, shuffles: list[_Shuffle]) -> str:
    rows = [
        f"  shuffle {number}, line {shuffle.line}: {shuffle.counts}{shuffle.lanes}"
        for number, shuffle in enumerate(shuffles[:_MOST_SHUFFLES], 1)
    ]
    left = len(shuffles) - len(rows)
    more = [f"  and {counted(left, 'shuffle')} more"] if left else []
    return "\n".join([f"{title}, {counted(len(shuffles), 'shuffle')}:", *rows, *more])


def _ranges(lanes: set[int]) -> str:
    """E.g. "0, 28-31"."""
    firsts = sorted(lane for lane in lanes if lane - 1 not in lanes)
    lasts = sorted(lane for lane in lanes if lane + 1 not in lanes)
    return ", ".join(
        f"{first}-{last}" if last > first else f"{first}"
        for first, last in zip(firsts, lasts, strict=True)
    )
