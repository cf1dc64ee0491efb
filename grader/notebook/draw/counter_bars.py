"""draw.compare: what several runs cost, counter by counter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from grader.cuda.simulator import Run
from grader.cuda.simulator.observers.counters import METRICS

from ..failures import Notice
from .picture import BLUE, FAINT, INK, ORANGE, TEXT, Picture

_COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", "#D55E00")  # Okabe and Ito
_PER_ROW = 4
_BAR, _GAP = 0.34, 0.6  # inches: a bar, and the room for a panel's head


def compare(runs: Mapping[str, Run], counters: Sequence[str]) -> Picture:
    """A bar chart for each of `counters` (names of run.counters.total), side by side, one bar
    for each of `runs` (name -> run), all blocks of the launch counted."""
    unknown = [name for name in counters if name not in METRICS]
    if unknown:
        raise Notice(f"There is no counter `{unknown[0]}`. The counters are: {', '.join(METRICS)}.")
    title = "What each run cost (all blocks)"
    tall = _BAR * len(runs)
    deep = -(-len(counters) // _PER_ROW)
    picture = Picture(0.35 + deep * (tall + _GAP) + 0.1, title, _description(title, runs, counters))
    names = 0.25 + 0.09 * max(len(name) for name in runs)  # inches
    wide = (10 - names - 0.1) / min(len(counters), _PER_ROW)
    for position, counter in enumerate(counters):
        row, column = divmod(position, _PER_ROW)
        top = 0.35 + row * (tall + _GAP) + _GAP - 0.12
        axes = picture.panel(names + column * wide, top, wide - 0.65, tall)
        _paint(axes, counter, runs, named=column == 0)
    return picture


def _paint(axes: Axes, counter: str, runs: Mapping[str, Run], named: bool) -> None:
    values = [run.counters.total[counter] for run in runs.values()]
    colours = [_COLOURS[position % len(_COLOURS)] for position in range(len(runs))]
    axes.barh(range(len(runs)), values, height=0.68, color=colours)
    axes.set(ylim=(len(runs) - 0.5, -0.5), xlim=(0, max(*values, 1)), xticks=[])
    axes.set_yticks(range(len(runs)), list(runs) if named else [""] * len(runs), size=TEXT)
    for position, value in enumerate(values):
        axes.annotate(
            f"{value:,}",
            (value, position),
            (4, 0),
            textcoords="offset points",
            va="center",
            size=TEXT,
            color=INK,
            annotation_clip=False,
        )
    axes.axvline(0, color=FAINT, lw=1)
    axes.set_title(counter, size=TEXT, color=INK, loc="left", weight="bold")


def _description(title: str, runs: Mapping[str, Run], counters: Sequence[str]) -> str:
    rows = [
        f"  {counter} ({METRICS[counter]}): "
        + ", ".join(f"{name} {run.counters.total[counter]:,}" for name, run in runs.items())
        for counter in counters
    ]
    return "\n".join([title + ":", *rows])
