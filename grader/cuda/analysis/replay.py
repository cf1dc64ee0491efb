"""A launch that might go wrong, tried on the simulated GPU: only what it shows counts."""

from __future__ import annotations

from .. import simulator
from ..errors import CudaError
from ..simulator.module import WAVE_LANES
from . import FAULTS
from .effort import Effort
from .trial import Trial

MOST_STEPS = 20_000  # of a wave
MOST_IN_ALL = 200_000


def replayed(source: str, trial: Trial, effort: Effort) -> CudaError | None:
    """What goes wrong in a launch with made-up numbers in its arrays, all of which have been
    written; None where it is none of `FAULTS`."""
    kernel = simulator.RawModule(code=source).get_function(trial.rule.kernel)
    given = tuple(trial.arguments().values())
    steps = min(MOST_STEPS, MOST_IN_ALL // -(-trial.threads // WAVE_LANES))
    with simulator.options(step_limit=steps), simulator.observe(counted=False) as run:
        try:
            kernel(trial.grid, trial.block, given, shared_mem=trial.shared_mem)
        except CudaError as error:
            effort.replay(steps)  # at least, where it is stopped for taking too many
            return error if error.status in FAULTS else None
    effort.replay(run.steps)
    return None
