"""Whether a learner has written anything yet."""

from __future__ import annotations

from ..compilers.lexer import without_comments


def is_blank(source: str, handed_out: str) -> bool:
    """True when `source` is empty or the kernel as it was `handed_out`; comments and white space do
    not count."""
    return _bare(source) in ("", _bare(handed_out))


def _bare(source: str) -> str:
    return "".join(without_comments(source).split())
