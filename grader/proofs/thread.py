"""One symbolic thread that goes through a kernel: what it accesses and where it meets others.

Branches are merged where they join. A loop whose course is known is gone through as often as it
goes round; of any other one arbitrary iteration is looked at. What is known of that iteration: it
is the first, or the one before it went back to the start (`Iteration`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import msgspec
import z3

from ..machine.barriers import FULL
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
from .atoms import Formula, Polynomial, Scope, negated
from .loops import (
    END,
    AccessSite,
    Iteration,
    Loop,
    LoopGraph,
    MeetingSite,
    State,
    Undecided,
    Walk,
    with_condition,
)
from .meanings import computed
from .rounds import AnyRound
from .trial import INSTRUCTION, Effort
from .values import Pointer, Setting, Unknown, Value

MOST_ROUNDS = 64  # of a loop whose course is known
MOST_INSTRUCTIONS = 20_000
DEPTH = 3  # of loops with barriers in them
KERNEL = -2  # the kernel itself, taken as a loop that is gone through once
ACCESSES = ("ld", "ldu", "st", "atom", "red")


class SymbolicThread(Walk):
    """A walk through a whole kernel. `lengths`: the bytes of arrays and variables by name."""

    def __init__(
        self, graph: LoopGraph, setting: Setting, variables: dict[str, Variable], effort: Effort
    ):
        super().__init__(graph, setting.on)
        self.effort, self.setting, self.variables = effort, setting, variables
        self.lengths = setting.lengths | {
            name: Polynomial.of(one.size) if one.size else setting.shared_mem
            for name, one in variables.items()
        }
        pairs = zip(self.code.parameters, setting.parameters, strict=True)
        self.arguments = {ptx.name: declared for ptx, declared in pairs}
        self.executed = 0

    def run(self) -> None:
        nowhere = (Polynomial.of(0),) * (1 + DEPTH)
        everything = Loop(KERNEL, frozenset(self.graph.order))
        self.go_through(everything, State((), {}, (nowhere, nowhere)))

    # --- control flow ---------------------------------------------------------------------------

    def go_through(self, loop: Loop, start: State) -> Iteration:
        """Once through the blocks of a loop, or of the kernel."""
        pending: dict[int, list[State]] = {max(loop.header, 0): [start]}
        found = Iteration([], [])
        for block in self.graph.order:
            if block not in loop.body or block not in pending:
                continue
            state = self.joined(pending.pop(block))
            inner = self.graph.loops.get(block)
            if inner is None or block == loop.header:
                after: Iterable[tuple[int, State]] = self._block(block, state)
            else:
                known = self._known_rounds(inner, state)
                after = AnyRound(self, inner, state).leaving() if known is None else known
            for target, then in after:
                if any(z3.is_false(one) for one in then.path):
                    continue
                if target == loop.header:
                    found.back.append(then)
                elif target in loop.body:
                    pending.setdefault(target, []).append(then)
                else:
                    found.leave.append((target, then))
        return found

    def _known_rounds(self, loop: Loop, state: State) -> list[tuple[int, State]] | None:
        """Round after round, while it is known whether there is another one; None, and all of it
        forgotten, where that is not known."""
        mark = self.mark()
        left: list[tuple[int, State]] = []
        for _ in range(MOST_ROUNDS):
            found = self.go_through(loop, state)
            left += found.leave
            if not found.back:
                return left
            if any(target != END for target, _ in found.leave):
                break
            state = self.joined(found.back)
        self.forget_since(mark)
        return None

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
        last = self.code.instructions[end - 1]
        targets = self.graph.after[start]
        if last.form.flow is Flow.NEXT or last.guard is None:
            yield targets[0], state
            return
        guard = self._guard(last, state)
        for target, condition in zip(targets, (guard, negated(guard)), strict=True):
            yield target, replace(state, path=with_condition(state.path, condition))

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
        if self.executed > MOST_INSTRUCTIONS:
            raise Undecided("the kernel is too long when its loops are written out")
        if not self.effort.left:
            raise Undecided("the time was too short")
        inside = replace(state, path=with_condition(state.path, guard))
        self.on.path = inside.path
        if one.form.collective or one.form.name in ("bar", "barrier"):
            state = self._meet(at, one, inside, state)
        self._access(at, one, inside)
        for name, value in self._results(one, inside):
            if not z3.is_true(guard) and name in state.registers:
                kind = self.code.registers.get(name, "b32")
                value = self.on.chosen(guard, value, state.registers[name], kind)
            state.registers[name] = value
        return state

    def _results(self, one: Instruction, state: State) -> list[tuple[str, Value]]:
        """What an instruction writes, and what it writes there."""
        first, rest = one.operands[:1], one.operands[1:]
        plain = not one.form.transfers and not one.form.collective and one.form.flow is Flow.NEXT
        if one.form.name == "ld" and (given := self._argument(one)) is not None:
            return [(name, given) for name in one.written]
        whole = all(isinstance(part, Register) for part in first)
        parted = any(isinstance(operand, Vector | Address) for operand in rest)
        known = plain and len(one.written) == 1 and whole and not parted
        if known and one.form.name not in ("bar", "barrier"):
            values = [self._read(operand, state) for operand in rest]
            return [(one.written[0], computed(self.on, one, values))]
        found = [(name, self._anything(one, name)) for name in one.written]
        pair = first and isinstance(first[0], Vector) and one.form.name == "setp"
        if pair and len(found) == 2:
            assert isinstance(first[0], Vector)
            values = [self._read(operand, state) for operand in rest]
            result = first[0].items[0]  # without the opposite
            alone = msgspec.structs.replace(one, operands=(result, *rest))
            held = self.on.condition(computed(self.on, alone, values))
            return [(found[0][0], held), (found[1][0], negated(held))]
        return found

    def _anything(self, one: Instruction, name: str) -> Value:
        """Any value; the same for all threads where a barrier reduces."""
        if one.form.name in ("bar", "barrier") and self.code.registers.get(name) == "pred":
            return self.on.atoms.boolean("reduced", Scope.BLOCK_ROUND)
        return self.on.unknown()

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
        if operand.name == "%warpid":
            return on.floor_quotient(self.setting.thread_number, 32)
        return on.unknown()

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
        whole_block = one.form.name in ("bar", "barrier") and not one.form.collective
        scope = Scope.BLOCK_ROUND if whole_block else Scope.WARP_ROUND
        operands = list(one.operands)
        if whole_block:
            which = operands[1 if one.form.has("red") else 0]
            alone = len(operands) == (3 if one.form.has("red") else 1)
            if one.form.has("arrive") or not alone or which != Immediate(0):
                raise Undecided("a barrier is not for the whole block", one.line)
        lanes = Polynomial.of(FULL) if whole_block else self._read(operands[-1], inside)
        mask = lanes.number if isinstance(lanes, Polynomial) else None
        if mask is None:
            raise Undecided("which lanes a mask names is computed", one.line)
        self.meetings.append(MeetingSite(at, inside.path, scope, mask & FULL))
        self.barriers += 1
        here = [Polynomial.of(self.barriers), *self.rounds]
        if len(here) > 1 + DEPTH:
            raise Undecided("barriers stand in too many loops", one.line)
        epoch = tuple(here + [Polynomial.of(0)] * (1 + DEPTH - len(here)))
        if one.form.name not in ("bar", "barrier"):
            return state
        return replace(state, epochs=(epoch if whole_block else state.epochs[0], epoch))
