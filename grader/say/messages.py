"""Findings in words: one function for a kind of finding says what a thread does wrong."""

import re
from dataclasses import replace
from functools import singledispatch

from ..compilers.declared import Declarations
from ..cuda.errors import Message, in_parts
from ..errors import counted
from ..machine.lanes import WARP
from ..machine.wave import MISSED_BARRIER, Wave
from ..ptx.instructions.asynchronous_copies import missing
from ..ptx.program import Immediate, Instruction
from ..watch.findings import (
    AbsentSource,
    Bytes,
    DifferentMasks,
    EarlyUse,
    EndlessLoop,
    Finding,
    GoneAround,
    HazardReport,
    Location,
    MachineFault,
    MisalignedAccess,
    NeverSet,
    NoRegisterFence,
    OutOfStore,
    PartOfGroup,
    Race,
    ReadOnlyWrite,
    ThreadAtLine,
    TwoBarriers,
    UnfencedRead,
    UnnamedLane,
    UnwaitedCopy,
    UnwrittenRead,
    Visit,
)
from . import race_advice
from .machine_faults import ABSENT, FAULTS, missed_barrier, outside_of_arrays
from .places import (
    ArrayPlace,
    ThreadNumbers,
    beyond,
    called,
    in_coordinates,
    meant,
    named,
    place,
    short,
)
from .race_advice import HAS_ENDED, HAS_READ, HAS_WRITTEN, WRITTEN_LATER, awaited

_BRINGS = re.compile(r"memcpy_async\(|cp_async_bulk\w*\(")
_CAUSES: dict[type[Finding], str] = {
    MachineFault: "a barrier that some threads do not reach",  # all else stops the kernel
    TwoBarriers: "a barrier that others reach at another place",
    UnnamedLane: "a warp-wide operation whose mask leaves a lane out",
    DifferentMasks: "a warp-wide operation of lanes with different masks",
    UnfencedRead: "a copy that reads ordinary stores without a proxy fence",
    NoRegisterFence: "a `wgmma` without a fence before it",
    EarlyUse: "a use of registers before a `wgmma` has ended",
    PartOfGroup: "a `wgmma` or `setmaxnreg` of a part of its four warps",
    UnwaitedCopy: "a use of memory that a bulk copy still works on",
}


def hazard(finding: Finding, wave: Wave) -> HazardReport:
    """A finding as it is shown."""
    where = finding.where
    on = f"{where.kernel}, line {where.line}{called(where.calls)}"
    if not where.line:
        first, last = where.between
        on = (
            f"{where.kernel}, between lines {first} and {last}{called(where.calls)}"
            if first
            else where.kernel
        )
    begun = f"{on}: thread {short(where.thread)} of block {short(where.block)} "
    said = in_parts(predicate(finding, wave))
    race = finding if isinstance(finding, Race) else None
    return HazardReport(
        finding.raised.status,
        in_coordinates(
            in_parts(begun + said.first) + replace(said, first=""),
            wave.geometry.block,
            wave.geometry.grid,
        ),
        where.kernel,
        where.line,
        getattr(getattr(finding, finding.partner, None), "line", None),
        where.block,
        where.thread,
        race.other.thread if race else None,
        warning=(race is not None and race.benign)
        or (isinstance(finding, UnwaitedCopy) and finding.touched is None),
    )


def cause(finding: Finding) -> str:
    """What a finding comes from, without a line or a number of it: alike for two answers that go
    wrong in one way."""
    where, text = finding.where, _CAUSES.get(type(finding), "")
    if isinstance(finding, Race):
        return _cause_of_race(finding)
    if isinstance(finding, UnwrittenRead):
        text = f"a read of {finding.touched.space} memory that nobody wrote"
    if isinstance(finding, UnwrittenRead | NeverSet) and finding.use:
        where, text = finding.use, "a use of what never got a value"
    if isinstance(finding, AbsentSource):
        text = f"a shuffle from a lane that {'has left' if finding.left else 'is elsewhere'}"
    return f"{text}{' in a loop' * where.repeats}"


def _cause_of_race(race: Race) -> str:
    """What the two threads did, in their order, and to which array."""
    deeds = (
        f"{'an atomic' if one.atomic else 'a write' if one.wrote else 'a read'}"
        f"{' in a loop' * one.repeats}"
        for one in (race.other, race.mine)
    )
    together = "together" if race.at_once else "one after the other"
    array = (
        "shared memory" if race.shared else f"array {list(race.arguments)} of {race.where.kernel}"
    )
    threads = "one block" if race.same_block else "two blocks"
    return f"{', '.join(deeds)}, {together}: {array}, threads of {threads}"


