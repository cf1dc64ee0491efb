"""What to do about a race: the kind of mistake that it is, as far as the run shows it.

Two threads at one place are an index that both worked out alike, an update that several make, a
barrier that is missing, or a fence on the way of a flag; each is mended in its own way.
"""

from ..compilers.declared import Declarations
from ..watch.findings import Race, Signal
from .places import ArrayPlace, short

_CHANCE = "Either thread may come first"
_ANY_ORDER = "Blocks run in any order"


def without_stride(index: str, name: str, line: int) -> str:
    """An index that is the same in each round of a loop over strides."""
    return (
        f"{index} does not use `{name}`, which the loop on line {line} changes in each round. "
        "Which element should this round read?"
    )


def advice(race: Race, place: ArrayPlace, declared: Declarations) -> str:
    """What to do about a race at a place, in a source with these declarations."""
    signal, line = race.evidence.signal, race.mine.line
    if race.same_line and line and (ignored := declared.without_stride(line)):
        return without_stride(*ignored)
    if signal and (broken := _signalled(race, signal)):
        return broken
    if race.between_blocks:
        return _between_blocks(race, place)
    if _waits_for_a_flag(race, place):
        return _flag(race)
    if race.same_line:
        if not race.both_wrote:
            return _read_and_written(race, place)
        guard, at = declared.guard(line) if line else ("", 0)
        both = f"`{guard}` (line {at}) is true for both threads. " if "==" in guard else ""
        return both + _written_twice(race, place)
    return _barrier_between(race, place)


def _written_twice(race: Race, place: ArrayPlace) -> str:
    """One line, two threads that write there."""
    if race.evidence.updates:
        return _lost_update(place)
    took = (
        f"Either value may remain in {place.text}. Is that the element you mean for both threads? "
        "If not, correct the index. If it is, let only one thread write there, give each thread "
        "its own element, or use an atomic."
    )
    if race.at_once or not race.evidence.may_repeat:
        return took
    if race.evidence.took_part:
        return (
            f"The other thread wrote in an earlier round of the loop. Put a {_barrier(race)} at "
            "the end of a round, or give each round its own element."
        )
    return f"{took} If they are in different rounds of a loop, put a {_barrier(race)} between."


def _read_and_written(race: Race, place: ArrayPlace) -> str:
    """One line, on which one thread reads what another writes."""
    barrier, evidence = _barrier(race), race.evidence
    if evidence.same_address:
        return _lost_update(place)
    apart = (
        "One thread reads the element in the same statement in which the other writes it. Does "
        "the index go to the element you mean? If it does, read into a variable first, then put a "
        f"{barrier}, then write"
    )
    if not evidence.may_repeat:
        return f"{apart}."
    if race.other.wrote and evidence.took_part:
        return f"{_CHANCE}. Put a {barrier} between one round of the loop and the next."
    if race.mine.wrote and not evidence.wrote_since:
        return f"{apart}. Put another barrier at the end of each round of the loop."
    return (
        f"{_CHANCE}. Put a {barrier} between one round of the loop and the next. If it happens "
        "within one round, read into a variable first, and write after another barrier."
    )


def _lost_update(place: ArrayPlace) -> str:
    return (
        f"Both threads read {place.text}, change it and write it back, so one change may be lost. "
        "Use an atomic, or give each thread its own element."
    )


def _barrier_between(race: Race, place: ArrayPlace) -> str:
    """Two lines of one block."""
    barrier, (first, then) = _barrier(race), race.evidence.kernel_lines
    if first is None or then is None:
        return f"{_CHANCE}. Put a {barrier} between the two."
    if first == then and race.other.line and race.mine.line:
        first, then = race.other.line, race.mine.line
    if race.both_wrote and not (race.mine.atomic or race.other.atomic):
        return (
            f"Either value may remain in {place.text}. Give each thread its own element, or let "
            "only one thread write. If one thread should overwrite the other's value, put a "
            f"{barrier} between line {first} and line {then}."
        )
    if first > then and race.mine.repeats:
        text = (
            f"{_CHANCE}: one thread executes line {then} again, in the next round of the loop, "
            f"while others are still at line {first}. Put a {barrier} after line {first}, before "
            "the round ends"
        )
    else:
        text = f"{_CHANCE}. Put a {barrier} between line {first} and line {then}"
        if race.evidence.apart and race.mine.line is not None:
            text += f" (or before line {race.mine.line}, in the function that is called)"
    whose = {"`cluster.sync()`": "cluster", "`__syncthreads()`": "block"}.get(barrier)
    return f"{text}, where all threads of the {whose} reach it." if whose else f"{text}."


def _barrier(race: Race) -> str:
    """The barrier that would order the two."""
    if race.evidence.barriers_of_some:
        return "barrier that both threads reach"
    if not race.same_block:
        return "`cluster.sync()`"
    if not race.same_warp:
        return "`__syncthreads()`"
    if race.evidence.one_warp:
        return "`__syncwarp()` or `__syncthreads()`"
    return "`__syncthreads()` (or `__syncwarp()`, if no other warp uses what is written)"


