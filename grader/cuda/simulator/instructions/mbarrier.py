"""Barriers in shared memory that count arrivals and bytes (PTX ISA, "Parallel Synchronization and
Communication Instructions: mbarrier"); what `cuda::barrier` is made of.

An mbarrier is one 64-bit word. Ours holds, from the lowest bit: 20 bits of arrivals still pending
in this phase, 20 bits of arrivals expected in each, 23 bits of bytes (plus an offset) that
transactions still owe, and the parity of the phase. The state that an arrival returns is the
word as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..lanes import Lanes, select
from ..memory.access import Access
from ..program.ptx import Address, Instruction
from .atomics import update
from .memory import note, put
from .registry import effect, read, unsupported

_U = np.uint64
_COUNT = _U((1 << 20) - 1)
_EXPECTED, _OWED, _PHASE = _U(20), _U(40), _U(63)
_NOTHING_OWED = _U(1 << 22)
_OWED_BITS = _U((1 << 23) - 1)


@effect("mbarrier")
def mbarrier(instruction: Instruction, at: int, machine):
    """mbarrier.{init, inval, arrive[.expect_tx], arrive_drop, expect_tx, complete_tx, test_wait,
    try_wait, pending_count}"""
    build = _FORMS.get(instruction.mods[0])
    if build is None:
        raise unsupported(instruction, machine)
    return build(instruction, at, machine)


def _access(instruction: Instruction, operand: Address, at: int, machine) -> Access:
    space = tuple(mod for mod in instruction.mods if mod.startswith("shared"))
    return Access(
        replace(instruction, base="atom", mods=(*space, "b64")), operand, at, machine, "updates"
    )


def _init(instruction: Instruction, at: int, machine):
    address, number = instruction.operands
    access = _access(instruction, address, at, machine)
    access.strong = False  # it is set up before anybody may use it
    expected = read(number, "u32", machine)

    def step(lanes: Lanes) -> None:
        for hit in access.hits(lanes):
            put(machine, access, hit, [_word(expected[hit.lanes].astype(_U))])

    return step


def _inval(instruction: Instruction, at: int, machine):
    """The word may serve for something else now: it is left alone, by somebody who saw to it that
    all others have left."""
    access = _access(instruction, instruction.operands[0], at, machine)

    def step(lanes: Lanes) -> None:
        for hit in access.hits(lanes):
            note(machine, access, hit, "atomic")

    return step


def _word(expected: np.ndarray) -> np.ndarray:
    return expected | expected << _EXPECTED | _NOTHING_OWED << _OWED


def _changed(word: np.ndarray, arrivals, more_expected, owed) -> np.ndarray:
    """The word after arrivals, a change of those expected and of the bytes owed; the next phase
    begins where nothing is left to come."""
    pending = (word & _COUNT) - arrivals & _COUNT
    expected = (word >> _EXPECTED & _COUNT) + more_expected & _COUNT
    bytes_owed = (word >> _OWED & _OWED_BITS) + owed & _OWED_BITS
    complete = (pending == 0) & (bytes_owed == _NOTHING_OWED)
    phase = (word >> _PHASE) ^ complete.astype(_U)
    pending = np.where(complete, expected, pending)
    return pending | expected << _EXPECTED | bytes_owed << _OWED | phase << _PHASE


def _arriving(change: Callable) -> Callable:
    """A builder for an instruction `[d,] [barrier][, number]`, where `change(word, number)`."""

    def build(instruction: Instruction, at: int, machine):
        operands = list(instruction.operands)
        target = None if isinstance(operands[0], Address) else operands.pop(0)
        address, *number = operands
        access = _access(instruction, address, at, machine)
        number = read(number[0], "u32", machine) if number else None
        wanted = target is not None and target.name != "_"
        out = machine.registers.write(target, "b64") if wanted else None

        def step(lanes: Lanes) -> None:
            for hit in access.hits(lanes):
                access.check_written(hit)
                amount = np.ones(len(hit.element), _U)
                if number is not None:
                    amount = number[hit.lanes].astype(_U)
                old = update(hit.store.view(np.dtype(_U)), hit.element, change, [amount])
                note(machine, access, hit, "atomic")
                if out is not None:
                    out[hit.lanes] = old

        return step

    return build


_ZERO = _U(0)
_arrive = _arriving(lambda word, number: _changed(word, number, _ZERO, _ZERO))
_drop = _arriving(lambda word, number: _changed(word, number, _ZERO - number, _ZERO))
_expect = _arriving(lambda word, size: _changed(word, _ZERO, _ZERO, size))
_arrive_and_expect = _arriving(lambda word, size: _changed(word, _U(1), _ZERO, size))
_complete = _arriving(lambda word, size: _changed(word, _ZERO, _ZERO, _ZERO - size))


def _arriving_form(instruction: Instruction, at: int, machine):
    drops = instruction.mods[0] == "arrive_drop"
    if "expect_tx" in instruction.mods[1:]:
        if drops:
            raise unsupported(instruction, machine)
        return _arrive_and_expect(instruction, at, machine)
    return (_drop if drops else _arrive)(instruction, at, machine)


def arrival_of_copies(instruction: Instruction, at: int, machine):
    """What cp.async.mbarrier.arrive does once the copies are there: with .noinc an arrival that
    was counted beforehand, without it one that was not."""
    if "noinc" in instruction.mods:
        return _arrive(instruction, at, machine)
    return lambda lanes: None


def _wait(instruction: Instruction, at: int, machine):
    """{test,try}_wait[.parity] done, [barrier], state or parity[, time]: whether that phase is
    over. Whoever sees it over is ordered after all that arrived in it."""
    target, address, phase = instruction.operands[:3]
    access = _access(instruction, address, at, machine)
    out = machine.registers.write(target, "pred")
    by_parity = "parity" in instruction.mods
    phase = read(phase, "u32" if by_parity else "u64", machine)

    def step(lanes: Lanes) -> None:
        machine.schedule.spins += 1
        for hit in access.hits(lanes):
            access.check_written(hit)
            now = access.read(hit, 0, np.dtype(_U)) >> _PHASE
            asked = phase[hit.lanes] & 1 if by_parity else phase[hit.lanes] >> _PHASE
            over = now != asked
            note(machine, access, hit, "atomic")
            out[hit.lanes] = over
            if machine.races is not None and over.any():
                free = select(hit.lanes, over)
                machine.races.synchronize(free, machine.tick(at), "block")

    return step


def _pending_count(instruction: Instruction, at: int, machine):
    target, state = instruction.operands
    out, state = machine.registers.write(target, "u32"), read(state, "u64", machine)

    def step(lanes: Lanes) -> None:
        out[lanes] = state[lanes] & _COUNT

    return step


_FORMS = {
    "init": _init,
    "inval": _inval,
    "arrive": _arriving_form,
    "arrive_drop": _arriving_form,
    "expect_tx": _expect,
    "complete_tx": _complete,
    "test_wait": _wait,
    "try_wait": _wait,
    "pending_count": _pending_count,
}
