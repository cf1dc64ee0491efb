"""A wrong output as pictures in the page's own colours, each with a text twin: which elements are
wrong, what the first of them should be, and which inputs flow into it. Shapes say what colours say.
"""

from collections.abc import Sequence
from html import escape
from itertools import groupby

import numpy as np

from grader.counted import counted
from grader.judge.verdict import Mismatch, Part, told_apart

from .cards import ACCENTS, BORDER, CODE_FONT, MUTED, TEXT, Page, unless_escaped

_ACROSS, _DOWN = 64, 32  # cells at most
_CELL = 12  # pixels of a cell's side


def _svg(size: tuple[int, int], drawn: str, said: str, key: str, font: str = "") -> str:
    """`size`: width and height in pixels; `said` and `key` are text that stands below, and `said`
    is read out for the picture."""
    wide, tall = size
    svg = (
        f'<svg viewBox="0 0 {wide} {tall}" width="{wide}" height="{tall}" role="img" '
        f'aria-label="{escape(said)}" style="max-width: 100%; height: auto; '
        f'color: {TEXT}{font}">{drawn}</svg>'
    )
    caption = f"{escape(said)} {escape(key)}".rstrip()
    return (
        f'<div style="margin: 6px 0">{unless_escaped(svg)}'
        f'<div style="color: {MUTED}; font-size: 0.9em">{caption}</div></div>'
    )


# ---- which elements are wrong ----


def element_map(name: str, wrong: np.ndarray, missing: np.ndarray | None = None) -> Page:
    """`wrong` (bool, any shape) as rows of cells: of a matrix its rows, else rows of 64 elements;
    `missing` are those of them that nobody wrote. A cell stands for several elements where there
    are too many."""
    missing = np.zeros_like(wrong) if missing is None else missing
    (grid, each), (unwritten, _) = _cells(wrong), _cells(missing)
    said = _counted_wrong(name, wrong, missing)
    said += f" A cell stands for up to {each} elements." if each > 1 else ""
    # A cell is all unwritten, empty, right, wrong, or one of several that are partly wrong.
    signs = np.select(
        [unwritten == 1, np.isnan(grid), grid == 0, grid == 1], ["∅", "", "·", "✗"], "o"
    )
    explained = "  (∅ not written, ✗ another value)" if missing.any() else ""
    text = "\n".join([f"{said}{explained}", *(f"  {''.join(row)}" for row in signs.tolist())])
    wrong_box = "filled" if (signs == "∅").any() else "crossed"
    boxes = {
        **{"·": "empty box: right", "✗": f"{wrong_box} box: wrong"},
        **{"o": "half-filled box: partly wrong", "∅": "crossed box: not written"},
    }
    key = ", ".join(text for sign, text in boxes.items() if (signs == sign).any())
    down, across = grid.shape
    return Page(_svg((across * _CELL, down * _CELL), _drawn(signs), said, key), text)


