"""What to do about a race: the kind of mistake that it is, as far as the run shows it.

Two threads at one place are an index that both worked out alike, an update that several make, a
barrier that is missing, or a fence on the way of a flag; each is mended in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..program.ptx import Address, Instruction
from .detector import Clash, RaceDetector
from .naming import Place
from .ordering import lane_of, step_of
from .signals import Told, same_warp

_CHANCE = "Which comes first is chance"


@dataclass(frozen=True)
class Race:
    """Lane `me`, at instruction `at`, and an earlier access by lane `other`, at `other_at`, met at
    `place`, which `detector` watches. `line` and `other_line` are where in
    the source; `mine` and `theirs` the numbers of the blocks."""

    clash: Clash
    wrote: bool
    at: int
    other_at: int
    me: int
    other: int
    line: int | None
    other_line: int | None
    mine: int
    theirs: int
    place: Place
    shared: bool
    detector: RaceDetector

    @property
    def both_wrote(self) -> bool:
        return self.wrote and self.clash.other_wrote

    @property
    def same_line(self) -> bool:
        return self.line == self.other_line


class Adviser:
    """Says what to do about a race of a machine."""

    def __init__(self, machine):
        self.machine = machine

    def of(self, race: Race) -> str:
        between_blocks = race.theirs != race.mine and not race.shared
        told = self._told(race, between_blocks)
        if told:
            return self._signalled(race, told, between_blocks)
        return self._between_blocks(race) if between_blocks else self._in_block(race)

    def atomic(self, at: int) -> bool:
        return self.machine.kernel.instructions[at].base in ("atom", "red")

    # --- within a block, or a cluster

    def _in_block(self, race: Race) -> str:
        if self._waits_for_a_flag(race):
            return self._flag(race)
        if race.both_wrote and race.same_line:
            return self._written_twice(race)
        if race.same_line and not race.both_wrote:
            return self._read_and_written(race)
        return self._barrier_between(race)

    def _written_twice(self, race: Race) -> str:
        """One line, two threads that write there."""
        if self._updates(race):
            return _lost_update(race.place)
        took = (
            f"Both threads take {race.place.text}, and whose value stays is chance. If that index "
            "is not the one you mean, work it out anew; otherwise let one thread alone write "
            "there, give each a place of its own, or use an atomic."
        )
        if step_of(race.clash.other) == self.machine.now or not self._may_repeat(race):
            return took
        barrier = self._barrier(race)
        if self._took_part(race, race.detector.written):
            return (
                f"The other thread wrote in an earlier round of the loop: put a {barrier} where "
                "a round ends, or give each round a place of its own."
            )
        return f"{took} If they are in different rounds of a loop, {barrier} must lie between."

    def _read_and_written(self, race: Race) -> str:
        """One line, on which one thread reads what another writes."""
        barrier = self._barrier(race)
        if self._same_address(race):
            return _lost_update(race.place)
        apart = (
            "One statement reads an element that another thread writes in the same statement: read "
            f"into a variable first, then put a {barrier}, and write after it"
        )
        if not self._may_repeat(race):
            return f"{apart}."
        writer_was_here = self._took_part(race, race.detector.written)
        if race.clash.other_wrote and writer_was_here:
            return f"{_CHANCE}; put a {barrier} between one round of the loop and the next."
        if race.wrote and not self._wrote_since(race):
            return f"{apart}, and another where a round of the loop ends."
        return (
            f"{_CHANCE}; put a {barrier} between one round of the loop and the next. If it happens "
            "within one round: read into a variable first, and write after another barrier."
        )

    def _barrier_between(self, race: Race) -> str:
        barrier, first, then = self._barrier(race), *self._kernel_lines(race)
        if first is None or then is None:
            return f"{_CHANCE}; put a {barrier} between the two."
        if first == then:
            first, then = race.other_line, race.line
        if race.both_wrote and not (self.atomic(race.at) or self.atomic(race.other_at)):
            return (
                f"Both threads take {race.place.text}, and whose value stays is chance: give each "
                "an element of its own, or let one thread alone write. Only if the one is to "
                f"overwrite the other on purpose, put a {barrier} between line {first} and line "
                f"{then}."
            )
        where = "where all threads of the block pass" if barrier == "`__syncthreads()`" else ""
        if "cluster" in barrier:
            where = "where all threads of the cluster pass"
        if first > then and self._flow.repeats(race.at):
            text = (
                f"{_CHANCE}: line {then} is executed again, in the loop's next round, while others "
                f"are still at line {first}. Put a {barrier} after line {first}, before the round "
                "ends"
            )
        else:
            text = f"{_CHANCE}; put a {barrier} between line {first} and line {then}"
            text += self._inside(race)
        return f"{text}, {where}." if where else f"{text}."

    def _inside(self, race: Race) -> str:
        """Where the two are in functions that are called, those may as well have the barrier."""
        code = self.machine.kernel.instructions
        calls = [code[at].callers for at in (race.other_at, race.at)]
        if not all(calls) or calls[0] == calls[1] or race.line is None:
            return ""
        return f" (or before line {race.line}, in the function that is called)"

    def _barrier(self, race: Race) -> str:
        if any(number is not None for number in self.machine.barriers.asked.values()):
            return "barrier that both threads come to"
        if race.theirs != race.mine:
            return "`cluster.sync()`"
        if same_warp(race.me, race.other):
            return "`__syncwarp()` or `__syncthreads()`"
        return "`__syncthreads()`"

    # --- between blocks

    def _between_blocks(self, race: Race) -> str:
        any_order = "Blocks run in any order"
        place = race.place.text
        mine, other = self.atomic(race.at), self.atomic(race.other_at)
        if not race.wrote and self._waits_for_a_flag(race):
            return self._flag(race)
        if mine != other:
            plain_write = race.wrote if other else race.clash.other_wrote
            line = race.line if other else race.other_line
            if plain_write:
                return (
                    f"{any_order}, and an atomic is ordered with other atomics only: what line "
                    f"{line} writes may come after it. Set {place} before the launch."
                )
            return (
                f"{any_order}: the read on line {line} may come before all have added. Read it in "
                "a launch of its own, or in the block that finishes last (a ticket and a fence)."
            )
        if race.both_wrote and not mine and (race.at == race.other_at or not race.same_line):
            return self._same_element(race)
        if race.same_line or (race.place.count == 1 and race.wrote):
            return (
                f"{any_order}, and what several blocks update in one place needs an atomic, as in "
                f"`atomicAdd`; or give each block a place of its own, if {place} is not the one "
                "meant."
            )
        if race.wrote:
            return (
                f"{any_order}: line {race.line} overwrites what another block may still want to "
                "read. Write to another array than the one that is read, or launch twice."
            )
        return (
            f"{any_order}: what line {race.line} reads may not have been written yet. Read it in a "
            "launch of its own, or in the block that finishes last, which a ticket shows "
            "(`__threadfence()`, then `atomicAdd`); or let each block read what it wrote itself."
        )

    def _same_element(self, race: Race) -> str:
        if race.place.count == 1 or race.place.index is None:
            return (
                "Whose value stays is chance: use an atomic, or give each block a place of its own."
            )
        return (
            f"Both blocks take {race.place.text}, and whose value stays is chance. Does the index "
            "say which block it is (`blockIdx`), and is that multiplied by as much as a block "
            "takes? If all blocks are to add up there, use an atomic."
        )

    # --- flags, tickets, locks

    def _told(self, race: Race, between_blocks: bool) -> Told | None:
        signals = self.machine.report.signals
        since = step_of(race.clash.other)
        told = signals.told(since, race.theirs, race.mine)
        code = self.machine.kernel.instructions
        if not told or code[told.sight.at].base == "red":
            return None
        waits = told.sight.kind == "load" or "cas" in code[told.sight.at].mods
        # Within a block an atomic may count, and tell nobody anything.
        return told if between_blocks or (race.theirs == race.mine and waits) else None

    def _waits_for_a_flag(self, race: Race) -> bool:
        """Whether a thread reads, again and again, what another sets without a barrier."""
        code = self.machine.kernel.instructions
        read, set_ = (race.other_at, race.at) if race.wrote else (race.at, race.other_at)
        if code[read].base != "ld" or race.both_wrote or not self._flow.repeats(read):
            return False
        strong = "volatile" in code[set_].mods or self.atomic(set_)
        return strong and (race.place.count == 1 or "volatile" in code[read].mods)

    def _flag(self, race: Race) -> str:
        read, set_ = (race.other_at, race.at) if race.wrote else (race.at, race.other_at)
        volatile = "volatile" in self.machine.kernel.instructions[read].mods
        if not volatile:
            return (
                f"If line {self._line(read)} waits for it, it must read it as `volatile` or by an "
                "atomic: the compiler may read a plain variable once and keep it."
            )
        fence = "`__threadfence_block()`" if race.mine == race.theirs else "`__threadfence()`"
        return (
            "It is `volatile`, so each access goes to memory, but that puts none in order: put a "
            f"{fence} between the data that it announces and line {self._line(set_)}; or use a "
            "barrier."
        )

    def _signalled(self, race: Race, told: Told, between_blocks: bool) -> str:
        """Where the way from one access to the other, by what was told, is broken."""
        fence = "`__threadfence()`" if between_blocks else "`__threadfence_block()`"
        since, post = step_of(race.clash.other), self._line(told.post.at)
        own = told.poster == race.other
        fences = self.machine.report.signals.fences_of(told.poster, race.theirs)
        before = [one for one in fences if one.step < told.post.step]
        ordering = [
            one for one in before if (own and one.step > since) or one.barrier(told.poster) >= since
        ]
        what = f"line {race.other_line}"
        if any(one.wide or not between_blocks for one in ordering):
            return self._reader(race, told, fence)
        if ordering:
            line = self._line(ordering[-1].at)
            return (
                f"The `__threadfence_block()` on line {line} holds for its own block only: another "
                f"block may see line {post} before {what}. Put a {fence} between the two."
            )
        if not own and told.post.barrier(told.poster) < since:
            return self._one_for_all(race, told, fence, before)
        late = [one for one in fences if one.step > told.post.step]
        if late:
            return (
                f"The fence on line {self._line(late[0].at)} comes too late: another "
                f"{'block' if between_blocks else 'thread'} may see line {post} before {what}. "
                f"Put a {fence} between line {race.other_line} and line {post}."
            )
        return (
            f"Line {post} tells the other {'block' if between_blocks else 'thread'} that it is "
            f"done, but may be seen before {what} is. Put a {fence} between line "
            f"{race.other_line} and line {post}."
        )

    def _one_for_all(self, race: Race, told: Told, fence: str, before: list) -> str:
        """One thread posts for others of its block, and has not waited for them."""
        who = self._thread(told.poster)
        post = self._line(told.post.at)
        until = f"the fence on line {self._line(before[-1].at)}" if before else f"line {post}"
        then = "" if before else f", and then a {fence},"
        return (
            f"Line {post} speaks for the whole block, but thread {who} has not waited for the "
            f"others: its fence covers what it did itself, and what others did before a barrier. "
            f"Put a `__syncthreads()`{then} between line {race.other_line} and {until}."
        )

    def _reader(self, race: Race, told: Told, fence: str) -> str:
        """The writer's side is in order: the reader's is not."""
        sight = self._line(told.sight.at)
        if told.seer != race.me:
            synced = self.machine.races.ordering.synced["block"][race.me] >> 32
            if synced < told.sight.step:
                return (
                    f"Thread {self._thread(told.seer)} saw on line {sight} that it is done, but "
                    f"this thread has not waited for it: put a `__syncthreads()` between line "
                    f"{sight} and line {race.line}."
                )
        return (
            f"What is read on line {race.line} may be older than what line {sight} saw: put a "
            f"{fence} between line {sight} and line {race.line}."
        )

    # --- what the run shows

    @property
    def _flow(self):
        return self.machine.report.flow

    def _line(self, at: int) -> int | None:
        return self.machine.kernel.instructions[at].line

    def _thread(self, lane: int) -> str:
        x, y, z = (int(i) for i in self.machine.geometry.thread(lane))
        return str(x) if not (y or z) else f"({x}, {y}, {z})"

    def _kernel_lines(self, race: Race) -> tuple[int | None, int | None]:
        """The lines of the two, first the earlier one, in the function that has them both."""
        code = self.machine.kernel.instructions
        chains = [(*code[at].callers[::-1], code[at].line) for at in (race.other_at, race.at)]
        for first, then in zip(*chains, strict=False):
            if first != then:
                return first, then
        return chains[0][-1], chains[1][-1]

    def _may_repeat(self, race: Race) -> bool:
        """Whether the two may be in different rounds of a loop (or of one that was unrolled)."""
        code, stored = self.machine.kernel.instructions, race.at if race.wrote else race.other_at
        copies = [one for one in code if _alike(one, code[stored])]
        function = self.machine.image.owner[race.at] != self.machine.kernel.name
        return len(copies) > 1 or function or self._flow.repeats(race.at)

    def _took_part(self, race: Race, stamps: np.ndarray) -> bool:
        """Whether this thread, too, did something at the moment of the other's access."""
        steps, lanes = stamps >> 32, lane_of(stamps)
        return bool(((steps == step_of(race.clash.other)) & (lanes == race.me)).any())

    def _wrote_since(self, race: Race) -> bool:
        """Whether this thread has written, on this very line, since the other's access."""
        stamps = race.detector.written
        steps = (stamps[lane_of(stamps) == race.me] >> 32).tolist()
        now, sites = self.machine.now, self.machine.step_sites
        return any(
            step_of(race.clash.other) < step < now and self._line(sites[step]) == race.line
            for step in steps
        )

    def _same_address(self, race: Race) -> bool:
        """Whether the load and the store that met take their address from one register."""
        code = self.machine.kernel.instructions
        return _address(code[race.at]) == _address(code[race.other_at])

    def _updates(self, race: Race) -> bool:
        """Whether each of the two threads reads the place and writes it, as in `count += 1`: the
        load and the store of the line go to one address."""
        code = self.machine.kernel.instructions
        stored = race.at if race.wrote else race.other_at
        where = _address(code[stored])
        return any(
            one.base == "ld" and one.line == race.line and _address(one) == where for one in code
        )


def _alike(one: Instruction, other: Instruction) -> bool:
    """Whether two instructions are one statement's, as where the compiler unrolls a loop."""
    where = (one.base, one.line, one.callers)
    return where == (other.base, other.line, other.callers) and one.type == other.type


def _lost_update(place: Place) -> str:
    return (
        f"Both threads read {place.text}, change it and write it back, and one of the changes may "
        "be lost: use an atomic, or give each thread an element of its own."
    )


def _address(one: Instruction) -> Address | None:
    return next((operand for operand in one.operands if isinstance(operand, Address)), None)
