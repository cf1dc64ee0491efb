"""draw.lanes: which threads of block 0 were active at each step. draw.banks: how many words each
shared-memory bank had to hand out, access by access.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.patches import Patch

from grader.counted import counted
from grader.cuda.simulator import Event, Run

from .moments import Moment, addresses, moments
from .picture import (
    ACTIVITY,
    FAINT,
    INK,
    PALE,
    SMALL,
    WARP,
    Picture,
    Style,
    activity,
    activity_key,
    beside,
    empty,
    index_axis,
    note,
    source_line,
    swatch,
    top_axis,
)

# ---- lanes ----

_MOST_STEPS = 60
_LEGEND = (
    "Dashed: a barrier. Lines that the same threads passed between two barriers are shown once, "
    "however often they looped."
)
_STEP, _STEP_LEFT, _STEP_TOP, _STEP_ACROSS = 0.21, 3.45, 1.2, 5.0  # inches
_STEP_GUTTER = 3.3  # inches, for the source lines left of the grid


def lanes(run: Run) -> Picture:
    """Steps down, threads across, warps marked off; a lane that idles while its warp works is
    paid for and not used. A step is one source line. Lines that the same threads pass one after
    the other between two barriers stand in source order, each once: the compiler mixes them."""
    steps = _steps(moments(run.trace.events, ("execute",)))
    title = "Which threads were active at each step (block 0)"
    if not steps:
        return empty(title, run, "No thread of this run got as far as an instruction.")
    shown = steps[:_MOST_STEPS]
    threads = 1 + max(int(step.threads.max()) for step in steps)
    tall = _STEP * len(shown)
    picture = Picture(_STEP_TOP + tall + 0.45, title, _described_steps(title, steps))
    picture.key(activity_key(_active(step, threads) for step in shown))
    axes = picture.panel(_STEP_LEFT, _STEP_TOP, _STEP_ACROSS, tall)
    _paint_steps(axes, shown, threads)
    _label_steps(axes, shown, run)
    picture.write(_STEP_LEFT - _STEP_GUTTER, _STEP_TOP - 0.08, "source line")
    left_out = note(run, len(shown), len(steps), "step")
    picture.write(0.15, picture.height - 0.15, left_out + _LEGEND)
    return picture


def _steps(passed: list[Moment]) -> list[Moment]:
    def alike(moment: Moment) -> tuple[int, tuple[int, ...]]:
        return moment.interval, tuple(sorted(moment.threads))

    known = [moment for moment in passed if moment.line]
    together = [{m.line: m for m in group} for _, group in groupby(known, alike)]
    return [group[line] for group in together for line in sorted(group)]


def _paint_steps(axes: Axes, shown: list[Moment], threads: int) -> None:
    columns = _columns(threads)
    grid = np.full((len(shown), columns[-1] + 1), np.nan)  # the gaps stay empty
    for row, step in enumerate(shown):
        grid[row, columns] = activity(_active(step, threads))
    colours = ListedColormap(list(ACTIVITY))
    axes.imshow(grid, colours, vmin=0, vmax=2, aspect="auto", interpolation="none")
    across, down = axes.get_xlim(), axes.get_ylim()
    if threads <= 2 * WARP:
        axes.vlines(np.arange(columns[-1] + 2) - 0.5, *down, colors="white", lw=0.8)
    axes.hlines(np.arange(len(shown) + 1) - 0.5, *across, colors="white", lw=0.8)
    parted = [row for row in range(1, len(shown)) if shown[row].interval > shown[row - 1].interval]
    axes.hlines(np.array(parted) - 0.5, *across, colors=INK, lw=1.0, linestyles="--")
    label = "thread of the block, warps set apart" if threads > WARP else "thread of the block"
    index_axis(axes, range(threads), label)
    axes.set_xticks(columns[axes.get_xticks().astype(int)], axes.get_xticks().astype(int))


def _active(step: Moment, threads: int) -> np.ndarray:
    """bool[threads]"""
    return np.isin(np.arange(threads), step.threads)


def _columns(threads: int) -> np.ndarray:
    """int[threads]: the column of each thread, with a gap between warps."""
    thread = np.arange(threads)
    return thread + thread // WARP * max(1, threads // 80)


def _label_steps(axes: Axes, shown: list[Moment], run: Run) -> None:
    axes.set_yticks([])
    for row, step in enumerate(shown):
        code, left = source_line(run, step.line, 50), -_STEP_GUTTER / _STEP_ACROSS
        beside(axes, left, row, code, size=SMALL - 1, family="monospace")
        beside(axes, 1.015, row, _count(step), size=SMALL - 0.5)


def _count(step: Moment) -> str:
    warps = len(np.unique(step.threads // WARP))
    return f"{counted(len(step.threads), 'thread')}, {counted(warps, 'warp')}"


def _described_steps(title: str, steps: list[Moment]) -> str:
    rows = [f"  line {step.line}: {_count(step)}" for step in steps[:_MOST_STEPS]]
    return "\n".join([title + ":", *rows])


# ---- banks ----

BANKS = 32  # of 4-byte words
_MOST_ROWS = 48
_ROW, _LEFT, _GUTTER, _TOP, _ACROSS = 0.22, 3.55, 3.4, 1.2, 4.9  # inches
_LIMITS = (0, 1, 2, 3, 5, 9, 17, 33)  # words; from darker to darker, so it reads in grey as well
_COLOURS = (PALE, "#b9dcf2", "#f3c964", "#e69f00", "#d55e00", "#9c3f00", "#5c1f00")
_NAMES = (
    "not used",
    "1 word: no conflict",
    "2 words",
    "3-4 words",
    "5-8 words",
    "9-16 words",
    "17-32 words",
)


@dataclass(frozen=True)
class _Row:
    """One access that `warps` made alike: `words[bank]` distinct words wanted from each bank,
    served in `wavefronts` goes."""

    line: int
    kind: str
    warps: tuple[int, ...]
    words: np.ndarray
    wavefronts: int


def banks(run: Run) -> Picture:
    """Banks across, accesses to shared memory down, in block 0. A bank hands out one word a
    wavefront, so an access takes as many wavefronts as the busiest bank is asked for words."""
    accesses = moments(run.trace.events, ("load", "store", "atomic"))
    rows = [row for access in accesses if _shared(access) for row in _rows(access)]
    shown = rows[:_MOST_ROWS]
    title = "Distinct words that each access wants from each shared-memory bank (block 0)"
    if not shown:
        return empty(title, run, "This run never touched shared memory.")
    tall = _ROW * len(shown)
    left_out = note(run, len(shown), len(rows), "row")
    foot = 0.4 if left_out else 0.15
    picture = Picture(_TOP + tall + foot, title, _described_accesses(title, rows))
    picture.key(_key(shown), columns=len(_NAMES))
    axes = picture.panel(_LEFT, _TOP, _ACROSS, tall)
    _paint_banks(axes, shown)
    _label_accesses(axes, shown, run)
    picture.write(_LEFT - _GUTTER, _TOP - 0.08, "source line")
    picture.write(_LEFT + _ACROSS + 0.08, _TOP - 0.08, "wavefronts a warp")
    picture.write(0.15, picture.height - 0.15, left_out)
    return picture


def _shared(access: Moment) -> bool:
    return access.parts[0].space == "shared"


def _rows(access: Moment) -> list[_Row]:
    """One row for each pattern; warps that asked for the same share a row."""
    alike: dict[bytes, list[tuple[Event, np.ndarray, int]]] = {}
    for part in access.parts:
        words, wavefronts = _words(part)
        alike.setdefault(words.tobytes(), []).append((part, words, wavefronts))
    rows = []
    for group in alike.values():
        part, words, wavefronts = group[0]
        warps = tuple(sorted(int(other.threads[0]) // WARP for other, _, _ in group))
        rows.append(_Row(access.line, part.kind, warps, words, wavefronts))
    return rows


def _words(part: Event) -> tuple[np.ndarray, int]:
    """int[BANKS] distinct words wanted from each bank, and the wavefronts of one warp's access.
    Accesses of 8 and 16 bytes are served half and quarter warp by quarter warp: the words are
    then those of the group that wants most."""
    each = max(part.width // 4, 1)
    group = (part.threads % WARP) // (WARP // each)
    words = (addresses(part) // 4)[:, None] + np.arange(each)
    counts = np.zeros((each, BANKS), int)
    for number in np.unique(group):
        wanted = np.unique(words[group == number])
        counts[number] = np.bincount(wanted % BANKS, minlength=BANKS)
    return counts.max(axis=0), int(counts.max(axis=1).sum())


def _paint_banks(axes: Axes, shown: list[_Row]) -> None:
    grid = np.stack([row.words for row in shown])
    colours = ListedColormap(_COLOURS)
    norm = BoundaryNorm(_LIMITS, colours.N)
    axes.imshow(grid, colours, norm=norm, aspect="auto", interpolation="none")
    axes.hlines(np.arange(len(shown) + 1) - 0.5, -0.5, BANKS - 0.5, colors="white", lw=1.2)
    axes.vlines(np.arange(BANKS + 1) - 0.5, *axes.get_ylim(), colors="white", lw=0.6)
    for row, bank in np.argwhere(grid > 1):
        words = grid[row, bank]
        colour = "white" if words > 4 else INK
        style: Style = {"size": SMALL - 2, "ha": "center", "va": "center", "color": colour}
        axes.text(bank, row, str(words), **style)
    top_axis(axes, "bank (byte address / 4 modulo 32)")
    axes.set_xticks(range(0, BANKS, 4))
    axes.set_yticks([])


def _key(shown: list[_Row]) -> list[Patch]:
    """What the colours mean that the picture has."""
    words = np.concatenate([row.words for row in shown])
    drawn = np.unique(np.digitize(words, _LIMITS) - 1)
    return [swatch(_COLOURS[number], _NAMES[number]) for number in drawn]


def _label_accesses(axes: Axes, shown: list[_Row], run: Run) -> None:
    for number, row in enumerate(shown):
        code = f"{row.kind:<5} {source_line(run, row.line, 44)}"
        beside(axes, -_GUTTER / _ACROSS, number, code, size=SMALL - 1, family="monospace")
        beside(axes, 1.02, number, f"{row.wavefronts:>2}", size=SMALL)
        beside(axes, 1.07, number, _who(row.warps), size=SMALL - 0.5, color=FAINT)


def _who(warps: tuple[int, ...]) -> str:
    first, last = warps[0], warps[-1]
    if len(warps) == 1:
        return f"warp {first}"
    if last - first + 1 == len(warps):
        return f"warps {first} to {last}"
    return counted(len(warps), "warp")


def _described_accesses(title: str, rows: list[_Row]) -> str:
    lines = [
        f"  line {row.line} {row.kind}, {_who(row.warps)}: {counted(row.wavefronts, 'wavefront')}"
        for row in rows[:_MOST_ROWS]
    ]
    return "\n".join([title + ":", *lines])
