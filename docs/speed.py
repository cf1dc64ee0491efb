"""The table and the picture of speed in docs/fast_kernels.md, from lesson 07's recorded times.

python docs/speed.py           writes docs/speed.png, and the table into docs/fast_kernels.md
"""

from __future__ import annotations

import re
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grader import course
from grader.bench import timings
from grader.bench.timings import Timing, Timings, size_text, when

DOCS = Path(__file__).parent
PAGE = DOCS / "fast_kernels.md"
OURS = "dispatched"
STYLES = {
    OURS: ("this course", "#1b6ca8", 2.4),
    "QuACK": ("QuACK", "#c4572e", 1.3),
    "Triton": ("Triton", "#3f8f4f", 1.3),
    "torch.compile": ("torch.compile", "#7d5ba6", 1.3),
    "PyTorch": ("PyTorch", "#8a8a8a", 1.3),
}
WAVE = 132  # rows: fewer do not keep every multiprocessor of an H200 busy


def recorded() -> Timings:
    lesson = course.lesson("07_fused_softmax")
    return timings.recorded(lesson)["leaderboard"]


def table(board: Timings) -> str:
    """Markdown: a line for each size, ours beside the best library, as fractions of a copy."""
    device = board.measured_on
    libraries = ("PyTorch", "Triton", "CuPy", "QuACK")
    versions = ", ".join(f"{name} {device.versions[name]}" for name in libraries)
    lines = [
        f"Measured {when(device)}, where a large copy reaches {device.copy_gb_per_s:,.0f} GB/s; "
        f"{versions}.",
        "",
        "| softmax, fp32 | ours, of a copy | the best library | times as fast |",
        "| --- | --- | --- | --- |",
    ]
    for size in sorted(board.sizes, key=lambda size: (size[0] <= WAVE, size[1])):
        ours = board.row(OURS, size)
        best = min((row for row in _rows(board, size) if row.variant != OURS), key=_ms)
        library = f"{best.variant} {best.fraction:.1%}"
        ahead = f"{best.ms / ours.ms:.2f}"
        lines.append(f"| {size_text(size)} | {ours.fraction:.1%} | {library} | {ahead} |")
    return "\n".join(lines) + "\n"


def _rows(board: Timings, size: timings.Size) -> list[Timing]:
    return [row for row in board.rows if row.size == size]


def _ms(row: Timing) -> float:
    return row.ms


def picture(board: Timings) -> Figure:
    """Bandwidth against length, a panel for many rows and one for 128."""
    figure = Figure(figsize=(8.4, 3.4), dpi=110, layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    powers = [size for size in board.sizes if size[1] & (size[1] - 1) == 0 and size[0] > 1]
    for axes, few, title in ((left, False, "many rows"), (right, True, "128 rows")):
        _panel(axes, board, [size for size in powers if (size[0] <= WAVE) == few], title)
    left.set_ylabel("of a large copy's speed")
    left.legend(frameon=False, fontsize=8, loc="lower left")
    figure.suptitle(f"Softmax of rows, fp32, {when(board.measured_on)}", fontsize=10)
    return figure


def _panel(axes: Axes, board: Timings, sizes: list[timings.Size], title: str) -> None:
    for variant, (name, colour, width) in STYLES.items():
        rows = [row for size in sizes if (row := board.row(variant, size))]
        rows.sort(key=lambda row: row.size[1])
        at = [row.size[1] for row in rows]
        fractions = [row.fraction for row in rows]
        axes.plot(at, fractions, "o-", ms=3, color=colour, lw=width, label=name)
    axes.axhline(1, color="#222222", lw=1, ls="--")
    axes.set_xscale("log", base=2)
    axes.set(title=f"{title}, by columns", ylim=(0, 1.05))
    axes.title.set_fontsize(9)
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:.0%}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e4e4e4", lw=0.7)
    axes.tick_params(labelsize=8)


def main() -> None:
    board = recorded()
    picture(board).savefig(DOCS / "speed.png")
    text = PAGE.read_text()
    PAGE.write_text(
        re.sub(r"Measured on .*?(?=\n\n[^|])", lambda _: table(board).rstrip(), text, flags=re.S)
    )


if __name__ == "__main__":
    main()
