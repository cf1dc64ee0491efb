"""A matplotlib figure that a notebook shows once, sharp, with its text twin; the palette; and what
pictures say of arguments that they cannot draw.
"""

import base64
from collections.abc import Collection, Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any, Literal, TypeVar

import numpy as np
from IPython.display import display
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from grader.cuda.errors import lines_of
from grader.errors import counted, unless
from grader.watch.observe import MOST_EVENTS, ArrayLayout, Event, Run

from ..cards import OURS, Notice, html_of

# Okabe and Ito's colours, which stay apart for colour-blind eyes.
BLUE, ORANGE, RED = "#0072B2", "#E69F00", "#D55E00"
INK, FAINT, PALE, PAPER = "#222222", "#8a8a8a", "#e6e9ec", "#ffffff"
WIDTH = 10.0  # inches
TITLE, TEXT, SMALL = 12, 9.5, 8.5  # font sizes in points
WARP = 32  # threads
HATCH = "/////"
ACTIVITY = {BLUE: "active", ORANGE: "idle while its warp works", PALE: "its whole warp idle"}

_PIXELS_PER_INCH = 96

Colour = str | tuple[float, float, float]
Style = dict[str, Any]  # matplotlib's keywords, which have no common type
Part = TypeVar("Part")


class Picture(Figure):
    """A figure WIDTH by `height` inches, in the colours of the page that shows it.
    `description` says in words what it shows."""

    def __init__(self, height: float, title: str, description: str):
        super().__init__(figsize=(WIDTH, height), dpi=_PIXELS_PER_INCH, facecolor=PAPER)
        self.height, self.description = height, description
        self.write(
            0.15,
            0.12,
            title,
            size=TITLE * min(1.0, 88 / len(title)),  # in its full size up to so many characters
            weight="bold",
            va="top",
        )

    def write(self, left: float, top: float, text: str, **style: Any) -> None:
        """Text placed in inches from the upper left corner."""
        self.text(left / WIDTH, 1 - top / self.height, text, {"size": SMALL, "color": INK} | style)

    def foot(self, *lines: str, above: float = 0.13, line: float = 0.17) -> None:
        """Text at the bottom, its lines `line` inches apart, the last one `above` inches up."""
        for number, text in enumerate(reversed(lines)):
            self.write(0.15, self.height - above - line * number, text)

    def panel(self, left: float, top: float, width: float, height: float) -> Axes:
        """Axes without a frame, placed in inches from the upper left corner."""
        bottom = (self.height - top - height) / self.height
        axes = self.add_axes((left / WIDTH, bottom, width / WIDTH, height / self.height))
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0, labelsize=SMALL, colors=INK)
        return axes

    def key(self, handles: Sequence[Artist], left: float = 0.05, columns: int = 4) -> None:
        """What colours and lines mean, under the title from `left` inches on."""
        self.add_artist(
            Legend(
                self,
                handles,
                [str(handle.get_label()) for handle in handles],
                loc="upper left",
                bbox_to_anchor=(left / WIDTH, 1 - 0.36 / self.height),
                bbox_transform=self.transFigure,
                ncols=columns,
                frameon=False,
                fontsize=SMALL,
                handlelength=1.5,
                columnspacing=1.5,
            )
        )

    def _ipython_display_(self) -> None:
        """Ahead of the printer of figures that pyplot brings along: that one crops, and is half as
        sharp."""
        data, metadata = self._repr_mimebundle_()
        display(data, metadata=metadata, raw=True)

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """As HTML, where the page's theme decides over the colours, and as a plain PNG."""
        dpi = _PIXELS_PER_INCH * 2  # device pixels per CSS pixel
        bare, on_paper = BytesIO(), BytesIO()
        self.savefig(bare, transparent=True, format="png", dpi=dpi)
        self.savefig(on_paper, format="png", dpi=dpi)
        return {
            "text/html": themed(bare.getvalue(), self.description),
            "image/png": on_paper.getvalue(),
            "text/plain": self.description,
        }, {"image/png": {"width": round(WIDTH * _PIXELS_PER_INCH)}, OURS: {}}


def themed(png: bytes, description: str) -> str:
    """A picture without paper in a page, in the colours of the page's theme."""
    return html_of("picture", base64.b64encode(png).decode(), description)


def empty(title: str, reason: str, run: Run | None = None) -> Picture:
    """A picture of nothing, and why it is empty; `run` is what should have been drawn."""
    reason += f" {note(run, 0, 0, '')}" if run else ""
    picture = Picture(0.8, title, f"{title}. {reason}")
    picture.write(0.15, 0.6, reason)
    return picture


def swatch(colour: Colour, meaning: str, edge: Colour = FAINT, hatch: str | None = None) -> Patch:
    """A key's entry for what is filled with `colour`, or hatched."""
    return Patch(facecolor=colour, edgecolor=edge, linewidth=0.6, label=meaning, hatch=hatch)