def _between_blocks(race: Race, place: ArrayPlace) -> str:
    mine, other = race.mine, race.other
    if not mine.wrote and _waits_for_a_flag(race, place):
        return _flag(race)
    if mine.atomic != other.atomic:
        return _atomic_and_not(race, place)
    if (
        race.both_wrote
        and not mine.atomic
        and (race.evidence.same_instruction or not race.same_line)
    ):
        return _same_element(place)
    if race.same_line or (place.count == 1 and race.both_wrote):
        return (
            f"{_ANY_ORDER}. If several blocks should update {place.text}, use an atomic, such as "
            "`atomicAdd`. If not, give each block its own element."
        )
    if mine.wrote and place.count == 1:
        return (
            f"{_ANY_ORDER}. If all blocks should update {place.text}, use an atomic. If one block "
            "should read the value of another, read it in a second launch. Or set a flag after "
            "the write and a `__threadfence()`, and let each reading thread wait for the flag."
        )
    if mine.wrote:
        return (
            f"{_ANY_ORDER}: line {mine.line} may overwrite a value before another block reads it. "
            "Write to another array, or launch twice."
        )
    return (
        f"{_ANY_ORDER}: line {mine.line} may read before the other block writes. Let each block "
        "read only what it wrote itself, or read in a second launch. Or read in the block that "
        "finishes last: a ticket shows it (`__threadfence()`, then `atomicAdd`)."
    )


def _atomic_and_not(race: Race, place: ArrayPlace) -> str:
    """One of the two is an atomic, the other is not."""
    plain = race.mine if race.other.atomic else race.other
    atomic = race.mine if race.mine.atomic else race.other
    if plain.wrote and place.count == 1 and any(atomic.thread):
        return (
            f"Thread {short(atomic.thread)} executes the atomic on line {atomic.line}, and not "
            f"only one thread of its block. If {place.text} should count blocks, let one thread "
            "execute it: `if (threadIdx.x == 0)`."
        )
    if plain.wrote:
        return (
            f"{_ANY_ORDER}: the plain write on line {plain.line} may come after the atomic, and "
            f"overwrite its result. Set {place.text} before the launch."
        )
    return (
        f"{_ANY_ORDER}: line {plain.line} may read before all blocks have updated {place.text}. "
        "Read it in a second launch, or in the block that finishes last (a ticket and a fence)."
    )


def _same_element(place: ArrayPlace) -> str:
    if place.count == 1 or place.index is None:
        return "Either value may remain. Use an atomic, or give each block its own element."
    return (
        f"Either value may remain in {place.text}. Does the index contain `blockIdx`, multiplied "
        "by the number of elements per block? If all blocks should add to one element, use an "
        "atomic."
    )


def _waits_for_a_flag(race: Race, place: ArrayPlace) -> bool:
    """A thread reads, again and again, what another sets without a barrier."""
    read, set_ = (race.other, race.mine) if race.mine.wrote else (race.mine, race.other)
    if not read.reads or race.both_wrote or not read.repeats:
        return False
    return (set_.volatile or set_.atomic) and (place.count == 1 or read.volatile)


def _flag(race: Race) -> str:
    """The flag itself, for which a thread waits."""
    read, set_ = (race.other, race.mine) if race.mine.wrote else (race.mine, race.other)
    if not read.volatile:
        return (
            f"If line {read.line} waits for a flag, it must read the flag as `volatile` or with an "
            "atomic. The compiler may read a plain variable only once."
        )
    fence = "`__threadfence_block()`" if race.same_block else "`__threadfence()`"
    return (
        "This flag is `volatile`, so each access goes to memory. But `volatile` does not order "
        f"the flag and the data. Put a {fence} between the write of the data and line "
        f"{set_.line}, or use a barrier."
    )


def _signalled(race: Race, signal: Signal) -> str:
    """Where the way from one access to the other, by a flag, a ticket or a lock, is broken; ""
    where that cannot be said."""
    fence = "`__threadfence()`" if race.between_blocks else "`__threadfence_block()`"
    post, what = f"line {signal.post}", f"line {race.other.line}"
    if any(one.wide or not race.between_blocks for one in signal.ordering):
        return _reader(race, signal, fence)
    if signal.ordering:
        return (
            f"The `__threadfence_block()` on line {signal.ordering[-1].line} orders writes for its "
            f"own block only. Another block may see {post} before {what}. Put a {fence} between "
            "the two."
        )
    if not signal.posted_itself and not signal.waited:
        until = f"the fence on line {signal.before[-1].line}" if signal.before else post
        then = "" if signal.before else f", and then a {fence},"
        return (
            f"Line {signal.post} signals for the whole block, but thread {short(signal.poster)} "
            "has not waited for the other threads. A fence orders only its own writes, and others' "
            f"writes before a barrier. Put a `__syncthreads()`{then} between {what} and {until}."
        )
    put = f"Put a {fence} between {what} and {post}."
    another = "block" if race.between_blocks else "thread"
    if signal.after:
        return (
            f"The fence on line {signal.after[0].line} comes too late. Another {another} may see "
            f"{post} before {what}. {put}"
        )
    return (
        f"Line {signal.post} tells the other {another} that the data is ready, but that {another} "
        f"may see {post} before {what}. {put}"
    )


def _reader(race: Race, signal: Signal, fence: str) -> str:
    """The writer's side is in order: the reader's is not. Who saw the flag needs a fence before it
    reads, and others a barrier that they come to afterwards."""
    sight, line = signal.sight, race.mine.line
    if signal.seen_itself:
        if signal.fenced:
            return ""
        return (
            f"Line {sight} sees the flag, but line {line} may still read an older value. Put a "
            f"{fence} between line {sight} and line {line}."
        )
    if signal.met:
        return ""
    return (
        f"Thread {short(signal.seer)} saw the flag on line {sight}, but this thread has not waited "
        f"for it. Put a `__syncthreads()` between line {sight} and line {line}."
    )