@singledispatch
def predicate(finding: Finding, wave: Wave) -> str | Message:
    """What a thread does wrong: "thread 3 of block 0 {predicate}"."""
    raise NotImplementedError(type(finding))


@predicate.register
def machine_fault(finding: MachineFault, wave: Wave) -> str | Message:
    """What the machine or an instruction finds wrong."""
    return (
        missed_barrier(finding.facts, finding.where.at, wave)
        if finding.fault == MISSED_BARRIER
        else FAULTS[finding.fault](**finding.facts)
    )


@predicate.register
def gone_around(finding: GoneAround, wave: Wave) -> Message:
    """Whatever else goes wrong behind a barrier comes from that one."""
    other = finding.other
    return Message(
        f"waits at a barrier that thread {short(other.where.thread)} of its block skipped.",
        f"That thread is already on line {other.where.line}, where it "
        f"{in_parts(predicate(other, wave)).first} All threads of the block must reach a "
        "`__syncthreads()`.",
        "Move it out of the branch or loop, or let no thread leave before it.",
    )


@predicate.register
def endless_loop(finding: EndlessLoop, wave: Wave) -> str | Message:
    """A loop that is proved never to end."""
    if finding.awaited and finding.missing:
        return _of_mbarrier(place(finding.awaited, wave).text, *finding.missing)
    if finding.awaited:
        return Message(
            f"waits without end: it reads {place(finding.awaited, wave).text} again and again.",
            "None of the threads that still run will write another value there.",
            "Which thread should write the new value, and does it reach that line?",
        )
    condition, line = wave.names.declared.condition(finding.where.line or 0)
    reads = f"that the condition `{condition}` reads" if condition else "that could end it"
    code = wave.kernel.instructions
    executed = [one for first, last in finding.runs for one in code[first : last + 1]]
    inside, compares = (
        [one for one in some if one.form.asks and (one.line == line or not condition)]
        for some in (executed, code)
    )
    if max(finding.runs.values()) > 1 or len(inside) > 1:  # the loop may be unrolled
        what = f"After some rounds, everything {reads} has its earlier value again"
    else:
        value = _steady(condition, inside or compares, finding.where.lane, wave)
        what = f"The loop changes nothing {reads}{value}"
    return Message(
        f"never leaves this loop. {what}.",
        remedy=condition and "Which statement should make the condition false?",
    )


def _of_mbarrier(name: str, arrivals: int, size: int, expected: int) -> Message:
    """A phase of an mbarrier that does not end."""
    of = f"{arrivals} of {counted(expected, 'arrival')}"
    parts = [of if arrivals < expected else counted(arrivals, "arrival")] if arrivals else []
    parts += [counted(size, "byte")] if size > 0 else []
    be = "is" if len(parts) == 1 and 1 in (arrivals, size) else "are"
    lacks = [f"{' and '.join(parts)} {be} missing"] if parts else []
    more = [f"{counted(-size, 'byte')} too many came"] if size < 0 else []
    return Message(
        f"waits without end for a phase of the mbarrier {name}: {', and '.join(lacks + more)}.",
        "A phase ends when all arrivals and all expected bytes have come. None of the threads that "
        "still run will change that.",
        "Compare what the mbarrier expects with what comes: the arrivals of its `init`, the bytes "
        "of `expect_tx`, and the bytes of the copies. If nothing should come yet, is the parity "
        "right? A wait for parity 1 does not wait for the first phase.",
    )


def _steady(condition: str, compares: list[Instruction], lane: int, wave: Wave) -> str:
    """What the only variable of a condition is for a lane, where one instruction compares it with
    the number that the condition names, or its neighbour."""
    named = re.fullmatch(r"(\w+) *(?:[<>]=?|[!=]=) *(\d+)[uU]?", condition)
    number = compares[0].operands[-1] if named and len(compares) == 1 else None
    if not named or not isinstance(number, Immediate) or abs(number.value - int(named[2])) > 1:
        return ""
    value = wave.registers.read(compares[0].operands[1], compares[0].form.type)[lane]
    return f": `{named[1]}` is {value} in every round"


