"""What to do about a race: the kind of mistake that it is, as far as the run shows it.

Two threads at one place are an index that both worked out alike, an update that several make, a
barrier that is missing, or a fence on the way of a flag; each is mended in its own way.
"""

from ..watch.findings import Race, Signal
from .places import ArrayPlace, short

_CHANCE = "Which comes first is chance"
_ANY_ORDER = "Blocks run in any order"


def advice(race: Race, place: ArrayPlace) -> str:
    """What to do about a race at a place."""
    signal = race.evidence.signal
    if signal and (broken := _signalled(race, signal)):
        return broken
    if race.between_blocks:
        return _between_blocks(race, place)
    if _waits_for_a_flag(race, place):
        return _flag(race)
    if race.same_line:
        return _written_twice(race, place) if race.both_wrote else _read_and_written(race, place)
    return _barrier_between(race, place)


def _written_twice(race: Race, place: ArrayPlace) -> str:
    """One line, two threads that write there."""
    if race.evidence.updates:
        return _lost_update(place)
    took = (
        f"Both threads take {place.text}, and whose value stays is chance. If that index is not "
        "the one you mean, work it out anew; otherwise let one thread alone write there, give each "
        "a place of its own, or use an atomic."
    )
    if race.at_once or not race.evidence.may_repeat:
        return took
    if race.evidence.took_part:
        return (
            f"The other thread wrote in an earlier round of the loop: put a {_barrier(race)} where "
            "a round ends, or give each round a place of its own."
        )
    return f"{took} If they are in different rounds of a loop, {_barrier(race)} must lie between."


def _read_and_written(race: Race, place: ArrayPlace) -> str:
    """One line, on which one thread reads what another writes."""
    barrier, evidence = _barrier(race), race.evidence
    if evidence.same_address:
        return _lost_update(place)
    apart = (
        "One statement reads an element that another thread writes in the same statement: read "
        f"into a variable first, then put a {barrier}, and write after it"
    )
    if not evidence.may_repeat:
        return f"{apart}."
    if race.other.wrote and evidence.took_part:
        return f"{_CHANCE}; put a {barrier} between one round of the loop and the next."
    if race.mine.wrote and not evidence.wrote_since:
        return f"{apart}, and another where a round of the loop ends."
    return (
        f"{_CHANCE}; put a {barrier} between one round of the loop and the next. If it happens "
        "within one round: read into a variable first, and write after another barrier."
    )


def _lost_update(place: ArrayPlace) -> str:
    return (
        f"Both threads read {place.text}, change it and write it back, and one of the changes may "
        "be lost: use an atomic, or give each thread an element of its own."
    )


def _barrier_between(race: Race, place: ArrayPlace) -> str:
    """Two lines of one block."""
    barrier, (first, then) = _barrier(race), race.evidence.kernel_lines
    if first is None or then is None:
        return f"{_CHANCE}; put a {barrier} between the two."
    if first == then and race.other.line and race.mine.line:
        first, then = race.other.line, race.mine.line
    if race.both_wrote and not (race.mine.atomic or race.other.atomic):
        return (
            f"Both threads take {place.text}, and whose value stays is chance: give each an "
            "element of its own, or let one thread alone write. Only if the one is to overwrite "
            f"the other on purpose, put a {barrier} between line {first} and line {then}."
        )
    if first > then and race.mine.repeats:
        text = (
            f"{_CHANCE}: line {then} is executed again, in the loop's next round, while others are "
            f"still at line {first}. Put a {barrier} after line {first}, before the round ends"
        )
    else:
        text = f"{_CHANCE}; put a {barrier} between line {first} and line {then}"
        if race.evidence.apart and race.mine.line is not None:
            text += f" (or before line {race.mine.line}, in the function that is called)"
    whose = {"`cluster.sync()`": "cluster", "`__syncthreads()`": "block"}.get(barrier)
    return f"{text}, where all threads of the {whose} pass." if whose else f"{text}."


