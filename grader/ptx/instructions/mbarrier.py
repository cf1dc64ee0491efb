"""Barriers in shared memory that count arrivals and bytes (PTX ISA, "Parallel Synchronization and
Communication Instructions: mbarrier"); what `cuda::barrier` is made of.

An mbarrier is one 64-bit word. Ours holds, from the lowest bit: 20 bits of arrivals still pending
in this phase, 20 bits of arrivals expected in each, 23 bits of bytes (plus an offset) that
transactions still owe, and the parity of the phase. The state that an arrival returns is the
word as it was.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec.structs import replace

from ...machine.events import Step
from ...machine.lanes import Lanes, select
from ...machine.memory.access import Access, Hit
from ...machine.wave import Wave
from ..program import Address, Instruction, Operand
from ..table import Elementwise, effect, elementwise

_U = np.uint64
Number = np.ndarray | np.uint64
_COUNT = _U((1 << 20) - 1)
_EXPECTED, _OWED, _PHASE = _U(20), _U(40), _U(63)
_NOTHING_OWED = _U(1 << 22)
_OWED_BITS = _U((1 << 23) - 1)

_OWN = "shared|shared::cta? b64"
_ANY = "SEM? SCOPE? shared|shared::cta|shared::cluster? b64"


def _access(
    instruction: Instruction, operand: Operand, at: int, wave: Wave, strong: bool = True
) -> Access:
    ((_, transfer),) = instruction.form.transfers
    transfer = replace(transfer, releases=False, acquires=False, wide=True)
    return wave.access(replace(transfer, strong=strong, mbarrier=True), operand, at)


@effect("mbarrier", f"init {_OWN} : updates[a], n")
def initialize(instruction: Instruction, at: int, wave: Wave) -> Step:
    address, number = instruction.operands
    # It is set up before anybody may use it.
    access = _access(instruction, address, at, wave, strong=False)
    expected = wave.read(number, "u32")

    def step(lanes: Lanes) -> None:
        for hit in access.hits(lanes):
            arrivals = expected[hit.lanes].astype(_U)
            access.put(hit, [arrivals | arrivals << _EXPECTED | _NOTHING_OWED << _OWED])

    return step


@effect("mbarrier", f"inval {_OWN} : updates[a]")
def invalidate(instruction: Instruction, at: int, wave: Wave) -> Step:
    """The word may serve for something else now: it is left alone, by somebody who saw to it that
    all others have left."""
    access = _access(instruction, instruction.operands[0], at, wave)

    def step(lanes: Lanes) -> None:
        for hit in access.hits(lanes):
            access.used(hit)

    return step


def _changed(word: np.ndarray, arrivals: Number, more_expected: Number, owed: Number) -> np.ndarray:
    """The word after arrivals, a change of those expected and of the bytes owed; the next phase
    begins where nothing is left to come."""
    pending = (word & _COUNT) - arrivals & _COUNT
    expected = (word >> _EXPECTED & _COUNT) + more_expected & _COUNT
    bytes_owed = (word >> _OWED & _OWED_BITS) + owed & _OWED_BITS
    complete = (pending == 0) & (bytes_owed == _NOTHING_OWED)
    phase = (word >> _PHASE) ^ complete.astype(_U)
    pending = np.where(complete, expected, pending)
    return pending | expected << _EXPECTED | bytes_owed << _OWED | phase << _PHASE


def _arriving(change: Callable[..., Any], *lines: str) -> Callable[..., Any]:
    """Enters an instruction `[d,] [barrier][, number]`, where `change(word, number)`."""

    @effect("mbarrier", *lines)
    def build(instruction: Instruction, at: int, wave: Wave) -> Step:
        operands = list(instruction.operands)
        target = None if isinstance(operands[0], Address) else operands.pop(0)
        address, *numbers = operands
        access = _access(instruction, address, at, wave)
        number = wave.read(numbers[0], "u32") if numbers else None
        releases = "arrive" in instruction.form.opcode and not instruction.form.has("relaxed")
        out = wave.registers.write(target, "b64") if target else None

        def step(lanes: Lanes) -> None:
            for hit in access.hits(lanes):
                one = np.ones(len(hit.element), _U)
                amount = one if number is None else number[hit.lanes].astype(_U)
                (old,) = access.update(hit, change, [[amount]])
                if out is not None:
                    out[hit.lanes] = old
                for tell in wave.events.arrived if releases else ():
                    tell(at, hit, old >> _PHASE)

        return step

    return build


_ZERO = _U(0)
_EITHER = "d, updates[a], {0} or updates[a], {0}"
_arrive = _arriving(
    lambda word, number: _changed(word, number, _ZERO, _ZERO),
    f"arrive noComplete? {_ANY} : {_EITHER.format('n?')}",
)
_arriving(
    lambda word, number: _changed(word, number, _ZERO - number, _ZERO),
    f"arrive_drop noComplete? {_ANY} : {_EITHER.format('n?')}",
)
_arriving(
    lambda word, size: _changed(word, _U(1), _ZERO, size),
    f"arrive expect_tx {_ANY} : {_EITHER.format('bytes')}",
)
_arriving(
    lambda word, size: _changed(word, _ZERO, _ZERO, size),
    f"expect_tx {_ANY} : updates[a], bytes",
)
_arriving(
    lambda word, size: _changed(word, _ZERO, _ZERO, _ZERO - size),
    f"complete_tx {_ANY} : updates[a], bytes",
)


def arrival_of_copies(instruction: Instruction, at: int, wave: Wave) -> Step:
    """What cp.async.mbarrier.arrive does once the copies are there: with .noinc an arrival that
    was counted beforehand, without it one that was not."""
    noinc = instruction.form.has("noinc")
    return _arrive(instruction, at, wave) if noinc else lambda lanes: None


@effect("mbarrier", f"test_wait|try_wait parity? {_ANY} : d, updates[a], b, time?")
def wait(instruction: Instruction, at: int, wave: Wave) -> Step:
    """done, [barrier], state or parity[, time]: whether that phase is over. Whoever sees it over is
    ordered after all that arrived in it."""
    target, address, phase = instruction.operands[:3]
    access = _access(instruction, address, at, wave)
    out = wave.registers.write(target, "pred")
    by_parity = instruction.form.has("parity")
    phase = wave.read(phase, "u32" if by_parity else "u64")

    def step(lanes: Lanes) -> None:
        wave.spin()
        for hit in access.hits(lanes):
            access.about_to_read(hit)
            asked = phase[hit.lanes] & 1 if by_parity else phase[hit.lanes] >> _PHASE
            _land(wave, hit, asked)
            now = access.read(hit, 0, np.dtype(_U)) >> _PHASE
            over = now != asked
            access.used(hit)
            out[hit.lanes] = over
            for tell in wave.events.phase_over if over.any() else ():
                tell(at, select(hit.lanes, over), hit.element[over], asked[over])

    return step


def _land(wave: Wave, hit: Hit, asked: np.ndarray) -> None:
    """What these barriers are to be told of is there now, as far as the phases asked for need it.
    That is as late as it can be: until somebody asks, nobody may rely on it."""
    if not wave.copies.landings:
        return
    memory = hit.store.view(np.dtype(_U))
    for place, phase in set(zip(hit.element.tolist(), asked.tolist(), strict=True)):
        landings = wave.copies.landings.get((hit.store, place))
        while landings and memory[place] >> _PHASE == phase:
            landing = landings.popleft()
            owed = int((memory[place] >> _OWED & _OWED_BITS) - _NOTHING_OWED)
            if 0 < owed < landing.size and not landing.access.bulk:
                landing, rest = landing.split(owed)
                landings.appendleft(rest)
            landing.land()
            for tell in wave.events.landed:
                tell(landing, place, phase)
            memory[place] = _changed(memory[place], _ZERO, _ZERO, _ZERO - _U(landing.size))


@elementwise("mbarrier", "pending_count b64 : d, a")
def pending_count(instruction: Instruction) -> Elementwise:
    return Elementwise(lambda state: state & _COUNT, ("u64",), "u32")
