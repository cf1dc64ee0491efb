"""A wrong output as pictures in the page's own colours, each with a text twin: which elements are
wrong, what the first of them should be, and which inputs flow into it. Shapes say what colours say.
"""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from grader.errors import counted
from grader.judge.verdict import Mismatch, Part, told_apart

from .cards import Page, aligned, html_of

_ACROSS, _DOWN = 64, 32  # cells at most

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
    return Page(html_of("element_map", signs.tolist(), said, key), text)


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
    columns = []  # name, expected, found
    for place in places:
        want, got = float(expected[place]), float(found[place])
        rounded = f"{want:.{_DIGITS}g}", f"{got:.{_DIGITS}g}"
        shown = told_apart(want, got, _DIGITS) if wrong[place] else rounded
        if missing is not None and missing[place]:
            shown = shown[0], "not written"
        where = f"{name}[{', '.join(map(str, place))}]" if place else name
        columns.append((where, shown[0], f"{shown[1]} ✗" if wrong[place] else shown[1]))
    names, wanted, values = zip(*columns, strict=True)
    rows = ("  ", *names), ("  expected", *wanted), ("  found", *values)
    return Page(html_of("beside", names, wanted, values), aligned(rows))


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


def flow_map(parts: Sequence[Part], wrong: Mismatch) -> Page:
    """The element `wrong` and what it was made of. A row of cells is a stretch of an array. A line
    leads from a cell to the element that was made of it; a dashed one is missing."""
    rows = [_row(list(some)) for _, some in groupby(parts, key=lambda one: one.buffer)][:_ROWS]
    expected, found = wrong.values
    said = f"{wrong.place} is {found}, and should be {expected}. What it uses:"
    seen = {sign for _, signs in rows for sign in signs}
    key = ", ".join(f"{sign} {meaning}" for sign, meaning in _KEY.items() if sign in seen)
    width = max(len(name) for name, _ in rows)
    return Page(
        html_of("flow", rows, wrong, f"{said} {key}"),
        "\n".join([said, *(f"  {name:<{width}}  {''.join(signs)}" for name, signs in rows), key]),
    )


def _row(parts: Sequence[Part]) -> tuple[str, list[str]]:
    """An array's name, with the stretch that is shown, and a sign for each cell."""
    begin, end = parts[0].index, parts[-1].index + parts[-1].count
    each = -(-(end - begin) // _ACROSS)
    signs = [_NEITHER] * -(-(end - begin) // each)
    for part in parts:
        used = _MORE if part.found > part.expected else _RIGHT
        sign = used if part.found and part.expected else _HOLDS if part.found else _LACKS
        last = part.index + part.count - 1 - begin
        for cell in range((part.index - begin) // each, last // each + 1):
            both = {signs[cell], sign}
            signs[cell] = _SOME if both == {_RIGHT, _LACKS} else max(both, key=_RANK.index)
    first = f"{parts[0].buffer}[{', '.join(map(str, parts[0].first))}]"
    several = f", {each} per cell" if each > 1 else ""
    return f"from {first} on{several}" if end - begin > 1 else first, signs