def _barrier(race: Race) -> str:
    """The barrier that would order the two."""
    if race.evidence.barriers_of_some:
        return "barrier that both threads come to"
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
            f"{_ANY_ORDER}, and what several blocks update in one place needs an atomic, as in "
            f"`atomicAdd`; or give each block a place of its own, if {place.text} is not the one "
            "meant."
        )
    if mine.wrote and place.count == 1:
        return (
            f"{_ANY_ORDER}: whoever reads {place.text} must wait for who writes it, by a flag that "
            "is set behind a `__threadfence()` and that each thread which reads has waited for; or "
            "read it in a launch of its own. If all blocks are to update it, use an atomic."
        )
    if mine.wrote:
        return (
            f"{_ANY_ORDER}: line {mine.line} overwrites what another block may still want to read. "
            "Write to another array than the one that is read, or launch twice."
        )
    return (
        f"{_ANY_ORDER}: what line {mine.line} reads may not have been written yet. Read it in a "
        "launch of its own, or in the block that finishes last, which a ticket shows "
        "(`__threadfence()`, then `atomicAdd`); or let each block read what it wrote itself."
    )


def _atomic_and_not(race: Race, place: ArrayPlace) -> str:
    """One of the two is an atomic, the other is not."""
    plain = race.mine if race.other.atomic else race.other
    if plain.wrote:
        return (
            f"{_ANY_ORDER}, and an atomic is ordered with other atomics only: what line "
            f"{plain.line} writes may come after it. Set {place.text} before the launch."
        )
    return (
        f"{_ANY_ORDER}: the read on line {plain.line} may come before all have added. Read it in a "
        "launch of its own, or in the block that finishes last (a ticket and a fence)."
    )


def _same_element(place: ArrayPlace) -> str:
    if place.count == 1 or place.index is None:
        return "Whose value stays is chance: use an atomic, or give each block a place of its own."
    return (
        f"Both blocks take {place.text}, and whose value stays is chance. Does the index say which "
        "block it is (`blockIdx`), and is that multiplied by as much as a block takes? If all "
        "blocks are to add up there, use an atomic."
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
            f"If line {read.line} waits for it, it must read it as `volatile` or by an atomic: the "
            "compiler may read a plain variable once and keep it."
        )
    fence = "`__threadfence_block()`" if race.same_block else "`__threadfence()`"
    return (
        "It is `volatile`, so each access goes to memory, but that puts none in order: put a "
        f"{fence} between the data that it announces and line {set_.line}; or use a barrier."
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
            f"The `__threadfence_block()` on line {signal.ordering[-1].line} holds for its own "
            f"block only: another block may see {post} before {what}. Put a {fence} between the "
            "two."
        )
    if not signal.posted_itself and not signal.waited:
        until = f"the fence on line {signal.before[-1].line}" if signal.before else post
        then = "" if signal.before else f", and then a {fence},"
        return (
            f"Line {signal.post} speaks for the whole block, but thread {short(signal.poster)} has "
            "not waited for the others: its fence covers what it did itself, and what others did "
            f"before a barrier. Put a `__syncthreads()`{then} between {what} and {until}."
        )
    put = f"Put a {fence} between {what} and {post}."
    another = "block" if race.between_blocks else "thread"
    if signal.after:
        return (
            f"The fence on line {signal.after[0].line} comes too late: another {another} may see "
            f"{post} before {what}. {put}"
        )
    return (
        f"Line {signal.post} tells the other {another} that it is done, but may be seen before "
        f"{what} is. {put}"
    )


def _reader(race: Race, signal: Signal, fence: str) -> str:
    """The writer's side is in order: the reader's is not. Who saw the flag needs a fence before it
    reads, and others a barrier that they come to afterwards."""
    sight, line = signal.sight, race.mine.line
    if signal.seen_itself:
        if signal.fenced:
            return ""
        return (
            f"What is read on line {line} may be older than what line {sight} saw: put a {fence} "
            f"between line {sight} and line {line}."
        )
    if signal.met:
        return ""
    return (
        f"Thread {short(signal.seer)} saw on line {sight} that it is done, but this thread has not "
        f"waited for it: put a `__syncthreads()` between line {sight} and line {line}."
    )
