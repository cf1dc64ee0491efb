"""An arbitrary round of a loop: what is known at its start, and after the last one.

Registers that change by the same in every round are `start + count * step`. A round is either the
first (`count` is 0) or the one before it went back; the facts of that one are those of this one,
said of twins of its atoms. That is an induction over rounds, so what a round needs to know of its
own integers (`values.Obligation`) may be proved from the round before.
"""

import operator
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from math import gcd

import z3

from .atoms import HUGE, Formula, Polynomial, Scope, Twins, all_of, negated, term
from .loops import Epoch, Loop, State, Undecided, Walk, meets
from .values import Arithmetic, Pointer, Unknown, Value, same

MOST_TRIES = 6
Steps = dict[str, Polynomial | None]  # by register; None for one that does not change evenly


class AnyRound:
    """Made by trying: which registers change evenly shows when a round is gone through."""

    def __init__(self, thread: Walk, loop: Loop, entry: State):
        self.thread, self.on, self.loop, self.entry = thread, thread.on, loop, entry
        instructions = thread.graph.loop_instructions(loop)
        self.scope = min((meets(one) for one in instructions), default=Scope.THREAD)
        written = {name for one in instructions for name in one.written}
        self.carried = sorted(written & entry.registers.keys())
        self.steps: Steps = dict.fromkeys(self.carried)
        self.uneven: set[str] = set()
        self._try()

    def _try(self) -> None:
        """Go through rounds until what they show is what they were given."""
        for _ in range(MOST_TRIES):
            mark = self.thread.mark()
            self.outside = frozenset(self.on.atoms.by_name)
            self.again = self.on.atoms.boolean("again", Scope.THREAD)
            self.count = self.on.atoms.integer("count", 0, HUGE, self.scope)
            self.head = self._head()
            self.thread.rounds.append(self.count)
            self.found = self.thread.go_through(self.loop, self.head)
            self.thread.rounds.pop()
            self.back = self.thread.joined(self.found.back)
            if not self._learned():
                return
            self.thread.forget_since(mark)
        line = self.thread.code.instructions[self.loop.header].line
        raise Undecided("what a loop does in a round depends on too many others", line)

    def _learned(self) -> bool:
        """Whether the steps are not as they were taken to be; then they are corrected."""
        changed = False
        for name in self.carried:
            step = self._step(name)
            if name in self.uneven or step == self.steps[name]:
                continue
            if self.steps[name] is not None:
                self.uneven.add(name)
                step = None
            self.steps[name] = step
            changed = True
        return changed

    def _step(self, name: str) -> Polynomial | None:
        """By how much a round changes a register; None where that is not the same in each."""
        before, after = self.head.registers[name], self.back.registers[name]
        if isinstance(before, Pointer) and isinstance(after, Pointer):
            if before.array != after.array:
                return None
            before, after = before.offset, after.offset
        if isinstance(before, Polynomial) and isinstance(after, Polynomial):
            step = after - before
            return step if step.atoms <= self.outside else None
        return Polynomial.of(0) if same(before, after) else None

    # --- the start of a round -------------------------------------------------------------------

    def _head(self) -> State:
        registers = dict(self.entry.registers)
        self.even: dict[str, Polynomial] = {}  # atoms, and their steps
        for name in self.carried:
            registers[name] = self._at_start(name, registers[name])
        of_block, of_warp = self.entry.epochs
        if self.scope < Scope.THREAD:
            of_block, of_warp = self._epoch(of_block), self._epoch(of_warp)
        return State((*self.entry.path, self.again), registers, (of_block, of_warp))

    def _at_start(self, name: str, value: Value) -> Value:
        step = self.steps[name]
        if step is not None and not step.terms:
            return value
        if isinstance(value, Pointer):
            return Pointer(value.array, self._integer(value.offset, step, "s64"))
        kind = self.thread.code.registers.get(name, "b32")
        if kind == "pred":
            return self.on.condition(self.on.unknown())
        if isinstance(value, Polynomial):
            return self._integer(value, step, f"s{kind[1:]}")
        return self.on.unknown()

    def _integer(self, start: Polynomial, step: Polynomial | None, kind: str) -> Polynomial:
        if step is None:
            return self.on.fresh("carried", kind)
        by = gcd(start.content, step.content)
        return self._even(start.divided(by), step.divided(by)) * by

    def _even(self, start: Polynomial, step: Polynomial) -> Polynomial:
        low, high = self.on.atoms.interval(start)
        ends = self.on.atoms.interval(step)
        low, high = (low if ends[0] >= 0 else -HUGE), (high if ends[1] <= 0 else HUGE)
        scope = max(self.on.atoms.scope(start, step), self.scope)
        made = self.on.atoms.integer("even", low, high, scope)
        self.on.atoms.fact(made, term(made) == term(start + self.on.product(self.count, step)))
        self.even[min(made.atoms)] = step
        return made

    def _epoch(self, before: Epoch) -> Epoch:
        made = [self.on.atoms.integer("epoch", -HUGE, HUGE, Scope.THREAD) for _ in before]
        first = term(self.count) == 0
        for one, start in zip(made, before, strict=True):
            self.on.atoms.fact(one, z3.Implies(first, term(one) == term(start)))
        return tuple(made)

    # --- the round before, and the last one -----------------------------------------------------

    def leaving(self) -> list[tuple[int, State]]:
        """Where threads go on after the loop, and how they then stand."""
        self._say_what_was_before()
        copies = self._copies("'last")
        copies.scope = Scope.THREAD
        copies.pinned[str(self.again)] = lambda twin: [z3.Bool(twin)]
        size = len(self.head.path)
        left = [(target, self._copied(one, copies, size)) for target, one in self.found.leave]
        end = z3.Implies(all_of(self.entry.path), z3.Or([all_of(rest) for _, (rest, _) in left]))
        again = copies.of(self.history)
        for twin in list(copies.made.values()):
            self.on.atoms.by_name[twin].facts += [end, z3.Implies(all_of(self.entry.path), again)]
        return self._grouped(left)

    def _grouped(
        self, left: list[tuple[int, tuple[tuple[Formula, ...], State]]]
    ) -> list[tuple[int, State]]:
        """One state for each place; where there is but one, whoever comes to the loop goes there,
        since loops end."""
        targets = list(dict.fromkeys(target for target, _ in left))
        found = []
        for target in targets:
            states = [
                replace(state, path=(*self.entry.path, *rest))
                for one, (rest, state) in left
                if one == target
            ]
            joined = self.thread.joined(states)
            if len(targets) == 1:
                joined = replace(joined, path=self.entry.path)
            found.append((target, joined))
        return found

    def _say_what_was_before(self) -> None:
        """What `again` means: this is the first round, or the one before it went back."""
        copies = self._copies("'before")
        first, later = term(self.count) == 0, term(self.count) >= 1
        copies.pinned[str(term(self.count))] = lambda twin: [
            z3.Implies(later, z3.Int(twin) == term(self.count) - 1)
        ]
        copies.pinned[str(self.again)] = lambda twin: [z3.Implies(later, z3.Bool(twin))]
        for name, step in self.even.items():
            copies.pinned[name] = self._one_step_back(name, step, later)
        size = len(self.head.path)
        rest = [copies.of(one) for one in self.back.path[size:]]
        self.history = z3.Or(first, all_of([*rest, *self._not_passed()]))
        self._link_epochs(copies, later)
        self.on.atoms.by_name[str(self.again)].facts.append(self.again == self.history)

    def _one_step_back(
        self, name: str, step: Polynomial, later: Formula
    ) -> Callable[[str], list[Formula]]:
        back = term(Polynomial.atom(name) - step)
        return lambda twin: [z3.Implies(later, z3.Int(twin) == back)]

    def _not_passed(self) -> Iterator[Formula]:
        """A number that changes by `step` in every round and goes back as long as it is not 0 has
        not jumped over it: where it started at a multiple of the step before 0, it is before 0."""
        for one in self.back.path[len(self.head.path) :]:
            equation = self.on.equations.get(negated(one) if z3.is_not(one) else one)
            if equation is None or equation[0] != z3.is_not(one):
                continue
            step = self._steps_of(equation[1])
            if step:
                now = equation[1] - step  # as it was tested before this round
                start = now - self.count * step
                yield from not_passed(self.on, start, now, step)

    def _steps_of(self, value: Polynomial) -> int | None:
        """By what number a round changes a polynomial; None where that is not a number."""
        total = 0
        for monomial, coefficient in value.terms.items():
            inside = [name for name in monomial if name not in self.outside]
            if not inside:
                continue
            step = self.even.get(inside[0])
            if step is None or step.number is None or len(monomial) > 1:
                return None
            total += step.number * coefficient
        return total

    def _link_epochs(self, copies: Twins, later: Formula) -> None:
        for now, before in zip(chain(*self.head.epochs), chain(*self.back.epochs), strict=True):
            same = term(now) == term(copies.of(before))
            self.on.atoms.fact(now, z3.Implies(later, same))

    def _copies(self, mark: str) -> Twins:
        atoms = self.on.atoms
        return Twins(atoms, atoms.by_name.keys() - self.outside, f"{mark}{len(atoms.by_name)}")

    def _copied(self, state: State, copies: Twins, size: int) -> tuple[tuple[Formula, ...], State]:
        """A state that leaves the loop: its own conditions, and it in the last round's atoms."""
        rest = tuple(copies.of(one) for one in state.path[size:])
        registers = {name: self._twin(one, copies) for name, one in state.registers.items()}
        of_block, of_warp = (tuple(map(copies.of, epoch)) for epoch in state.epochs)
        return rest, State(self.entry.path, registers, (of_block, of_warp))

    def _twin(self, value: Value, copies: Twins) -> Value:
        if isinstance(value, Pointer):
            return Pointer(value.array, copies.of(value.offset))
        return value if isinstance(value, Unknown) else copies.of(value)


def not_passed(on: Arithmetic, start: Polynomial, now: Polynomial, step: int) -> Iterator[Formula]:
    """`now` is what came of `start` by steps, none of which led to 0."""
    before = operator.lt if step > 0 else operator.gt
    whole = on.floor_quotient(start, abs(step)) * abs(step)
    comes_to_zero = z3.And(term(start - whole) == 0, before(term(start), 0))
    yield z3.Implies(comes_to_zero, before(term(now), 0))
