"""Whether a learner has written anything yet."""

from __future__ import annotations

import re

_SOLUTION = re.compile(r"^[^\n]*BEGIN SOLUTION.*?END SOLUTION[^\n]*\n?", re.DOTALL | re.MULTILINE)
# Quoted text first, so that // inside a string starts no comment.
_QUOTED_OR_COMMENT = re.compile(
    r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|//[^\n]*|/\*.*?\*/""", re.DOTALL
)


def is_blank(source: str, solution: str) -> bool:
    """True when `source` is empty or what is left of `solution` without its answer; comments and
    white space do not count."""
    return _bare(source) in ("", _bare(_SOLUTION.sub("", solution)))


def _bare(source: str) -> str:
    without_comments = _QUOTED_OR_COMMENT.sub(lambda match: match.group(1) or " ", source)
    return "".join(without_comments.split())
