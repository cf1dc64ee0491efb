"""Copies that end some time after they were issued (PTX ISA, "Data Movement and Conversion
Instructions": cp.async, cp.async.bulk, st.async).

A copy reads its source when it is issued, and a copy engine also as late as it can. What cp.async
brings appears in shared memory when the issuing thread waits for the group that the copy was
committed to; what a bulk copy or a store to another block's shared memory brings, when somebody
asks the barrier that it tells. What a bulk copy takes to global memory is there when its thread
has waited for its group (without .read), or has left the kernel.

Barriers in shared memory that count arrivals and bytes (PTX ISA, "Parallel Synchronization and
Communication Instructions: mbarrier"); what `cuda::barrier` is made of.

An mbarrier is one 64-bit word. Ours holds, from the lowest bit: 20 bits of arrivals still pending
in this phase, 20 bits of arrivals expected in each, 23 bits of bytes (plus an offset) that
transactions still owe, and the parity of the phase. The state that an arrival returns is the
word as it was.
"""

import copy as copying
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec.structs import replace

from ...cuda.errors import BarrierDivergence, Misaligned, OutOfBounds
from ...machine.lanes import Lanes, Step, compact, first_of, lane_index, select
from ...machine.memory.access import Access, Hit, Landing, PendingCopies, Rereading, Updating
from ...machine.memory.spaces import OFFSET_MASK, RANK_SHIFT
from ...machine.wave import Wave
from ..numbers import DTYPES
from ..program import (
    SINK,
    Address,
    Immediate,
    Instruction,
    Operand,
    Register,
    address_of,
    immediate_of,
    require,
    several,
)
from ..table import Elementwise, effect, elementwise
from .synchronization import OPERATIONS, operation_on

_COPY = "async ca|cg shared|shared::cta global L2::64B|L2::128B|L2::256B?"
_WHOLE = "writes.b32@shared[to], reads.b32@global[from], size"
_PART = "writes.b32@shared[to], reads.b8@global[from], size, part"


