"""A kernel's source with what each line cost, as Nsight Compute's source page has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from grader.cuda.sanitize import lines_of, visible
from grader.watch.counters import Counters

from .html import BORDER, CODE_FONT, MUTED, TEXT, Page

Counts = dict[str, int]
_HEAT = "rgba(213, 94, 0, {:.2f})"  # laid over either theme's background
_SOURCE = "text-align: left; white-space: pre-wrap; min-width: 40ch"  # long lines go on below
_PAID = {"sectors": ("global_load", "global_store"), "wavefronts": ("shared_load", "shared_store")}


@dataclass(frozen=True)
class Column:
    """`cost(counts)` colours a line by its share of the whole; `show` is what stands there."""

    heading: str
    title: str
    cost: Callable[[Counts], float]
    show: Callable[[Counts], str]


def table(source: str, counters: Counters) -> Page:
    """The lines of `source` with their counts, the first column being the share of all warp
    instructions; columns in which nothing stands are left out."""
    used = [one for one in COLUMNS if any(map(one.cost, counters.lines.values()))]
    return Page(_html(source, counters, used), _text(source, counters, used))


def _count(name: str) -> Callable[[Counts], float]:
    return lambda counts: counts[name]


def _number(count: float) -> str:
    return f"{count:,.0f}" if count else ""


def _plain(heading: str, name: str, title: str) -> Column:
    return Column(heading, title, _count(name), lambda counts: _number(counts[name]))


def _paid(heading: str, unit: str, title: str) -> Column:
    """Loads and stores together, and how many times the ideal they are."""
    names = [f"{kind}_{unit}" for kind in _PAID[unit]]

    def paid(counts: Counts) -> float:
        return sum(counts[name] for name in names)

    def show(counts: Counts) -> str:
        least = sum(counts[f"{name}_ideal"] for name in names)
        more = f" ×{paid(counts) / least:.1f}" if least and paid(counts) > least else ""  # noqa: RUF001
        return _number(paid(counts)) + more

    return Column(heading, title, paid, show)


def _active(counts: Counts) -> str:
    warps = counts["inst_executed"]
    return f"{counts['thread_inst_executed'] / warps:.1f}" if warps else ""


COLUMNS = (
    _plain("instructions", "inst_executed", "PTX instructions that warps executed"),
    Column("active lanes", "threads of a warp that took part, of 32", lambda counts: 0, _active),
    _plain("divergent", "divergent_branches", "branches at which a warp parted"),
    _paid("sectors", "sectors", "32-byte sectors of global memory; times the fewest possible"),
    _paid("wavefronts", "wavefronts", "passes of shared memory; times the fewest possible"),
    _plain("atomics", "atomics", "atomic instructions of warps"),
    _plain("shuffles", "shuffles", "shuffles of warps"),
    _plain("barriers", "barriers", "warps that came to a barrier"),
)


def _html(source: str, counters: Counters, used: list[Column]) -> str:
    total = counters.total
    columns = _with_lanes(used)
    cell = f"padding: 1px 8px; border-bottom: 1px solid {BORDER}; color: {TEXT}; "
    figure = f"{cell}text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums"
    head = "".join(
        f'<th scope="col" title="{escape(one.title)}" style="{figure}; color: {MUTED}">'
        f"{escape(one.heading)}</th>"
        for one in columns
    )
    rows = []
    for number, text in enumerate(lines_of(source), start=1):
        counts = counters.lines.get(number)
        figures = "".join(
            f'<td style="{figure}; background: {_heat(one, counts, total)}">'
            f"{escape(one.show(counts)) if counts else ''}</td>"
            for one in columns
        )
        left = f'<th scope="row" style="{figure}; color: {MUTED}; font-weight: 400">{number}</th>'
        line = f'<td style="{cell}{_SOURCE}">{escape(visible(text))}</td>'
        rows.append(f'<tr style="background: transparent">{left}{figures}{line}</tr>')
    first = f'<th scope="col" style="{figure}; color: {MUTED}">line</th>'
    last = f'<th scope="col" style="{cell}text-align: left; color: {MUTED}">source</th>'
    style = f"border-collapse: collapse; font: 12px/1.5 {CODE_FONT}; margin: 6px 0"
    return (
        f'<div style="overflow-x: auto"><table style="{style}"><thead><tr>{first}{head}{last}</tr>'
        f"</thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _with_lanes(used: list[Column]) -> list[Column]:
    """The used columns, and how many lanes were active beside the instructions."""
    return [one for one in COLUMNS if one in used or one.heading == "active lanes"]


def _heat(column: Column, counts: Counts | None, total: Counts) -> str:
    """The darker, the more of the whole: never so dark that figures are hard to read."""
    whole = column.cost(total)
    share = column.cost(counts) / whole if counts and whole else 0
    return _HEAT.format(0.45 * share) if share >= 0.02 else "transparent"


def _text(source: str, counters: Counters, used: list[Column]) -> str:
    columns, lines = _with_lanes(used), lines_of(source)
    rows = [["line", *(one.heading for one in columns), "source"]]
    for number, counts in sorted(counters.lines.items()):
        if 0 < number <= len(lines) and any(counts.values()):
            code_of = lines[number - 1].partition("//")[0].strip()
            rows.append([str(number), *(one.show(counts) for one in columns), visible(code_of)])
    widths = [max(len(row[at]) for row in rows) for at in range(len(columns) + 1)]
    return "\n".join(
        "  ".join([*(text.rjust(w) for text, w in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    )


def listing(pairs: list[tuple[int, str, list[str]]]) -> str:
    """Source lines (number, text) beside what the compiler made of each."""
    cell = f"padding: 1px 10px; border-bottom: 1px solid {BORDER}; color: {TEXT}; "
    cell += "vertical-align: top; text-align: left; white-space: pre"
    rows = "".join(
        f'<tr style="background: transparent"><th scope="row" style="{cell}; color: {MUTED}; '
        f'font-weight: 400">{number or ""}</th><td style="{cell}">{escape(text)}</td>'
        f'<td style="{cell}">{escape(chr(10).join(made))}</td></tr>'
        for number, text, made in pairs
    )
    head = "".join(f'<th scope="col" style="{cell}; color: {MUTED}">{name}</th>' for name in
                   ("line", "source", "PTX"))  # fmt: skip
    style = f"border-collapse: collapse; font: 12px/1.5 {CODE_FONT}; margin: 6px 0"
    return (
        f'<div style="overflow: auto; max-height: 560px"><table style="{style}"><thead><tr>{head}'
        f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )
