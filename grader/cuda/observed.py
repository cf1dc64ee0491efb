"""A launch on the simulated GPU with its observers; what these find becomes errors and hazards."""

from collections import Counter
from typing import Any

import numpy as np

from ..machine.events import Observer
from ..machine.lanes import WARP, lane_index
from ..machine.machine import Machine
from ..machine.memory.access import Access, Hit
from ..machine.memory.spaces import Fault
from ..machine.state import PreparedLaunch
from ..machine.wave import Wave
from ..ptx.instructions.asynchronous_copies import missing
from ..ptx.program import Instruction, Malformed, Unsupported
from ..say import messages, ptx_faults
from ..watch.counters import Counting
from ..watch.findings import (
    EndlessLoop,
    Finding,
    GoneAround,
    HazardReport,
    MachineFault,
    MisalignedAccess,
    OutOfStore,
    ReadOnlyWrite,
    Whereabouts,
)
from ..watch.observe import Kind, Run, Tracing
from ..watch.races.races import Races
from ..watch.synchronization import Divergence, Products, ProxyOrder, Unfinished
from ..watch.uninitialized import UndefinedResults, Uninitialized
from .errors import BarrierDivergence, CudaError, DataRace

# In the order in which they hear of an event. What counts hears of an access before it is refused
# for what was read there.
CHECKS: tuple[Kind, ...] = (Divergence, UndefinedResults, Races)
OF_ASYNCHRONOUS: tuple[Kind, ...] = (ProxyOrder, Unfinished, Products)
LAST: tuple[Kind, ...] = (Uninitialized,)


def launch(job: PreparedLaunch, run: Run, observed: bool) -> None:
    """Run a launch with the observers that its options and `run` (`observed`: somebody looks at
    what it holds) ask for; raises what goes wrong, races at the very end."""
    reporters: list[Reporter] = []

    def attach(wave: Wave) -> tuple[Reporter, list[Observer]]:
        reporter = Reporter(wave, run)
        reporters.append(reporter)
        kinds = (*CHECKS, *(OF_ASYNCHRONOUS if job.program.asynchronous else ()))
        further = [kind(reporter) for kind in run.kinds]
        run.observers += further
        return reporter, [
            *(kind(reporter) for kind in kinds if job.options.checks),
            *([Counting(wave, run.counters)] if observed and run.counted else []),
            *([Tracing(wave, run.trace)] if observed and run.traced else []),
            *further,
            *(kind(reporter) for kind in LAST if job.options.checks),
        ]

    machine = Machine(job, attach)
    machine.run()
    run.steps += machine.wave.steps_taken
    reporters[0].raise_first_race()


