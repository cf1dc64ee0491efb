"""A kernel as basic blocks and nested loops; what a symbolic thread is on its way through them."""

from dataclasses import dataclass
from itertools import combinations, pairwise, takewhile

import z3

from ..errors import unless
from ..graphs import postorder
from ..machine.wave import FULL
from ..ptx.program import AtLine, Flow, Function, Instruction, symbol_of
from .atoms import Formula, Polynomial, Scope, all_of, negated
from .values import Pointer, Value

MOST_BLOCKS = 500
END = -1  # where threads go that leave the kernel


class Undecided(AtLine):
    """What the analysis does not reason about; the sentence says what."""


@dataclass(frozen=True)
class Loop:
    """Named by the index of the instruction at which it starts; `body` holds the starts of its
    blocks, those of inner loops included."""

    header: int
    body: frozenset[int]


class LoopGraph:
    """`blocks`: (start, end) by start, where the instruction before `end` decides who follows;
    `order`: their starts, each after all that come before it but for jumps back; `loops` by
    header. Undecided where a loop has two entries."""

    def __init__(self, code: Function):
        self.code, self.blocks = code, _blocks(code)
        self.after = {start: self._after(end) for start, (_, end) in self.blocks.items()}
        unless(len(self.blocks) <= MOST_BLOCKS, Undecided("the kernel has too many branches"))
        self.order = postorder(0, self.after.__getitem__, {END})[::-1]
        self.loops = self._loops()

    def _after(self, end: int) -> tuple[int, ...]:
        last = self.code.instructions[end - 1]
        following = (end,) if end in self.blocks else (END,)
        if last.form.flow not in (Flow.BRANCH, Flow.RETURN, Flow.EXIT):
            return following
        target = (
            self.code.labels[symbol_of(last.operands[0])] if last.form.flow is Flow.BRANCH else END
        )
        target = target if target in self.blocks else END
        return (target, *following) if last.guard else (target,)

    def _loops(self) -> dict[int, Loop]:
        """Natural loops: a header, and all from which threads come back to it without passing it.
        If the kernel's entry is among these, the header does not dominate its loop."""
        before = {start: [n for n in self.order if start in self.after[n]] for start in self.order}
        bodies: dict[int, set[int]] = {}
        for place, start in enumerate(self.order):
            for header in {*self.after[start]}.intersection(self.order[: place + 1]):
                body = bodies.setdefault(header, {header})
                postorder(start, before.__getitem__, body)
                unless(
                    header == 0 or 0 not in body,
                    Undecided(
                        "a loop can be entered at two places", self.code.instructions[header].line
                    ),
                )
        return {header: Loop(header, frozenset(body)) for header, body in bodies.items()}


def _blocks(code: Function) -> dict[int, tuple[int, int]]:
    number = len(code.instructions)
    starts = {0} | {at for at in code.labels.values() if at < number}
    for at, one in enumerate(code.instructions):
        if one.form.flow in (Flow.BRANCH, Flow.RETURN, Flow.EXIT):
            starts.add(at + 1)
        elif one.form.flow is not Flow.NEXT:
            what = {Flow.CALL: "a function is called", Flow.TABLE: "a jump goes by a table"}
            raise Undecided(what.get(one.form.flow, "the kernel may stop itself"), one.line)
    edges = [*sorted(start for start in starts if start < number), number]
    return {start: (start, end) for start, end in pairwise(edges)}


# ---- what a symbolic thread is between two instructions, and what it leaves behind ----

Path = tuple[Formula, ...]
Epoch = tuple[Polynomial, ...]  # which barrier a thread came from, in which iterations
Epochs = tuple[Epoch, Epoch]  # of barriers of its block, and of those or of its warp's


@dataclass(frozen=True)
class State:
    """A thread before an instruction: `path` is what must hold for it to be there."""

    path: Path
    registers: dict[str, Value]
    epochs: Epochs


@dataclass(frozen=True)
class AccessSite:
    """One access: `verb` "reads", "writes" or "updates"; `width` bytes at `pointer`."""

    at: int
    path: Path
    verb: str
    pointer: Pointer
    width: int
    epochs: Epochs


@dataclass(frozen=True)
class MeetingSite:
    """A place to which all threads of a block must come together, or the lanes of a warp that
    `mask` names."""

    at: int
    path: Path
    scope: Scope
    mask: int = FULL


def meets(one: Instruction) -> Scope:
    """Who must come to an instruction together, as the scope of the rounds of a loop with it."""
    if one.form.collective:
        return Scope.WARP_ROUND
    return Scope.BLOCK_ROUND if one.form.name in ("bar", "barrier") else Scope.THREAD


def with_condition(path: Path, condition: Formula) -> Path:
    return path if z3.is_true(condition) else (*path, condition)


def common(paths: list[Path]) -> int:
    """How many conditions at their beginning several paths share."""
    shared = takewhile(
        lambda together: all(one.eq(together[0]) for one in together[1:]), zip(*paths, strict=False)
    )
    return sum(1 for _ in shared)


def _part_last(a: Path, b: Path) -> bool:
    """Whether two ways are the same but for their last conditions, which are opposites."""
    opposite = a and b and len(a) == len(b) and negated(a[-1]).eq(b[-1])
    return bool(opposite) and common([a, b]) >= len(a) - 1


def either(rests: list[Path]) -> Path:
    """That one of several ways was taken, as far as that says anything."""
    ways = list(rests)
    while opposite := next((pair for pair in combinations(ways, 2) if _part_last(*pair)), None):
        a, b = opposite
        ways = [*(way for way in ways if way is not a and way is not b), a[:-1]]
    if any(not way for way in ways):
        return ()
    return ways[0] if len(ways) == 1 else (z3.Or([all_of(way) for way in ways]),)
