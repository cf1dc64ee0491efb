"""The mistakes that a lesson names, by what the judge finds where each is the only fault.

A mistake of mistakes.toml is known again by the cases that fail, their status, and in each

- for a hazard, its causes: what the threads did, in a loop or not, and to which array;
- for a wrong answer, how many elements are wrong and what some of them hold, with inputs that are
  the same each time.

No text takes part, neither of the source nor of a message, and no line's number. `known_faults`
measures them when a lesson is built, with each compiler, into faults.json and faults.clang.json.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..course import Expected, solution_counts
from ..status import Status
from .cases import CaseInstance
from .compare import right
from .protocol import Ran

KEPT_IN = "faults"
SEED = 33  # what the inputs of wrong answers are drawn from, when they are kept and compared
SAMPLES = 6  # wrong elements of an array that are kept
HAZARDS = {
    Status.DATA_RACE,
    Status.BARRIER_DIVERGENCE,
    Status.SHUFFLE_DIVERGENCE,
    Status.UNINITIALIZED_READ,
}

Sample = tuple[int, float | str | None]  # an element's index, and what it holds; None: unwritten
Wrong = tuple[str, int, tuple[Sample, ...]]  # an array, its wrong elements, some of them
Finding = tuple[Any, ...]  # a hazard's causes, each a str, or what is wrong, each a `Wrong`


@dataclass(frozen=True)
class NamedFault:
    """A named mistake: `mistake` in words, the `status` of the `cases` that fail with it, what is
    found in each, and which part of the points it `leaves`."""

    mistake: str
    status: str
    leaves: float
    cases: Mapping[str, Finding]


def known(lesson: Path, exercise: str, compiler: str) -> tuple[NamedFault, ...]:
    """The faults that are known of an exercise, from the lesson's folder."""
    kept = solution_counts.kept(lesson, compiler, KEPT_IN)
    return msgspec.convert(kept.get(exercise, ()), tuple[NamedFault, ...])


def left_wrong(instance: CaseInstance, ran: Ran) -> tuple[Wrong, ...]:
    """What a run has left wrong: each array with wrong elements, how many, and some of them."""
    found = []
    for name, expected, now, written in _arrays(instance, ran):
        wrong = np.flatnonzero(~(right(expected, now) & written))
        if len(wrong):
            places = wrong[np.linspace(0, len(wrong) - 1, min(SAMPLES, len(wrong))).astype(int)]
            samples = tuple((int(at), _value(now, written, at)) for at in places)
            found.append((name, len(wrong), samples))
    return tuple(found)


def is_left(kept: Finding, instance: CaseInstance, ran: Ran) -> bool:
    """Whether a run has left wrong what was `kept` of another one, as far as rounding can tell."""
    now = left_wrong(instance, ran)
    if [one[:2] for one in now] != [tuple(one[:2]) for one in kept]:
        return False
    arrays = {name: (expected, held) for name, expected, held, _ in _arrays(instance, ran)}
    return all(
        _alike(arrays[name], sample, other)
        for (name, _, samples), (_, _, others) in zip(now, kept, strict=True)
        for sample, other in zip(samples, others, strict=True)
    )


def _arrays(
    instance: CaseInstance, ran: Ran
) -> Iterator[tuple[str, Expected, np.ndarray, np.ndarray]]:
    """Each array that a case is judged by: its name, what it should hold, holds, and where it was
    written."""
    problem = instance.problem
    for name, before in problem.inputs.items():
        now = ran.arrays[f"input/{name}"]
        yield name, Expected(before, before.dtype), now, np.ones(now.shape, bool)
    for name, expected in problem.outputs.items():
        yield name, expected, ran.arrays[f"output/{name}"], ran.arrays[f"written/{name}"]


def _value(now: np.ndarray, written: np.ndarray, at: int) -> float | str | None:
    """What JSON can hold of an element."""
    value = float(now.flat[at])
    return (value if np.isfinite(value) else str(value)) if written.flat[at] else None


def _alike(array: tuple[Expected, np.ndarray], sample: Sample, other: Sample) -> bool:
    """Whether two runs left the same in an element: its tolerance is twice that of a case."""
    expected, now = array
    (at, mine), (there, theirs) = sample, other
    if at != there or mine is None or theirs is None:
        return at == there and mine is theirs
    value = np.array(float(theirs), expected.value.dtype)
    atol = 2 * np.broadcast_to(expected.atol, now.shape).flat[at]
    same = right(Expected(value, now.dtype, atol, 2 * expected.rtol), np.array(float(mine)))
    return bool(same)
