"""From an exercise and a seed to concrete problems, and from those to what the sandbox is sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..course import Case, Exercise, Launch, Problem
from ..errors import AuthorError
from . import wire


@dataclass(frozen=True)
class Drawn:
    """A case with its inputs drawn. `position` counts from 0 over all the exercise's cases."""

    position: int
    case: Case
    problem: Problem


def draw(exercise: Exercise, seed: int, hidden: bool) -> tuple[Drawn, ...]:
    """The exercise's cases made concrete. Each has its own generator, so a case draws the same
    numbers whichever others are drawn with it."""
    return tuple(
        Drawn(position, case, case.problem(_generator(seed, exercise.id, position)))
        for position, case in enumerate(exercise.cases)
        if case.visible or hidden
    )


def request(
    source: str, drawn: Iterable[Drawn], settings: dict, arrays: dict[str, np.ndarray]
) -> bytes:
    """The message that asks the sandbox to run `drawn`: everything but the expected values.
    `arrays` travel with it."""
    cases, arrays = [], dict(arrays)
    for one in drawn:
        problem = one.problem
        for name, value in problem.inputs.items():
            arrays[f"{one.position}/{name}"] = np.ascontiguousarray(value)
        cases.append(described(one))
    return wire.pack({"source": source, "cases": cases, **settings}, arrays)


def described(one: Drawn) -> dict:
    """What the sandbox is told of a case, beside the input arrays themselves."""
    problem = one.problem
    expected = problem.outputs.items()
    return {
        "position": one.position,
        "inputs": list(problem.inputs),
        "outputs": {name: _shape(want.value.shape, want.dtype) for name, want in expected},
        "scratch": {name: _shape(*made) for name, made in problem.scratch.items()},
        "launches": [_launch(launch, problem) for launch in problem.launches],
    }


def _generator(seed: int, exercise_id: str, position: int) -> np.random.Generator:
    digest = hashlib.sha256(f"{seed}|{exercise_id}|{position}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def _shape(shape: tuple[int, ...], dtype) -> list:
    return [list(shape), np.dtype(dtype).str]


def _launch(launch: Launch, problem: Problem) -> dict:
    return {
        "kernel": launch.kernel,
        "grid": _dim(launch.grid),
        "block": _dim(launch.block),
        "args": [_argument(value, problem) for value in launch.args],
        "shared_mem": int(launch.shared_mem),
    }


def _dim(dim: int | tuple[int, ...]) -> list[int]:
    return [int(dim)] if isinstance(dim, int | np.integer) else [int(size) for size in dim]


def _argument(value: str | np.generic, problem: Problem) -> dict:
    if isinstance(value, np.generic):
        return {"dtype": value.dtype.str, "value": value.item()}
    for buffers in (problem.inputs, problem.outputs, problem.scratch):
        if value in buffers:
            return {"buffer": value}
    raise AuthorError(
        f"A launch passes {value!r}, which is neither a NumPy scalar nor a buffer of the problem."
    )
