"""The blocks of a launch that run at once: their registers, their memory, and who hears of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..cuda.limits import architecture
from .events import Events, Observer
from .frames import Frames
from .job import Job
from .memory.access import Report, WaveMemory
from .memory.copies import Copies
from .registers import RegisterFile
from .schedule import Schedule
from .special_registers import SpecialRegisters


class WaveState:
    """What the lanes of a wave hold, whoever runs them. A lane is the place of a thread: block by
    block, each with whole warps. `running`: by lane, whether a thread is there that has not left;
    `live`: by block, how many; `results`: by call, the slot that its result goes to."""

    def __init__(self, job: Job, schedule: Schedule):
        self.job, self.program, self.linked = job, job.program, job.program.linked
        self.kernel = self.linked.function
        self.constants, self.names, self.output = job.constants, job.names, job.output
        self.geometry, self.heap, self.symbols = job.geometry, job.heap, job.symbols
        self.flat, self.shared, self.local = job.flat, job.shared, job.local
        self.device = architecture(job.options.architecture)
        self.schedule = schedule
        self.registers = RegisterFile(self.kernel.registers, job.geometry.lanes)
        self.special = SpecialRegisters(
            job.geometry, job.cooperative, self.device.sms, lambda: self.steps_taken
        )
        self.copies = Copies(job.geometry.lanes)
        self.frames = Frames(job.layout, job.geometry.lanes)
        self.results: dict[int, str | None] = {}
        self.steps_taken = 0  # instructions of straight runs, so far
        self.first_block = 0
        self.running = np.zeros(job.geometry.lanes, bool)
        self.live = np.zeros(job.geometry.wave_blocks, np.int64)

    def tell(self, report: Report, observers: Sequence[Observer]) -> None:
        """From now on, `report` makes errors and `observers` hear of events."""
        self.report, self.events = report, Events(observers)
        self.memory = WaveMemory(
            self.flat, self.shared, self.local, self.geometry, report, self.events
        )
