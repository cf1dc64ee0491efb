"""The elements around the first wrong one, expected beside found."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from grader.judge.verdict import told_apart

from .html import ACCENTS, BORDER, CODE_FONT, MUTED, TEXT, Page

_SHOWN = 8  # elements
_BEFORE = 2  # of them before the first wrong one, which is in view on a narrow page too
_DIGITS = 6
_MISSING = "not written"
_CELL = f"border: 1px solid {BORDER}; padding: 3px 8px; text-align: right; white-space: nowrap;"


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
    places = _near(wrong)
    names = [_named(name, place) for place in places]
    pairs = [
        _values(float(expected[place]), float(found[place]), bool(wrong[place])) for place in places
    ]
    if missing is not None:
        pairs = [
            (want, _MISSING if missing[place] else got)
            for place, (want, got) in zip(places, pairs, strict=True)
        ]
    signs = ["✗" if wrong[place] else "" for place in places]
    return Page(_html(names, pairs, signs), _text(names, pairs, signs))


def _near(wrong: np.ndarray) -> list[tuple[int, ...]]:
    """Indices of the elements to show, all in the row of the first wrong one."""
    first = tuple(int(at) for at in np.argwhere(wrong)[0])
    if not first:
        return [first]
    *row, column = first
    begin = max(0, column - _BEFORE) if wrong.shape[-1] > _SHOWN else 0
    return [(*row, at) for at in range(begin, min(begin + _SHOWN, wrong.shape[-1]))]


def _named(name: str, place: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, place))}]" if place else name


def _values(expected: float, found: float, wrong: bool) -> tuple[str, str]:
    """Of two that differ, as many digits as tell them apart."""
    if wrong:
        return told_apart(expected, found, _DIGITS)
    return f"{expected:.{_DIGITS}g}", f"{found:.{_DIGITS}g}"


def _html(names: Sequence[str], pairs: Sequence[tuple[str, str]], signs: Sequence[str]) -> str:
    head = "".join(f'<th scope="col" style="{_style(MUTED)}">{escape(one)}</th>' for one in names)
    wanted = "".join(f'<td style="{_style(TEXT)}">{escape(want)}</td>' for want, _ in pairs)
    got = "".join(_found(is_now, sign) for (_, is_now), sign in zip(pairs, signs, strict=True))
    titled = f'<th scope="row" style="{_style(MUTED)}">'
    rows = [f"<td></td>{head}", f"{titled}expected</th>{wanted}", f"{titled}found</th>{got}"]
    body = "".join(f'<tr style="background: transparent">{row}</tr>' for row in rows)
    style = f"border-collapse: collapse; font: 12px/1.5 {CODE_FONT}; margin: 6px 0"
    return f'<div style="overflow-x: auto"><table style="{style}">{body}</table></div>'


def _found(value: str, sign: str) -> str:
    """A wrong one has a sign and a dashed edge beside its colour."""
    edge = f"outline: 2px dashed {ACCENTS['error']}; outline-offset: -2px;" if sign else ""
    weight = "font-weight: 700;" if sign else ""
    shown = f"{escape(value)} {sign}" if sign else escape(value)
    return f'<td style="{_style(TEXT)} {edge} {weight}">{shown}</td>'


def _style(colour: str) -> str:
    return f"{_CELL} color: {colour}; background: transparent; font-weight: 400;"


def _text(names: Sequence[str], pairs: Sequence[tuple[str, str]], signs: Sequence[str]) -> str:
    columns = [
        (name, want, f"{is_now} {sign}".rstrip())
        for name, (want, is_now), sign in zip(names, pairs, signs, strict=True)
    ]
    widths = [max(map(len, column)) for column in columns]
    rows = zip(("", "expected", "found"), zip(*columns, strict=True), strict=True)
    return "\n".join(_row(title, row, widths) for title, row in rows)


def _row(title: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join([f"  {title:<8}", *(f"{c:>{w}}" for c, w in zip(cells, widths, strict=True))])
