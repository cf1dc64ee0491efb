"""Data races as hazards, with both lines and threads, and what to do about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...machine.lanes import count
from ...machine.memory.access import Access, Hit
from ...watch.races.detector import Conflict
from ...watch.races.ordering import epoch_of, lane_of
from ..reporting.hazard import Hazard
from ..reporting.reporter import Reporter
from ..reporting.whereabouts import called, short
from .advice import Adviser
from .evidence import Race

if TYPE_CHECKING:
    from ...watch.races.races import Races


class RaceReporter:
    """Turns what a race detector finds into `Hazard` records."""

    def __init__(self, races: Races, report: Reporter):
        self.races, self.report = races, report
        self.wave, self.here = report.wave, report.here
        self.adviser = Adviser(races, report)
        self._seen: set[tuple[object, ...]] = set()

    def race(
        self, conflict: Conflict, access: Access, hit: Hit, lane: np.ndarray, wrote: bool
    ) -> None:
        """Two threads, one place, no order. Reported once per pair of lines."""
        at = access.at
        if self.wave.job.options.tolerated:
            self._note_cause(conflict, access, hit, lane, wrote)
        other_line = self.races.line(epoch_of(conflict.other))
        key = (self.here.line(at), other_line, wrote, conflict.other_wrote, conflict.benign)
        if key in self._seen:
            return
        self._seen.add(key)
        race = self._race(conflict, access, hit, lane, wrote)
        hazard = Hazard(
            "data_race",
            self._race_sentence(race, access.verb),
            **self.here.fields(at, race.me),
            other_line=other_line,
            other_thread=self.wave.geometry.thread(race.other),
            warning=conflict.benign,
        )
        self.report.add(hazard)

    def _note_cause(
        self, conflict: Conflict, access: Access, hit: Hit, lane: np.ndarray, wrote: bool
    ) -> None:
        """Keep what the two threads did, in their order, and to which array."""
        if conflict.benign:
            return
        race = self._race(conflict, access, hit, lane, wrote)
        names, store = self.wave.names, hit.store
        inside = range(store.address, store.address + len(store.data))
        numbers = [n for n, one in enumerate(names.arguments, 1) if one.address in inside]
        array = "shared memory" if race.shared else f"array {numbers} of {names.kernel}"
        now = epoch_of(conflict.other) == self.races.now
        threads = "one block" if race.mine == race.theirs else "two blocks"
        first, second = (
            f"{self._deed(at, did_write)}{self.report.repeats(at)}"
            for at, did_write in ((race.other_at, conflict.other_wrote), (race.at, wrote))
        )
        together = "together" if now else "one after the other"
        self.report.run.causes.add(f"{first}, {second}, {together}: {array}, threads of {threads}")

    def _deed(self, at: int, wrote: bool) -> str:
        if self.wave.kernel.instructions[at].form.atomic:
            return "an atomic"
        return "a write" if wrote else "a read"

    def visit(self, at: int, lane: int, host: int) -> None:
        """A thread uses the shared memory of block number `host`, which does not wait for it."""
        self._visit(
            at,
            lane,
            host,
            "may have left the kernel by then, and its shared memory with it. Put a "
            "`cluster.sync()` between the last such access and the end of the kernel.",
        )

    def visit_before_start(self, at: int, lane: int, host: int) -> None:
        """A thread uses the shared memory of block number `host`, for which it has not waited."""
        self._visit(
            at,
            lane,
            host,
            "may not have started yet: the blocks of a cluster run together, but do not begin at "
            "the same moment. Put a `cluster.sync()` before the first such access.",
        )

    def _visit(self, at: int, lane: int, host: int, why: str) -> None:
        wave = self.wave
        if (self.here.line(at), "visit") in self._seen:
            return
        self._seen.add((self.here.line(at), "visit"))
        block = short(wave.geometry.block_coordinates(host))
        what = f"{self.here.who(lane)} uses the shared memory of block {block}, which {why}"
        hazard = Hazard(
            "data_race",
            f"{self.here.where(at, lane)}: {what}",
            **self.here.fields(at, lane),
        )
        self.report.add(hazard)

    def _race(
        self, conflict: Conflict, access: Access, hit: Hit, lane: np.ndarray, wrote: bool
    ) -> Race:
        wave = self.wave
        parts = len(lane) // count(hit.lanes)
        position, part = divmod(conflict.position, parts)
        size = access.width // parts
        address = int(hit.addresses[position]) + part * size
        me, epoch = int(lane[conflict.position]), epoch_of(conflict.other)
        return Race(
            conflict=conflict,
            wrote=wrote,
            at=access.at,
            other_at=self.races.sites[epoch],
            me=me,
            other=int(lane_of(conflict.other)),
            line=self.here.line(access.at),
            other_line=self.races.line(epoch),
            mine=wave.first_block + me // wave.geometry.stride,
            theirs=self.races.ordering.block_of(conflict.other),
            place=self.here.place(hit.space, hit.store, address, size, access.at),
            shared=hit.space == "shared",
            detector=self.races.detectors[hit.store],
        )

    def _race_sentence(self, race: Race, verb: str) -> str:
        wave = self.wave
        who = f"thread {short(wave.geometry.thread(race.other))}"
        if race.theirs != race.mine:
            who += f" of block {short(wave.geometry.block_coordinates(race.theirs))}"
        where = f"{self.here.where(race.at, race.me)}: {self.here.who(race.me)}"
        text = f"{where} {verb} {race.place.text}, which {who} "
        if race.conflict.benign:
            return (
                f"{text}wrote too, the same value in the same instruction: harmless, but wasteful."
            )
        did = "wrote" if race.conflict.other_wrote else "read"
        did = "updated atomically" if self.adviser.seen.atomic(race.other_at) else did
        on_line = f" on line {race.other_line}" if race.other_line else ""
        if race.other_line != race.line:
            on_line += called(self.here.called_on(race.other_at, None))
        nothing = "no barrier lies between the two"
        if race.theirs != race.mine and not race.shared:
            nothing = "nothing orders the two blocks"
        if epoch_of(race.conflict.other) == self.races.now:
            return f"{text}{did} at the same moment. {self.adviser.of(race)}"
        return f"{text}{did}{on_line}, and {nothing}. {self.adviser.of(race)}"
