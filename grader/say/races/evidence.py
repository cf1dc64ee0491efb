"""Two accesses that met, and what a run shows of how they came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...machine.naming import ArrayPlace
from ...ptx.flow import ControlFlow
from ...ptx.program import Address, Instruction
from ...watch.races.detector import Conflict, RaceDetector
from ...watch.races.ordering import epoch_of, lane_of

if TYPE_CHECKING:
    from ...watch.races.races import Races
    from ..reporting.reporter import Reporter


@dataclass(frozen=True)
class Race:
    """Lane `me`, at instruction `at`, and an earlier access by lane `other`, at `other_at`, met at
    `place`, which `detector` watches. `line` and `other_line` are where in
    the source; `mine` and `theirs` the numbers of the blocks."""

    conflict: Conflict
    wrote: bool
    at: int
    other_at: int
    me: int
    other: int
    line: int | None
    other_line: int | None
    mine: int
    theirs: int
    place: ArrayPlace
    shared: bool
    detector: RaceDetector

    @property
    def both_wrote(self) -> bool:
        return self.wrote and self.conflict.other_wrote

    @property
    def same_line(self) -> bool:
        return self.line == self.other_line


class Evidence:
    """What a launch and its program show of a race."""

    def __init__(self, races: Races, report: Reporter):
        self.races, self.report, self.wave = races, report, report.wave

    @property
    def flow(self) -> ControlFlow:
        return self.report.flow

    def line(self, at: int) -> int | None:
        return self.wave.kernel.instructions[at].line

    def thread(self, lane: int) -> str:
        x, y, z = (int(i) for i in self.wave.geometry.thread(lane))
        return str(x) if not (y or z) else f"({x}, {y}, {z})"

    def kernel_lines(self, race: Race) -> tuple[int | None, int | None]:
        """The lines of the two, first the earlier one, in the function that has them both."""
        code = self.wave.kernel.instructions
        chains = [(*code[at].callers[::-1], code[at].line) for at in (race.other_at, race.at)]
        for first, then in zip(*chains, strict=False):
            if first != then:
                return first, then
        return chains[0][-1], chains[1][-1]

    def may_repeat(self, race: Race) -> bool:
        """Whether the two may be in different rounds of a loop (or of one that was unrolled)."""
        code, stored = self.wave.kernel.instructions, race.at if race.wrote else race.other_at
        copies = [one for one in code if _alike(one, code[stored])]
        function = self.wave.linked.owner[race.at] != self.wave.kernel.name
        return len(copies) > 1 or function or self.flow.repeats(race.at)

    def took_part(self, race: Race, stamps: np.ndarray) -> bool:
        """Whether this thread, too, did something in the epoch of the other's access."""
        epochs, lanes = stamps >> 32, lane_of(stamps)
        return bool(((epochs == epoch_of(race.conflict.other)) & (lanes == race.me)).any())

    def wrote_since(self, race: Race) -> bool:
        """Whether this thread has written, on this very line, since the other's access."""
        stamps = race.detector.written
        epochs = (stamps[lane_of(stamps) == race.me] >> 32).tolist()
        now, sites = self.races.now, self.races.sites
        return any(
            epoch_of(race.conflict.other) < epoch < now and self.line(sites[epoch]) == race.line
            for epoch in epochs
        )

    def same_address(self, race: Race) -> bool:
        """Whether the load and the store that met take their address from one register."""
        code = self.wave.kernel.instructions
        return _address(code[race.at]) == _address(code[race.other_at])

    def updates(self, race: Race) -> bool:
        """Whether each of the two threads reads the place and writes it, as in `count += 1`: the
        load and the store of the line go to one address."""
        code = self.wave.kernel.instructions
        stored = race.at if race.wrote else race.other_at
        where = _address(code[stored])
        return any(
            one.form.reads and one.line == race.line and _address(one) == where for one in code
        )

    def atomic(self, at: int) -> bool:
        return self.wave.kernel.instructions[at].form.atomic


def _alike(one: Instruction, other: Instruction) -> bool:
    """Whether two instructions are one statement's, as where the compiler unrolls a loop."""
    where = (one.form.name, one.form.type, one.line, one.callers)
    return where == (other.form.name, other.form.type, other.line, other.callers)


def _address(one: Instruction) -> Address | None:
    return next((operand for operand in one.operands if isinstance(operand, Address)), None)
