"""draw.lanes: which threads of block 0 were active at each step. draw.banks: how many words each
shared-memory bank had to hand out, access by access. Both show moments, one below the other.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap

from grader.cuda.simulator import Event, Run
from grader.errors import counted
from grader.watch.counters import BANKS

from .picture import (
    ACTIVITY,
    FAINT,
    INK,
    PALE,
    SMALL,
    WARP,
    Picture,
    activity,
    activity_key,
    addresses,
    at_work,
    beside,
    empty,
    index_axis,
    middle,
    note,
    source_line,
    swatch,
    top_axis,
)

# ---- moments ----

# An interval between barriers, and what a warp passed in it: line, kind, space, for which time.
_Place = tuple[int, int, str, str, int]


@dataclass(frozen=True)
class Moment:
    """Events of one kind that different warps had at one line, between the same two barriers and
    for the n-th time there."""

    line: int
    interval: int  # the number of barriers that opened before
    parts: tuple[Event, ...]  # one for each of the warps

    @property
    def threads(self) -> np.ndarray:
        """Linear indices, in the block, of the threads that took part."""
        return np.concatenate([part.threads for part in self.parts])


def moments(events: Iterable[Event], kinds: tuple[str, ...]) -> list[Moment]:
    """Moments of `kinds`, in the order in which every warp passed them.

    Across warps only barriers order anything, so which warp the simulated GPU ran first must not
    show: what warps did at the same line for the n-th time is drawn as one moment."""
    parts: dict[_Place, list[Event]] = defaultdict(list)
    passed: dict[int, dict[int, list[_Place]]] = defaultdict(lambda: defaultdict(list))
    times: Counter[tuple[object, ...]] = Counter()
    interval = 0
    for event in events:
        interval += event.kind == "barrier"
        warps = event.threads // WARP
        for warp in np.unique(warps).tolist() if event.kind in kinds else ():
            mine = warps == warp
            address = None if event.address is None else event.address[mine]
            place = (interval, event.line, event.kind, event.space)
            key = (*place, times[warp, place])
            times[warp, place] += 1
            passed[interval][warp].append(key)
            parts[key].append(replace(event, threads=event.threads[mine], address=address))
    return [
        Moment(key[1], key[0], tuple(parts[key]))
        for warps in passed.values()
        for key in _merged(warps.values())
    ]


def _merged(sequences: Iterable[list[_Place]]) -> list[_Place]:
    """One order that keeps the order of each sequence wherever they agree."""
    order: list[_Place] = []
    known: set[_Place] = set()
    for sequence in sequences:
        at = 0
        for key in sequence:
            if key not in known:
                order.insert(at, key)
                known.add(key)
                at += 1
            elif order[at : at + 1] == [key]:
                at += 1
            elif key in order[at:]:
                at = order.index(key, at) + 1
    return order


# ---- lanes ----

_STEP, _STEP_LEFT, _STEP_TOP, _STEP_ACROSS = 0.21, 3.45, 1.2, 5.0  # inches
_STEP_GUTTER = 3.3  # inches, for the source lines left of the grid


def lanes(run: Run) -> Picture:
    """Steps down, threads across, warps marked off; a lane that idles while its warp works is
    paid for and not used. A step is one source line. Lines that the same threads pass one after
    the other between two barriers stand in source order, each once: the compiler mixes them."""
    passed = (moment for moment in moments(run.trace.events, ("execute",)) if moment.line)
    steps = [
        moment
        for _, group in groupby(passed, lambda moment: (moment.interval, sorted(moment.threads)))
        for _, moment in sorted({moment.line: moment for moment in group}.items())
    ]
    title = "Which threads were active at each step (block 0)"
    if not steps:
        return empty(title, "No thread of this run got as far as an instruction.", run)
    shown = steps[:60]
    threads = 1 + max(int(step.threads.max()) for step in steps)
    active = [np.isin(np.arange(threads), step.threads) for step in shown]
    tall = _STEP * len(shown)
    picture = Picture(
        _STEP_TOP + tall + 0.45,
        title,
        "\n".join(
            [
                title + ":",
                *(f"  line {step.line}: {at_work(step.threads.tolist())}" for step in shown),
            ]
        ),
    )
    picture.key(activity_key(active))
    axes = picture.panel(_STEP_LEFT, _STEP_TOP, _STEP_ACROSS, tall)
    _paint_steps(axes, shown, active)
    for row, step in enumerate(shown):
        beside(
            axes,
            -_STEP_GUTTER / _STEP_ACROSS,
            row,
            source_line(run, step.line, 50),
            size=SMALL - 1,
            family="monospace",
        )
        beside(axes, 1.015, row, at_work(step.threads.tolist()), size=SMALL - 0.5)
    picture.write(_STEP_LEFT - _STEP_GUTTER, _STEP_TOP - 0.08, "source line")
    picture.foot(
        f"{note(run, len(shown), len(steps), 'step')}Dashed: a barrier. Lines that the same "
        "threads passed between two barriers are shown once, however often they looped.",
        above=0.15,
    )
    return picture


def _paint_steps(axes: Axes, shown: list[Moment], active: list[np.ndarray]) -> None:
    """A row for each step, a column for each thread, with an empty gap between warps."""
    threads = len(active[0])
    columns = np.arange(threads) + np.arange(threads) // WARP * max(1, threads // 80)
    grid = np.full((len(shown), columns[-1] + 1), np.nan)
    grid[:, columns] = [activity(one) for one in active]
    axes.imshow(
        grid, ListedColormap(list(ACTIVITY)), vmin=0, vmax=2, aspect="auto", interpolation="none"
    )
    across, down = axes.get_xlim(), axes.get_ylim()
    if threads <= 2 * WARP:
        axes.vlines(np.arange(columns[-1] + 2) - 0.5, *down, colors="white", lw=0.8)
    axes.hlines(np.arange(len(shown) + 1) - 0.5, *across, colors="white", lw=0.8)
    parted = [row for row in range(1, len(shown)) if shown[row].interval > shown[row - 1].interval]
    axes.hlines(np.array(parted) - 0.5, *across, colors=INK, lw=1.0, linestyles="--")
    index_axis(axes, range(threads), "thread of the block" + ", warps set apart" * (threads > WARP))
    axes.set_xticks(columns[axes.get_xticks().astype(int)], axes.get_xticks().astype(int))
    axes.set_yticks([])


# ---- banks ----

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
class _Access:
    """One access that several warps made alike."""

    line: int
    kind: str
    words: np.ndarray  # int[BANKS]: distinct words wanted from each bank
    wavefronts: int  # in how many goes it was served
    warps: set[int]

    @property
    def who(self) -> str:
        first, last = min(self.warps), max(self.warps)
        if first == last:
            return f"warp {first}"
        together = last - first + 1 == len(self.warps)
        return f"warps {first} to {last}" if together else counted(len(self.warps), "warp")


def banks(run: Run) -> Picture:
    """Banks across, accesses to shared memory down, in block 0. A bank hands out one word a
    wavefront, so an access takes as many wavefronts as the busiest bank is asked for words."""
    accesses = [*_accesses(moments(run.trace.events, ("load", "store", "atomic")))]
    shown = accesses[:_MOST_ROWS]
    title = "Distinct words that each access wants from each shared-memory bank (block 0)"
    if not shown:
        return empty(title, "This run never touched shared memory.", run)
    tall = _ROW * len(shown)
    left_out = note(run, len(shown), len(accesses), "row")
    rows = [
        f"  line {access.line} {access.kind}, {access.who}: "
        f"{counted(access.wavefronts, 'wavefront')}"
        for access in shown
    ]
    picture = Picture(
        _TOP + tall + (0.4 if left_out else 0.15), title, "\n".join([title + ":", *rows])
    )
    grid = np.stack([access.words for access in shown])
    picture.key(
        [swatch(_COLOURS[one], _NAMES[one]) for one in np.unique(np.digitize(grid, _LIMITS) - 1)],
        columns=len(_NAMES),
    )
    axes = picture.panel(_LEFT, _TOP, _ACROSS, tall)
    _paint_banks(axes, grid)
    for row, access in enumerate(shown):
        code = f"{access.kind:<5} {source_line(run, access.line, 44)}"
        beside(axes, -_GUTTER / _ACROSS, row, code, size=SMALL - 1, family="monospace")
        beside(axes, 1.02, row, f"{access.wavefronts:>2}", size=SMALL)
        beside(axes, 1.07, row, access.who, size=SMALL - 0.5, color=FAINT)
    picture.write(_LEFT - _GUTTER, _TOP - 0.08, "source line")
    picture.write(_LEFT + _ACROSS + 0.08, _TOP - 0.08, "wavefronts per warp")
    picture.foot(left_out, above=0.15)
    return picture


def _accesses(passed: list[Moment]) -> Iterator[_Access]:
    """Those to shared memory: of a moment one for each pattern, which several warps may share."""
    for moment in passed:
        alike: dict[bytes, _Access] = {}
        for part in moment.parts if moment.parts[0].space == "shared" else ():
            words, wavefronts = _words(part)
            alike.setdefault(
                words.tobytes(), _Access(moment.line, part.kind, words, wavefronts, set())
            ).warps.add(int(part.threads[0]) // WARP)
        yield from alike.values()


def _words(part: Event) -> tuple[np.ndarray, int]:
    """int[BANKS] distinct words wanted from each bank, and the wavefronts of one warp's access.
    Accesses of 8 and 16 bytes are served half and quarter warp by quarter warp: the words are
    then those of the group that wants most."""
    each = max(part.width // 4, 1)
    group = (part.threads % WARP) // (WARP // each)
    words = (addresses(part) // 4)[:, None] + np.arange(each)
    wanted = (np.unique(words[group == number]) % BANKS for number in np.unique(group))
    counts = np.stack([np.bincount(banks, minlength=BANKS) for banks in wanted])
    return counts.max(axis=0), int(counts.max(axis=1).sum())


def _paint_banks(axes: Axes, grid: np.ndarray) -> None:
    axes.imshow(
        grid,
        ListedColormap(_COLOURS),
        norm=BoundaryNorm(_LIMITS, len(_COLOURS)),
        aspect="auto",
        interpolation="none",
    )
    axes.hlines(np.arange(len(grid) + 1) - 0.5, -0.5, BANKS - 0.5, colors="white", lw=1.2)
    axes.vlines(np.arange(BANKS + 1) - 0.5, *axes.get_ylim(), colors="white", lw=0.6)
    for row, bank in np.argwhere(grid > 1):
        words = grid[row, bank]
        middle(axes, bank, row, str(words), size=SMALL - 2, color="white" if words > 4 else INK)
    top_axis(axes, "bank (byte address / 4 modulo 32)")
    axes.set(xticks=range(0, BANKS, 4), yticks=[])
