"""Which inputs flow into the first wrong element, and which should: a picture in the page's own
colours, with a text twin.

A row of cells is a stretch of an array. A line leads from a cell to the element that was made of
it; a dashed one is missing. Shapes say what colours say.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from grader.judge.verdict import Mismatch, Part

from .html import ACCENTS, BORDER, CODE_FONT, MUTED, TEXT, Page, unless_escaped

_ACROSS = 64  # cells at most
_ROWS = 4  # arrays at most
_CELL = 12  # pixels of a cell's side
_GAPS = 24, 90  # pixels that lines take, as many as a row has cells
_LACKS, _SOME, _HOLDS, _MORE, _RIGHT, _NEITHER = "○", "◐", "✗", "+", "●", "·"
_KEY = {
    _RIGHT: "flows in, as it should",
    _HOLDS: "flows in, and should not",
    _LACKS: "should flow in, and does not",
    _SOME: "flows in only in part",
    _MORE: "flows in more often than it should",
}
_RANK = (_NEITHER, _RIGHT, _MORE, _HOLDS, _LACKS, _SOME)  # of several elements the last counts


def flow_map(parts: Sequence[Part], wrong: Mismatch) -> Page:
    """The element `wrong` and what it was made of."""
    rows = [_row(list(some)) for _, some in groupby(parts, key=lambda one: one.buffer)][:_ROWS]
    expected, found = wrong.values
    said = f"{wrong.place} should be {expected} and is {found}. What flows into it:"
    seen = [sign for sign in _KEY if any(sign in signs for _, signs in rows)]
    key = ", ".join(f"{sign} {_KEY[sign]}" for sign in seen)
    width = max(len(name) for name, _ in rows)
    text = "\n".join([said, *(f"  {name:<{width}}  {''.join(signs)}" for name, signs in rows), key])
    return Page(_drawn(rows, wrong, said, key), text)


def _row(parts: Sequence[Part]) -> tuple[str, list[str]]:
    """An array's name, with the stretch that is shown, and a sign for each cell."""
    begin, end = parts[0].index, parts[-1].index + parts[-1].count
    each = -(-(end - begin) // _ACROSS)
    signs = [_NEITHER] * -(-(end - begin) // each)
    for part in parts:
        cells = range(
            (part.index - begin) // each, (part.index + part.count - 1 - begin) // each + 1
        )
        for cell in cells:
            both = {signs[cell], _sign(part)}
            signs[cell] = _SOME if both == {_RIGHT, _LACKS} else max(both, key=_RANK.index)
    first = f"{parts[0].buffer}[{', '.join(map(str, parts[0].first))}]"
    several = f", {each} a cell" if each > 1 else ""
    return f"from {first} on{several}" if end - begin > 1 else first, signs


def _sign(part: Part) -> str:
    if not part.found:
        return _LACKS
    if not part.expected:
        return _HOLDS
    return _MORE if part.found > part.expected else _RIGHT


def _drawn(rows: Sequence[tuple[str, list[str]]], wrong: Mismatch, said: str, key: str) -> str:
    longest = max(len(signs) for _, signs in rows)
    wide = max(_ACROSS // 2, longest) * _CELL + 2
    line = _CELL + 20  # a name above its cells
    least, most = _GAPS
    target = len(rows) * line + min(most, least + longest * _CELL // 4)
    parts: list[str] = []
    for at, (name, signs) in enumerate(rows):
        left = (wide - len(signs) * _CELL) // 2
        parts.append(_lines(left, at * line + 16 + _CELL, target, wide, signs))
        parts.append(_cells(left, at * line, name, signs))
    parts.append(_element(wide, target, wrong))
    tall = target + 26
    svg = (
        f'<svg viewBox="0 0 {wide} {tall}" width="{wide}" height="{tall}" role="img" '
        f'aria-label="{escape(said)} {escape(key)}" style="max-width: 100%; height: auto; '
        f'color: {TEXT}; font: 11px {CODE_FONT}">{"".join(parts)}</svg>'
    )
    caption = f'<div style="color: {MUTED}; font-size: 0.9em">{escape(said)} {escape(key)}</div>'
    return f'<div style="margin: 6px 0">{unless_escaped(svg)}{caption}</div>'


def _lines(left: int, top: int, bottom: int, wide: int, signs: Sequence[str]) -> str:
    """From each cell that flows in, or should, to the element."""
    drawn = []
    for at, sign in enumerate(signs):
        if sign == _NEITHER:
            continue
        colour = BORDER if sign == _RIGHT else ACCENTS["error"]
        dashed = "; stroke-dasharray: 3 3" if sign in (_LACKS, _SOME) else ""
        path = f"M{left + at * _CELL + 1 + _CELL // 2} {top}L{wide // 2} {bottom}"
        drawn.append(f'<path d="{path}" style="fill: none; stroke: {colour}{dashed}"/>')
    return "".join(drawn)


def _cells(left: int, top: int, name: str, signs: Sequence[str]) -> str:
    title = f'<text x="{left + 1}" y="{top + 11}" style="fill: {MUTED}">{escape(name)}</text>'
    cells = (_cell(left + at * _CELL + 1, top + 16, sign) for at, sign in enumerate(signs))
    return title + "".join(cells)


def _cell(x: int, y: int, sign: str) -> str:
    colour = TEXT if sign == _RIGHT else ACCENTS["error"]
    box = (
        f'<rect x="{x}" y="{y}" width="{_CELL - 2}" height="{_CELL - 2}" '
        f'style="fill: var(--jp-layout-color1, #ffffff); stroke: {BORDER}"/>'
    )
    if sign == _NEITHER:
        return box
    middle = f'x="{x + _CELL // 2 - 1}" y="{y + _CELL - 3}" text-anchor="middle"'
    return f'{box}<text {middle} style="fill: {colour}">{sign}</text>'


def _element(wide: int, top: int, wrong: Mismatch) -> str:
    expected, found = wrong.values
    text = escape(f"{wrong.place} = {found}, should be {expected}")
    side = min(wide - 4, 8 * len(text) + 12)
    left = (wide - side) // 2
    return (
        f'<rect x="{left}" y="{top}" width="{side}" height="22" rx="3" style="fill: '
        f'var(--jp-layout-color1, #ffffff); stroke: {ACCENTS["error"]}; stroke-width: 1.5"/>'
        f'<text x="{wide // 2}" y="{top + 15}" text-anchor="middle" '
        f'style="fill: {TEXT}">{text}</text>'
    )
