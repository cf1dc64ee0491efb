"""draw.compare: what several runs cost, counter by counter. draw.passes: how many times over each
run reads and writes an array's worth of bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from grader.counted import counted
from grader.cuda.simulator import Run
from grader.watch.counters import METRICS
from grader.watch.traffic import SECTOR

from ..failures import Notice
from .picture import (
    BLUE,
    FAINT,
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

_COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", "#D55E00")  # Okabe and Ito
_PER_ROW = 4
_COUNTER_BAR, _GAP = 0.34, 0.6  # inches: a bar, and the room for a panel's head


def compare(runs: Mapping[str, Run], counters: Sequence[str]) -> Picture:
    """A bar chart for each of `counters` (names of run.counters.total), side by side, one bar
    for each of `runs` (name -> run), all blocks of the launch counted."""
    unknown = [name for name in counters if name not in METRICS]
    if unknown:
        raise Notice(f"There is no counter `{unknown[0]}`. The counters are: {', '.join(METRICS)}.")
    title = "What each run cost (all blocks)"
    rows = [
        f"  {counter} ({METRICS[counter]}): "
        + ", ".join(f"{name} {run.counters.total[counter]:,}" for name, run in runs.items())
        for counter in counters
    ]
    tall = _COUNTER_BAR * len(runs)
    deep = -(-len(counters) // _PER_ROW)
    picture = Picture(0.35 + deep * (tall + _GAP) + 0.1, title, "\n".join([title + ":", *rows]))
    names = 0.25 + 0.09 * max(len(name) for name in runs)  # inches
    wide = (10 - names - 0.1) / min(len(counters), _PER_ROW)
    for position, counter in enumerate(counters):
        row, column = divmod(position, _PER_ROW)
        top = 0.35 + row * (tall + _GAP) + _GAP - 0.12
        axes = picture.panel(names + column * wide, top, wide - 0.65, tall)
        _paint_counter(axes, counter, runs, named=column == 0)
    return picture


def _paint_counter(axes: Axes, counter: str, runs: Mapping[str, Run], named: bool) -> None:
    values = [run.counters.total[counter] for run in runs.values()]
    colours = [_COLOURS[position % len(_COLOURS)] for position in range(len(runs))]
    axes.barh(range(len(runs)), values, height=0.68, color=colours)
    axes.set(ylim=(len(runs) - 0.5, -0.5), xlim=(0, max(*values, 1)), xticks=[])
    axes.set_yticks(range(len(runs)), list(runs) if named else [""] * len(runs), size=TEXT)
    style: Style = {"va": "center", "size": TEXT, "color": INK, "annotation_clip": False}
    for position, value in enumerate(values):
        end = (value, position)
        axes.annotate(f"{value:,}", end, (4, 0), textcoords="offset points", **style)
    axes.axvline(0, color=FAINT, lw=1)
    axes.set_title(counter, size=TEXT, color=INK, loc="left", weight="bold")


# ---- passes over memory ----

_PASSES_BAR, _TOP = 0.62, 0.78  # inches: a bar with the words under it; what stands above the first
_THICK = 0.5  # of a bar's room
_HATCH = "/////"
_LEGEND = "Global memory, all blocks: bytes as threads ask for them, before any cache."


@dataclass(frozen=True)
class _Way:
    """One direction of a run's traffic with global memory."""

    verb: str
    colour: str
    ink: str  # for words on the colour
    asked: int  # bytes
    sectors: int  # of SECTOR bytes, that brought them
    beyond: int  # bytes in those sectors that nobody asked for


_Ways = Mapping[str, tuple[_Way, _Way]]  # by run: read, written


def passes(runs: Mapping[str, Run], array_bytes: int) -> Picture:
    """A bar for each of `runs` (name -> what watch() returned): the bytes that it loaded and
    stored in global memory, in units of an array of `array_bytes` bytes. Hatched: what the
    sectors moved on top of that."""
    if not isinstance(runs, Mapping) or not runs:
        raise Notice('`draw.passes` takes runs by name: `draw.passes({"mine": run}, x.nbytes)`.')
    for run in runs.values():
        require_run(run, "draw.passes")
    if not isinstance(array_bytes, Integral) or array_bytes <= 0:
        raise Notice("`draw.passes` measures in bytes of an array: give it `x.nbytes`.")
    ways = {
        name: (_way(run, "load", "read", BLUE, PAPER), _way(run, "store", "written", ORANGE, INK))
        for name, run in runs.items()
    }
    notes = _notes(runs)
    title = f"Passes over memory, in units of the array ({counted(array_bytes, 'byte')})"
    if not any(way.asked for pair in ways.values() for way in pair):
        reason = "Nothing was loaded from global memory, nor stored there."
        return empty(title, " ".join([reason, *notes[1:]]), next(iter(runs.values())))
    tall = _PASSES_BAR * len(runs)
    height = _TOP + tall + 0.55 + 0.16 * len(notes)
    picture = Picture(height, title, _described(title, ways, array_bytes, notes))
    left = min(0.4 + 0.085 * max(len(name) for name in runs), 4.0)  # inches
    axes = picture.panel(left, _TOP, 9.7 - left, tall)
    _paint_passes(axes, ways, array_bytes)
    picture.key(_key(ways))
    picture.foot(*notes, line=0.16)
    return picture


