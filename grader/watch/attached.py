"""Who observes a launch: the one place where observers are registered."""

from __future__ import annotations

from ..machine.events import Observer
from ..machine.launch import PreparedLaunch
from ..machine.machine import Machine
from ..machine.wave import Wave
from ..say.reporting.reporter import Reporter
from .counters import Counting
from .divergence import Divergence
from .observe import Kind, Run
from .races.races import Races
from .trace import Tracing
from .undefined import UndefinedResults
from .uninitialized import Uninitialized

# In the order in which they are told of an event. What counts hears of an access before it is
# refused for what was read there.
CHECKS: tuple[Kind, ...] = (Divergence, UndefinedResults, Races)
LAST: tuple[Kind, ...] = (Uninitialized,)


def launch(job: PreparedLaunch, run: Run, observed: bool) -> None:
    """Run a launch with the observers that its options and `run` (`observed`: somebody looks at
    what it holds) ask for; raises what goes wrong, races at the very end."""
    report: list[Reporter] = []

    def attach(wave: Wave) -> tuple[Reporter, list[Observer]]:
        report.append(Reporter(wave, run))
        kinds = [
            *(CHECKS if job.options.checks else ()),
            *([Counting] if observed and run.counted else ()),
            *([Tracing] if observed and run.traced else ()),
        ]
        further = [kind(report[0]) for kind in run.kinds]
        run.observers += further
        last = [kind(report[0]) for kind in LAST if job.options.checks]
        return report[0], [*(kind(report[0]) for kind in kinds), *further, *last]

    machine = Machine(job, attach)
    machine.run()
    run.steps += machine.wave.steps_taken
    report[0].raise_first_hazard()
