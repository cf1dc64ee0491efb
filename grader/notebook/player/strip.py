"""A few steps of a recording as text, for pages in which no script runs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from grader.counted import counted
from grader.cuda.diagnostics import window
from grader.cuda.sanitize import lines_of, visible
from grader.judge.playback.strip import ACTIVE, APART, LEFT, STANDS_BY, WAITS, Step, Strip, Warps

from ..html import ACCENTS, BORDER, CODE_FONT, MUTED, TEXT, Page, prose

KEY = f"{ACTIVE} runs   {APART} its warp runs without it   {STANDS_BY} stands by   "
KEY += f"{WAITS} waits   {LEFT} has left"
_LINE = f"font-family: {CODE_FONT}; font-size: var(--jp-code-font-size, 13px); line-height: 1.4;"
_BOX = f"margin: 6px 0; padding: 6px 8px; border: 1px solid {BORDER}; color: {TEXT};"
_WARPS = f"{_LINE} margin: 4px 0; padding: 0; border: 0; color: {TEXT}; background: transparent;"
_CODE = f"{_LINE} white-space: pre-wrap; overflow-wrap: anywhere;"
_WRONG = f"color: {ACCENTS['error']}; font-weight: 600;"


def drawn(strip: Strip, source: str) -> Page:
    """The steps of a launch of `source`, one below the other: each with its line, a sign for every
    lane, and what happens in words."""
    lines = lines_of(source)
    block = _short(strip.block)
    head = f"{strip.kernel}: {len(strip.steps)} of {counted(strip.of, 'step')} of block {block}"
    key = f'<div style="color: {MUTED}">{escape(head)} &#160; {escape(KEY)}</div>'
    html = "".join(_box(one, strip.of, lines) for one in strip.steps)
    texts = [_text(one, strip.of, lines) for one in strip.steps]
    return Page(key + html, "\n\n".join([f"{head}\n{KEY}", *texts]))


def _box(step: Step, of: int, lines: Sequence[str]) -> str:
    signs = escape("\n".join(_warps(step)))
    parts = [
        f'<div style="{_CODE}">{escape(_head(step, of, lines))}</div>',
        f'<pre style="{_WARPS}" aria-hidden="true">{signs}</pre>' if signs else "",
        f"<div>{escape(step.said)}</div>" if step.said else "",
        f'<div style="{_WRONG}">✗ {prose(step.wrong)}</div>' if step.wrong else "",
    ]
    return f'<div style="{_BOX}">{"".join(parts)}</div>'


def _text(step: Step, of: int, lines: Sequence[str]) -> str:
    said = [one for one in (step.said, step.wrong and f"✗ {step.wrong}") if one]
    return "\n".join([_head(step, of, lines), *_warps(step), *said])


def _head(step: Step, of: int, lines: Sequence[str]) -> str:
    code = lines[step.line - 1].strip() if 0 < step.line <= len(lines) else ""
    text, _ = window(code, None)
    return f"step {step.number + 1:,} of {of:,}   {step.line:>3} | {visible(text)}"


def _warps(step: Step) -> list[str]:
    names = [_named(one) for one in step.warps]
    width = max(map(len, names), default=0)
    rows = [f"  {name:<{width}} {one.lanes}" for name, one in zip(names, step.warps, strict=True)]
    return [*rows, f"  and {counted(step.more, 'more warp')}"] if step.more else rows


def _named(one: Warps) -> str:
    return f"warp {one.first}" if one.first == one.last else f"warps {one.first}-{one.last}"


def _short(index: tuple[int, int, int]) -> str:
    x, y, z = index
    return str(x) if not (y or z) else f"({x}, {y}, {z})"