@predicate.register
def out_of_store(finding: OutOfStore, wave: Wave) -> Message:
    """An access past the end of an array, before its start, or far from all arrays."""
    fault, verb, size, line = finding.fault, finding.verb, finding.size, finding.where.line
    store = (meant(line, verb, wave) if fault.space == "global" else None) or fault.store
    if store is None:
        where = outside_of_arrays(fault, wave)
        only_assigned = wave.names.declared.only_assigned
        arrays = [one.name for one in named(line, wave) if not only_assigned(line, one.name)]
        listed = " and ".join(f"`{name}`" for name in arrays)
        return Message(
            f"{verb} {where}.",
            remedy=(
                f"This line uses {listed}: check the smallest and the largest index."
                if fault.space == "global" and arrays
                else ""
            ),
        )
    there = place(Bytes(fault.space, store, fault.address, size, line), wave, verb)
    how_far = (
        ", past its end or before its start"
        if there.index is None or there.count is None
        else f", before the first element of {there.owner}"
        if there.index < 0
        else f", and {there.owner} has {counted(there.count, 'element')}"
    )
    text = f"{verb} {there.wide(size)}{how_far}."
    if finding.copied:
        whole = (there.size or 0) * (there.count or 0)
        return Message(
            text,
            f"{there.owner} has {counted(whole, 'byte')}." if whole else "",
            "How many bytes are copied here?",
        )
    return Message(text) + beyond(finding, there, ThreadNumbers.of(finding.where, wave))


@predicate.register
def misaligned_access(finding: MisalignedAccess, wave: Wave) -> Message:
    """An address that is no multiple of the access's size."""
    width = finding.width
    there = place(finding.touched, wave) if finding.touched else ArrayPlace("")
    begin = f" that begin at {there.text}" if there.array else ""
    text = f"{finding.verb} {width} bytes{begin}, at an address that is not a multiple of {width}."
    why, remedy = f"An access of {width} bytes must begin at a multiple of {width} bytes.", ""
    if there.array and there.size and there.size < width:
        step = width // there.size
        remedy = f"The index into {there.owner} must be a multiple of {step}."
        if (there.index or 0) % step == 0:
            remedy = (
                f"Look at {there.owner} itself: its first byte is not at a multiple of {width}."
            )
        elif finding.alike:
            why += f" All addresses of this warp are {finding.alike} bytes after such a multiple."
            remedy = "Which part of the address is the same for all threads of this warp?"
            declared, line = wave.names.declared, finding.where.line or 0
            loop, head = declared.loop(line)
            guard, at = declared.guard(head - 1 if loop else line)
            if guard and not any(one.startswith("threadIdx") for one in declared.made_of(guard)):
                remedy = (
                    f"The access is in the branch `{guard}` (line {at}). Does this condition make "
                    f"sure that the pointer is a multiple of {width} bytes for every thread?"
                )
        if not finding.alike:
            remedy += f" Or do you mean one element? It has {counted(there.size, 'byte')}."
    return Message(text, why, remedy)


@predicate.register
def read_only_write(finding: ReadOnlyWrite, wave: Wave) -> Message:
    """A write to what must not be written."""
    there = place(finding.touched, wave)
    why = "is declared a pointer to const" if finding.constant else "is read-only"
    return Message(
        f"writes to {there.text}, but {there.owner} {why}.",
        remedy="Which array should this line write to?",
    )