def _way(run: Run, kind: str, verb: str, colour: str, ink: str) -> _Way:
    """Where lanes ask for the same bytes, sectors hold less than what was asked for: so each
    line's surplus is taken for itself, for that of one must not hide in another."""
    lines = run.counters.lines.values()
    asked = [line[f"global_{kind}_bytes"] for line in lines]
    sectors = [line[f"global_{kind}_sectors"] for line in lines]
    pairs = zip(sectors, asked, strict=True)
    beyond = sum(max(SECTOR * count - wanted, 0) for count, wanted in pairs)
    return _Way(verb, colour, ink, sum(asked), sum(sectors), beyond)


def _paint_passes(axes: Axes, ways: _Ways, unit: int) -> None:
    most = max(sum(way.asked + way.beyond for way in pair) for pair in ways.values()) / unit
    axes.set(ylim=(len(ways) - 0.4, -0.4), xlim=(0, most))
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=most >= 2))
    axes.set_yticks(range(len(ways)), list(ways), size=TEXT)
    pale_grid(axes, "x")
    axes.axvline(0, color=FAINT, lw=1)
    axes.set_xlabel("times the array", size=SMALL, color=INK)
    paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 1}
    below: Style = {"va": "top", "size": TEXT, "color": INK, "bbox": paper}
    for row, pair in enumerate(ways.values()):
        _paint_bar(axes, row, pair, unit)
        place = (0, row + _THICK / 2)
        axes.annotate(_words(pair, unit), place, (3, -3), textcoords="offset points", **below)


def _paint_bar(axes: Axes, row: int, pair: tuple[_Way, _Way], unit: int) -> None:
    """Named inside where there is room, so that it can be read without its colours."""
    end = 0.0
    for way in pair:
        plain: Style = {"facecolor": way.colour, "edgecolor": INK}
        hatched: Style = {"facecolor": PAPER, "edgecolor": way.colour, "hatch": _HATCH}
        for amount, style in ((way.asked / unit, plain), (way.beyond / unit, hatched)):
            if not amount:
                continue
            axes.barh(row, amount, left=end, height=_THICK, lw=0.7, clip_on=False, **style)
            if style is plain and amount > 0.1 * axes.get_xlim()[1]:
                inside: Style = {"va": "center_baseline", "size": TEXT, "color": way.ink}
                middle(axes, end + amount / 2, row, way.verb, **inside)
            end += amount


def _words(pair: tuple[_Way, _Way], unit: int) -> str:
    """E.g. "read 3.00 times, written 1.00 times; the sectors move another 0.25"."""
    text = ", ".join(f"{way.verb} {way.asked / unit:.2f} times" for way in pair)
    beyond = sum(way.beyond for way in pair)
    return text + (f"; the sectors move another {beyond / unit:.2f}" if beyond else "")


def _key(ways: _Ways) -> list[Artist]:
    handles: list[Artist] = []
    for read_or_written in zip(*ways.values(), strict=True):
        first = read_or_written[0]
        handles.append(swatch(first.colour, first.verb))
        if any(way.beyond for way in read_or_written):
            rest = f"rest of the sectors {first.verb}"
            handles.append(swatch(PAPER, rest, first.colour, _HATCH))
    return handles


def _notes(runs: Mapping[str, Run]) -> list[str]:
    atomics = any(run.counters.total["atomics"] for run in runs.values())
    notes = [_LEGEND + (" Atomic operations are left out." if atomics else "")]
    stopped = [name for name, run in runs.items() if any(not h.warning for h in run.hazards)]
    if stopped:
        notes.append(f"Stopped by a mistake before the end: {', '.join(stopped)}.")
    return notes


def _described(title: str, ways: _Ways, unit: int, notes: list[str]) -> str:
    rows = []
    for name, pair in ways.items():
        rows.append(f"  {name}: {_words(pair, unit)}")
        rows += [
            f"    {way.verb}: {counted(way.asked, 'byte')} in {counted(way.sectors, 'sector')}, "
            f"which hold {counted(way.beyond, 'more byte')}"
            for way in pair
        ]
    return "\n".join([f"{title}:", *rows, *(f"  {text}" for text in notes)])
