"""What to do about a race: the kind of mistake that it is, as far as the run shows it.

Two threads at one place are an index that both worked out alike, an update that several make, a
barrier that is missing, or a fence on the way of a flag; each is mended in its own way.
"""

import re

from ..compilers import loop_faults
from ..compilers.declared import Declarations
from ..cuda.errors import Message
from ..watch.findings import Race, RacingAccess, Signal
from .places import ArrayPlace, short

READ_FIRST = (
    "The thread that issues the copy must commit it with `cp.async.bulk.commit_group`, then wait "
    "with `cp.async.bulk.wait_group.read 0`."
)
WRITTEN_LATER = (
    "A bulk copy to global memory writes some time after its issue. A wait with `.read` ends when "
    "the copy has read its source, not when it has written."
)
WRITE_FIRST = (
    "The thread that issues the copy must commit it with `cp.async.bulk.commit_group`, then wait "
    "with `cp.async.bulk.wait_group 0`, without `.read`."
)
_AXES = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
_CHANCE = "Either thread may come first."
_ANY_ORDER = "Blocks run in any order."
_ROUNDS = "If the two threads are in different rounds of a loop, put a {} at the end of each round."
_COPIES = re.compile(r"memcpy_async|cp[._]async")
_ARRIVES = re.compile(r"\bmbarrier_arrive\([^;&]*&(\w+)|\b(\w+)\.consumer_release\(")
_WAITS = re.compile(r"\bmbarrier_(?:try|test)_wait\w*\([^;&]*&(\w+)|\b(\w+)\.producer_acquire\(")


def without_stride(index: str, name: str, line: int) -> Message:
    """An index that is the same in each round of a loop over strides."""
    return Message(
        why=f"{index} does not use `{name}`, which the loop on line {line} changes in each round.",
        remedy="Which element should this round read?",
    )


def advice(race: Race, place: ArrayPlace, declared: Declarations) -> Message:
    """What to do about a race at a place, in a source with these declarations."""
    signal, line = race.evidence.signal, race.mine.line
    if race.unfinished:
        return _not_waited_for(race, race.unfinished)
    if race.same_line and line and (ignored := loop_faults.without_stride(declared, line)):
        return without_stride(*ignored)
    is_shared = race.both_wrote and race.same_line and race.between_blocks
    short = loop_faults.short_step(declared, line or 0, place.array) if is_shared else None
    if short:
        name, by, head = short
        return Message(
            why=f"In each round of the loop on line {head}, `{name}` grows by `{by}`, which does "
            "not use `gridDim`. So several blocks come to the same elements.",
            remedy=f"By how much should `{name}` grow?",
        )
    if signal and (broken := _signalled(race, signal)):
        return broken
    if race.between_blocks:
        return _after_its_ticket(race, declared) or _between_blocks(race, place, declared)
    if _waits_for_a_flag(race, place):
        return _flag(race)
    if race.same_line:
        if not race.both_wrote:
            return _read_and_written(race, place)
        guard, at = declared.guard(line) if line else ("", 0)
        told = _both_pass(race, guard, at, declared) if "==" in guard else Message()
        index = declared.index(line, place.array) if line and place.array else ""
        # It is computed, and no other store can have become one with this one.
        is_one = place.array and len(declared.writers(place.array)) == 1
        if place.index is not None and is_one and re.search(r"\w\W", index):
            told = Message(why=f"The index `{index}` is {place.index} for both threads.") + told
        computed = declared.computed_on(declared.line(line).partition("=")[0], line) if line else ""
        return told if told.remedy else told + _written_twice(race, place, computed)
    return _given_back(race, declared) or _copied(race, declared) or _barrier_between(race, place)


