"""Which mutants of a solution the cases of its exercise let pass, and why that is right.

A lesson's equivalent_mutants.toml names, by exercise, the mutants that are as good as the solution,
with the line as it was, as it is, and the reason. Mutants of which the compiler makes the same
program need no reason.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from grader import compilers
from grader.course import Exercise, Lesson
from grader.cuda.errors import CompileError, CudaError
from grader.judge import compare
from grader.judge.cases import CaseInstance, described, instantiate
from grader.judge.compare import Words
from grader.judge.protocol import Ran
from grader.judge.sandbox.simulated import run_case
from grader.judge.technique import lacks_order

from .mutants import Mutant, mutants

FILE = "equivalent_mutants.toml"
SEED = 0
MOST_STEPS = 200_000
PATIENCE = 20  # a mutant may take so many times the solution's steps


@dataclass(frozen=True)
class EquivalentMutant:
    """A mutant that may pass: its line before and after, and why it is no mistake."""

    before: str
    after: str
    because: str


@dataclass(frozen=True)
class Trial:
    """What became of an exercise's mutants. `killed` counts those that a case failed, `same`
    those that compile to the solution's program; those that do not compile are not counted.
    `survived` passed every case; `stale` are called equivalent, and did not."""

    exercise: str
    killed: int
    same: int
    survived: tuple[Mutant, ...]
    equivalent: tuple[EquivalentMutant, ...]
    stale: tuple[EquivalentMutant, ...]

    @property
    def unexplained(self) -> tuple[Mutant, ...]:
        known = {(one.before, one.after) for one in self.equivalent}
        return tuple(one for one in self.survived if (one.before, one.after) not in known)


def equivalents(lesson: Lesson, exercise: Exercise) -> tuple[EquivalentMutant, ...]:
    """The mutants that the lesson knows to be as good as an exercise's solution."""
    path = lesson.path / FILE
    kept = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return tuple(EquivalentMutant(**one) for one in kept.get(exercise.name, ()))


def trial(lesson: Lesson, exercise: Exercise) -> Trial:
    """Try every mutant of the exercise's solution on its cases, visible and hidden."""
    solution = lesson.solution(exercise)
    program, instances = program_of(solution), instantiate(exercise, SEED, hidden=True)
    steps = PATIENCE * max(_run(solution, one, MOST_STEPS).steps for one in instances)
    killed, same, survived = 0, 0, []
    for mutant in mutants(solution):
        compiled = program_of(mutant.source)
        if compiled is None:
            continue
        if compiled == program:
            same += 1
        elif all(_passes(mutant.source, one, steps) for one in instances):
            survived.append(mutant)
        else:
            killed += 1
    equivalent = equivalents(lesson, exercise)
    alive = {(one.before, one.after) for one in survived}
    stale = tuple(one for one in equivalent if (one.before, one.after) not in alive)
    return Trial(exercise.id, killed, same, tuple(survived), equivalent, stale)


def program_of(source: str) -> str | None:
    """The PTX without what says where in the source it comes from; None if there is none."""
    try:
        text = compilers.compile_ptx(source).text
    except CompileError:
        return None
    code = text.partition(".section")[0]
    return re.sub(r"^\s*(\.loc|\.file|//).*\n|\$L__tmp\d+:\n|//.*", "", code, flags=re.MULTILINE)


def _passes(source: str, instance: CaseInstance, steps: int) -> bool:
    try:
        outcome = _run(source, instance, steps)
    except (CudaError, MemoryError):
        return False
    result = compare.on_simulator(instance, outcome, Words(source, source, instance.problem))
    return result.status == "passed" and lacks_order(instance, outcome.opcodes) is None


def _run(source: str, instance: CaseInstance, steps: int) -> Ran:
    return run_case(source, described(instance, steps))