def _cells(wrong: np.ndarray) -> tuple[np.ndarray, int]:
    """The share of wrong elements by cell (rows, columns), NaN where there is none; and how many
    elements a cell stands for at most."""
    if wrong.ndim > 1:
        flat = wrong.reshape(-1, wrong.shape[-1]).astype(np.float64)
    else:  # in rows of 64, or in _DOWN rows where it is longer than those hold
        across = min(max(_ACROSS, -(-wrong.size // _DOWN)), wrong.size)
        beyond = np.full(-wrong.size % across, np.nan)
        flat = np.append(wrong.reshape(-1), beyond).reshape(-1, across)
    rows, columns = flat.shape
    down, across = max(1, -(-rows // _DOWN)), max(1, -(-columns // _ACROSS))
    padded = np.pad(  # to whole cells
        flat, ((0, -rows % down), (0, -columns % across)), constant_values=np.nan
    )
    parts = padded.reshape(len(padded) // down, down, -1, across)
    number = (~np.isnan(parts)).sum(axis=(1, 3))
    return np.nansum(parts, axis=(1, 3)) / np.where(number, number, np.nan), down * across


def _counted_wrong(name: str, wrong: np.ndarray, missing: np.ndarray) -> str:
    number = int(wrong.sum())
    first = np.argwhere(wrong)[0].tolist() if wrong.ndim else []
    where = f"{name}[{', '.join(map(str, first))}]" if first else name
    are = "is" if number == 1 else "are"
    said = f"{number} of {counted(wrong.size, 'element')} of {name} {are} wrong"
    said += f", the first is {where}" if number < wrong.size and number > 1 else ""
    if unwritten := int(missing.sum()):
        all_of = "" if unwritten < number else "; all of these" if number > 1 else "; it"
        were = "were" if unwritten > 1 else "was"
        said += f"{all_of or f'; {unwritten} of these'} {were} not written"
    return f"{said}."


def _drawn(signs: np.ndarray) -> str:
    """Right cells are empty boxes, wrong ones filled and crossed, those of which some are wrong
    half filled; what was not written is crossed and not filled. One path draws all of a kind."""
    side, colour = _CELL - 2, ACCENTS["error"]
    box, half = f"h{side}v{side}h-{side}z", f"m0 {side // 2}h{side}v{side // 2}h-{side}z"
    cross = f"m2 2l{side - 4} {side - 4}m0 {4 - side}l{4 - side} {side - 4}"
    kinds = [
        (signs != "", box, f"fill: none; stroke: {BORDER}"),
        (signs == "o", half, f"fill: {colour}"),
        (signs == "✗", box, f"fill: {colour}"),
        (signs == "✗", cross, "fill: none; stroke: #ffffff; stroke-width: 1.3"),
        (signs == "∅", box, f"fill: none; stroke: {colour}"),
        (signs == "∅", cross, f"fill: none; stroke: {colour}; stroke-width: 1.3"),
    ]
    paths = [
        (style, "".join(f"M{x} {y}{shape}" for y, x in (np.argwhere(cells) * _CELL + 1).tolist()))
        for cells, shape, style in kinds
    ]
    return "".join(f'<path d="{drawn}" style="{style}"/>' for style, drawn in paths if drawn)


# ---- the first of them beside what they should be ----

_SHOWN = 8  # elements
_BEFORE = 2  # of them before the first wrong one, which is in view on a narrow page too
_DIGITS = 6


def expected_beside_found(
    name: str,
    wrong: np.ndarray,
    expected: np.ndarray,
    found: np.ndarray,
    missing: np.ndarray | None = None,
) -> Page:
    """Neighbours in a row of an array, of which the first wrong one is one, as a table: what each
    should be above what it is, or that it was not written where it is `missing`. `wrong` and
    `missing` (bool) have the shape of both."""
    first = tuple(np.argwhere(wrong)[0].tolist())
    places = [first]
    if first:
        *row, column = first
        begin = max(0, column - _BEFORE) if wrong.shape[-1] > _SHOWN else 0
        places = [(*row, at) for at in range(begin, min(begin + _SHOWN, wrong.shape[-1]))]
    columns = []  # name, expected, found, sign
    for place in places:
        want, got = float(expected[place]), float(found[place])
        rounded = f"{want:.{_DIGITS}g}", f"{got:.{_DIGITS}g}"
        shown = told_apart(want, got, _DIGITS) if wrong[place] else rounded
        if missing is not None and missing[place]:
            shown = shown[0], "not written"
        where = f"{name}[{', '.join(map(str, place))}]" if place else name
        columns.append((where, *shown, "✗" if wrong[place] else ""))
    return Page(_table(columns), _text(columns))


def _table(columns: list[tuple[str, str, str, str]]) -> str:
    """A wrong value has a sign and a dashed edge beside its colour."""
    cell = f"border: 1px solid {BORDER}; padding: 3px 8px; text-align: right; white-space: nowrap;"
    muted, plain = (
        f"{cell} color: {colour}; background: transparent; font-weight: 400;"
        for colour in (MUTED, TEXT)
    )
    edge = f"outline: 2px dashed {ACCENTS['error']}; outline-offset: -2px; font-weight: 700;"
    rows = [
        [
            "<td></td>",
            *(f'<th scope="col" style="{muted}">{escape(name)}</th>' for name, *_ in columns),
        ],
        [
            f'<th scope="row" style="{muted}">expected</th>',
            *(f'<td style="{plain}">{escape(want)}</td>' for _, want, _, _ in columns),
        ],
        [
            f'<th scope="row" style="{muted}">found</th>',
            *(
                f'<td style="{plain} {edge if sign else " "}">'
                f"{escape(f'{value} {sign}'.rstrip())}</td>"
                for _, _, value, sign in columns
            ),
        ],
    ]
    body = "".join(f'<tr style="background: transparent">{"".join(row)}</tr>' for row in rows)
    style = f"border-collapse: collapse; font: 12px/1.5 {CODE_FONT}; margin: 6px 0"
    return f'<div style="overflow-x: auto"><table style="{style}">{body}</table></div>'


def _text(columns: list[tuple[str, str, str, str]]) -> str:
    lines = ["          ", "  expected", "  found   "]
    for name, want, value, sign in columns:
        cells = name, want, f"{value} {sign}".rstrip()
        width = max(map(len, cells))
        lines = [f"{line}  {cell:>{width}}" for line, cell in zip(lines, cells, strict=True)]
    return "\n".join(lines)


# ---- which inputs flow into the first of them ----

_ROWS = 4  # arrays at most
_LACKS, _SOME, _HOLDS, _MORE, _RIGHT, _NEITHER = "○", "◐", "✗", "+", "●", "·"
_KEY = {
    _RIGHT: "used, as it should be",
    _HOLDS: "used, but should not be",
    _LACKS: "not used, but should be",
    _SOME: "used only in part",
    _MORE: "used more often than it should be",
}
_RANK = (_NEITHER, _RIGHT, _MORE, _HOLDS, _LACKS, _SOME)  # of several elements the last counts
_PAPER = f"fill: var(--jp-layout-color1, #ffffff); stroke: {BORDER}"


def flow_map(parts: Sequence[Part], wrong: Mismatch) -> Page:
    """The element `wrong` and what it was made of. A row of cells is a stretch of an array. A line
    leads from a cell to the element that was made of it; a dashed one is missing."""
    rows = [_row(list(some)) for _, some in groupby(parts, key=lambda one: one.buffer)][:_ROWS]
    expected, found = wrong.values
    said = f"{wrong.place} is {found}, and should be {expected}. What it uses:"
    seen = {sign for _, signs in rows for sign in signs}
    key = ", ".join(f"{sign} {meaning}" for sign, meaning in _KEY.items() if sign in seen)
    width = max(len(name) for name, _ in rows)
    longest = max(len(signs) for _, signs in rows)
    wide = max(_ACROSS // 2, longest) * _CELL + 2
    high = _CELL + 20  # of a row: a name above its cells
    least, most = 24, 90  # pixels that lines take, as many as a row has cells
    target = len(rows) * high + min(most, least + longest * _CELL // 4)
    drawn = [_row_drawn(wide, at * high, target, *row) for at, row in enumerate(rows)]
    shapes, font = "".join([*drawn, _element(wide, target, wrong)]), f"; font: 11px {CODE_FONT}"
    return Page(
        _svg((wide, target + 26), shapes, f"{said} {key}", "", font),
        "\n".join([said, *(f"  {name:<{width}}  {''.join(signs)}" for name, signs in rows), key]),
    )


def _row(parts: Sequence[Part]) -> tuple[str, list[str]]:
    """An array's name, with the stretch that is shown, and a sign for each cell."""
    begin, end = parts[0].index, parts[-1].index + parts[-1].count
    each = -(-(end - begin) // _ACROSS)
    signs = [_NEITHER] * -(-(end - begin) // each)
    for part in parts:
        sign = _MORE if part.found > part.expected else _RIGHT
        if not (part.found and part.expected):
            sign = _HOLDS if part.found else _LACKS
        last = part.index + part.count - 1 - begin
        for cell in range((part.index - begin) // each, last // each + 1):
            both = {signs[cell], sign}
            signs[cell] = _SOME if both == {_RIGHT, _LACKS} else max(both, key=_RANK.index)
    first = f"{parts[0].buffer}[{', '.join(map(str, parts[0].first))}]"
    several = f", {each} per cell" if each > 1 else ""
    return f"from {first} on{several}" if end - begin > 1 else first, signs


def _row_drawn(wide: int, top: int, target: int, name: str, signs: Sequence[str]) -> str:
    """Lines to the element at `target` from each cell that flows in, or should; then the cells."""
    left = (wide - len(signs) * _CELL) // 2
    lines = []
    cells = [f'<text x="{left + 1}" y="{top + 11}" style="fill: {MUTED}">{escape(name)}</text>']
    for x, sign in zip(range(left + 1, wide, _CELL), signs, strict=False):
        cells.append(
            f'<rect x="{x}" y="{top + 16}" width="{_CELL - 2}" height="{_CELL - 2}" '
            f'style="{_PAPER}"/>'
        )
        if sign == _NEITHER:
            continue
        colour, ink = (BORDER, TEXT) if sign == _RIGHT else (ACCENTS["error"], ACCENTS["error"])
        dashed = "; stroke-dasharray: 3 3" if sign in (_LACKS, _SOME) else ""
        lines.append(
            f'<path d="M{x + _CELL // 2} {top + 16 + _CELL}L{wide // 2} {target}" '
            f'style="fill: none; stroke: {colour}{dashed}"/>'
        )
        cells.append(
            f'<text x="{x + _CELL // 2 - 1}" y="{top + 16 + _CELL - 3}" text-anchor="middle" '
            f'style="fill: {ink}">{sign}</text>'
        )
    return "".join(lines + cells)


def _element(wide: int, top: int, wrong: Mismatch) -> str:
    expected, found = wrong.values
    text = escape(f"{wrong.place} = {found}, should be {expected}")
    side = min(wide - 4, 8 * len(text) + 12)
    return (
        f'<rect x="{(wide - side) // 2}" y="{top}" width="{side}" height="22" rx="3" style="fill: '
        f'var(--jp-layout-color1, #ffffff); stroke: {ACCENTS["error"]}; stroke-width: 1.5"/>'
        f'<text x="{wide // 2}" y="{top + 15}" text-anchor="middle" '
        f'style="fill: {TEXT}">{text}</text>'
    )
