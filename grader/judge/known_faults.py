"""What the judge finds of each mistake that a lesson names, measured when the lesson is built.

Nothing is kept of a mistake that ends the run, so that nothing can be known of the rest; whose
cases fail in different ways, or in other ways with other inputs; and none where what it leaves
is no evidence of right work.
"""

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path

from .. import compilers
from ..course import Lesson, authors, chosen, solution_counts
from ..course.mistakes import WrongKernel
from ..status import Status
from .cases import CaseInstance, instantiate
from .judging import STANDARD_LIMITS, judge
from .partial import HAZARDS, KEPT_IN, SEED, Finding, NamedFault, left_wrong
from .protocol import Ran
from .session import Session

SEEDS = (SEED, 0)  # the second shows what depends on the inputs
KEY = "key"  # beside a fault: a fingerprint of what was measured
FORM = "1"  # of what is kept: raised when a finding changes its words


def write(lesson: Lesson) -> list[Path]:
    """Write what is found of the lesson's mistakes with each compiler that is here, and say which
    files were not as they must be."""
    written = []
    for name, compiler in compilers.COMPILERS.items():
        path = solution_counts.file(lesson.path, name, KEPT_IN)
        before = path.read_text(encoding="utf-8") if path.is_file() else ""
        if compiler.available() and (now := _text(lesson, name)) != before:
            path.write_text(now, encoding="utf-8")
            written.append(path)
    return written


def stale(lesson: Lesson) -> list[Path]:
    """The files that are missing though their compiler is here, or of other mistakes."""
    keys = {_key(lesson, one) for one in lesson.wrong_kernels}
    return [
        solution_counts.file(lesson.path, name, KEPT_IN)
        for name, compiler in compilers.COMPILERS.items()
        if compiler.available() and _known(lesson, name).keys() != keys
    ]


def found(lesson: Lesson, mistake: WrongKernel) -> dict[str, Finding]:
    """What is found of a mistake with the compiler in use, by case; nothing where it is left
    out."""
    exercise = lesson.exercise(mistake.exercise)
    hazard = mistake.status in HAZARDS
    if not (hazard or (mistake.status == Status.WRONG_ANSWER and _leaves(lesson, mistake) > 0)):
        return {}
    root, both = lesson.path.parent, []
    for seed in SEEDS:
        verdict = judge(
            exercise.id, mistake.source, seed=seed, root=root, sizes=False, partial_marks=False
        )
        both.append({one.name: one.status for one in verdict.cases if one.status != Status.PASSED})
    failed, again = both
    if failed != again or set(failed.values()) != {mistake.status}:
        return {}
    instances = tuple(
        replace(one, tolerated=mistake.status if hazard else "")
        for one in instantiate(exercise, SEED, hidden=True)
        if one.case.name in failed
    )
    steps = {one.name: one.ours.get("steps", 0) for one in exercise.cases}
    with Session(mistake.source, STANDARD_LIMITS, steps) as session:
        outcomes = session.run(instances)
    pairs = [
        (one, ran) for one, ran in zip(instances, outcomes, strict=True) if isinstance(ran, Ran)
    ]
    if len(pairs) < len(instances):
        return {}
    wrong: dict[str, Finding] = {one.case.name: left_wrong(one, ran) for one, ran in pairs}
    if not hazard:
        return wrong if _evidence(pairs) >= len(pairs) else {}
    known = all(ran.causes for _, ran in pairs) and not any(wrong.values())
    return {one.case.name: ran.causes for one, ran in pairs} if known else {}


def _leaves(lesson: Lesson, mistake: WrongKernel) -> float:
    kind = lesson.exercise(mistake.exercise).kind
    return kind.fault_leaves if mistake.leaves is None else mistake.leaves


def _evidence(pairs: list[tuple[CaseInstance, Ran]]) -> int:
    """How much speaks for right work: elements that are right, and different numbers of those that
    are wrong. Nothing written, zeros and NaN everywhere could come of any kernel."""
    count, numbers = 0, set()
    for instance, ran in pairs:
        count += sum(one.value.size for one in instance.problem.outputs.values())
        for name, wrong, samples in left_wrong(instance, ran):
            count -= wrong if name in instance.problem.outputs else 0
            numbers |= {value for _, value in samples if isinstance(value, float) and value}
    return count + len(numbers)


def _text(lesson: Lesson, compiler: str) -> str:
    """What the file with that compiler must hold. A mistake is measured anew only where it, the
    solution, the chosen launches, or the file that defines the exercise has changed."""
    known = _known(lesson, compiler)
    own: dict[str, list[str]] = {}
    with compilers.used(compiler):
        for mistake in lesson.wrong_kernels:
            key = _key(lesson, mistake)
            cases = known[key] if key in known else found(lesson, mistake)
            leaves = _leaves(lesson, mistake)
            said = mistake.mistake if cases and leaves else ""  # what nobody is told stays here
            fault = NamedFault(said, mistake.status, leaves, cases)
            row = json.dumps({KEY: key, **asdict(fault)}, ensure_ascii=False)
            own.setdefault(mistake.exercise, []).append(f"  {row}")
    joined = {name: ",\n".join(lines) for name, lines in own.items()}
    rows = ",\n".join(f" {json.dumps(name)}: [\n{text}\n ]" for name, text in joined.items())
    return f"{{\n{rows}\n}}\n"


def _known(lesson: Lesson, compiler: str) -> dict[str, dict[str, Finding]]:
    """What was found, by `_key`."""
    kept = solution_counts.kept(lesson.path, compiler, KEPT_IN)
    return {one[KEY]: one["cases"] for entries in kept.values() for one in entries}


def _key(lesson: Lesson, mistake: WrongKernel) -> str:
    """A name for all that the findings of a mistake depend on."""
    exercise = lesson.exercise(mistake.exercise)
    leaves = repr(_leaves(lesson, mistake) > 0)
    text = authors.text(lesson.path / exercise.file)
    launches = json.dumps(chosen.kept(lesson.path).get(exercise.name, ()))
    parts = text, launches, lesson.solution(exercise), mistake.source, mistake.status, leaves
    return hashlib.sha256("\0".join((FORM, *parts)).encode()).hexdigest()[:12]
