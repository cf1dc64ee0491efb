"""draw.sectors: how a warp's requests meet the 32-byte sectors of global memory."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate

from matplotlib.axes import Axes

from grader.errors import counted
from grader.grouped import grouped
from grader.watch.counters import SECTOR
from grader.watch.observe import MOST_EVENTS, Event, Run

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
    addresses,
    array_argument,
    box,
    empty,
    holding,
    middle,
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


@dataclass(frozen=True)
class _Request:
    """What warp 0 asked for at once."""

    event: Event
    touched: dict[int, tuple[int, ...]]  # byte offset at which an access begins -> its lanes
    later: tuple[int, ...] = ()  # how many sectors each further request of that line moved

    @property
    def sectors(self) -> list[int]:
        """Numbers of the sectors, from the start of the array."""
        return sorted(
            {(at + byte) // SECTOR for at in self.touched for byte in (0, self.event.width - 1)}
        )

    @property
    def asked(self) -> int:
        """Different bytes asked for."""
        return len(self.touched) * self.event.width

    @property
    def lines(self) -> int:
        """How many lines of sectors are drawn."""
        return min(-(-len(self.sectors) // _PER_LINE), _MOST_LINES)

    @property
    def words(self) -> str:
        return (
            f"{counted(len(self.sectors), 'sector')} for {counted(self.asked, 'byte')} "
            f"(at least {-(-self.asked // SECTOR)})"
        )

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
        request
        for request in _requests(run.trace.events)
        if buffer in (None, request.event.buffer) and line in (None, request.event.line)
    ]
    title = "Sectors of 32 bytes that warp 0 asks for, the first time it comes to a line"
    if not requests:
        return empty(title, "Warp 0 asked global memory for nothing there.", run)
    shown = requests[:_MOST_REQUESTS]
    talls = [_HEAD + _LINE * request.lines for request in shown]
    notes = _notes(run, shown, len(requests))
    picture = Picture(
        0.65 + sum(talls) + 0.35,
        title,
        "\n".join([f"{title}:", *(_described(run, request) for request in requests), f"  {notes}"]),
    )
    picture.key(
        holding(
            {
                swatch(BLUE, "asked for"): True,
                swatch(PALE, "moved with it, not asked for"): any(
                    len(request.sectors) * SECTOR > request.asked for request in shown
                ),
            }
        )
    )
    for request, top in zip(shown, accumulate(talls, initial=0.65), strict=False):
        _paint(picture, run, request, top)
    picture.foot(notes)
    return picture


def _notes(run: Run, shown: list[_Request], count: int) -> str:
    """What is left out, and how to read the boxes."""
    most = max(len(lanes) for one in shown for lanes in one.touched.values())
    notes = {
        f"The first {len(shown)} of {count} kinds of request.": len(shown) < count,
        f"The trace ends after {MOST_EVENTS:,} events.": run.trace.full,
        "Boxes are sectors, with the offset of their first byte in the array; "
        "numbers inside are lanes.": True,
        f"{most}x: {most} lanes.": most > 1,
        "…: sectors that are not touched.": any(
            one.sectors[-1] - one.sectors[0] >= len(one.sectors) for one in shown
        ),
        f"Under {_LABELLED} bytes there is no room for a number.": any(
            one.event.width < _LABELLED for one in shown
        ),
    }
    return " ".join(holding(notes))


def _requests(events: Iterable[Event]) -> list[_Request]:
    """The first of each line, direction and array, in the order of the source."""
    by_place: dict[tuple[object, ...], list[_Request]] = defaultdict(list)
    for event in (
        one
        for one in events
        if one.space == "global" and one.kind in _KINDS and (one.threads < WARP).any()
    ):
        mine = event.threads < WARP
        accesses = zip(addresses(event)[mine].tolist(), event.threads[mine].tolist(), strict=True)
        lanes = {at: tuple(some) for at, some in sorted(grouped(accesses).items())}
        place = (event.line, _KINDS.index(event.kind), -1 if event.buffer is None else event.buffer)
        by_place[place].append(_Request(event, lanes))
    return [
        replace(first, later=tuple(len(request.sectors) for request in others))
        for _, (first, *others) in sorted(by_place.items(), key=lambda item: item[0])
    ]


def _paint(picture: Picture, run: Run, request: _Request, top: float) -> None:
    """The request's source line, what it asked for, and its sectors."""
    picture.write(
        0.15, top + 0.16, source_line(run, request.event.line, 62), size=SMALL, family="monospace"
    )
    hidden = len(request.sectors) - _PER_LINE * _MOST_LINES
    more = f", {hidden} not drawn" if hidden > 0 else ""
    picture.write(
        5.2,
        top + 0.16,
        f"{request.event.kind}{_array(run, request)}: {request.words}{more}",
        size=TEXT,
        weight="bold",
    )
    tall = _LINE * request.lines
    picture.write(_LEFT + 0.05, top + 0.24 + tall + 0.11, request.others)
    axes = picture.panel(_LEFT, top + 0.24, _ACROSS, tall)
    axes.set(xlim=(0, _PER_LINE * SECTOR), ylim=(request.lines, 0), xticks=[], yticks=[])
    drawn = request.sectors[: _PER_LINE * _MOST_LINES]
    for position, sector in enumerate(drawn):
        row, column = divmod(position, _PER_LINE)
        _paint_sector(axes, request, sector, (column * SECTOR, row))
        if column and drawn[position - 1] < sector - 1:
            middle(axes, column * SECTOR, row + 0.55, "…", size=_LABEL)


def _array(run: Run, request: _Request) -> str:
    return "" if request.event.buffer is None else f" of {named(run, request.event.buffer)}"


def _paint_sector(axes: Axes, request: _Request, sector: int, corner: tuple[int, int]) -> None:
    """A box, in it the bytes that lanes asked for."""
    gap, tall = 1.2, 0.6
    left, top = corner[0] + gap, corner[1] + 0.28
    edge: Style = {"lw": 1.1, "edgecolor": INK}
    scale = (SECTOR - 2 * gap) / SECTOR
    box(axes, (left, top), (SECTOR * scale, tall), facecolor=PALE, **edge)
    for at, lanes in request.touched.items():
        start, end = (
            max(at - sector * SECTOR, 0),
            min(at + request.event.width - sector * SECTOR, SECTOR),
        )
        if start >= end:
            continue
        x, wide = left + start * scale, (end - start) * scale
        box(axes, (x, top), (wide, tall), facecolor=BLUE, edgecolor=PAPER, lw=0.5)
        if request.event.width >= _LABELLED:
            label = str(lanes[0]) if len(lanes) == 1 else f"{len(lanes)}x"
            size = _LEAST_LABEL if len(label) > 2 and request.event.width == _LABELLED else _LABEL
            middle(axes, x + wide / 2, corner[1] + 0.58, label, size=size, color=PAPER)
    box(axes, (left, top), (SECTOR * scale, tall), facecolor="none", **edge)
    middle(
        axes,
        left,
        corner[1] + 0.26,
        f"byte {sector * SECTOR:,}",
        ha="left",
        va="bottom",
        size=_LABEL,
    )


def _described(run: Run, request: _Request) -> str:
    return (
        f"  {source_line(run, request.event.line, 60)}: "
        f"{counted(sum(map(len, request.touched.values())), 'lane')}, "
        f"{counted(request.event.width, 'byte')} each{_array(run, request)}; "
        f"{request.event.kind}: {request.words}" + (f". {request.others}" if request.others else "")
    )
