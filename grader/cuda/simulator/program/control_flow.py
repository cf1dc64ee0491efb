"""Which instructions may come after which, in one function: for what is said of a barrier or a
loop, never for what is found."""

from __future__ import annotations

from functools import cached_property

from ..isa.form import Flow as Goes
from .ptx import Function


class Flow:
    """The control flow of a kernel and what it calls; calls return to where they were made."""

    def __init__(self, code: Function):
        self.code = code

    def repeats(self, at: int) -> bool:
        """Whether a thread that has executed the instruction at `at` may come to it again."""
        return any(self.reaches(after, at) for after in self._after(at))

    def reaches(self, start: int, goal: int) -> bool:
        """Whether a thread that stands before `start` may come to `goal`."""
        seen, pending = {start}, [start]
        while pending:
            at = pending.pop()
            if at == goal:
                return True
            new = [after for after in self._after(at) if after not in seen]
            seen.update(new)
            pending += new
        return False

    def _after(self, at: int) -> list[int]:
        code = self.code.instructions
        one = code[at]
        goes = one.form.flow
        if goes in (Goes.RETURN, Goes.EXIT, Goes.TRAP) and one.guard is None:
            return []
        after = [at + 1] if at + 1 < len(code) else []
        if goes is Goes.BRANCH:
            target = self.code.labels[one.operands[0].name]
            return [target, *after] if one.guard else [target]
        if goes is Goes.TABLE:
            return self._tabled
        return after

    @cached_property
    def _tabled(self) -> list[int]:
        names = {name for table in self.code.tables.values() for name in table}
        return [self.code.labels[name] for name in names if name in self.code.labels]
