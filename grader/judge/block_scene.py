"""Where a case went wrong, so that who plays it again need not look for that."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from ..course import Problem
from .cases import CaseInstance, dim
from .protocol import OTHER_ORDERS, Failed, Scene
from .verdict import CaseResult


def of_failure(instance: CaseInstance, failure: Failed) -> Scene | None:
    """What a worker says of it, as far as that can be: it may say anything."""
    said, problem = failure.where, instance.problem
    if said is None or said.order not in (problem.order, *OTHER_ORDERS):
        return None
    if not 1 <= said.launch <= len(problem.launches):
        return None
    there = said.block is not None and all(
        0 <= at < size for at, size in zip(said.block, _grid(problem, said.launch), strict=True)
    )
    return said if there else structs.replace(said, block=None)


def of_buffer(instance: CaseInstance, buffer: str, order: str = "") -> Scene | None:
    """The last launch that a buffer is passed to; its block is not known yet. `order`: another one
    than the case's own."""
    launches = list(enumerate(instance.problem.launches, start=1))
    number = next((number for number, one in reversed(launches) if buffer in one.args), None)
    return Scene(number, None, order or instance.problem.order) if number else None


def in_block(result: CaseResult, problem: Problem, number: int) -> CaseResult:
    """`result`, of which it is known that it went wrong in the block of that linear `number`."""
    if result.where is None:
        return result
    x, y, z = _grid(problem, result.where.launch)
    if not 0 <= number < x * y * z:
        return result
    block = number % x, number // x % y, number // (x * y)
    return replace(result, where=structs.replace(result.where, block=block))


def _grid(problem: Problem, launch: int) -> tuple[int, int, int]:
    x, y, z = (*dim(problem.launches[launch - 1].grid), 1, 1)[:3]
    return x, y, z
