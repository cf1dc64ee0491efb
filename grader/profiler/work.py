"""Launches to measure, with everything they need, and how each device runs them."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..course import Case, Exercise, Launch
from ..cuda import arguments, simulator
from ..cuda.limits import MakeModule, opted_in

Blank = tuple[tuple[int, ...], npt.DTypeLike]  # the shape and dtype of a buffer


@dataclass(frozen=True)
class Work:
    """Launches of the kernels in `source`, one after the other. A launch's string arguments name
    buffers: `inputs` are arrays, `blank` gives (shape, dtype) of those nobody has written yet;
    `begins` those that lie in a larger one, behind so many of its elements."""

    name: str
    source: str
    launches: tuple[Launch, ...]
    inputs: Mapping[str, np.ndarray] = field(default_factory=dict)
    blank: Mapping[str, Blank] = field(default_factory=dict)
    begins: Mapping[str, int] = field(default_factory=dict)


def of_exercise(exercise: Exercise, case: Case, source: str) -> Work:
    """What `case` of the exercise launches, with the numbers it draws from seed 0."""
    problem = case.problem(np.random.default_rng(0))
    return Work(
        *(exercise.id, source, problem.launches, problem.inputs),
        blank={
            **{key: (want.value.shape, want.dtype) for key, want in problem.outputs.items()},
            **problem.scratch,
        },
        begins=problem.begins,
    )


def simulate(work: Work) -> simulator.Run:
    """Everything seen while the simulated GPU did the work. Raises CudaError."""
    with simulator.observe() as run:
        launch_all(work, simulator.RawModule, buffers_of(work, np.array, simulator.empty))
    return run


def run_on_gpu(work: Work) -> None:
    """Nothing but the work's own kernels runs on the GPU: buffers are only copied there."""
    import cupy

    from ..cuda import gpu

    launch_all(work, gpu.RawModule, buffers_of(work, cupy.asarray, cupy.empty))
    cupy.cuda.Device().synchronize()


def buffers_of(
    work: Work,
    to_device: Callable[[np.ndarray], Any],
    empty: Callable[[tuple[int, ...], npt.DTypeLike], Any],
    room: int = 0,
) -> dict[str, Any]:
    """The work's buffers by name, on a device; the inputs are copied there, each with so many
    elements of 0 as `room` before and after it."""
    buffers: dict[str, Any] = {}
    for name, array in work.inputs.items():
        begin = work.begins.get(name, 0) + room
        before, after = (np.zeros(size, array.dtype) for size in (begin, room))
        buffer = to_device(np.concatenate([before, array.ravel(), after]) if begin else array)
        inside = buffer[begin : begin + array.size] if begin else buffer
        buffers[name] = inside.reshape(array.shape)
    for name, (shape, dtype) in work.blank.items():
        begin = work.begins.get(name, 0)
        buffer = empty((begin + math.prod(shape),) if begin else shape, dtype)
        buffers[name] = buffer[begin:].reshape(shape) if begin else buffer
    return buffers


def launch_all(work: Work, make_module: MakeModule, buffers: dict[str, object]) -> None:
    """The work's launches, one after the other, on these buffers. Raises CudaError."""
    for launch in one_by_one(work, make_module, buffers):
        launch()


def one_by_one(
    work: Work, make_module: MakeModule, buffers: dict[str, object]
) -> Iterator[Callable[[], None]]:
    """What does each of the work's launches when it is called. Raises CudaError."""
    module = make_module(
        code=work.source,
        enable_cooperative_groups=any(launch.cooperative for launch in work.launches),
    )
    for launch in work.launches:
        kernel = opted_in(module.get_function(launch.kernel), launch.shared_mem)
        yield partial(
            kernel,
            launch.grid,
            launch.block,
            arguments(launch.args, buffers),
            shared_mem=launch.shared_mem,
        )
