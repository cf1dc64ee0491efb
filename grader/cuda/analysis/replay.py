"""A launch that might go wrong, tried on the simulated GPU: only what it shows counts."""

from __future__ import annotations

from typing import Any

from .. import simulator
from ..errors import CudaError
from ..simulator.module import WAVE_LANES
from . import FAULTS
from .effort import Effort
from .trial import Trial

MOST_STEPS = 20_000  # of a wave
MOST_IN_ALL = 200_000
WHOLE = 2048  # threads of a grid all of which are tried at once


def replayed(source: str, trial: Trial, effort: Effort) -> CudaError | None:
    """What goes wrong in a launch with made-up numbers in its arrays, all of which have been
    written; None where it is none of `FAULTS`."""
    return _run(source, trial, effort, MOST_IN_ALL // -(-trial.threads // WAVE_LANES))


def broken_in_part(source: str, trial: Trial, effort: Effort) -> CudaError | None:
    """The same of the first and the last blocks alone, in each dimension of the grid, without the
    others: where blocks wait for each other, the whole launch may do something else."""
    runs = _edges(*trial.grid) if trial.threads > WHOLE else ()
    return _run(source, trial, effort, MOST_STEPS, blocks=runs)


def _run(source: str, trial: Trial, effort: Effort, most: int, **how: Any) -> CudaError | None:
    kernel = simulator.RawModule(code=source).get_function(trial.rule.kernel)
    given = tuple(trial.arguments().values())
    steps = min(MOST_STEPS, most)
    with simulator.options(step_limit=steps, **how), simulator.observe(counted=False) as run:
        try:
            kernel(trial.grid, trial.block, given, shared_mem=trial.shared_mem)
        except CudaError as error:
            effort.replay(steps)  # at least, where it is stopped for taking too many
            return error if error.status in FAULTS else None
    effort.replay(run.steps)
    return None


def _edges(x: int, y: int, z: int) -> tuple[range, ...]:
    """The numbers of the first two blocks and the last two, and of those beside the corners."""
    last = x * y * z - 1
    numbers = {0, 1, x - 1, x, x * (y - 1), last - 1, last}
    inside = sorted(one for one in numbers if 0 <= one <= last)
    runs: list[range] = []
    for one in inside:
        follows = runs and runs[-1].stop == one
        runs[-1:] = [range(runs[-1].start, one + 1)] if follows else [*runs[-1:], range(one, one + 1)]
    return tuple(runs)
