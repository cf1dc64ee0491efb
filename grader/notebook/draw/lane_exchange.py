"""draw.exchange: which lane gave its register to which, shuffle by shuffle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle

from grader.counted import counted
from grader.cuda.simulator import Event, Run

from .picture import (
    BLUE,
    FAINT,
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
    empty,
    note,
    require_run,
    source_line,
    swatch,
    top_axis,
)

_MOST_LEVELS = 12
_LEFT, _TOP, _ACROSS = 3.2, 1.05, 6.65  # inches
_GUTTER, _INDENT = 3.05, 0.31  # inches, for source lines left of the lanes; for their numbers
_BOX, _GAP, _STEEP = 0.2, 0.3, 0.013  # inches: a lane, the arrows' room, and more for far lanes
_COLUMNS, _LINE = 44, 0.145  # characters of a source line beside the lanes; inches a line
_MANY = 8  # arrows from one lane, which then are thin
_HATCH = "/////"
_LEGEND = (
    "The number in a box: the lane that it received from. What lanes do with what they received "
    "is not drawn."
)


@dataclass(frozen=True)
class _Level:
    """One shuffle of warp 0: `source` maps each lane that took part to the lane it received
    from, itself where it kept its value."""

    line: int
    source: dict[int, int]

    @property
    def moved(self) -> dict[int, int]:
        """Receiver -> giver, of those that received another lane's value."""
        return {lane: giver for lane, giver in self.source.items() if giver != lane}

    @property
    def farthest(self) -> int:
        return max((abs(lane - giver) for lane, giver in self.moved.items()), default=0)


def exchange(run: Run) -> Picture:
    """The shuffles of warp 0 of block 0, one below the other: lanes across, an arrow from the
    lane that gave to the lane that received. `run` is what watch() returned."""
    require_run(run, "draw.exchange")
    levels = _levels(run.trace.events)
    title = "Who received from whom at each shuffle (warp 0 of block 0)"
    if not levels:
        return empty(title, run, "Warp 0 of this run completed no shuffle.")
    shown = levels[:_MOST_LEVELS]
    labels = _labels(run, shown)
    pitch = [_pitch(level, *label) for level, label in zip(shown, labels, strict=True)]
    tops = np.cumsum([0.0, *pitch])  # of the rows of boxes
    tall = tops[-1] + _BOX
    picture = Picture(_TOP + tall + 0.4, title, _description(title, levels))
    axes = picture.panel(_LEFT, _TOP, _ACROSS, tall)
    axes.set(xlim=(-0.5, WARP - 0.5), ylim=(tall, 0), yticks=[])
    _name_lanes(axes)
    for level, label, above, top in zip(shown, labels, tops, tops[1:], strict=False):
        _paint_arrows(axes, level, above + _BOX, top)
        _paint_lanes(axes, level, top)
        _write_label(axes, *label, middle=(above + top) / 2 + _BOX)
    _explain(picture, shown)
    left_out = note(run, len(shown), len(levels), "shuffle")
    picture.write(0.15, picture.height - 0.13, left_out + _LEGEND)
    return picture


def _levels(events: Iterable[Event]) -> list[_Level]:
    levels = []
    for event in events:
        mine = event.threads < WARP
        if event.kind == "shuffle" and mine.any():
            sources = event.threads if event.source is None else event.source
            pairs = zip(event.threads[mine].tolist(), sources[mine].tolist(), strict=True)
            levels.append(_Level(event.line, dict(pairs)))
    return levels


def _labels(run: Run, shown: list[_Level]) -> list[tuple[list[str], list[str]]]:
    """For each level, what stands left of it: lines of code, unless they are those of the level
    above, and lines that count."""
    labels, above = [], None
    for level in shown:
        code = _code(run, level.line) if level.line != above else []
        labels.append((code, _counts(level).split("; ", 1)))
        above = level.line
    return labels


def _pitch(level: _Level, code: list[str], counts: list[str]) -> float:
    """Inches from a row to the next: room for the label, and for arrows that stay apart, so the
    more the farther a value goes."""
    label = _LINE * (len(code) + len(counts)) + 0.05
    return max(_BOX + _GAP + _STEEP * level.farthest, label)


def _name_lanes(axes: Axes) -> None:
    """The first row: every lane before the first shuffle, and its number above."""
    top_axis(axes, "lane of the warp")
    axes.set_xticks(range(WARP))
    for lane in range(WARP):
        axes.add_patch(_box(lane, 0, facecolor=PAPER, edgecolor=FAINT))


def _box(lane: int, top: float, **style: Any) -> Rectangle:
    return Rectangle((lane - 0.44, top), 0.88, _BOX, lw=0.7, clip_on=False, **style)


def _paint_arrows(axes: Axes, level: _Level, start: float, end: float) -> None:
    style: Style = {"arrowstyle": "-|>", "mutation_scale": 7, "shrinkA": 0, "shrinkB": 0}
    style["lw"] = 0.6 if max(Counter(level.moved.values()).values(), default=0) > _MANY else 1.0
    for lane, giver in level.moved.items():
        colour = BLUE if giver > lane else RED
        axes.add_patch(FancyArrowPatch((giver, start), (lane, end), color=colour, **style))


