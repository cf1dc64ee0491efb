"""draw.sectors: how a warp's requests meet the 32-byte sectors of global memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from grader.counted import counted
from grader.cuda.simulator import Event, Run
from grader.watch.trace import MOST_EVENTS
from grader.watch.traffic import SECTOR

from .moments import addresses
from .picture import (
    BLUE,
    INK,
    PALE,
    PAPER,
    SMALL,
    TEXT,
    WARP,
    Picture,
    Style,
    array_argument,
    empty,
    named,
    require_run,
    source_line,
    swatch,
)

_PER_LINE, _MOST_LINES, _MOST_REQUESTS = 8, 4, 6
_KINDS = ("load", "atomic", "store")  # in the order in which a line does them
_LABELLED = 4  # bytes: the narrowest access with room for the number of its lane
_LEFT, _ACROSS, _LINE, _HEAD = 0.25, 9.5, 0.42, 0.52  # inches
_LABEL, _LEAST_LABEL = 6.8, 5.4  # points of lane numbers and offsets
_LEGEND = (
    "Boxes are sectors, with the offset of their first byte in the array; numbers inside are lanes."
)


@dataclass(frozen=True)
class _Request:
    """What warp 0 asked for at once: `touched` maps byte offsets, each the start of an access of
    `width` bytes, to the lanes behind it. `later` holds how many sectors each of the further
    requests of that line moved."""

    line: int
    kind: str
    buffer: int | None
    width: int
    touched: dict[int, tuple[int, ...]]
    later: tuple[int, ...] = ()

    @property
    def sectors(self) -> list[int]:
        """Numbers of the sectors, from the start of the array."""
        return sorted(
            {(at + byte) // SECTOR for at in self.touched for byte in (0, self.width - 1)}
        )

    @property
    def asked(self) -> int:
        """Different bytes asked for."""
        return len(self.touched) * self.width

    @property
    def fewest(self) -> int:
        return -(-self.asked // SECTOR)

    @property
    def words(self) -> str:
        moved = counted(len(self.sectors), "sector")
        asked = counted(self.asked, "byte")
        return f"{moved} for {asked} (at least {self.fewest})"

    @property
    def others(self) -> str:
        """What the picture leaves out of this line; empty if this was its only request."""
        if not self.later:
            return ""
        least, most = min(self.later), max(self.later)
        moved = f"{least} to {counted(most, 'sector')}" if least < most else counted(most, "sector")
        rest = "the other" if len(self.later) == 1 else "each of the others"
        return f"The first of {len(self.later) + 1} such requests of warp 0; {rest}: {moved}"


def sectors(run: Run, argument: int | None = None, line: int | None = None) -> Picture:
    """For each source line that loads or stores global memory, the first request that warp 0 of
    block 0 makes there, as sectors with the bytes that its lanes asked for. `argument` and `line`
    choose one array, one source line."""
    require_run(run, "draw.sectors")
    buffer = None if argument is None else array_argument(run, argument).buffer
    requests = [
        one
        for one in _requests(run.trace.events)
        if buffer in (None, one.buffer) and line in (None, one.line)
    ]
    title = "Sectors of 32 bytes that warp 0 asks for, the first time it comes to a line"
    if not requests:
        return empty(title, run, "Warp 0 asked global memory for nothing there.")
    shown = requests[:_MOST_REQUESTS]
    talls = [_HEAD + _LINE * _lines(one) for one in shown]
    notes = " ".join(_notes(run, shown, len(requests)))
    words = "\n".join([f"{title}:", *(_described(run, one) for one in requests)])
    picture = Picture(0.65 + sum(talls) + 0.35, title, f"{words}\n  {notes}")
    key = [swatch(BLUE, "asked for")]
    if any(len(one.sectors) * SECTOR > one.asked for one in shown):
        key.append(swatch(PALE, "moved with it, not asked for"))
    picture.key(key)
    top = 0.65
    for one, tall in zip(shown, talls, strict=True):
        _paint(picture, run, one, top)
        top += tall
    picture.write(0.15, picture.height - 0.13, notes)
    return picture


def _notes(run: Run, shown: list[_Request], count: int) -> Iterator[str]:
    """What is left out, and how to read the boxes."""
    if len(shown) < count:
        yield f"The first {len(shown)} of {count} kinds of request."
    if run.trace.full:
        yield f"The trace ends after {MOST_EVENTS:,} events."
    yield _LEGEND
    if (most := max(len(lanes) for one in shown for lanes in one.touched.values())) > 1:
        yield f"{most}x: {most} lanes."
    if any(one.sectors[-1] - one.sectors[0] >= len(one.sectors) for one in shown):
        yield "…: sectors that are not touched."
    if any(one.width < _LABELLED for one in shown):
        yield f"Under {_LABELLED} bytes there is no room for a number."


def _requests(events: Iterable[Event]) -> list[_Request]:
    """The first of each line, direction and array, in the order of the source."""
    found: dict[tuple[object, ...], list[_Request]] = defaultdict(list)
    for event in events:
        if event.space != "global" or event.kind not in _KINDS:
            continue
        mine = event.threads < WARP
        buffer = -1 if event.buffer is None else event.buffer
        key = (event.line, _KINDS.index(event.kind), buffer)
        if not mine.any():
            continue
        touched = defaultdict(list)
        for at, lane in zip(addresses(event)[mine].tolist(), event.threads[mine], strict=True):
            touched[at].append(int(lane))
        fixed = {at: tuple(lanes) for at, lanes in sorted(touched.items())}
        found[key].append(_Request(event.line, event.kind, event.buffer, event.width, fixed))
    return [
        replace(first, later=tuple(len(one.sectors) for one in others))
        for _, (first, *others) in sorted(found.items(), key=lambda item: item[0])
    ]


def _lines(one: _Request) -> int:
    return min(-(-len(one.sectors) // _PER_LINE), _MOST_LINES)


def _paint(picture: Picture, run: Run, one: _Request, top: float) -> None:
    code: Style = {"size": SMALL, "family": "monospace"}
    picture.write(0.15, top + 0.16, source_line(run, one.line, 62), **code)
    picture.write(5.2, top + 0.16, _spoken(run, one), size=TEXT, weight="bold")
    tall = _LINE * _lines(one)
    picture.write(_LEFT + 0.05, top + 0.24 + tall + 0.11, one.others)
    axes = picture.panel(_LEFT, top + 0.24, _ACROSS, tall)
    axes.set(xlim=(0, _PER_LINE * SECTOR), ylim=(_lines(one), 0), xticks=[], yticks=[])
    drawn = one.sectors[: _PER_LINE * _MOST_LINES]
    for position, sector in enumerate(drawn):
        row, column = divmod(position, _PER_LINE)
        _paint_sector(axes, one, sector, column * SECTOR, row)
        if column and drawn[position - 1] < sector - 1:
            middle: Style = {"ha": "center", "va": "center", "size": _LABEL, "color": INK}
            axes.text(column * SECTOR, row + 0.55, "…", **middle)


def _spoken(run: Run, one: _Request) -> str:
    hidden = len(one.sectors) - _PER_LINE * _MOST_LINES
    array = "" if one.buffer is None else f" of {named(run, one.buffer)}"
    return f"{one.kind}{array}: {one.words}" + (f", {hidden} not drawn" if hidden > 0 else "")


def _paint_sector(axes: Axes, one: _Request, sector: int, left: float, row: int) -> None:
    gap = 1.2
    box: Style = {"lw": 1.1, "edgecolor": INK, "clip_on": False}
    scale = (SECTOR - 2 * gap) / SECTOR
    axes.add_patch(Rectangle((left + gap, row + 0.28), SECTOR * scale, 0.6, facecolor=PALE, **box))
    for at, lanes in one.touched.items():
        start, end = max(at - sector * SECTOR, 0), min(at + one.width - sector * SECTOR, SECTOR)
        if start >= end:
            continue
        x, wide = left + gap + start * scale, (end - start) * scale
        style: Style = {"facecolor": BLUE, "edgecolor": PAPER, "lw": 0.5, "clip_on": False}
        axes.add_patch(Rectangle((x, row + 0.28), wide, 0.6, **style))
        if one.width >= _LABELLED:
            label = str(lanes[0]) if len(lanes) == 1 else f"{len(lanes)}x"
            size = _LEAST_LABEL if len(label) > 2 and one.width == _LABELLED else _LABEL
            middle: Style = {"ha": "center", "va": "center", "size": size, "color": PAPER}
            axes.text(x + wide / 2, row + 0.58, label, **middle)
    edge: Style = {"facecolor": "none", **box}
    axes.add_patch(Rectangle((left + gap, row + 0.28), SECTOR * scale, 0.6, **edge))
    offset: Style = {"ha": "left", "va": "bottom", "size": _LABEL, "color": INK}
    axes.text(left + gap, row + 0.26, f"byte {sector * SECTOR:,}", **offset)


def _described(run: Run, one: _Request) -> str:
    lanes = sum(map(len, one.touched.values()))
    array = "" if one.buffer is None else f" of {named(run, one.buffer)}"
    return (
        f"  {source_line(run, one.line, 60)}: {counted(lanes, 'lane')}, "
        f"{counted(one.width, 'byte')} each{array}; {one.kind}: {one.words}"
        + (f". {one.others}" if one.others else "")
    )