def _both_pass(race: Race, guard: str, line: int, declared: Declarations) -> Message:
    """A condition with `==` that is true for both threads, perhaps with another value each."""
    told = f"`{guard}` (line {line}) is true for both threads."
    left, _, right = guard.partition(" == ")
    one, other = (
        declared.value(left, line, dict(zip(_AXES, access.thread, strict=True)))
        for access in (race.mine, race.other)
    )
    return (
        Message(why=told)
        if one is None or other is None or one == other or re.search("&&|[|]", right)
        else Message(
            why=f"{told} So `{right}` is {one} for thread {race.mine.thread[0]} and {other} for "
            f"thread {race.other.thread[0]}.",
            remedy=f"Which line should give both threads the same value of `{right}`?",
        )
    )


def _not_waited_for(race: Race, first: RacingAccess) -> Message:
    """A product, a bulk copy or the set-up of an mbarrier that nobody has waited for."""
    other = race.other if first is race.mine else race.mine
    before = f" That must come before other threads are let go on to line {other.line}."
    taken = (
        "A bulk copy reads its source until a wait for it has ended. Only the thread that issued "
        "it can wait for its group.",
        f"{READ_FIRST}{before}",
    )
    why, remedy = {
        "set-up": (
            "An mbarrier has no valid state before its `init`.",
            f"Put a {_barrier(race)} after line {first.line}, before any other thread uses the "
            "mbarrier.",
        ),
        "product": (
            "A `wgmma` reads its factors until a wait for its group has ended.",
            f"Put a `wgmma.commit_group` and a `wgmma.wait_group` after line {first.line}.{before}",
        ),
        "copy": (WRITTEN_LATER, f"{WRITE_FIRST}{before}") if first.wrote else taken,
    }[first.unfinished]
    return Message(why=why, remedy=remedy)


def _given_back(race: Race, declared: Declarations) -> Message | None:
    """A stage that is read, and filled again behind a wait at an mbarrier which those who read
    arrive at; None where there is no such wait or arrival."""
    read, fill = race.evidence.kernel_lines
    if not (race.shared and race.mine.wrote and race.other.reads and read and fill):
        return None
    waits, arrivals = _mbarriers(_WAITS, declared), _mbarriers(_ARRIVES, declared)
    wait = max((line for line in waits if line <= fill), default=0)
    told = [line for line, name in arrivals.items() if name == waits.get(wait)]
    if not told:
        return None
    name, at = waits[wait], min(told, key=lambda line: abs(line - read))
    why = f"Line {wait} waits at `{name}` for the threads that read."
    if at > read:
        return Message(
            why=why,
            remedy=f"Do all of them arrive at `{name}`? Are its count of arrivals and the parity "
            "right?",
        )
    early = f" They arrive there on line {at}, before they have read on line {read}."
    why += early if at < read else ""  # a call's read may have the line of the step before it
    return Message(why=why, remedy=f"Arrive at `{name}` after the last read.")


def _mbarriers(call: re.Pattern[str], declared: Declarations) -> dict[int, str]:
    """By line the mbarrier, or the pipeline, that a call names there."""
    lines = enumerate(declared.lines, 1)
    return {line: found[1] or found[2] for line, text in lines if (found := call.search(text))}


def _one_of_two(there: str) -> str:
    return f"{there} then has one of the two values, by chance."


def _written_twice(race: Race, place: ArrayPlace, computed: str) -> Message:
    """One line, two threads that write there; `computed`: on which lines its index is computed."""
    if race.evidence.updates:
        return _lost_update(place)
    took = Message(
        why=_one_of_two(place.text),
        remedy=f"Should both threads write {place.text}? If not, correct the index{computed}, or "
        "guard the write for threads that have no element. If they should, let only one thread "
        "write there, give each thread its own element, or use an atomic.",
    )
    if race.at_once or not race.evidence.may_repeat:
        return took
    if race.evidence.took_part and race.shared:
        return Message(
            why="The other thread wrote in an earlier round of the loop.",
            remedy=f"Put a {_barrier(race)} at the end of each round, or give each round its own "
            "element.",
        )
    return took + Message(remedy=_ROUNDS.format(_barrier(race)))


