"""What to do about a race: the kind of mistake that it is, as far as the run shows it.

Two threads at one place are an index that both worked out alike, an update that several make, a
barrier that is missing, or a fence on the way of a flag; each is mended in its own way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...machine.lanes import WARP
from ...machine.naming import ArrayPlace
from ...watch.races.ordering import epoch_of
from .evidence import Evidence, Race
from .flag_advice import FlagAdviser
from .signals import same_warp

if TYPE_CHECKING:
    from ...watch.races.races import Races
    from ..reporting.reporter import Reporter

_CHANCE = "Which comes first is chance"
_ANY_ORDER = "Blocks run in any order"


class Adviser:
    """Says what to do about the races of a launch."""

    def __init__(self, races: Races, report: Reporter):
        self.seen = Evidence(races, report)
        self.flags = FlagAdviser(self.seen)

    def of(self, race: Race) -> str:
        between_blocks = race.theirs != race.mine and not race.shared
        told = self.flags.told(race, between_blocks)
        if told and (broken := self.flags.signalled(race, told, between_blocks)):
            return broken
        return self._between_blocks(race) if between_blocks else self._in_block(race)

    def _in_block(self, race: Race) -> str:
        if self.flags.waits_for_a_flag(race):
            return self.flags.flag(race)
        if race.both_wrote and race.same_line:
            return self._written_twice(race)
        if race.same_line and not race.both_wrote:
            return self._read_and_written(race)
        return self._barrier_between(race)

    def _written_twice(self, race: Race) -> str:
        """One line, two threads that write there."""
        if self.seen.updates(race):
            return _lost_update(race.place)
        took = (
            f"Both threads take {race.place.text}, and whose value stays is chance. If that index "
            "is not the one you mean, work it out anew; otherwise let one thread alone write "
            "there, give each a place of its own, or use an atomic."
        )
        if epoch_of(race.conflict.other) == self.seen.races.now or not self.seen.may_repeat(race):
            return took
        barrier = self._barrier(race)
        if self.seen.took_part(race, race.detector.written):
            return (
                f"The other thread wrote in an earlier round of the loop: put a {barrier} where "
                "a round ends, or give each round a place of its own."
            )
        return f"{took} If they are in different rounds of a loop, {barrier} must lie between."

    def _read_and_written(self, race: Race) -> str:
        """One line, on which one thread reads what another writes."""
        barrier = self._barrier(race)
        if self.seen.same_address(race):
            return _lost_update(race.place)
        apart = (
            "One statement reads an element that another thread writes in the same statement: read "
            f"into a variable first, then put a {barrier}, and write after it"
        )
        if not self.seen.may_repeat(race):
            return f"{apart}."
        writer_was_here = self.seen.took_part(race, race.detector.written)
        if race.conflict.other_wrote and writer_was_here:
            return f"{_CHANCE}; put a {barrier} between one round of the loop and the next."
        if race.wrote and not self.seen.wrote_since(race):
            return f"{apart}, and another where a round of the loop ends."
        return (
            f"{_CHANCE}; put a {barrier} between one round of the loop and the next. If it happens "
            "within one round: read into a variable first, and write after another barrier."
        )

    def _barrier_between(self, race: Race) -> str:
        barrier, first, then = self._barrier(race), *self.seen.kernel_lines(race)
        if first is None or then is None:
            return f"{_CHANCE}; put a {barrier} between the two."
        if first == then and race.other_line and race.line:
            first, then = race.other_line, race.line
        if race.both_wrote and not (self.seen.atomic(race.at) or self.seen.atomic(race.other_at)):
            return (
                f"Both threads take {race.place.text}, and whose value stays is chance: give each "
                "an element of its own, or let one thread alone write. Only if the one is to "
                f"overwrite the other on purpose, put a {barrier} between line {first} and line "
                f"{then}."
            )
        where = "where all threads of the block pass" if barrier == "`__syncthreads()`" else ""
        if "cluster" in barrier:
            where = "where all threads of the cluster pass"
        if first > then and self.seen.flow.repeats(race.at):
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
        code = self.seen.wave.kernel.instructions
        calls = [code[at].callers for at in (race.other_at, race.at)]
        if not all(calls) or calls[0] == calls[1] or race.line is None:
            return ""
        return f" (or before line {race.line}, in the function that is called)"

    def _barrier(self, race: Race) -> str:
        if any(number is not None for number in self.seen.wave.barriers.asked.values()):
            return "barrier that both threads come to"
        if race.theirs != race.mine:
            return "`cluster.sync()`"
        if same_warp(race.me, race.other):
            if self.seen.wave.geometry.stride == WARP:
                return "`__syncwarp()` or `__syncthreads()`"
            return "`__syncthreads()` (or `__syncwarp()`, if no other warp uses what is written)"
        return "`__syncthreads()`"

    def _between_blocks(self, race: Race) -> str:
        mine, other = self.seen.atomic(race.at), self.seen.atomic(race.other_at)
        if not race.wrote and self.flags.waits_for_a_flag(race):
            return self.flags.flag(race)
        if mine != other:
            return self._atomic_and_not(race, other)
        if race.both_wrote and not mine and (race.at == race.other_at or not race.same_line):
            return self._same_element(race)
        if race.same_line or (race.place.count == 1 and race.both_wrote):
            return (
                f"{_ANY_ORDER}, and what several blocks update in one place needs an atomic, as in "
                f"`atomicAdd`; or give each block a place of its own, if {race.place.text} is not "
                "the one meant."
            )
        if race.wrote and race.place.count == 1:
            return (
                f"{_ANY_ORDER}: whoever reads {race.place.text} must wait for who writes it, by a "
                "flag that is set behind a `__threadfence()` and that each thread which reads has "
                "waited for; or read it in a launch of its own. If all blocks are to update it, "
                "use an atomic."
            )
        if race.wrote:
            return (
                f"{_ANY_ORDER}: line {race.line} overwrites what another block may still want to "
                "read. Write to another array than the one that is read, or launch twice."
            )
        return (
            f"{_ANY_ORDER}: what line {race.line} reads may not have been written yet. Read it in "
            "a launch of its own, or in the block that finishes last, which a ticket shows "
            "(`__threadfence()`, then `atomicAdd`); or let each block read what it wrote itself."
        )

    def _atomic_and_not(self, race: Race, other: bool) -> str:
        """One of the two is an atomic, the `other` one or mine; the other is not."""
        plain_write = race.wrote if other else race.conflict.other_wrote
        line = race.line if other else race.other_line
        if plain_write:
            return (
                f"{_ANY_ORDER}, and an atomic is ordered with other atomics only: what line {line} "
                f"writes may come after it. Set {race.place.text} before the launch."
            )
        return (
            f"{_ANY_ORDER}: the read on line {line} may come before all have added. Read it in a "
            "launch of its own, or in the block that finishes last (a ticket and a fence)."
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


def _lost_update(place: ArrayPlace) -> str:
    return (
        f"Both threads read {place.text}, change it and write it back, and one of the changes may "
        "be lost: use an atomic, or give each thread an element of its own."
    )
