"""PTX's `.loc` rows, as lines of the learner's own source."""

from __future__ import annotations

import re

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

    def own_line(self, loc: str) -> int | None:
        match = _ROW.match(loc)
        here, there = _place(match.groups()[:3]), match.groups()[3:]
        if there[0] is not None:
            self.inlined_at[here] = _place(there)
        seen = set()
        while here[0] not in self.own_files and here in self.inlined_at and here not in seen:
            seen.add(here)
            here = self.inlined_at[here]
        return here[1] or None if here[0] in self.own_files else None


def _place(numbers) -> Place:
    return tuple(int(number) for number in numbers)
