"""draw.compare: what several runs cost, counter by counter. draw.passes: how many times over each
run reads and writes an array's worth of bytes.
"""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from grader.cuda.simulator import Run
from grader.errors import counted, unless
from grader.watch.counters import METRICS, SECTOR

from ..cards import Notice
from .picture import (
    BLUE,
    FAINT,
    HATCH,
    INK,
    ORANGE,
    PAPER,
    SMALL,
    TEXT,
    Picture,
    Style,
    empty,
    middle,
    pale_grid,
    require_run,
    swatch,
)

# ---- counters ----

_PER_ROW = 4
_COUNTER_BAR, _GAP = 0.34, 0.6  # inches: a bar, and the room for a panel's head


def compare(runs: Mapping[str, Run], counters: Sequence[str]) -> Picture:
    """A bar chart for each of `counters` (names of run.counters.total), side by side, one bar
    for each of `runs` (name -> run), all blocks of the launch counted."""
    if unknown := [name for name in counters if name not in METRICS]:
        raise Notice(f"There is no counter `{unknown[0]}`. The counters are: {', '.join(METRICS)}.")
    title = "What each run cost (all blocks)"
    rows = [
        f"  {counter} ({METRICS[counter]}): "
        + ", ".join(f"{name} {run.counters.total[counter]:,}" for name, run in runs.items())
        for counter in counters
    ]
    tall, deep = _COUNTER_BAR * len(runs), -(-len(counters) // _PER_ROW)
    picture = Picture(0.35 + deep * (tall + _GAP) + 0.1, title, "\n".join([title + ":", *rows]))
    names = 0.25 + 0.09 * max(len(name) for name in runs)  # inches
    wide = (10 - names - 0.1) / min(len(counters), _PER_ROW)
    for position, counter in enumerate(counters):
        row, column = divmod(position, _PER_ROW)
        axes = picture.panel(
            names + column * wide, 0.35 + row * (tall + _GAP) + _GAP - 0.12, wide - 0.65, tall
        )
        values = [run.counters.total[counter] for run in runs.values()]
        bars = axes.barh(
            range(len(runs)),
            values,
            height=0.68,
            # Okabe and Ito
            color=(BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", "#D55E00"),
        )
        axes.set(ylim=(len(runs) - 0.5, -0.5), xlim=(0, max(*values, 1)), xticks=[])
        axes.set_yticks(range(len(runs)), [""] * len(runs) if column else list(runs), size=TEXT)
        axes.bar_label(
            bars,
            [f"{value:,}" for value in values],
            padding=4,
            size=TEXT,
            color=INK,
            annotation_clip=False,
        )
        axes.axvline(0, color=FAINT, lw=1)
        axes.set_title(counter, size=TEXT, color=INK, loc="left", weight="bold")
    return picture


# ---- passes over memory ----

_PASSES_BAR, _TOP = 0.62, 0.78  # inches: a bar with the words under it; what stands above the first
_THICK = 0.5  # of a bar's room


class _Way(NamedTuple):
    """One direction of a run's traffic with global memory."""

    asked: int  # bytes
    sectors: int  # of SECTOR bytes, that brought them
    beyond: int  # bytes in those sectors that nobody asked for


_VERBS = {"read": ("load", BLUE, PAPER), "written": ("store", ORANGE, INK)}  # kind, colour, ink


def passes(runs: Mapping[str, Run], array_bytes: int) -> Picture:
    """A bar for each of `runs` (name -> what watch() returned): the bytes that it loaded and
    stored in global memory, in units of an array of `array_bytes` bytes. Hatched: what the
    sectors moved on top of that."""
    unless(
        isinstance(runs, Mapping) and runs,
        Notice('`draw.passes` takes runs by name: `draw.passes({"mine": run}, x.nbytes)`.'),
    )
    for run in runs.values():
        require_run(run, "draw.passes")
    unless(
        isinstance(array_bytes, Integral) and array_bytes > 0,
        Notice("`draw.passes` measures in bytes of an array: give it `x.nbytes`."),
    )
    ways = {
        name: {verb: _way(run, kind) for verb, (kind, _, _) in _VERBS.items()}
        for name, run in runs.items()
    }
    atomics = any(run.counters.total["atomics"] for run in runs.values())
    notes = [
        "Global memory, all blocks: bytes as threads ask for them, before any cache."
        + (" Atomic operations are left out." if atomics else "")
    ]
    if stopped := [name for name, run in runs.items() if any(not h.warning for h in run.hazards)]:
        notes.append(f"Stopped by a mistake before the end: {', '.join(stopped)}.")
    title = f"Passes over memory, in units of the array ({counted(array_bytes, 'byte')})"
    if not any(way.asked for pair in ways.values() for way in pair.values()):
        return empty(
            title,
            " ".join(["Nothing was loaded from global memory, nor stored there.", *notes[1:]]),
            next(iter(runs.values())),
        )
    rows = [
        f"  {name}: {_words(pair, array_bytes)}"
        + "".join(
            f"\n    {verb}: {counted(way.asked, 'byte')} in {counted(way.sectors, 'sector')}, "
            f"which hold {counted(way.beyond, 'more byte')}"
            for verb, way in pair.items()
        )
        for name, pair in ways.items()
    ]
    tall = _PASSES_BAR * len(runs)
    picture = Picture(
        _TOP + tall + 0.55 + 0.16 * len(notes),
        title,
        "\n".join([f"{title}:", *rows, *(f"  {text}" for text in notes)]),
    )
    left = min(0.4 + 0.085 * max(len(name) for name in runs), 4.0)  # inches
    _paint_passes(picture.panel(left, _TOP, 9.7 - left, tall), ways, array_bytes)
    picture.key(
        [
            swatch(*look)
            for verb, (_, colour, _) in _VERBS.items()
            for look, drawn in (
                ((colour, verb), True),
                (
                    (PAPER, f"rest of the sectors {verb}", colour, HATCH),
                    any(pair[verb].beyond for pair in ways.values()),
                ),
            )
            if drawn
        ]
    )
    picture.foot(*notes, line=0.16)
    return picture


def _way(run: Run, kind: str) -> _Way:
    """Where lanes ask for the same bytes, sectors hold less than what was asked for: so each
    line's surplus is taken for itself, for that of one must not hide in another."""
    pairs = [
        (line[f"global_{kind}_bytes"], line[f"global_{kind}_sectors"])
        for line in run.counters.lines.values()
    ]
    beyond = sum(max(SECTOR * sectors - asked, 0) for asked, sectors in pairs)
    return _Way(sum(asked for asked, _ in pairs), sum(sectors for _, sectors in pairs), beyond)


def _paint_passes(axes: Axes, ways: Mapping[str, Mapping[str, _Way]], unit: int) -> None:
    """Bars named inside where there is room, so that they can be read without their colours.
    `ways`: by run, by verb."""
    most = max(sum(way.asked + way.beyond for way in pair.values()) for pair in ways.values())
    axes.set(ylim=(len(ways) - 0.4, -0.4), xlim=(0, most / unit))
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=most >= 2 * unit))
    axes.set_yticks(range(len(ways)), list(ways), size=TEXT)
    pale_grid(axes, "x")
    axes.axvline(0, color=FAINT, lw=1)
    axes.set_xlabel("times the array", size=SMALL, color=INK)
    for row, pair in enumerate(ways.values()):
        bar: Style = {"y": row, "height": _THICK, "lw": 0.7, "clip_on": False}
        end = 0.0
        for (verb, way), (_, colour, ink) in zip(pair.items(), _VERBS.values(), strict=True):
            asked, beyond = way.asked / unit, way.beyond / unit
            if asked:
                axes.barh(width=asked, left=end, facecolor=colour, edgecolor=INK, **bar)
            if asked > 0.1 * axes.get_xlim()[1]:
                middle(
                    axes,
                    end + asked / 2,
                    row,
                    verb,
                    va="center_baseline",
                    size=TEXT,
                    color=ink,
                )
            if beyond:
                axes.barh(
                    width=beyond,
                    left=end + asked,
                    facecolor=PAPER,
                    edgecolor=colour,
                    hatch=HATCH,
                    **bar,
                )
            end += asked + beyond
        axes.annotate(
            _words(pair, unit),
            (0, row + _THICK / 2),
            (3, -3),
            textcoords="offset points",
            va="top",
            size=TEXT,
            color=INK,
            bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1},
        )


def _words(pair: Mapping[str, _Way], unit: int) -> str:
    """E.g. "read 3.00 times, written 1.00 times; the sectors move another 0.25"."""
    beyond = sum(way.beyond for way in pair.values())
    return ", ".join(f"{verb} {way.asked / unit:.2f} times" for verb, way in pair.items()) + (
        f"; the sectors move another {beyond / unit:.2f}" if beyond else ""
    )