def _paint_lanes(axes: Axes, level: _Level, top: float) -> None:
    for lane in range(WARP):
        giver = level.source.get(lane)
        if giver is None:
            axes.add_patch(_box(lane, top, facecolor=PALE, edgecolor=PALE))
            continue
        if giver == lane:
            axes.add_patch(_box(lane, top, facecolor=PAPER, edgecolor=FAINT, hatch=_HATCH))
            continue
        axes.add_patch(_box(lane, top, facecolor=PAPER, edgecolor=INK))
        middle: Style = {"ha": "center", "va": "center_baseline", "size": SMALL - 0.5, "color": INK}
        axes.text(lane, top + _BOX / 2, str(giver), **middle)


def _code(run: Run, line: int) -> list[str]:
    """Source line `line` with its number, folded to fit beside the lanes."""
    return wrap(source_line(run, line, 2 * _COLUMNS - 8), _COLUMNS, subsequent_indent=" " * 5)


def _write_label(axes: Axes, code: list[str], counts: list[str], middle: float) -> None:
    height = middle - _LINE * (len(code) + len(counts) - 1) / 2
    for text in code:
        beside(axes, -_GUTTER / _ACROSS, height, text, size=SMALL - 1, family="monospace")
        height += _LINE
    for text in counts:
        beside(axes, (_INDENT - _GUTTER) / _ACROSS, height, text, size=SMALL - 0.5)
        height += _LINE


def _counts(level: _Level) -> str:
    """E.g. "28 lanes received from lane + 4; 4 kept their own"."""
    received, kept = len(level.moved), len(level.source) - len(level.moved)
    parts = [f"{counted(received, 'lane')} received{_pattern(level.moved)}"]
    if kept:
        parts.append(f"{kept} kept {'its' if kept == 1 else 'their'} own")
    if len(level.source) < WARP:
        parts.append(f"{WARP - len(level.source)} took no part")
    return "; ".join(parts)


def _pattern(moved: dict[int, int]) -> str:
    """The one rule that all receivers follow, if there is one."""
    givers, steps, flips = set(moved.values()), set(), set()
    for lane, giver in moved.items():
        steps.add(giver - lane)
        flips.add(giver ^ lane)
    if len(givers) == 1:
        return f" from lane {givers.pop()}"
    if len(steps) == 1:
        step = steps.pop()
        return f" from lane {'+' if step > 0 else '-'} {abs(step)}"
    if len(flips) == 1:
        return f" from lane ^ {flips.pop()}"
    for width in (2, 4, 8, 16):
        places = {giver % width for giver in givers}
        together = all(lane // width == giver // width for lane, giver in moved.items())
        if together and len(places) == 1:
            return f" from lane {places.pop()} of their {width}"
    return ""


def _explain(picture: Picture, shown: list[_Level]) -> None:
    moved = [(lane, giver) for level in shown for lane, giver in level.moved.items()]
    handles: list[Artist] = []
    if any(giver > lane for lane, giver in moved):
        handles.append(arrow(BLUE, "from a higher lane", 1.4))
    if any(giver < lane for lane, giver in moved):
        handles.append(arrow(RED, "from a lower lane", 1.4))
    if any(len(level.moved) < len(level.source) for level in shown):
        handles.append(swatch(PAPER, "got its own value back", hatch=_HATCH))
    if any(len(level.source) < WARP for level in shown):
        handles.append(swatch(PALE, "took no part (not in the mask)"))
    picture.key(handles)


def _description(title: str, levels: list[_Level]) -> str:
    rows = [
        f"  shuffle {number}, line {level.line}: {_counts(level)}{_ways(level)}"
        for number, level in enumerate(levels[:_MOST_LEVELS], 1)
    ]
    if len(rows) < len(levels):
        rows.append(f"  and {counted(len(levels) - len(rows), 'shuffle')} more")
    return "\n".join([f"{title}, {counted(len(levels), 'shuffle')}:", *rows])


def _ways(level: _Level) -> str:
    """Which lanes those are that the counts speak of, where no rule tells it."""
    parts = []
    if level.moved and not _pattern(level.moved):
        parts.append(", ".join(f"{giver}→{lane}" for lane, giver in level.moved.items()))
    if kept := level.source.keys() - level.moved.keys():
        parts.append(f"kept: {_ranges(kept)}")
    if len(level.source) < WARP:
        parts.append(f"no part: {_ranges(set(range(WARP)) - level.source.keys())}")
    return f" ({'; '.join(parts)})" if parts else ""


def _ranges(lanes: set[int]) -> str:
    """E.g. "0, 28-31"."""
    firsts = sorted(lane for lane in lanes if lane - 1 not in lanes)
    lasts = sorted(lane for lane in lanes if lane + 1 not in lanes)
    pairs = zip(firsts, lasts, strict=True)
    return ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in pairs)