def arrow(colour: Colour, meaning: str, width: float) -> Line2D:
    """A key's entry for an arrow of `colour`, `width` points thick."""
    return Line2D(
        [0, 1],
        [0, 0],
        color=colour,
        label=meaning,
        lw=width,
        marker=">",
        markersize=5,
        markevery=[-1],
    )


def beside(axes: Axes, left: float, height: float, text: str, **style: Any) -> None:
    """Text beside a row: `left` in widths of the axes, `height` in what they count upwards."""
    axes.text(
        left,
        height,
        text,
        transform=axes.get_yaxis_transform(),
        **{"va": "center", "color": INK} | style,
    )


def middle(axes: Axes, x: float, y: float, text: str, **style: Any) -> None:
    """Text whose middle stands at (x, y)."""
    axes.text(x, y, text, **{"ha": "center", "va": "center", "color": INK} | style)


def box(axes: Axes, corner: tuple[float, float], size: tuple[float, float], **style: Any) -> None:
    """A rectangle that its axes do not cut; `size` is its width and height."""
    axes.add_patch(Rectangle(corner, *size, clip_on=False, **style))


def top_axis(axes: Axes, label: str) -> None:
    """Numbers and what they count along the top."""
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xlabel(label, size=SMALL, color=INK)


def pale_grid(axes: Axes, axis: Literal["both", "x", "y"]) -> None:
    """Pale lines at the ticks, behind all else."""
    axes.grid(axis=axis, color=PALE, lw=0.8)
    axes.set_axisbelow(True)


def index_axis(axes: Axes, indices: range, label: str) -> None:
    """Ticks along the top for threads or cells: at each of a few, else at multiples of 4 or 32."""
    step = 1 if len(indices) <= 16 else 4 if len(indices) <= WARP else WARP
    while len(indices) // step > 16:
        step *= 2
    top_axis(axes, label)
    axes.set_xticks([index for index in indices if index % step == 0])


def source_line(run: Run, line: int, width: int) -> str:
    """Line `line` of the kernel that `run` watched, with its number, cut to `width` characters."""
    lines = lines_of(run.source)
    text = lines[line - 1].split("//")[0].strip() if 0 < line <= len(lines) else ""
    label = f"{line:>3}  {text}" if text else f"line {line}"
    return label if len(label) <= width else label[: width - 1] + "…"


def note(run: Run, shown: int, count: int, noun: str) -> str:
    """What a picture leaves out, in words; empty when it leaves out nothing."""
    cut = f"The first {shown} of {counted(count, noun)}. " if shown < count else ""
    return cut + (
        f"The trace ends after {MOST_EVENTS:,} events. "
        if len(run.trace.events) == MOST_EVENTS
        else ""
    )


def activity(active: np.ndarray) -> np.ndarray:
    """int of the shape of `active` (bool[threads]): for each thread, its place in ACTIVITY."""
    warps = np.arange(len(active)) // WARP
    return np.where(active, 0, np.where(np.isin(warps, warps[active]), 1, 2))


def activity_key(patterns: Iterable[np.ndarray]) -> list[Patch]:
    """Those entries of ACTIVITY that the patterns have, each one bool[threads]."""
    drawn = {state for active in patterns for state in activity(active).tolist()}
    return [swatch(*entry) for state, entry in enumerate(ACTIVITY.items()) if state in drawn]


def holding(parts: Mapping[Part, object]) -> list[Part]:
    """Those parts of a sentence or a key for which what stands beside them holds."""
    return [part for part, holds in parts.items() if holds]


def at_work(threads: Collection[int]) -> str:
    """E.g. "48 threads, 2 warps"."""
    return (
        f"{counted(len({*threads}), 'thread')}, "
        f"{counted(len({thread // WARP for thread in threads}), 'warp')}"
    )


def addresses(access: Event) -> np.ndarray:
    """int64[threads]: the byte offsets of an access; none of anything else."""
    return np.zeros(0, np.int64) if access.address is None else access.address


# ---- arguments of a launch ----


def require_run(run: Run, what: str) -> None:
    """A Notice unless `run` is what watch() returned. `what`: the function that was called."""
    unless(
        isinstance(run, Run),
        Notice(f"`{what}` draws what `watch(...)` returned: `run = watch(...)` first."),
    )


def array_argument(run: Run, argument: int) -> ArrayLayout:
    """Argument number `argument` of the launch, from 0; a Notice if that is no array."""
    arrays = {number: array for number, array in enumerate(run.arrays) if array is not None}
    unless(
        isinstance(argument, int) and argument in arrays,
        Notice(
            f"Argument {argument!r} of this launch is no array; arrays are: "
            f"{', '.join(map(str, arrays)) or 'none'}."
        ),
    )
    return arrays[argument]


def named(run: Run, argument: int) -> str:
    """ "x", as the kernel calls an array argument, or "argument 0" where that is not known."""
    array = dict(enumerate(run.arrays)).get(argument)
    return array.name if array and array.name else f"argument {argument}"