def _not_waited_for(
    where: Location,
    issued: Location,
    since: int | None,
    waited: tuple[int | None, int, int],
    declared: Declarations,
) -> Message:
    """Why a copy may still be on its way at `where`, and what to ask. It was issued elsewhere, and
    an mbarrier is told of it (None), or it is in the group that its thread has committed `since`
    others, with its own. `waited`: the line of the thread's last wait for groups, how many these
    were then, and how many it let continue."""
    first, here = issued.line or 0, where.line or 0
    numbered = [*enumerate(declared.lines, 1)]
    is_own = (issued.block, issued.thread) == (where.block, where.thread)
    after = "" if is_own else "Then the threads must meet at a barrier before the read."
    if since is None:
        if first < here and not any("wait" in text for text in declared.lines[first : here - 1]):
            return Message(
                why=f"No line between {first} and {here} waits for this copy.",
                remedy=f"Which wait should come before line {here}?",
            )
        waits, expects = (
            " or ".join(f"line {at}" for at, text in numbered if word in text)
            for word in ("wait", "expect_tx")
        )
        parity, owed = waited[2] >> 63, missing(waited[2])[1]
        return Message(
            why="An mbarrier counts in phases. Their parities are 0, 1, 0, 1 and so on. The phase "
            f"of this copy's mbarrier now has parity {parity}. So a wait for parity {1 - parity} "
            f"ends at once. {after}".rstrip(),
            remedy=f"For which parity does {waits} wait here?"
            + f" Does {expects or 'the mbarrier'} expect exactly the bytes that the copies of a "
            "phase bring?" * (owed <= 0)
            if waits
            else "Which line should wait at the mbarrier of this copy before the read?",
        )
    if since == 0:
        return Message(
            why="Its thread has not committed the group of this copy yet. No wait for groups waits "
            f"for it. {after}".rstrip(),
            remedy="Which commit should come between this copy and the read?",
        )
    line, then, continue_ = waited
    came_first = line is not None and then > 0  # the commit, before that wait
    number = then if came_first else since
    newest = {1: "the newest group", 2: "the second newest group"}.get(
        number, f"the {number}th newest group"
    )
    why, asked = (
        (
            f"Line {line} lets the "
            f"{'newest group' if continue_ == 1 else f'{continue_} newest groups'} continue. When "
            f"thread {short(issued.thread)} waited there, this copy was in {newest}. So line "
            f"{line} did not wait for this copy.",
            f"How many groups may line {line} let continue?",
        )
        if came_first
        else (
            f"This copy is in {newest} that its thread has committed. Only a wait that lets at "
            f"most {counted(since - 1, 'group')} continue waits for this copy.",
            "How many groups does the wait before this read let continue? How many should be "
            "committed by then?",
        )
    )
    commits = ((at, *declared.guard(at)) for at, text in numbered if "commit" in text)
    guarded = [
        f"Line {at} commits a group only if `{guard}` (line {of}). Should it commit one in every "
        "round?"
        for at, guard, of in commits
        if guard
    ]
    return Message(
        why=f"{why} Each commit makes a group, even if the group is empty. {after}".rstrip(),
        remedy=guarded[0] if guarded else asked,
    )


@predicate.register
def unwritten_read(finding: UnwrittenRead, wave: Wave) -> Message:
    """A read of what nobody has written."""
    touched, declared = finding.touched, wave.names.declared
    element = place(touched, wave)
    there = element.wide(touched.width)
    if finding.copy:
        issued = finding.copy[0].line
        return Message(
            f"{finding.verb} {there}, which the copy on line {issued} may not have brought yet."
        ) + _not_waited_for(finding.where, *finding.copy, declared)
    here, name = finding.where.line or 0, element.array
    lines = declared.writers(name) if name else []
    only = declared.only_written(name)[0] if name else ""
    written = max((at for at in lines if at < here), default=here)
    meet = any("sync" in declared.line(at) for at in range(written, here))
    barrier = "" if meet else ", and is a barrier between the write and this read"
    why, remedy = {
        "shared": (
            "Shared memory has arbitrary values at first.",
            f"Should this thread read it? If so, which thread should write it{barrier}?",
        ),
        "local": ("", "Which elements of the array have a value at this point, and which do not?"),
    }.get(
        touched.space,
        (
            "Memory that nobody has written has an arbitrary value.",
            "Write it before you read it, in the kernel or before the launch.",
        ),
    )
    copies = [at for at, one in enumerate(declared.lines, 1) if _BRINGS.search(one)]
    if name and not lines and len(copies) == 1:
        remedy = f"How many bytes does the copy on line {copies[0]} bring, and where to?"
    if only and touched.space != "shared":
        remedy = (
            f"Is this condition right? If it is, which thread should write {element.text} before "
            "this read?"
        )
    threads = wave.geometry.threads
    is_many = touched.space == "shared" and (element.index or 0) >= threads
    size = f"The block has {counted(threads, 'thread')}." * is_many
    return Message(
        f"{finding.verb} {there}, which nobody has written yet.",
        " ".join(filter(None, (why, only, size))),
        remedy,
    )


