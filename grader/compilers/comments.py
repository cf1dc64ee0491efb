"""CUDA C++ without its comments.

Whoever reads learners' sources outside the sandbox has no limit on time, so the patterns take a
time in proportion to the source, whatever that is: what is never closed goes on to the end (a
comment) or to the end of its line (quoted text), and no place is looked at twice.
"""

from __future__ import annotations

import re

COMMENT = r"//[^\n]*|/\*.*?\*/"
UNCLOSED = r"/\*.*"  # after COMMENT
QUOTED = r""""(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?"""
_KEPT = re.compile(f"{COMMENT}|({QUOTED}|{UNCLOSED})", re.DOTALL)


def without_comments(source: str) -> str:
    """`source` with a space in place of each comment; one that is not closed is an error for the
    compiler to name, and stays."""
    return _KEPT.sub(lambda found: found[1] or " ", source)


def on_its_lines(source: str) -> str:
    """`source` without comments; the rest stays on its lines, and no space ends one."""
    bare = _KEPT.sub(lambda found: found[1] or " " + "\n" * found[0].count("\n"), source)
    return "\n".join(line.rstrip() for line in bare.split("\n")).rstrip()