def _read_and_written(race: Race, place: ArrayPlace) -> Message:
    """One line, on which one thread reads what another writes."""
    barrier, evidence = _barrier(race), race.evidence
    if evidence.same_address:
        lost = _lost_update(place)
        again = evidence.may_repeat and not race.mine.wrote and race.shared
        rounds = Message(remedy=_ROUNDS.format(barrier) * again)
        return rounds + Message(why=lost.why) if again and race.same_warp else lost + rounds
    apart = Message(
        why="One thread reads the element in the same statement in which the other writes it.",
        remedy=f"Should both threads use {place.text}? If not, correct the index. If they should, "
        f"read into a variable first, then put a {barrier}, then write.",
    )
    if not evidence.may_repeat:
        return apart
    rounds = Message(
        why=_CHANCE, remedy=f"Put a {barrier} between one round of the loop and the next."
    )
    if race.other.wrote and evidence.took_part:
        return rounds
    return (
        apart + Message(remedy="The round of the loop must also end with a barrier.")
        if race.mine.wrote and not evidence.wrote_since
        else rounds
        + Message(
            remedy="If both accesses are in one round, read into a variable first, and write after "
            "another barrier."
        )
    )


def _lost_update(place: ArrayPlace) -> Message:
    return Message(
        why=f"Both threads read {place.text}, change it and write it back, so one change may be "
        "lost.",
        remedy="Use an atomic, or give each thread its own element.",
    )


def _copied(race: Race, declared: Declarations) -> Message | None:
    """What another thread has copied asynchronously, behind a wait of that thread."""
    copy, line = declared.line(race.other.line), race.mine.line or 0
    waits = [
        at
        for at in range(1, line)
        if re.search(r"wait_prior|wait_group|cp[._]async[._]wait|consumer_wait", declared.line(at))
    ]
    return (
        None
        if race.mine.wrote or not (waits and _COPIES.search(copy))
        else Message(
            why=f"Line {race.other.line} copies asynchronously. A wait, as on line {waits[-1]}, is "
            "only for the copies of its own thread.",
            remedy=f"Put a {_barrier(race)} after the wait on line {waits[-1]}, before line "
            f"{line}.",
        )
    )


def _barrier_between(race: Race, place: ArrayPlace) -> Message:
    """Two lines of one block."""
    barrier, (first, then) = _barrier(race), race.evidence.kernel_lines
    if first is None or then is None:
        return Message(why=_CHANCE, remedy=f"Put a {barrier} between the two accesses.")
    if first == then and race.other.line and race.mine.line:
        first, then = race.other.line, race.mine.line
    if race.both_wrote and not (race.mine.atomic or race.other.atomic):
        return Message(
            why=_one_of_two(place.text),
            remedy=f"Should both threads write {place.text}? If not, correct the index. If they "
            "should, let only one thread write it, or put a "
            f"{barrier} between line {first} and line {then}.",
        )
    why = _CHANCE
    if first > then and race.mine.repeats:
        why += (
            f" One thread executes line {then} again, in the next round of the loop, while others "
            f"are still at line {first}."
        )
        text = f"Put a {barrier} after line {first}, before the round ends"
    else:
        text = f"Put a {barrier} " + (
            f"before line {race.mine.line}, in the function that lines {first} and {then} call"
            if race.evidence.apart and race.mine.line is not None
            else f"between line {first} and line {then}"
        )
    whose = {"`cluster.sync()`": "cluster", "`__syncthreads()`": "block"}.get(barrier)
    reached = f", where all threads of the {whose} reach it" if whose else ""
    return Message(why=why, remedy=f"{text}{reached}.")


def _barrier(race: Race) -> str:
    """The barrier that would order the two."""
    if race.evidence.barriers_of_some:
        return "barrier (one that both threads reach)"
    if not race.same_block:
        return "`cluster.sync()`"
    return (
        "`__syncthreads()`"
        if not race.same_warp
        else "`__syncwarp()` or `__syncthreads()`"
        if race.evidence.one_warp
        else "`__syncthreads()`"
    )


