"""Which instructions may come after which."""

from __future__ import annotations

from functools import cached_property

from .forms.form import Flow
from .ptx import Function, Symbol, symbol_of


class ControlFlow:
    """The control flow of a kernel and what it calls; calls return to where they were made. For
    what is said of a barrier or a loop, never for what is found."""

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
        if goes in (Flow.RETURN, Flow.EXIT, Flow.TRAP) and one.guard is None:
            return []
        after = [at + 1] if at + 1 < len(code) else []
        if goes is Flow.BRANCH:
            target = self.code.labels[symbol_of(one.operands[0])]
            return [target, *after] if one.guard else [target]
        if goes is Flow.TABLE:
            return self._tabled
        return after

    @cached_property
    def _tabled(self) -> list[int]:
        names = {name for table in self.code.tables.values() for name in table}
        return [self.code.labels[name] for name in names if name in self.code.labels]


def endless_loop(kernel: Function, executed: set[int], at: int) -> int:
    """The jump back of the outermost loop that has gone round, by which instructions were
    `executed` of late; `at` where none has, as in a recursion."""
    code = kernel.instructions
    loops = [
        (end - kernel.labels[operand.name], end)
        for end in executed
        if code[end].form.flow is Flow.BRANCH
        for operand in code[end].operands
        if isinstance(operand, Symbol) and kernel.labels.get(operand.name, end + 1) <= end
    ]
    return max(loops, default=(0, at))[1]


def block_ends(kernel: Function) -> list[int]:
    """For each instruction, the index of the one that ends its straight run: the next control
    instruction, or the last one before a label."""
    code = kernel.instructions
    targets = set(kernel.labels.values())
    ends, end = [0] * len(code), len(code) - 1
    for at in reversed(range(len(code))):
        if code[at].form.control or at + 1 in targets:
            end = at
        ends[at] = end
    return ends