class Reporter:
    """Makes errors and hazards of what the machine and the observers of a launch find."""

    def __init__(self, wave: Wave, run: Run):
        self.wave, self.run, self.hazards = wave, run, run.hazards
        self.here = Whereabouts(wave)
        self.races: list[HazardReport] = []

    def error(
        self, kind: type[CudaError], at: int, lane: int, fault: str, **facts: Any
    ) -> CudaError:
        """An exception about the thread in `lane` at instruction `at`: a fault of
        `say.machine_faults`, with its facts."""
        return self._failure(MachineFault(self.here.location(at, lane), kind, fault, facts))

    def refused(self, error: Malformed | Unsupported, instruction: Instruction) -> CudaError:
        """The simulated GPU cannot execute an instruction."""
        return ptx_faults.refused(
            error, instruction, self.wave.names.source, kernel=self.wave.kernel.name
        )

    def access_error(
        self, fault: Fault, at: int, lane: np.ndarray, verb: str, size: int
    ) -> CudaError:
        """An access of `size` bytes that goes where it must not."""
        where = self.here.location(at, int(lane[fault.position]))
        return self._failure(OutOfStore(where, fault, verb, size, not self.here.code[at].line))

    def misaligned(self, access: Access, lanes: np.ndarray, addresses: np.ndarray) -> CudaError:
        """The address of one of these lanes is no multiple of the access's size."""
        off = addresses % access.width
        lane, address = int(lanes[off > 0][0]), int(addresses[off > 0][0])
        warp = off[lanes // WARP == lane // WARP]
        alike = int(warp[0]) if len(warp) > 1 and not np.ptp(warp) else 0
        wave, space = self.wave, access.space
        private = {"shared": wave.shared.store, "local": wave.local.store}
        store = private.get(space) or wave.flat.describe(address, 0).store
        space = space if space in private else "global"
        touched = self.here.bytes(space, store, address, 1, access.at) if store else None
        return self._failure(
            MisalignedAccess(
                self.here.location(access.at, lane), access.verb, access.width, touched, alike
            )
        )

    def read_only(self, access: Access, hit: Hit) -> CudaError:
        """A thread writes to what must not be written."""
        address, at = int(hit.addresses[0]), access.at
        return self._failure(
            ReadOnlyWrite(
                self.here.location(at, int(lane_index(hit.lanes)[0])),
                self.here.bytes(hit.space, hit.store, address, access.width, at),
                access.constant,
            )
        )

    def endless(
        self, at: int, lane: int, runs: Counter[tuple[int, int]], reads: list[tuple[Access, Hit]]
    ) -> CudaError:
        """A thread goes round a loop forever, which jumps back at `at`. If it waits at an mbarrier,
        the error is about one that some arrivals have come to, and not all."""
        where, strong = self.here.location(at, lane), [one for one in reads if one[0].strong]
        own = [one for one in strong if lane in lane_index(one[1].lanes)]
        if not own:
            return self._failure(EndlessLoop(where, runs, None, None))
        seen = [
            (one, missing(one[0].read(one[1], 0, np.dtype(np.uint64))[0]))
            for one in (own[-1], *strong)
            if one[0].mbarrier and own[-1][0].mbarrier
        ]
        begun = (one for one in seen if 0 < one[1][0] < one[1][2])
        (access, hit), lacks = next(begun, seen[0] if seen else (own[-1], None))
        if access is not own[-1][0]:
            where = self.here.location(access.at, int(lane_index(hit.lanes)[0]))
        touched = self.here.bytes(
            hit.space, hit.store, int(hit.addresses[0]), access.width, access.at
        )
        return self._failure(EndlessLoop(where, runs, touched, lacks))

    def stop(self, finding: Finding) -> None:
        """Raise what is wrong, unless that is tolerated."""
        error = self._failure(finding)
        if error.status != self.wave.job.options.tolerated:
            raise error
        self.note(finding)

    def note(self, finding: Finding) -> None:
        """Note what a finding comes from."""
        self.run.causes.add(messages.cause(finding))

    def add(self, finding: Finding) -> None:
        """A race has come to light, which stops nothing for now."""
        hazard = messages.hazard(finding, self.wave)
        self.races.append(hazard)
        self.hazards.append(hazard)

    def raise_first_race(self) -> None:
        """Raises DataRace for the first one that is neither a warning nor tolerated."""
        for hazard in self.races:
            if not hazard.warning and hazard.status != self.wave.job.options.tolerated:
                raise DataRace(
                    hazard.parts,
                    kernel=hazard.kernel,
                    line=hazard.line,
                    block=hazard.block,
                    thread=hazard.thread,
                    other_line=hazard.other_line,
                    other_thread=hazard.other_thread,
                )

    def _failure(self, finding: Finding) -> CudaError:
        """If others of the thread's block wait at a barrier that it has gone around, the error is
        about that: whatever else goes wrong then comes from it."""
        where = finding.where
        if finding.raised is not BarrierDivergence:
            waiting = self.here.waiting(where.at, where.lane)
            finding = GoneAround(waiting, finding) if waiting else finding
        hazard = messages.hazard(finding, self.wave)
        self.hazards.append(hazard)
        return finding.raised(
            hazard.parts,
            kernel=hazard.kernel,
            line=hazard.line,
            block=hazard.block,
            thread=hazard.thread,
            **({"other_line": hazard.other_line} if finding.raised is DataRace else {}),
        )
