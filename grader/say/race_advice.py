"""What to do about a race: the kind of mistake that it is, as far as the run shows it.

Two threads at one place are an index that both worked out alike, an update that several make, a
barrier that is missing, or a fence on the way of a flag; each is mended in its own way.
"""

import re

from ..compilers import loop_faults
from ..compilers.declared import Declarations
from ..cuda.errors import Message
from ..machine.wave import Wave
from ..watch.findings import Fence, Race, RacingAccess, Signal, ThreadAtLine
from .places import ArrayPlace, short

WRITTEN_LATER = (
    "A bulk copy to global memory writes some time after its issue. A wait with `.read` ends when "
    "the copy has read its source, not when it has written."
)
# What waits until a copy has read its source, until it has written, and until a product has ended.
HAS_READ, HAS_WRITTEN, HAS_ENDED = (
    "cp.async.bulk.wait_group.read 0",
    "cp.async.bulk.wait_group 0",
    "wgmma.wait_group.sync.aligned 0",
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


def advice(race: Race, place: ArrayPlace, wave: Wave) -> Message:
    """What to do about a race at a place."""
    declared, signal, line = wave.names.declared, race.evidence.signal, race.mine.line
    if race.unfinished:
        return _not_waited_for(race, race.unfinished, wave)
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
    writer, reader = (_writer(race, signal), _reader(race, signal)) if signal else (Message(),) * 2
    if signal and (writer + reader).why:
        # A fence of all threads is not among those that a signal has.
        between = {*range((signal.sight or 0) + 1, line or 1)}.intersection(
            at for one in wave.kernel.instructions for at in (one.line, *one.callers)
        )
        has_fence = not signal.fenced and any("fence" in declared.line(at) for at in between)
        return writer if writer.why and has_fence else writer + reader
    if race.between_blocks:
        return (
            _after_its_ticket(race, declared)
            or _others_wait(race, declared)
            or _between_blocks(race, place, declared)
        )
    if _waits_for_a_flag(race, place, declared):
        return _flag(race, place)
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
    return (
        _in_one_memory(race, place, declared)
        or _given_back(race, wave)
        or _copied(race, declared)
        or _barrier_between(race, place)
    )


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


def awaited(
    first: ThreadAtLine, user: ThreadAtLine | None, wave: Wave, wait: str, committed: bool = True
) -> str:
    """What a copy or a product needs so that it has ended before `user` does something (None:
    before its own thread leaves), as far as the kernel does not have it."""
    commits, waits = (
        " or ".join(
            f"line {at}"
            for at in sorted(
                {
                    one.line
                    for one in wave.kernel.instructions
                    if one.line
                    and one.form.name == wait.partition(".")[0]
                    and one.form.has("bulk", "aligned")
                    and one.form.has(word)
                    and (wait == HAS_READ or not one.form.has("read"))
                }
            )
        )
        for word in ("commit_group", "wait_group")
    )
    commit = wait.partition("wait")[0] + "commit_group" + ".sync.aligned" * (wait == HAS_ENDED)
    who, what = (
        ("The threads that issue the `wgmma`", "this `wgmma`")
        if wait == HAS_ENDED
        else (f"Thread {short(first.thread)}", "this copy")
    )
    again = " again" if user and user.repeats and (user.line or 0) < (first.line or 0) else ""
    before, then = (
        ("it leaves the kernel", "")
        if user is None
        else (f"line {user.line} is executed{again}", "")
        if (user.block, user.thread) == (first.block, first.thread)
        else (
            f"another thread executes line {user.line}{again}",
            f" What lets the other thread go on to line {user.line}? The wait must come before "
            "that.",
        )
    )
    return (
        f"{who} must wait for {what} before {before}. Does the wait on {waits} come in time? Does "
        f"it include {what}?{then}"
        if waits and commits and committed
        else f"Put a `{commit}` after line {first.line}, before the wait on {waits}."
        if waits
        else f"{who} must wait for {what} with `{wait}` before {before}.{then}"
        if commits and committed
        else f"{who} must commit {what} with `{commit}`, then wait with `{wait}`, before "
        f"{before}.{then}"
    )


def _not_waited_for(race: Race, first: RacingAccess, wave: Wave) -> Message:
    """A product, a bulk copy or the set-up of an mbarrier that nobody has waited for."""
    other = race.other if first is race.mine else race.mine
    why, remedy = {
        "set-up": (
            "An mbarrier has no valid state before its `init`.",
            f"Put a {_barrier(race)} after line {first.line}, before any other thread uses the "
            "mbarrier.",
        ),
        "product": (
            "A `wgmma` reads its factors until a wait for its group has ended.",
            awaited(first, other, wave, HAS_ENDED),
        ),
        "copy": (WRITTEN_LATER, awaited(first, other, wave, HAS_WRITTEN))
        if first.wrote
        else (
            "A bulk copy reads its source until a wait for it has ended. Only the thread that "
            "issued it can wait for its group.",
            awaited(first, other, wave, HAS_READ),
        ),
    }[first.unfinished]
    return Message(why=why, remedy=remedy)


def _in_one_memory(race: Race, place: ArrayPlace, declared: Declarations) -> Message | None:
    """Two arrays that the launch gives their memory, which begin at one byte."""
    names = re.findall(
        r"\bextern\b[^;]*?\b__shared__\b[^;]*?(\w+)\s*\[\s*\]\s*;", "\n".join(declared.lines)
    )
    others = [one for one in names if declared.mentions(race.other.line, one)]
    return (
        Message(
            why=f"`{others[0]}` and {place.owner} begin at the same byte, as all "
            "`extern __shared__` arrays do.",
            remedy="Declare only one of them as `extern __shared__`. Let the other one be a "
            "pointer to the first byte after the elements of that array.",
        )
        if place.array in names and others and place.array not in others
        else None
    )


def _given_back(race: Race, wave: Wave) -> Message | None:
    """A stage that is read, and filled again behind a wait at an mbarrier which those who read
    arrive at; None where there is no such wait or arrival."""
    read, fill = race.evidence.kernel_lines
    if not (race.shared and race.mine.wrote and race.other.reads and read and fill):
        return None
    waits, arrivals = _mbarriers(_WAITS, wave), _mbarriers(_ARRIVES, wave)
    wait = max((line for line in waits if line <= fill), default=0)
    told = [line for line, name in arrivals.items() if name == waits.get(wait)]
    if not told:
        return None
    name, at = waits[wait], min(told, key=lambda line: abs(line - read))
    why = f"Line {wait} waits at `{name}` until the other threads have read."
    if at > read:
        return Message(
            why=why,
            remedy=f"Do all of them execute line {at}?"
            if "producer_acquire" in wave.names.declared.line(wait)
            else f"Do all of them arrive at `{name}`, as on line {at}? Is the count in the `init` "
            f"of `{name}` right? Is the parity on line {wait} right?",
        )
    early = f" Line {at} tells `{name}` that they have, but line {read} reads after that."
    why += early if at < read else ""  # a call's read may have the line of the step before it
    return Message(why=why, remedy=f"The call on line {at} must come after the last read.")


def _mbarriers(call: re.Pattern[str], wave: Wave) -> dict[int, str]:
    """By line the mbarrier, or the pipeline, that a call names there. A line that the compiler left
    out has no such call."""
    compiled = {at for one in wave.kernel.instructions for at in (one.line, *one.callers)}
    return {
        line: found[1] or found[2]
        for line, text in enumerate(wave.names.declared.lines, 1)
        if line in compiled and (found := call.search(text))
    }


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
    if _waits_for_a_flag(race, place, declared):
        return _flag(race, place)
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


def _others_wait(race: Race, declared: Declarations) -> Message | None:
    """A thread has read, though only others of its block wait for a flag before that line."""
    line = race.other.line or 0
    loops = [
        at
        for at in range(declared.head(line), line)
        if re.search(r"\bwhile\b.*(?:atomic|volatile|\.load\()", declared.line(at))
    ]
    guard, at = declared.guard(loops[-1]) if loops else ("", 0)
    return (
        Message(
            why=f"Only threads with `{guard}` (line {at}) wait on line {loops[-1]}. Thread "
            f"{short(race.other.thread)} has not waited for these threads.",
            remedy=f"Put a `__syncthreads()` directly before line {line}, where all threads of the "
            "block reach it.",
        )
        if race.mine.wrote
        and guard.endswith(" == 0")
        and declared.value(
            guard.removesuffix(" == 0"), at, dict(zip(_AXES, race.other.thread, strict=True))
        )
        and not any("sync" in text for text in declared.lines[loops[-1] : line])
        else None
    )


def _waits_for_a_flag(race: Race, place: ArrayPlace, declared: Declarations) -> bool:
    """A thread reads, again and again, what another sets without a barrier. A compiler may have
    taken the only read of a `while` out of the loop."""
    read, set_ = (race.other, race.mine) if race.mine.wrote else (race.mine, race.other)
    again = (read.repeats and (place.count == 1 or read.volatile)) or (
        not read.atomic
        and re.search(rf"\bwhile\b.*\b{place.array}\b", declared.line(read.line)) is not None
    )
    return again and read.reads and not race.both_wrote and (set_.volatile or set_.atomic)


def _flag(race: Race, place: ArrayPlace) -> Message:
    """The flag itself, for which a thread waits."""
    read, set_ = (race.other, race.mine) if race.mine.wrote else (race.mine, race.other)
    if not (read.volatile or read.atomic):
        return Message(
            why="The compiler may read a variable that is not `volatile` only once. Then a loop "
            "that waits for a new value never ends.",
            remedy=f"If line {read.line} waits for {place.text}, it must read {place.text} as "
            "`volatile` or with an atomic.",
        )
    return Message(
        why=f"`volatile` does not order writes. Thread {short(read.thread)} may see the new value "
        f"of {place.text} before it sees what thread {short(set_.thread)} wrote earlier.",
        remedy=f"Put a {_fence(race)} directly before line {set_.line}, or use a barrier.",
    )


def _writer(race: Race, signal: Signal) -> Message:
    """Where the earlier access is not in order before the flag, the ticket or the lock that tells
    of it; empty where it is."""
    post, what = f"line {signal.post}", f"line {race.other.line}"
    another = "block" if race.between_blocks else "thread"
    if any(one.wide or not race.between_blocks for one in signal.ordering):
        return Message()
    if not signal.ordering and not signal.posted_itself and not signal.waited:
        then, until = (
            ("", f"the fence on line {signal.before[-1].line}")
            if signal.before
            else (f", and then a {_fence(race)},", post)
        )
        return Message(
            why=f"Line {signal.post} signals for the whole block, but thread "
            f"{short(signal.poster)} has not waited for the other threads. A fence of this thread "
            "does not order their writes.",
            remedy=f"Put a `__syncthreads()`{then} between {what} and {until}.",
        )
    before = (
        f"The `__threadfence_block()` on line {signal.ordering[-1].line} orders writes for its own "
        "block only. Another"
        if signal.ordering
        else f"The fence on line {signal.after[0].line} comes too late. Another"
        if signal.after
        else f"{post.capitalize()} is a signal to another {another}. But that"
    )
    return Message(
        why=f"{before} {another} may see the write of {post} before the write of {what}.",
        remedy=_missing_fence(race, signal.ordering, f"{what} and {post}"),
    )


def _reader(race: Race, signal: Signal) -> Message:
    """Where the later access is not in order after that; empty where it is. Who saw the flag needs
    a fence before it reads, and others a barrier that they come to afterwards."""
    between, other = f"line {signal.sight} and line {race.mine.line}", race.other
    fenced = any(one.wide or not race.between_blocks for one in signal.fenced)
    if fenced if signal.seen_itself else signal.met:
        return Message()
    return Message(
        why=f"Line {signal.sight} shows "
        + f"thread {short(signal.seer)} " * (not signal.seen_itself)
        + f"that thread {short(other.thread)} of block {short(other.block)} has executed line "
        f"{other.line}. But "
        + (
            f"this thread has not waited for thread {short(signal.seer)}."
            if not signal.seen_itself
            else f"without a {_fence(race)}, line {race.mine.line} may come before that."
            if race.mine.wrote
            else f"without a {_fence(race)}, line {race.mine.line} may still read an older value."
        ),
        remedy=_missing_fence(race, signal.fenced, between)
        if signal.seen_itself
        else f"Put a `__syncthreads()` between {between}.",
    )


def _missing_fence(race: Race, narrow: tuple[Fence, ...], between: str) -> str:
    """What to do where there is no fence, or only some for the block."""
    return (
        f"Replace the `__threadfence_block()` on line {narrow[-1].line} with a `__threadfence()`."
        if narrow
        else f"Put a {_fence(race)} between {between}."
    )


def _fence(race: Race) -> str:
    return "`__threadfence()`" if race.between_blocks else "`__threadfence_block()`"
