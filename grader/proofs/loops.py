"""A kernel as basic blocks and nested loops."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ..ptx.program import Flow, Function, Instruction, symbol_of

MOST_BLOCKS = 500
END = -1  # where threads go that leave the kernel


class Undecided(Exception):
    """What the analysis does not reason about; the sentence says what, and `line` where."""

    def __init__(self, why: str, line: int | None = None):
        super().__init__(why)
        self.line = line


@dataclass(frozen=True)
class Loop:
    """Named by the index of the instruction at which it starts; `body` holds the starts of its
    blocks, those of inner loops included."""

    header: int
    body: frozenset[int]


class Graph:
    """`blocks`: (start, end) by start, where the instruction before `end` decides who follows;
    `order`: their starts, each after all that come before it but for jumps back; `loops` by
    header. Undecided where a loop has two entries."""

    def __init__(self, code: Function):
        self.code = code
        self.blocks = _blocks(code)
        self.after = {start: self._after(end) for start, (_, end) in self.blocks.items()}
        if len(self.blocks) > MOST_BLOCKS:
            raise Undecided("the kernel has too many branches")
        self.order = self._order()
        self.loops = self._loops()

    def loop_instructions(self, loop: Loop) -> list[Instruction]:
        code = self.code.instructions
        return [code[at] for start in loop.body for at in range(*self.blocks[start])]

    def _after(self, end: int) -> tuple[int, ...]:
        last = self.code.instructions[end - 1]
        following = (end,) if end in self.blocks else (END,)
        if last.form.flow is Flow.BRANCH:
            target = self.code.labels[symbol_of(last.operands[0])]
            target = target if target in self.blocks else END
            return (target, *following) if last.guard else (target,)
        if last.form.flow in (Flow.RETURN, Flow.EXIT):
            return (END, *following) if last.guard else (END,)
        return following

    def _order(self) -> list[int]:
        done: list[int] = []
        seen = {0}
        stack = [(0, iter(self.after[0]))]
        while stack:
            start, rest = stack[-1]
            new = next((n for n in rest if n not in seen and n != END), None)
            if new is None:
                done.append(start)
                stack.pop()
            else:
                seen.add(new)
                stack.append((new, iter(self.after[new])))
        return done[::-1]

    def _loops(self) -> dict[int, Loop]:
        place = {start: number for number, start in enumerate(self.order)}
        before = {start: [n for n in self.order if start in self.after[n]] for start in self.order}
        bodies: dict[int, set[int]] = {}
        dominators = self._dominators(before)
        for start in self.order:
            for target in self.after[start]:
                if target == END or place[target] > place[start]:
                    continue
                if target not in dominators[start]:
                    line = self.code.instructions[target].line
                    raise Undecided("a loop can be entered at two places", line)
                body = bodies.setdefault(target, {target})
                pending = [start]
                while pending:
                    one = pending.pop()
                    if one not in body:
                        body.add(one)
                        pending += before[one]
        return {header: Loop(header, frozenset(body)) for header, body in bodies.items()}

    def _dominators(self, before: dict[int, list[int]]) -> dict[int, set[int]]:
        found = {start: set(self.order) for start in self.order}
        found[0] = {0}
        changed = True
        while changed:
            changed = False
            for start in self.order[1:]:
                new = set.intersection(*(found[one] for one in before[start])) | {start}
                changed |= new != found[start]
                found[start] = new
        return found


def _blocks(code: Function) -> dict[int, tuple[int, int]]:
    number = len(code.instructions)
    jumps = (Flow.BRANCH, Flow.RETURN, Flow.EXIT)
    starts = {0} | {at for at in code.labels.values() if at < number}
    for at, one in enumerate(code.instructions):
        if one.form.flow in jumps:
            starts.add(at + 1)
        elif one.form.flow is not Flow.NEXT:
            what = {Flow.CALL: "a function is called", Flow.TABLE: "a jump goes by a table"}
            raise Undecided(what.get(one.form.flow, "the kernel may stop itself"), one.line)
    edges = [*sorted(start for start in starts if start < number), number]
    return {start: (start, end) for start, end in pairwise(edges)}