@predicate.register
def never_set(finding: NeverSet, wave: Wave) -> Message:
    """A computation with a variable that never got a value."""
    declared, line = wave.names.declared, finding.where.line
    name = declared.without_value(line)
    text = f"uses {f'`{name}`, which' if name else 'a variable that'} never got a value"
    if finding.needed not in (None, line):
        text += f". Line {finding.needed} needs the result"
    of_arrays = " (An element past the end of a thread's own array never gets a value.)"
    return Message(
        f"{text}.",
        "Such a variable has an arbitrary value."
        f"{of_arrays if declared.local_arrays(line) else ''}",
        "Give it a value where you declare it.",
    )


@predicate.register
def two_barriers(finding: TwoBarriers, wave: Wave) -> Message:
    """Threads of a block that wait for each other at two barriers."""
    where = (
        "the same line in another round of a loop, or another call"
        if finding.other_line == finding.where.line
        else f"the one on line {finding.other_line}"
    )
    return Message(
        f"waits at this barrier while other threads of its block wait at {where}.",
        "All threads of the block must come to the same `__syncthreads()`.",
        f"Which threads reach line {finding.where.line}, and which reach line "
        f"{finding.other_line}? Move a barrier that only some threads reach out of its branch or "
        "loop."
        if finding.other_line != finding.where.line
        else "Do all threads execute the same number of rounds, or calls, before this barrier?",
    )


@predicate.register
def unnamed_lane(finding: UnnamedLane, wave: Wave) -> Message:
    """A mask without the lane that passes it."""
    return Message(
        f"executes a warp-wide operation whose mask 0x{finding.mask:08x} does not name its own "
        f"lane {finding.where.lane % WARP}.",
        "A mask must name all lanes that execute the operation.",
        "Should this lane execute it? If so, name it in the mask; if not, guard the operation.",
    )


@predicate.register
def different_masks(finding: DifferentMasks, wave: Wave) -> Message:
    """Lanes that name each other, but pass two masks."""
    return Message(
        f"passes the mask 0x{finding.mask:08x}, which also names lane {finding.other}. But lane "
        f"{finding.other} passes 0x{finding.other_mask:08x}.",
        "All lanes that a mask names must pass the same mask.",
        "Which lanes execute this operation together? All of them need one mask.",
    )


@predicate.register
def absent_source(finding: AbsentSource, wave: Wave) -> Message:
    """A value from a lane that gives none."""
    text = f"shuffles from lane {finding.source} of its warp, which does not take part: "
    reason = ABSENT[finding.reason](finding.mask)
    return replace(
        reason, first=f"{text}{reason.first}", why="The value that it gets is undefined."
    )


@predicate.register
def visit(finding: Visit, wave: Wave) -> Message:
    """An access to the shared memory of a block that may not be there."""
    text = f"uses the shared memory of block {short(finding.host)}, which may"
    return (
        Message(
            f"{text} have ended already.",
            "The shared memory of a block ends with the block.",
            "Put a `cluster.sync()` between the last such access and the end of the kernel.",
        )
        if finding.started
        else Message(
            f"{text} not have started yet.",
            "The blocks of a cluster do not begin at the same moment.",
            "Put a `cluster.sync()` before the first such access.",
        )
    )


@predicate.register
def unfenced_read(finding: UnfencedRead, wave: Wave) -> Message:
    """A copy of what no proxy fence has made visible to copies."""
    there, writer, code = place(finding.touched, wave), finding.writer, wave.kernel.instructions
    what = "`wgmma`" if code[finding.where.at].form.has("mma_async") else "bulk copy"
    return Message(
        f"reads {there.text} by a {what}, but no proxy fence follows the ordinary store on line "
        f"{writer.line}.",
        f"Thread {short(writer.thread)} stored it. Ordinary stores and a {what} use different "
        "paths to memory (proxies). A barrier does not order one proxy before the other. The "
        f"{what} may see the old value.",
        "Each thread that stores must execute a `fence.proxy.async` after its stores and before "
        "the barrier.",
    )


