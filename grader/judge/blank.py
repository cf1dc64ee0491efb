"""Whether a learner has written anything yet."""

from __future__ import annotations

import re

from ..cuda.comments import without_comments

_SOLUTION = re.compile(r"^[^\n]*BEGIN SOLUTION.*?END SOLUTION[^\n]*\n?", re.DOTALL | re.MULTILINE)


def is_blank(source: str, solution: str) -> bool:
    """True when `source` is empty or what is left of `solution` without its answer; comments and
    white space do not count."""
    return _bare(source) in ("", _bare(_SOLUTION.sub("", solution)))


def _bare(source: str) -> str:
    return "".join(without_comments(source).split())
