"""Which elements of an output are wrong, as a picture in the page's own colours."""

from __future__ import annotations

from html import escape

import numpy as np

from ..counted import counted
from .html import ACCENTS, BORDER, MUTED, TEXT, Page, unless_escaped

_ACROSS, _DOWN = 64, 32  # cells at most
_CELL = 12  # pixels
_RIGHT, _SOME, _ALL, _NONE = "·", "o", "✗", "∅"


def element_map(name: str, wrong: np.ndarray, missing: np.ndarray | None = None) -> Page:
    """`wrong` (bool, any shape) as rows of cells: of a matrix its rows, else rows of 64 elements;
    `missing` are those of them that nobody wrote. A cell stands for several elements where there
    are too many."""
    missing = np.zeros_like(wrong) if missing is None else missing
    (grid, each), (unwritten, _) = _cells(wrong), _cells(missing)
    said = _said(name, wrong, missing, each)
    rows = ["".join(map(_sign, *pair)) for pair in zip(grid, unwritten, strict=True)]
    signs = f"  ({_NONE} not written, {_ALL} another value)" if missing.any() else ""
    text = "\n".join([f"{said}{signs}", *(f"  {row}" for row in rows)])
    return Page(_drawn(grid, unwritten, said), text)


def _sign(wrong: float, missing: float) -> str:
    if missing == 1:
        return _NONE
    return _RIGHT if wrong == 0 else _ALL if wrong == 1 else _SOME if wrong > 0 else ""


def _cells(wrong: np.ndarray) -> tuple[np.ndarray, int]:
    """The share of wrong elements by cell (rows, columns), NaN where there is none; and how many
    elements a cell stands for at most."""
    flat = wrong.reshape(-1, wrong.shape[-1]) if wrong.ndim > 1 else _in_rows(wrong.reshape(-1))
    flat = flat.astype(np.float64) if flat.dtype == bool else flat
    down, across = (
        max(1, -(-n // most)) for n, most in zip(flat.shape, (_DOWN, _ACROSS), strict=True)
    )
    rows, columns = (-(-n // k) for n, k in zip(flat.shape, (down, across), strict=True))
    padded = np.full((rows * down, columns * across), np.nan)
    padded[: flat.shape[0], : flat.shape[1]] = flat
    parts = padded.reshape(rows, down, columns, across)
    number = (~np.isnan(parts)).sum(axis=(1, 3))
    share = np.nansum(parts, axis=(1, 3)) / np.where(number, number, np.nan)
    return share, down * across


def _in_rows(wrong: np.ndarray) -> np.ndarray:
    """A vector in rows of 64, or in _DOWN rows where it is longer than those hold."""
    across = max(_ACROSS, -(-len(wrong) // _DOWN)) if len(wrong) > _ACROSS else max(len(wrong), 1)
    rows = -(-len(wrong) // across)
    padded = np.full(rows * across, np.nan)
    padded[: len(wrong)] = wrong
    return padded.reshape(rows, across)


def _said(name: str, wrong: np.ndarray, missing: np.ndarray, each: int) -> str:
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
    return f"{said}." + (f" A cell stands for up to {each} elements." if each > 1 else "")


def _drawn(grid: np.ndarray, unwritten: np.ndarray, said: str) -> str:
    """An SVG: right cells are empty boxes, wrong ones filled and crossed, those of which some are
    wrong half filled; what was not written is crossed and not filled."""
    rows, columns = grid.shape
    wide, tall = columns * _CELL, rows * _CELL
    missing = unwritten == 1
    there, wrong, partly = ~np.isnan(grid), (grid == 1) & ~missing, (grid > 0) & (grid < 1)
    side, colour = _CELL - 2, ACCENTS["error"]
    box, half = f"h{side}v{side}h-{side}z", f"m0 {side // 2}h{side}v{side // 2}h-{side}z"
    cross = f"m2 2l{side - 4} {side - 4}m0 {4 - side}l{4 - side} {side - 4}"
    cells = [
        _path(there, box, f"fill: none; stroke: {BORDER}"),
        _path(partly, half, f"fill: {colour}"),
        _path(wrong, box, f"fill: {colour}"),
        _path(wrong, cross, "fill: none; stroke: #ffffff; stroke-width: 1.3"),
        _path(missing, box, f"fill: none; stroke: {colour}"),
        _path(missing, cross, f"fill: none; stroke: {colour}; stroke-width: 1.3"),
    ]
    size = f'viewBox="0 0 {wide} {tall}" width="{wide}" height="{tall}"'
    svg = (
        f'<svg {size} role="img" aria-label="{escape(said)}" style="max-width: 100%; height: auto; '
        f'color: {TEXT}">{"".join(cells)}</svg>'
    )
    key = "Empty boxes are right, crossed ones wrong, half-filled ones partly."
    if missing.any():
        key = "Empty boxes are right, filled ones wrong (half: partly), crossed ones not written."
    caption = f'<div style="color: {MUTED}; font-size: 0.9em">{escape(said)} {key}</div>'
    return f'<div style="margin: 6px 0">{unless_escaped(svg)}{caption}</div>'


def _path(cells: np.ndarray, drawn: str, style: str) -> str:
    """One path that draws the same in each of these cells of a grid, from a corner's inside on."""
    corners = (np.argwhere(cells) * _CELL + 1).tolist()
    if not corners:
        return ""
    return f'<path d="{"".join(f"M{x} {y}{drawn}" for y, x in corners)}" style="{style}"/>'
