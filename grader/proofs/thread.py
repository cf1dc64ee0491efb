"""One symbolic thread that goes through a kernel: what it accesses and where it meets others.

Branches are merged where they join. A loop whose course is known is gone through as often as it
goes round; of any other one arbitrary iteration is looked at. What is known of that iteration: it
is the first, or the one before it went back to the start (`AnyRound`).

An arbitrary round of a loop: what is known at its start, and after the last one.

Registers that change by the same in every round are `start + count * step`. A round is either the
first (`count` is 0) or the one before it went back; the facts of that one are those of this one,
said of twins of its atoms. That is an induction over rounds, so what a round needs to know of its
own integers (`values.Obligation`) may be proved from the round before.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from math import gcd

import msgspec
import z3

from ..errors import unless
from ..grouped import grouped
from ..machine.wave import FULL
from ..ptx.program import (
    Address,
    Flow,
    Immediate,
    Instruction,
    Negated,
    Operand,
    Register,
    Symbol,
    Variable,
    Vector,
)
from .atoms import HUGE, Formula, Polynomial, Scope, Twins, all_of, negated, term
from .launches import INSTRUCTION, Effort
from .loops import (
    END,
    AccessSite,
    Epoch,
    Loop,
    LoopGraph,
    MeetingSite,
    Path,
    State,
    Undecided,
    common,
    either,
    meets,
    with_condition,
)
from .meanings import computed
from .values import Arithmetic, Pointer, Setting, Unknown, Value, same

MOST_TRIES = 6
Steps = dict[str, Polynomial | None]  # by register; None for one that does not change evenly


class AnyRound:
    """Made by trying: which registers change evenly shows when a round is gone through."""

    def __init__(self, thread: SymbolicThread, loop: Loop, entry: State):
        self.thread, self.on, self.loop, self.entry = thread, thread.on, loop, entry
        graph = thread.graph
        instructions = [
            graph.code.instructions[at] for start in loop.body for at in range(*graph.blocks[start])
        ]
        self.scope = min((meets(one) for one in instructions), default=Scope.THREAD)
        self.carried = sorted(
            {name for one in instructions for name in one.written} & entry.registers.keys()
        )
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
            back, self.leave = self.thread.go_through(self.loop, self.head)
            self.thread.rounds.pop()
            self.back = self.thread.joined(back)
            if not self._learned():
                return
            self.thread.forget_since(mark)
        raise Undecided(
            "what a loop does in a round depends on too many others",
            self.thread.code.instructions[self.loop.header].line,
        )

    def _learned(self) -> bool:
        """Whether the steps are not as they were taken to be; then they are corrected."""
        steps = {name: self._step(name) for name in self.carried if name not in self.uneven}
        changed = {name: step for name, step in steps.items() if step != self.steps[name]}
        again = {name for name in changed if self.steps[name] is not None}
        self.uneven |= again
        self.steps |= changed | dict.fromkeys(again)
        return bool(changed)

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
        before, epochs = self.entry.registers, self.entry.epochs
        self.even: dict[str, Polynomial] = {}  # atoms, and their steps
        registers = before | {n: self._at_start(n, before[n]) for n in self.carried}
        of_block, of_warp = map(self._epoch, epochs) if self.scope < Scope.THREAD else epochs
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
        made = self.on.atoms.integer(
            "even", low, high, max(self.on.atoms.scope(start, step), self.scope)
        )
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
        left = [(target, self._copied(one, copies)) for target, one in self.leave]
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
        states = grouped(
            (target, replace(state, path=(*self.entry.path, *rest)))
            for target, (rest, state) in left
        )
        joined = [(target, self.thread.joined(some)) for target, some in states.items()]
        if len(joined) == 1:
            return [(target, replace(one, path=self.entry.path)) for target, one in joined]
        return joined

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
        rest = [copies.of(one) for one in self.back.path[len(self.head.path) :]]
        self.history = z3.Or(first, all_of([*rest, *self._not_passed()]))
        for now, before in zip(chain(*self.head.epochs), chain(*self.back.epochs), strict=True):
            self.on.atoms.fact(now, z3.Implies(later, term(now) == term(copies.of(before))))
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
            if step := self._steps_of(equation[1]):
                now = equation[1] - step  # as it was tested before this round
                yield from not_passed(self.on, now - self.count * step, now, step)

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

    def _copies(self, mark: str) -> Twins:
        atoms = self.on.atoms
        return Twins(
            atoms, (atoms.by_name.keys() - self.outside).__contains__, f"{mark}{len(atoms.by_name)}"
        )

    def _copied(self, state: State, copies: Twins) -> tuple[tuple[Formula, ...], State]:
        """A state that leaves the loop: its own conditions, and it in the last round's atoms."""
        rest = tuple(copies.of(one) for one in state.path[len(self.head.path) :])
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


