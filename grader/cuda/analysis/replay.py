"""A launch that might go wrong, tried on the simulated GPU: only what it shows counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...course import rules
from ...status import Status
from .. import simulator
from ..errors import CudaError
from .counterexamples import Trial
from .effort import Effort

MOST_STEPS = 20_000

FAULTS = frozenset(
    {
        Status.OUT_OF_BOUNDS,
        Status.MISALIGNED,
        Status.DATA_RACE,
        Status.BARRIER_DIVERGENCE,
        Status.SHUFFLE_DIVERGENCE,
        Status.UNINITIALIZED_READ,  # of what the kernel itself should have written
    }
)


def replayed(source: str, trial: Trial, effort: Effort, seed: int = 0) -> CudaError | None:
    """What goes wrong in a launch with made-up numbers in its arrays, all of which have been
    written; None where it is none of `FAULTS`."""
    kernel = simulator.RawModule(code=source).get_function(trial.rule.kernel)
    threads = math.prod(trial.grid) * math.prod(trial.block)
    with simulator.options(step_limit=MOST_STEPS), simulator.observe(counted=False) as run:
        try:
            kernel(trial.grid, trial.block, arguments(trial, seed), shared_mem=trial.shared_mem)
        except CudaError as error:
            return error if error.status in FAULTS else None
        finally:
            effort.replay(run.steps, threads)
    return None


def arguments(trial: Trial, seed: int) -> tuple[Any, ...]:
    """Arrays and numbers for the parameters of a rule."""
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    for one in rules.parameters(trial.rule):
        if one.length is not None:
            size = int(rules.value(one.length, trial.names))
            found.append(rng.standard_normal(size).astype(one.dtype))
        elif one.name in trial.numbers:
            found.append(one.dtype.type(trial.numbers[one.name]))
        else:
            found.append(one.dtype.type(rng.standard_normal()))
    return tuple(found)