def _after_its_ticket(race: Race, declared: Declarations) -> Message | None:
    """A write that comes after the ticket, or the flag, which lets another block read."""
    wrote, read = race.other.line or 0, race.mine.line or 0
    drawn = [  # its result is kept
        at
        for at, text in enumerate(declared.lines, 1)
        if re.search(r"=\s*(?:atomic(?:Add|Inc)|\w+\.fetch_add)\(", text)
    ]
    before = [at for at in drawn if at < wrote < read]
    flags = [at for at in declared.flags() if at < wrote] if not before else []
    if race.mine.wrote or not (race.other.wrote and (before or flags)):
        return None
    first = (before or flags)[-1]
    does, who = (
        ("draws the ticket of a block", "The last") if before else ("sets a flag", "Another")
    )
    return Message(
        why=f"Line {first} {does}, and line {wrote} writes after that. {who} block may read before "
        "the write.",
        remedy=f"Which must come first, line {first} or line {wrote}?",
    )


def _between_blocks(race: Race, place: ArrayPlace, declared: Declarations) -> Message:
    mine, other = race.mine, race.other
    if not mine.wrote and _waits_for_a_flag(race, place):
        return _flag(race)
    if mine.atomic != other.atomic:
        return _atomic_and_not(race, place, declared)
    if (
        race.both_wrote
        and not mine.atomic
        and (race.evidence.same_instruction or not race.same_line)
    ):
        return _same_element(race, place)
    if race.same_line or (place.count == 1 and race.both_wrote):
        return Message(
            why=_ANY_ORDER,
            remedy=f"If several blocks should update {place.text}, use an atomic, such as "
            "`atomicAdd`. If not, give each block its own element.",
        )
    if mine.wrote and place.count == 1:
        return Message(
            why=_ANY_ORDER,
            remedy=f"If all blocks should update {place.text}, use an atomic. If one block should "
            "read the value of another, read it in a second launch. Or write, execute a "
            "`__threadfence()`, then set a flag; each thread that reads must wait for the flag.",
        )
    return (
        Message(
            why=f"{_ANY_ORDER} Line {mine.line} may overwrite a value before another block reads "
            "it.",
            remedy="Write to another array, or launch twice.",
        )
        if mine.wrote
        else Message(
            why=f"{_ANY_ORDER} Line {mine.line} may read before the other block writes.",
            remedy="Let each block read only what it wrote itself, or read in a second launch. Or "
            "let only the last block read: each block executes a `__threadfence()` and then an "
            "`atomicAdd`, whose result shows which block is the last.",
        )
    )


def _atomic_and_not(race: Race, place: ArrayPlace, declared: Declarations) -> Message:
    """One of the two is an atomic, the other is not."""
    plain = race.mine if race.other.atomic else race.other
    atomic = race.mine if race.mine.atomic else race.other
    if plain.wrote and place.count == 1 and any(atomic.thread):
        return Message(
            why=f"More than one thread of a block executes the atomic on line {atomic.line}, such "
            f"as thread {short(atomic.thread)}.",
            remedy=f"If {place.text} should count blocks, let one thread execute it: "
            "`if (threadIdx.x == 0)`.",
        )
    # A ticket is compared with the number of blocks; a sum is not.
    is_lost = re.match(r"\s*atomic\w+\(", declared.line(atomic.line)) and any(
        re.search(r"[=!]= gridDim\.x|gridDim\.x - 1", text) for text in declared.lines
    )
    lost = (
        f"Line {atomic.line} does not use what the atomic returns: the value before the update. "
        "What does this value tell a block?"
    )
    if plain.wrote:
        return Message(
            why=f"{_ANY_ORDER} The plain write on line {plain.line} may come after the atomic, and "
            "overwrite its result.",
            remedy=lost if is_lost else f"Set {place.text} before the launch.",
        )
    return Message(
        why=f"{_ANY_ORDER} Line {plain.line} may read before all blocks have updated {place.text}.",
        remedy=lost
        if is_lost
        else "Read it in a second launch, or only in the block that finishes last. A ticket, "
        "drawn by an atomic after a fence, shows which block that is.",
    )


