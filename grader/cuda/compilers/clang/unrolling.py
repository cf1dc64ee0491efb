"""`#pragma unroll` in front of what is no loop: nothing to NVRTC, an error to clang."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...diagnostics import Diagnostic

_REFUSED = "loop to follow '#pragma unroll'"
_PRAGMA = re.compile(r"\s*(?:#|%:)\s*pragma\s+unroll\b")


def without(source: str, errors: Iterable[Diagnostic]) -> str:
    """`source` with the pragmas taken out that these errors are about; each is the last above what
    the error names. Lines stay where they are."""
    lines = source.split("\n")
    for error in errors:
        if error.message.endswith(_REFUSED):
            above = range(error.line - 2, -1, -1)
            at = next((n for n in above if _PRAGMA.match(lines[n])), None)
            if at is not None:
                lines[at] = ""
    return "\n".join(lines)
