"""From an exercise and a seed to concrete problems, from those to what the worker is sent; and
where in a case something went wrong, so that who plays it again need not look for that."""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from msgspec import structs

from ..course import Boxes, Case, Exercise, Problem, rules
from ..course.chosen import of_case
from ..errors import AuthorError
from ..watch.counters import PATHS
from .protocol import (
    OTHER_ORDERS,
    Argument,
    CaseRequest,
    Failed,
    LaunchRequest,
    Scene,
    ThreadPlace,
)
from .verdict import CaseResult

MOST_THREADS = 1 << 11  # of a launch that is run in other orders


@dataclass(frozen=True)
class CaseInstance:
    """A case with its inputs drawn; `tolerated` is the status of hazards that do not end it, `step`
    the number of the exercise's step that it fails in if it fails (0: the exercise has none)."""

    case: Case
    problem: Problem
    tolerated: str = ""
    step: int = 0

    @property
    def counted(self) -> bool:
        """Whether more is counted than the paths of its threads, which takes time. Of many small
        launches nothing else is compared."""
        paths = all(one.counter in PATHS for one in self.case.budgets)
        others = self.case.exactly or any(one.kind.orders for one in self.case.requires)
        return bool(others) or not (of_case(self.case) and paths)

    @property
    def size(self) -> int:
        """Elements that its launches read and write."""
        return sum(one.size for one in self.problem.inputs.values()) + sum(
            one.value.size for one in self.problem.outputs.values()
        )


def instantiate(exercise: Exercise, seed: int, hidden: bool) -> tuple[CaseInstance, ...]:
    """The exercise's cases made concrete. Each has its own generator, so a case draws the same
    numbers whichever others are drawn with it."""
    return tuple(drawn(exercise, seed, hidden))


def drawn(
    exercise: Exercise, seed: int, hidden: bool, names: Collection[str] = ()
) -> Iterator[CaseInstance]:
    """The same, each when it is asked for; `names`: only those."""
    return (
        CaseInstance(
            case,
            case.problem(
                np.random.default_rng(
                    int.from_bytes(
                        hashlib.sha256(f"{seed}|{exercise.id}|{position}".encode()).digest(), "big"
                    )
                )
            ),
        )
        for position, case in enumerate(exercise.cases)
        if (case.visible or hidden) and (not names or case.name in names)
    )


def described(one: CaseInstance, steps: int) -> CaseRequest:
    """What the worker is told of a case, which may take so many `steps`."""
    problem = one.problem
    return CaseRequest(
        inputs=dict(problem.inputs),
        outputs={
            name: _buffer(expected.value.shape, expected.dtype)
            for name, expected in problem.outputs.items()
        },
        scratch={name: _buffer(*made) for name, made in problem.scratch.items()},
        launches=tuple(
            LaunchRequest(
                kernel=launch.kernel,
                grid=dim(launch.grid),
                block=dim(launch.block),
                args=tuple(_argument(value, problem) for value in launch.args),
                shared_mem=int(launch.shared_mem),
            )
            for launch in problem.launches
        ),
        steps=steps,
        order=problem.order,
        orders=_orders(problem),
        begins=dict(problem.begins),
        tolerated=one.tolerated,
        counted=one.counted,
    )


def _orders(problem: Problem) -> tuple[str, ...]:
    """Other orders in which blocks that hand something over must leave the same: the highest
    first, each of a few last, and warps as chance has it."""
    sizes = rules.blocks_and_threads(problem.launches)
    blocks = max((grid for grid, _ in sizes), default=0)
    return (
        ()
        if blocks < 2 or max(grid * block for grid, block in sizes) > MOST_THREADS or len(sizes) > 8
        else (
            "highest block first",
            # Of a few blocks, each is the last one once.
            *(f"block {number} last" for number in range(blocks if blocks <= 5 else 0)),
            "warps by chance",
        )
    )


def _buffer(shape: tuple[int, ...], dtype: npt.DTypeLike) -> tuple[tuple[int, ...], str]:
    return tuple(int(size) for size in shape), np.dtype(dtype).str


def dim(size: int | tuple[int, ...]) -> tuple[int, ...]:
    """A launch's grid or block, in as many dimensions as it is given."""
    return (int(size),) if isinstance(size, int | np.integer) else tuple(int(one) for one in size)


def _argument(value: str | np.generic, problem: Problem) -> Argument:
    if isinstance(value, np.generic):
        return Argument(dtype=value.dtype.str, value=value.item())
    if value in {*problem.inputs, *problem.outputs, *problem.scratch}:
        return (
            Argument(buffer=str(value), box=value.box, swizzle=value.swizzle)
            if isinstance(value, Boxes)
            else Argument(buffer=value)
        )
    raise AuthorError(
        f"A launch passes {value!r}, which is neither a NumPy scalar nor a buffer of the problem."
    )


def of_failure(instance: CaseInstance, failure: Failed) -> Scene | None:
    """What a worker says of it, as far as that can be: it may say anything."""
    said, problem = failure.where, instance.problem
    if (
        said is None
        or not 1 <= said.launch <= len(problem.launches)
        or said.order not in (problem.order, *OTHER_ORDERS)
    ):
        return None
    grid = rules.dimensions(problem.launches[said.launch - 1].grid)
    there = said.block is not None and all(
        0 <= at < size for at, size in zip(said.block, grid, strict=True)
    )
    return said if there else structs.replace(said, block=None)


def thread_of(problem: Problem, where: Scene) -> ThreadPlace | None:
    """The thread where something went wrong; None where it is not known."""
    if where.block is None or where.thread is None:
        return None
    block, thread = (
        int(np.ravel_multi_index(one[::-1], shape[::-1], mode="clip"))
        for one, shape in (
            (where.block, rules.dimensions(problem.launches[where.launch - 1].grid)),
            (where.thread, rules.dimensions(problem.launches[where.launch - 1].block)),
        )
    )
    return ThreadPlace(block, thread, None)


def of_buffer(instance: CaseInstance, buffer: str, order: str = "") -> Scene | None:
    """The last launch that a buffer is passed to; its block is not known yet. `order`: another one
    than the case's own."""
    numbers = [
        number
        for number, one in enumerate(instance.problem.launches, start=1)
        if buffer in one.args
    ]
    return Scene(numbers[-1], None, order or instance.problem.order) if numbers else None


def in_block(result: CaseResult, problem: Problem, number: int) -> CaseResult:
    """`result`, of which it is known that it went wrong in the block of that linear `number`."""
    if result.where is None:
        return result
    x, y, z = rules.dimensions(problem.launches[result.where.launch - 1].grid)
    return (
        result
        if not 0 <= number < x * y * z
        else replace(
            result,
            where=structs.replace(
                result.where, block=(number % x, number // x % y, number // (x * y))
            ),
        )
    )
