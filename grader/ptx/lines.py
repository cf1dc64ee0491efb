"""PTX's `.loc` rows, as lines of the learner's own source."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .ptx import Malformed

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', re.MULTILINE)
_ROW = re.compile(r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?")

Place = tuple[int, int, int]  # file, line, column


class LineTable:
    """Finds the learner's line behind a `.loc` row: the row's own line, or, for code inlined
    from a header, the line of the call in the learner's file."""

    def __init__(self, text: str, source_file: str):
        files = _FILE.findall(text)
        self.own_files = {int(number) for number, path in files if path == source_file}
        self.inlined_at: dict[Place, Place] = {}

    def own_lines(self, loc: str) -> tuple[int | None, tuple[int, ...]]:
        """The learner's line (None: there is none), and the lines of the calls that it was
        inlined through, innermost first. Raises Malformed."""
        if (found := _ROW.match(loc)) is None:
            raise Malformed(f"{loc:.80} is no line of a line table")
        numbers = found.groups("")
        here, there = _place(numbers[:3]), numbers[3:]
        row = {}
        if there[0]:
            row[here] = self.inlined_at[here] = _place(there)
        chain = [here]
        # The row itself knows whether it was inlined, the map only of what was seen last.
        above = row.get(here)
        if here[0] not in self.own_files:
            above = above or self.inlined_at.get(here)
        while above and above not in chain:
            chain.append(above)
            above = self.inlined_at.get(above)
        own = [place[1] for place in chain if place[0] in self.own_files and place[1]]
        return (own[0], tuple(own[1:])) if own else (None, ())


def _place(numbers: Sequence[str]) -> Place:
    file, line, column = map(int, numbers)
    return file, line, column