@effect("cp", f"{_COPY} : {_WHOLE} or {_PART}")
@effect("cp", f"{_COPY} L2::cache_hint : {_WHOLE}, policy or {_PART}, policy")
def copy(instruction: Instruction, at: int, wave: Wave) -> Step:
    """[dst], [src], size[, source size | ignore][, cache policy]: beyond the source size, and
    where the predicate says to ignore, zeros are copied."""
    target, source, number, *rest = instruction.operands
    size = immediate_of(number)
    require(size in (4, 8, 16), "size_of_a_copy", size=size)
    if instruction.form.has("L2::cache_hint"):
        rest.pop()
    writes, reads = (
        replace(t, size=4, components=size // 4) for _, t in instruction.form.transfers
    )
    to = wave.access(replace(writes, asynchronous=True), target, at)
    whole = wave.access(reads, source, at)
    octet = wave.access(replace(reads, size=1, components=1), source, at)
    amount = _source_size(rest[0], size, wave) if rest else None

    def step(lanes: Lanes) -> None:
        index = lane_index(lanes)
        words = _fetched(
            whole, octet, index, amount(lanes) if amount else np.full(len(index), size)
        )
        for hit in to.hits(lanes):
            own = words[np.searchsorted(index, lane_index(hit.lanes))]
            wave.events.copy(to, hit, list(own.T))
            wave.copies.issue(to, hit, list(own.T))

    return step


def _source_size(operand: Operand, size: int, wave: Wave) -> Callable[[Lanes], np.ndarray]:
    """Bytes that each lane copies, from the operand that limits them."""
    predicate = isinstance(operand, Register) and wave.kernel.registers[operand.name] == "pred"
    limit = wave.read(operand, "pred" if predicate else "u32")
    return (
        (lambda lanes: np.where(limit[lanes], 0, size))
        if predicate
        else (lambda lanes: np.minimum(limit[lanes], size).astype(np.int64))
    )


def _fetched(whole: Access, octet: Access, index: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """What lanes copy of which so many bytes are `wanted`: (lanes, words) uint32, zeros behind
    these bytes. Copies that stop in the middle are made `octet` by octet."""
    words = np.zeros((len(index), whole.components), np.uint32)
    full = np.asarray(wanted == whole.width)
    if full.any():
        words[full] = whole.load(compact(index[full]), words.dtype)
    short = wanted * ~full
    for place in range(int(short.max())):
        more, columns = short > place, words.view(np.uint8)
        moved = np.full(np.count_nonzero(more), place)
        columns[more, place] = octet.load(compact(index[more]), columns.dtype, moved)[:, 0]
    return words


def _issued(instruction: Instruction, wave: Wave) -> list[PendingCopies]:
    """What a commit or a wait is about, as the wave has it now."""
    if instruction.form.name == "wgmma":
        return [wave.products]
    return wave.outgoing if instruction.form.has("bulk") else [wave.copies]


@effect("cp", "async commit_group :", "async bulk commit_group :")
def commit(instruction: Instruction, at: int, wave: Wave) -> Step:
    def step(lanes: Lanes) -> None:
        for copies in _issued(instruction, wave):
            copies.committed[lanes] += 1

    return step


@effect("cp", "async wait_group : n", "async wait_all :", "async bulk wait_group read? : n")
def wait(instruction: Instruction, at: int, wave: Wave) -> Step:
    """For all groups but the n last ones, or for everything; of bulk copies until they have read
    (.read), or written, too."""
    newest = immediate_of(instruction.operands[0]) if instruction.operands else -1
    ends = 1 if instruction.form.has("read") else 2

    def step(lanes: Lanes) -> None:
        for copies in _issued(instruction, wave)[:ends]:
            copies.arrive(lanes, newest, at)

    return step


@effect("cp", "async mbarrier arrive noinc? shared|shared::cta? b64 : updates[a]")
def signal(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Arrives when the thread's copies have; here they arrive at once. Without .noinc the barrier
    first expects one arrival more: then the two leave it as it was."""
    arrive = _arrive(instruction, at, wave) if instruction.form.has("noinc") else lambda _: None

    def step(lanes: Lanes) -> None:
        wave.copies.arrive(lanes, -1)
        arrive(lanes)

    return step


UNIT, _WORDS = 16, 4  # bytes that are moved together, and their words
TOLD = "mbarrier::complete_tx::bytes"
_TAKEN = "async bulk global shared|shared::cta bulk_group"


@effect(
    "cp",
    f"async bulk shared::cluster|shared::cta|shared global {TOLD} "
    "multicast::cluster? L2::cache_hint? : "
    "writes.b32@shared[to], reads.b32@global[from], size, updates.b64@shared[barrier], mask?, "
    "policy?",
    f"async bulk shared::cluster shared::cta {TOLD} : "
    "writes.b32@shared[to], reads.b32@shared[from], size, updates.b64@shared[barrier]",
    f"{_TAKEN} L2::cache_hint? : writes.b32@global[to], reads.b32@shared[from], size, policy?",
)
def bulk_copy(instruction: Instruction, at: int, wave: Wave) -> Step:
    """[to], [from], bytes[, [barrier]][, blocks]: the barrier is told when so many bytes have come;
    of several blocks of a cluster, each one's."""
    to, taken = unit_access(instruction, 0, at, wave), unit_access(instruction, 1, at, wave)
    sizes = wave.read(instruction.operands[2], "u32")
    bring = bringing(instruction, to, at, wave) if instruction.form.has(TOLD) else None

    def step(lanes: Lanes) -> None:
        for lane in lane_index(lanes).tolist():
            moved = _moved(int(sizes[lane]), at, lane, wave)
            words, sources = taken_units(taken, lane, moved, at, wave)
            if bring:
                bring(lane, words, moved, sources)
            else:
                wave.outgoing[0].add(*sources)
                for hit in unit_hits(to, lane, moved, at, wave):
                    write_later(Landing(to, hit, list(words.T)), wave)

    return step


def write_later(copy: Landing | Updating, wave: Wave) -> None:
    """It writes there, some time from now on."""
    wave.events.copy(copy.access, copy.hit, copy.words)
    wave.outgoing[1].add(copy)


@effect(
    "cp",
    *[
        f"reduce {_TAKEN} L2::cache_hint? {operation} : "
        f"updates[to], reads.b32@shared[from], size, policy?"
        for operation in (
            "add u32|s32|u64|f32|f64",
            "add noftz HALF",
            "min|max u32|s32|u64|s64",
            "min|max HALF",
            "and|or|xor b32|b64",
            "inc|dec u32",
        )
    ],
)
def bulk_reduction(instruction: Instruction, at: int, wave: Wave) -> Step:
    """[to], [from], bytes: each element in global memory is updated as by an atomic."""
    form, transfer = instruction.form, instruction.form.transfer(0)
    operation = operation_on(form.type, form.one_of(OPERATIONS) or "")
    taken, sizes = unit_access(instruction, 1, at, wave), wave.read(instruction.operands[2], "u32")
    to = wave.access(
        replace(transfer, space="global", bulk=True, asynchronous=True, strong=True),
        instruction.operands[0],
        at,
    )

    def step(lanes: Lanes) -> None:
        for lane in lane_index(lanes).tolist():
            words, sources = taken_units(
                taken, lane, _moved(int(sizes[lane]), at, lane, wave), at, wave
            )
            wave.outgoing[0].add(*sources)
            values = words.ravel().view(DTYPES[form.type])
            for hit in unit_hits(to, lane, np.arange(len(values)) * to.size, at, wave):
                write_later(Updating(to, hit, [values], operation), wave)

    return step


def unit_access(instruction: Instruction, position: int, at: int, wave: Wave) -> Access:
    """The access of a copy engine to 16 bytes at the address that stands at a position."""
    return wave.access(
        replace(
            instruction.form.transfer(position),
            size=4,
            components=_WORDS,
            bulk=True,
            asynchronous=True,
        ),
        instruction.operands[position],
        at,
    )


def bringing(
    instruction: Instruction, to: Access, at: int, wave: Wave
) -> Callable[[int, np.ndarray, np.ndarray, list[Rereading]], None]:
    """`bring(lane, words, moved, sources)`: one lane has words (units, 4) uint32 brought into
    shared memory, each unit `moved` by so many bytes, and tells the barrier among the operands."""
    told = wave.access(instruction.form.transfer(3), instruction.operands[3], at)
    several_blocks = instruction.form.has("multicast::cluster")
    require(not several_blocks or len(instruction.operands) > 4, "no_mask_of_blocks")
    mask = wave.read(instruction.operands[4], "u16") if several_blocks else None

    def bring(lane: int, words: np.ndarray, moved: np.ndarray, sources: list[Rereading]) -> None:
        bits = int(mask[np.array([lane])][0]) if mask is not None else 0
        ranks: list[int | None] = [rank for rank in range(16) if bits >> rank & 1]
        for rank in ranks or [None]:
            place = told.hits(np.array([lane]), _towards(told, lane, rank, wave))[0]
            wave.events.read(told, place)
            for hit in unit_hits(to, lane, moved + _towards(to, lane, rank, wave), at, wave):
                wave.events.copy(to, hit, list(words.T))
                wave.events.sent(at, wave.copies.announce(to, hit, list(words.T), place, sources))

    return bring


def _towards(access: Access, lane: int, rank: int | None, wave: Wave) -> np.ndarray:
    """Bytes (1,) from where a lane's access goes to the same place of block `rank` of its
    cluster."""
    if rank is None or (rank == 0 and wave.geometry.cluster_blocks == 1):
        return np.zeros(1, np.int64)
    start = int(access.base[np.array([lane])][0]) + access.offset
    return np.array([(start & OFFSET_MASK | rank + 1 << RANK_SHIFT) - start])


def unit_hits(access: Access, lane: int, moved: np.ndarray, at: int, wave: Wave) -> list[Hit]:
    """Where the units go that one lane moves by so many bytes: to one buffer, or nowhere."""
    hits = access.hits(np.full(len(moved), lane), moved) if len(moved) else []
    if len(hits) > 1:  # one that happens to lie behind another in memory
        raise wave.report.error(
            OutOfBounds,
            at,
            lane,
            "bulk_copy_beyond_a_buffer",
            verb=access.verb,
            size=len(moved) * access.width,
            name=hits[0].store.name,
        )
    return hits


def _moved(size: int, at: int, lane: int, wave: Wave) -> np.ndarray:
    """By how many bytes the units of a copy of `size` bytes lie behind its start."""
    if size % UNIT:
        raise wave.report.error(Misaligned, at, lane, "size_of_a_bulk_copy", size=size, unit=UNIT)
    return np.arange(0, size, UNIT)


def taken_units(
    access: Access, lane: int, moved: np.ndarray, at: int, wave: Wave
) -> tuple[np.ndarray, list[Rereading]]:
    """What lies at the source, each unit `moved` by so many bytes: (units, 4) uint32; and what is
    read once more when the copy ends."""
    words = np.empty((len(moved), _WORDS), np.uint32)
    hits = unit_hits(access, lane, moved, at, wave)
    for hit in hits:
        access.get(hit)
        for word in range(_WORDS):
            words[:, word] = access.read(hit, word, words.dtype)
    return words, [reading_later(access, hit) for hit in hits]


def reading_later(access: Access, hit: Hit) -> Rereading:
    """What has been read is read once more: what is written in between needs no proxy fence, but a
    wait, and it costs nothing."""
    later = copying.copy(access)
    later.asynchronous = False
    return Rereading(later, hit, [])


@effect(
    "st",
    "async weak? shared::cluster? mbarrier::complete_tx::bytes v2|v4? "
    "b32|b64|u32|u64|s32|s64|f32|f64 : writes[a], b, updates.b64[barrier]",
)
def send(instruction: Instruction, at: int, wave: Wave) -> Step:
    """[to], value, [barrier]: the barrier, in the same block as `to`, is told of its bytes."""
    to, value, barrier = instruction.operands
    transfer = replace(instruction.form.transfer(0), asynchronous=True)
    target = wave.access(transfer, to, at)
    told = wave.access(
        replace(instruction.form.transfer(2), components=1, asynchronous=True, bulk=True),
        barrier,
        at,
    )
    sources = [
        wave.read(item, instruction.form.type) for item in several(value, transfer.components)
    ]

    def step(lanes: Lanes) -> None:
        (places,), (hit,) = told.hits(lanes), target.hits(lanes)
        told.used(places)
        words = [source[lanes] for source in sources]
        wave.events.copy(target, hit, words)
        for place in np.unique(places.element):
            own = places.element == place
            wave.events.sent(
                at,
                wave.copies.announce(
                    target, hit.part(own), [word[own] for word in words], places.part(own)
                ),
            )

    return step


_U = np.uint64
Number = np.ndarray | np.uint64
_COUNT = _U((1 << 20) - 1)
_EXPECTED, _OWED, _PHASE = _U(20), _U(40), _U(63)
_NOTHING_OWED = _U(1 << 22)
_OWED_BITS = _U((1 << 23) - 1)

_OWN = "shared|shared::cta? b64"
_ANY = "SEM? SCOPE? shared|shared::cta|shared::cluster? b64"


def _of_barrier(
    instruction: Instruction, operand: Operand, at: int, wave: Wave, strong: bool = True
) -> Access:
    ((_, transfer),) = instruction.form.transfers
    transfer = replace(transfer, releases=False, acquires=False, wide=True)
    base = address_of(operand).base
    if isinstance(base, Register) and wave.registers.storage(base.name).itemsize == 4:
        transfer = replace(transfer, space="shared")  # as ptxas reads 32 bits, named or not
    return wave.access(replace(transfer, strong=strong, mbarrier=True), operand, at)


@effect("mbarrier", f"init {_OWN} : updates[a], n")
def initialize(instruction: Instruction, at: int, wave: Wave) -> Step:
    address, number = instruction.operands
    # It is set up before anybody may use it.
    access = _of_barrier(instruction, address, at, wave, strong=False)
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
    access = _of_barrier(instruction, instruction.operands[0], at, wave)

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


def missing(word: int) -> tuple[int, int, int]:
    """The arrivals and the bytes that a phase still waits for, and the arrivals that it expects; of
    bytes that came and that nobody expected, the number is negative."""
    word, bits = int(word), int(_OWED_BITS)
    owed = (word >> int(_OWED) & bits) - int(_NOTHING_OWED)
    return word & int(_COUNT), owed, word >> int(_EXPECTED) & int(_COUNT)


def _arriving(
    change: Callable[..., Any], arrivals: Callable[[np.ndarray], Number], *lines: str
) -> Callable[..., Any]:
    """Enters an instruction `[d,] [barrier][, number]`, where `change(word, number)`; of the number
    so many are `arrivals`."""

    @effect("mbarrier", *lines)
    def build(instruction: Instruction, at: int, wave: Wave) -> Step:
        operands = list(instruction.operands)
        target = SINK if isinstance(operands[0], Address) else operands.pop(0)
        address, *numbers = operands
        access = _of_barrier(instruction, address, at, wave)
        number = wave.read(numbers[0] if numbers else Immediate(1), "u32")
        releases = "arrive" in instruction.form.opcode and not instruction.form.has("relaxed")
        out = wave.registers.write(target, "b64")

        def step(lanes: Lanes) -> None:
            for hit in access.hits(lanes):
                amount = number[hit.lanes].astype(_U)
                (old,) = access.update(hit, change, [[amount]])
                if (lane := first_of(hit.lanes, old & _COUNT < arrivals(amount))) is not None:
                    raise wave.report.error(BarrierDivergence, at, lane, "one_arrival_too_many")
                out[hit.lanes] = old
                if releases:
                    wave.events.arrived(at, hit, old >> _PHASE)

        return step

    return build


_ZERO = _U(0)
_EITHER = "d, updates[a], {0} or updates[a], {0}"
# What each does to a barrier's word, with its operand; how many arrivals that takes; its form.
_arrive, *_ = (
    _arriving(*row)
    for row in (
        (
            lambda word, number: _changed(word, number, _ZERO, _ZERO),
            lambda number: number,
            f"arrive noComplete? {_ANY} : {_EITHER.format('n?')}",
        ),
        (
            lambda word, number: _changed(word, number, _ZERO - number, _ZERO),
            lambda number: number,
            f"arrive_drop noComplete? {_ANY} : {_EITHER.format('n?')}",
        ),
        (
            lambda word, size: _changed(word, _U(1), _ZERO, size),
            lambda size: _U(1),
            f"arrive expect_tx {_ANY} : {_EITHER.format('bytes')}",
        ),
        (
            lambda word, size: _changed(word, _ZERO, _ZERO, size),
            lambda size: _ZERO,
            f"expect_tx {_ANY} : updates[a], bytes",
        ),
        (
            lambda word, size: _changed(word, _ZERO, _ZERO, _ZERO - size),
            lambda size: _ZERO,
            f"complete_tx {_ANY} : updates[a], bytes",
        ),
    )
)


@effect("mbarrier", f"test_wait|try_wait parity? {_ANY} : d, updates[a], b, time?")
def wait_for_phase(instruction: Instruction, at: int, wave: Wave) -> Step:
    """done, [barrier], state or parity[, time]: whether that phase is over. Whoever sees it over is
    ordered after all that arrived in it."""
    target, address, phase = instruction.operands[:3]
    access = _of_barrier(instruction, address, at, wave)
    out = wave.registers.write(target, "pred")
    by_parity = instruction.form.has("parity")
    phase = wave.read(phase, "u32" if by_parity else "u64")

    def step(lanes: Lanes) -> None:
        wave.spin()
        for hit in access.hits(lanes):
            wave.events.read(access, hit)
            asked = phase[hit.lanes] & 1 if by_parity else phase[hit.lanes] >> _PHASE
            _land(wave, hit, asked)
            over = access.read(hit, 0, np.dtype(_U)) >> _PHASE != asked
            access.used(hit)
            out[hit.lanes] = over
            if over.any():
                wave.events.phase_over(at, select(hit.lanes, over), hit.element[over], asked[over])

    return step


def _land(wave: Wave, hit: Hit, asked: np.ndarray) -> None:
    """What these barriers are to be told of is there now, as far as the phases asked for need it.
    That is as late as it can be: until somebody asks, nobody may rely on it."""
    if not wave.copies.landings:
        return
    memory = hit.store.view(np.dtype(_U))
    for place, phase in set(zip(hit.element.tolist(), asked.tolist(), strict=True)):
        landings = wave.copies.landings.get((hit.store, place)) or deque()
        before = len(landings)
        while landings and memory[place] >> _PHASE == phase:
            landing = landings.popleft()
            owed = int((memory[place] >> _OWED & _OWED_BITS) - _NOTHING_OWED)
            if 0 < owed < landing.size and not landing.access.bulk:
                landing, rest = landing.split(owed)
                landings.appendleft(rest)
            landing.land()
            wave.events.landed(landing, place, phase)
            memory[place] = _changed(memory[place], _ZERO, _ZERO, _ZERO - _U(landing.size))
        for late in landings if len(landings) < before else ():  # more bytes than the phase expects
            wave.copies.mark_unwritten(late.access, late.hit)


@elementwise("mbarrier", "pending_count b64 : d, a")
def pending_count(instruction: Instruction) -> Elementwise:
    return Elementwise(lambda state: state & _COUNT, ("u64",), "u32")