@predicate.register
def unwaited_copy(finding: UnwaitedCopy, wave: Wave) -> Message:
    """A bulk copy or a product that nobody has waited for."""
    if finding.touched is None:
        return Message(
            "ends while this bulk copy may still read shared memory.",
            "When a block ends, another block may get its shared memory.",
            awaited(finding.issued, None, wave, HAS_READ),
        )
    issued, there = finding.issued, place(finding.touched, wave)
    name = "`wgmma`" if finding.kind == "product" else "bulk copy"
    what = f"the {name} on line {issued.line} (thread {short(issued.thread)})"
    if finding.touched.space == "global":
        return Message(
            f"{finding.verb} {there.text}, which {what} may not have written yet.",
            WRITTEN_LATER,
            awaited(issued, finding.where, wave, HAS_WRITTEN),
        )
    return Message(
        f"{finding.verb} {there.text}, which {what} may still read.",
        f"A {name} reads shared memory some time after its issue. A barrier does not wait for it.",
        "Wait for the phase of the mbarrier that counts the copy."
        if finding.kind == "counted"
        else awaited(
            issued, finding.where, wave, HAS_ENDED if finding.kind == "product" else HAS_READ
        ),
    )


@predicate.register
def no_register_fence(finding: NoRegisterFence, wave: Wave) -> Message:
    """A `wgmma` that may come before the last use of its registers."""
    return Message(
        "issues a `wgmma` without a `wgmma.fence` since its registers were last used.",
        "A `wgmma` runs beside the thread. The `wgmma` may read or write a register before an "
        "earlier instruction has written or read this register.",
        "Put a `wgmma.fence.sync.aligned` before the first `wgmma` of each group.",
    )


@predicate.register
def early_use(finding: EarlyUse, wave: Wave) -> Message:
    """Registers of a product that has not ended."""
    return Message(
        f"uses a register of the `wgmma` on line {finding.product}, which may still be running.",
        "A `wgmma` ends some time after its issue. "
        + (
            "A wait for its group says when."
            if finding.committed
            else "No group contains this `wgmma`, so no wait waits for it."
        ),
        awaited(
            ThreadAtLine(finding.product, (), finding.where.block, finding.where.thread, False),
            finding.where,
            wave,
            HAS_ENDED,
            finding.committed,
        ),
    )


@predicate.register
def part_of_group(finding: PartOfGroup, wave: Wave) -> Message:
    """Four warps that do not go together."""
    return Message(
        f"executes a `{finding.name}`, but the four warps of its warpgroup do not execute it "
        f"equally often: {', '.join(map(str, finding.counts))} times.",
        f"A `{finding.name}` is one operation of four whole warps, whose numbers begin at a "
        "multiple of 4.",
        "Do all four warps take the same branches?"
        + " Does the block have a multiple of 128 threads?" * bool(wave.geometry.threads % 128),
    )


@predicate.register
def unordered(finding: Race, wave: Wave) -> str | Message:
    """Two threads, one place, no order."""
    other, there = finding.other, place(finding.touched, wave)
    of_block = "" if finding.same_block else f" of block {short(other.block)}"
    verb, done = (
        ("sets up" if finding.mine.unfinished else "uses", "set up" if other.unfinished else "used")
        if finding.unfinished and finding.unfinished.unfinished == "set-up"
        else (finding.verb, f"also {finding.verb}")
        if finding.at_once
        else (
            finding.verb,
            "updated atomically" if other.atomic else "wrote" if other.wrote else "read",
        )
    )
    text = f"{verb} {there.text}, which thread {short(other.thread)}{of_block} "
    if finding.benign:
        return f"{text}also wrote, the same value in the same instruction: harmless, but wasteful."
    text += done
    declared = wave.names.declared
    advice = race_advice.advice(finding, there, wave)
    writers = declared.writers(there.array) if there.array else []
    made = {one.line for one in wave.kernel.instructions} if len(writers) == 2 else set()
    # Of two functions, or of two branches for the preprocessor, no store is made one.
    if len(made.intersection(writers)) == 1 and not re.search(
        r"(?m)^\s*#|__(?:global|device)__", "\n".join(declared.lines[writers[0] : writers[1]])
    ):
        first, second = writers
        advice = Message(f"The compiler made one store of lines {first} and {second}.") + advice
    if other.line and not finding.at_once:
        text += f" on line {other.line}"
    if not finding.same_line:
        text += called(other.calls)
    nothing = (
        f"Nothing has waited for the end of the {finding.unfinished.unfinished}."
        if finding.unfinished
        else "Nothing orders these accesses."
        if finding.between_blocks or finding.at_once
        else "No barrier for both threads is between these accesses."
        if finding.evidence.barriers_of_some
        else "No barrier is between these accesses."
    )
    return Message(f"{text}. {nothing}") + advice