def _same_element(race: Race, place: ArrayPlace) -> Message:
    """Two blocks that write one element."""
    if place.count == 1 or place.index is None:
        return Message(
            why=_one_of_two("It"), remedy="Use an atomic, or give each block its own element."
        )
    return Message(
        why=_one_of_two(place.text),
        remedy="Does the index contain `blockIdx`, multiplied by the number of elements per "
        "block? If all blocks should add to one element, use an atomic."
        if race.same_line
        else f"Which of the lines {race.other.line} and {race.mine.line} should write "
        f"{place.text}? Which index or start of a loop is wrong on the other one?",
    )


def _waits_for_a_flag(race: Race, place: ArrayPlace) -> bool:
    """A thread reads, again and again, what another sets without a barrier."""
    read, set_ = (race.other, race.mine) if race.mine.wrote else (race.mine, race.other)
    again = read.reads and read.repeats and not race.both_wrote
    return again and (set_.volatile or set_.atomic) and (place.count == 1 or read.volatile)


def _flag(race: Race) -> Message:
    """The flag itself, for which a thread waits."""
    read, set_ = (race.other, race.mine) if race.mine.wrote else (race.mine, race.other)
    if not read.volatile:
        return Message(
            why="The compiler may read a variable that is not `volatile` only once.",
            remedy=f"If line {read.line} waits for a flag, it must read the flag as `volatile` or "
            "with an atomic.",
        )
    fence = "`__threadfence_block()`" if race.same_block else "`__threadfence()`"
    return Message(
        why="This flag is `volatile`, so each access goes to memory. But `volatile` does not "
        "order the writes of the flag and of the data.",
        remedy=f"Put a {fence} between the write of the data and line {set_.line}, or use a "
        "barrier.",
    )


def _signalled(race: Race, signal: Signal) -> Message | None:
    """Where the way from one access to the other, by a flag, a ticket or a lock, is broken; None
    where that cannot be said."""
    fence = "`__threadfence()`" if race.between_blocks else "`__threadfence_block()`"
    post, what = f"line {signal.post}", f"line {race.other.line}"
    if any(one.wide or not race.between_blocks for one in signal.ordering):
        return _reader(race, signal, fence)
    if signal.ordering:
        return Message(
            why=f"The `__threadfence_block()` on line {signal.ordering[-1].line} orders writes for "
            f"its own block only. Another block may see the write of {post} before that of {what}.",
            remedy=f"Put a {fence} between {what} and {post}.",
        )
    if not signal.posted_itself and not signal.waited:
        until = f"the fence on line {signal.before[-1].line}" if signal.before else post
        then = "" if signal.before else f", and then a {fence},"
        return Message(
            why=f"Line {signal.post} signals for the whole block, but thread "
            f"{short(signal.poster)} has not waited for the other threads. A fence of this thread "
            "does not order their writes.",
            remedy=f"Put a `__syncthreads()`{then} between {what} and {until}.",
        )
    another = "block" if race.between_blocks else "thread"
    before = (
        f"The fence on line {signal.after[0].line} comes too late. Another {another}"
        if signal.after
        else f"Line {signal.post} tells the other {another} that the data is ready, but that "
        f"{another}"
    )
    return Message(
        why=f"{before} may see the write of {post} before that of {what}.",
        remedy=f"Put a {fence} between {what} and {post}.",
    )


def _reader(race: Race, signal: Signal, fence: str) -> Message | None:
    """The writer's side is in order: the reader's is not. Who saw the flag needs a fence before it
    reads, and others a barrier that they come to afterwards."""
    sight, line = signal.sight, race.mine.line
    if signal.seen_itself:
        return (
            None
            if signal.fenced
            else Message(
                why=f"Line {sight} sees the flag, but line {line} may still read an older value.",
                remedy=f"Put a {fence} between line {sight} and line {line}.",
            )
        )
    return (
        None
        if signal.met
        else Message(
            why=f"Thread {short(signal.seer)} saw the flag on line {sight}, but this thread has "
            f"not waited for thread {short(signal.seer)}.",
            remedy=f"Put a `__syncthreads()` between line {sight} and line {line}.",
        )
    )