MOST_ROUNDS = 64  # of a loop whose course is known
MOST_INSTRUCTIONS = 20_000
DEPTH = 3  # of loops with barriers in them
KERNEL = -2  # the kernel itself, taken as a loop that is gone through once
ACCESSES = ("ld", "ldu", "st", "atom", "red")


class SymbolicThread:
    """A way through a whole kernel: what it has found so far, and how branches join. `lengths`: the
    bytes of arrays and variables by name."""

    def __init__(
        self, graph: LoopGraph, setting: Setting, variables: dict[str, Variable], effort: Effort
    ):
        self.graph, self.code, self.on = graph, graph.code, setting.on
        self.accesses: list[AccessSite] = []
        self.meetings: list[MeetingSite] = []
        self.rounds: list[Polynomial] = []  # counts of those loops around us that have meetings
        self.barriers = 0
        self.effort, self.setting, self.variables = effort, setting, variables
        self.lengths = setting.lengths | {
            name: Polynomial.of(one.size) if one.size else setting.shared_mem
            for name, one in variables.items()
        }
        self.arguments = dict(
            zip((ptx.name for ptx in self.code.parameters), setting.parameters, strict=True)
        )
        self.executed = 0

    def run(self) -> None:
        nowhere = (Polynomial.of(0),) * (1 + DEPTH)
        self.go_through(
            Loop(KERNEL, frozenset(self.graph.order)), State((), {}, (nowhere, nowhere))
        )

    # --- control flow ---------------------------------------------------------------------------

    def go_through(self, loop: Loop, start: State) -> tuple[list[State], list[tuple[int, State]]]:
        """Once through the blocks of a loop, or of the kernel: the states that go back to its
        start, and those that leave it, with the blocks that they go to."""
        pending: dict[int, list[State]] = {max(loop.header, 0): [start]}
        back, leave = list[State](), list[tuple[int, State]]()
        for block in (one for one in self.graph.order if one in loop.body and one in pending):
            state = self.joined(pending.pop(block))
            inner = self.graph.loops.get(block)
            if inner is None or block == loop.header:
                after: Iterable[tuple[int, State]] = self._block(block, state)
            else:
                known = self._known_rounds(inner, state)
                after = AnyRound(self, inner, state).leaving() if known is None else known
            for target, then in (one for one in after if not any(map(z3.is_false, one[1].path))):
                if target == loop.header:
                    back.append(then)
                elif target in loop.body:
                    pending.setdefault(target, []).append(then)
                else:
                    leave.append((target, then))
        return back, leave

    def _known_rounds(self, loop: Loop, state: State) -> list[tuple[int, State]] | None:
        """Round after round, while it is known whether there is another one; None, and all of it
        forgotten, where that is not known."""
        mark = self.mark()
        left: list[tuple[int, State]] = []
        for _ in range(MOST_ROUNDS):
            back, leave = self.go_through(loop, state)
            left += leave
            if not back:
                return left
            if any(target != END for target, _ in leave):
                break
            state = self.joined(back)
        self.forget_since(mark)
        return None

    def mark(self) -> tuple[int, ...]:
        found = (self.on.atoms.by_name, self.accesses, self.meetings, self.on.obligations)
        return *map(len, found), self.barriers

    def forget_since(self, mark: tuple[int, ...]) -> None:
        """Forget what has been found since."""
        atoms, accesses, meetings, obligations, self.barriers = mark
        self.on.forget(atoms)
        del self.accesses[accesses:], self.meetings[meetings:], self.on.obligations[obligations:]

    def joined(self, states: list[State]) -> State:
        """Where branches come together."""
        if len(states) == 1:
            return states[0]
        paths = [one.path for one in states]
        shared = common([*paths])
        rests = [path[shared:] for path in paths]
        pairs = list(zip(rests, states, strict=True))
        registers = {
            name: self.on.merged(
                [(rest, one.registers[name]) for rest, one in pairs if name in one.registers],
                self.code.registers.get(name, "b32"),
            )
            for name in dict.fromkeys(name for one in states for name in one.registers)
        }
        of_block, of_warp = zip(*(one.epochs for one in states), strict=True)
        return State(
            (*paths[0][:shared], *either(rests)),
            registers,
            epochs=(self._epoch(rests, of_block), self._epoch(rests, of_warp)),
        )

    def _epoch(self, rests: list[Path], epochs: tuple[Epoch, ...]) -> Epoch:
        merged = (
            self.on.merged(list(zip(rests, part, strict=True)), "s64")
            for part in zip(*epochs, strict=True)
        )
        return tuple(one for one in merged if isinstance(one, Polynomial))

    # --- one instruction after the other --------------------------------------------------------

    def _block(self, start: int, state: State) -> Iterator[tuple[int, State]]:
        """Where a thread may go from a block, and how it then stands."""
        state = replace(state, registers=dict(state.registers))
        begin, end = self.graph.blocks[start]
        for at in range(begin, end):
            one = self.code.instructions[at]
            self.on.at, self.on.path = at, state.path
            if one.form.flow is Flow.NEXT:
                state = self._execute(at, one, state)
        last, targets = self.code.instructions[end - 1], self.graph.after[start]
        if last.form.flow is Flow.NEXT or last.guard is None:
            yield targets[0], state
            return
        guard = self._guard(last, state)
        yield from (
            (target, replace(state, path=with_condition(state.path, condition)))
            for target, condition in zip(targets, (guard, negated(guard)), strict=True)
        )

    def _guard(self, one: Instruction, state: State) -> Formula:
        if one.guard is None:
            return z3.BoolVal(True)
        held = self.on.condition(self._read(one.guard, state))
        return negated(held) if one.guard_negated else held

    def _execute(self, at: int, one: Instruction, state: State) -> State:
        guard = self._guard(one, state)
        if z3.is_false(guard):
            return state
        self.executed += 1
        self.effort.spend(INSTRUCTION)
        unless(
            self.executed <= MOST_INSTRUCTIONS,
            Undecided("the kernel is too long when its loops are written out"),
        )
        unless(self.effort.left, Undecided("the time was too short"))
        inside = replace(state, path=with_condition(state.path, guard))
        self.on.path = inside.path
        if one.form.collective or one.form.name in ("bar", "barrier"):
            state = self._meet(at, one, inside, state)
        self._access(at, one, inside)
        for name, value in self._results(one, inside):
            if not z3.is_true(guard) and name in state.registers:
                value = self.on.chosen(
                    guard, value, state.registers[name], self.code.registers.get(name, "b32")
                )
            state.registers[name] = value
        return state

    def _results(self, one: Instruction, state: State) -> list[tuple[str, Value]]:
        """What an instruction writes, and what it writes there."""
        first, rest = one.operands[:1], one.operands[1:]
        if one.form.name == "ld" and (given := self._argument(one)) is not None:
            return [(name, given) for name in one.written]
        whole = all(isinstance(part, Register) for part in first)
        parted = any(isinstance(operand, Vector | Address) for operand in rest)
        plain = not one.form.transfers and meets(one) is Scope.THREAD and len(one.written) == 1
        if plain and whole and not parted and one.form.flow is Flow.NEXT:
            values = [self._read(operand, state) for operand in rest]
            return [(one.written[0], computed(self.on, one, values))]
        found = [(name, self._anything(one, name)) for name in one.written]
        if one.form.name == "setp" and isinstance(first[0], Vector) and len(found) == 2:
            values = [self._read(operand, state) for operand in rest]
            # Without the opposite.
            alone = msgspec.structs.replace(one, operands=(first[0].items[0], *rest))
            held = self.on.condition(computed(self.on, alone, values))
            return [(found[0][0], held), (found[1][0], negated(held))]
        return found

    def _anything(self, one: Instruction, name: str) -> Value:
        """Any value; the same for all threads where a barrier reduces."""
        return (
            self.on.atoms.boolean("reduced", Scope.BLOCK_ROUND)
            if one.form.name in ("bar", "barrier") and self.code.registers.get(name) == "pred"
            else self.on.unknown()
        )

    def _argument(self, one: Instruction) -> Value | None:
        """The parameter that a load gives; None for any other load."""
        address = one.operands[1]
        if not isinstance(address, Address) or not isinstance(address.base, Symbol):
            return None
        declared = self.arguments.get(address.base.name)
        if declared is None:
            return None
        if address.offset or len(one.written) != 1:
            return self.on.unknown()
        if declared.length is not None:
            return Pointer(declared.name, Polynomial.of(0))
        # One that is no whole number is unknown, and the same for all threads.
        return self.setting.numbers.get(declared.name) or Unknown(f"parameter {declared.name}")

    def _read(self, operand: Operand, state: State) -> Value:
        on = self.on
        if isinstance(operand, Immediate):
            return on.unknown() if operand.float_width else Polynomial.of(operand.value)
        if isinstance(operand, Negated):
            return negated(on.condition(self._read(operand.register, state)))
        if not isinstance(operand, Register | Symbol):
            return on.unknown()
        if operand.name in state.registers:
            return state.registers[operand.name]
        if operand.name in self.variables:
            return Pointer(operand.name, Polynomial.of(0))
        if operand.name in self.setting.special:
            return self.setting.special[operand.name]
        if operand.name == "%laneid":
            return on.low_bits(self.setting.thread_number, 5)
        return (
            on.floor_quotient(self.setting.thread_number, 32)
            if operand.name == "%warpid"
            else on.unknown()
        )

    # --- memory and meetings --------------------------------------------------------------------

    def _access(self, at: int, one: Instruction, state: State) -> None:
        """What an instruction does to memory; the load of a parameter does nothing."""
        for position, transfer in one.form.transfers:
            address = one.operands[position]
            if one.form.name not in ACCESSES or not isinstance(address, Address):
                raise Undecided(f"`{one.form.opcode}` is not reasoned about", one.line)
            if one.form.name == "ld" and self._argument(one) is not None:
                continue
            base = self._read(address.base, state) if address.base else None
            if not isinstance(base, Pointer):
                raise Undecided("an address comes from memory, or from several arrays", one.line)
            what = transfer.verb, Pointer(base.array, base.offset + address.offset), transfer.width
            self.accesses.append(AccessSite(at, state.path, *what, state.epochs))

    def _meet(self, at: int, one: Instruction, inside: State, state: State) -> State:
        """A barrier of the block, or something that a warp does together."""
        scope = meets(one)
        whole_block = scope is Scope.BLOCK_ROUND
        if whole_block:
            which = one.operands[1:-1] if one.form.has("red") else one.operands
            unless(
                which == (Immediate(0),) and not one.form.has("arrive"),
                Undecided("a barrier is not for the whole block", one.line),
            )
        lanes = Polynomial.of(FULL) if whole_block else self._read(one.operands[-1], inside)
        mask = lanes.number if isinstance(lanes, Polynomial) else None
        if mask is None:
            raise Undecided("which lanes a mask names is computed", one.line)
        self.meetings.append(MeetingSite(at, inside.path, scope, mask & FULL))
        self.barriers += 1
        here = [Polynomial.of(self.barriers), *self.rounds]
        unless(len(here) <= 1 + DEPTH, Undecided("barriers stand in too many loops", one.line))
        epoch = tuple(here + [Polynomial.of(0)] * (1 + DEPTH - len(here)))
        return (
            replace(state, epochs=(epoch if whole_block else state.epochs[0], epoch))
            if one.form.name in ("bar", "barrier")
            else state
        )
