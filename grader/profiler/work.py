"""Launches to measure, with everything they need, and how each device runs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..course import Case, Exercise, Launch
from ..cuda import simulator
from ..cuda.simulator.observers.observe import Run


@dataclass(frozen=True)
class Work:
    """Launches of the kernels in `source`, one after the other. A launch's string arguments name
    buffers: `inputs` are arrays, `blank` gives (shape, dtype) of those nobody has written yet."""

    name: str
    source: str
    launches: tuple[Launch, ...]
    inputs: Mapping[str, np.ndarray] = field(default_factory=dict)
    blank: Mapping[str, tuple[tuple[int, ...], type]] = field(default_factory=dict)


def of_exercise(exercise: Exercise, case: Case, source: str, name: str = "") -> Work:
    """What `case` of the exercise launches, with the numbers it draws from seed 0."""
    problem = case.problem(np.random.default_rng(0))
    outputs = {key: (want.value.shape, want.dtype) for key, want in problem.outputs.items()}
    blank = {**outputs, **problem.scratch}
    return Work(name or exercise.id, source, problem.launches, problem.inputs, blank)


def simulate(work: Work) -> Run:
    """Everything seen while the simulated GPU did the work. Raises CudaError."""
    with simulator.observe() as run:
        _launch_all(work, simulator.RawModule, np.array, simulator.empty)
    return run


def run_on_gpu(work: Work) -> None:
    """Nothing but the work's own kernels runs on the GPU: buffers are only copied there."""
    import cupy

    from ..cuda import gpu

    _launch_all(work, gpu.RawModule, cupy.asarray, cupy.empty)
    cupy.cuda.Device().synchronize()


def _launch_all(work: Work, make_module, to_device, empty) -> None:
    module = make_module(code=work.source)
    buffers = {name: to_device(array) for name, array in work.inputs.items()}
    buffers |= {name: empty(shape, dtype) for name, (shape, dtype) in work.blank.items()}
    for launch in work.launches:
        kernel = module.get_function(launch.kernel)
        args = tuple(buffers[arg] if isinstance(arg, str) else arg for arg in launch.args)
        kernel(launch.grid, launch.block, args, shared_mem=launch.shared_mem)
