"""What the bundle for Gradescope does there: judge what lies in /autograder/submission.

It imports nothing of nbgrader's, which would take longer than a verdict: whoever hands in waits.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from ... import course as lessons
from ...course import Lesson
from ...judge import Verdict, judge, partial
from ...judge.arrangement import is_blank
from ...judge.sandbox import landlock
from ...judge.verdict import CaseResult
from ...status import Status
from ...submissions import intake, submission
from ...submissions.intake import UnreadableNotebook

PLAN = "plan.json"  # what the bundle needs to know of the course, the secret's seeds among it
_LONGEST = 5000  # characters of a case's output


def run(root: Path) -> dict[str, Any]:
    """Judge what lies in `root`/submission; the content of results.json. What hidden cases are
    drawn from is read and deleted before anything of a learner's is compiled."""
    path = root / "source" / PLAN
    plan = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    lesson = lessons.lesson(plan["lesson"], root / "source/kernels")
    if not plan["unsafe"]:
        try:
            landlock.require()
        except landlock.Unconfined as error:
            return _nothing(lesson, plan, f"{error} (`grader bundle` takes it.)")
    names = [one.name for one in lesson.exercises]

    def worked_on(notebook: NotebookNode) -> int:
        found = intake.find(notebook, names)
        blank = {one.name: lesson.handed_out(one) for one in lesson.exercises}
        return sum(
            one.source is not None and not is_blank(one.source, blank[one.name]) for one in found
        )

    handed_in = submission.read(root / "submission", lesson.name, worked_on)
    try:
        notebook = handed_in.notebook()
    except UnreadableNotebook as error:
        return _nothing(lesson, plan, str(error))
    answers = intake.find(notebook, names)
    verdicts = {
        one.name: _judged(root, lesson, one, plan) for one in answers if one.source is not None
    }
    tests = []
    for answer in answers:
        if answer.name in verdicts:
            tests += _tests(answer.name, verdicts[answer.name].for_learner(), plan)
        else:
            tests.append(_missing(lesson, answer.name, answer.problem, plan))
    results: dict[str, Any] = {"tests": tests, "stdout_visibility": "hidden"}
    if told := " ".join(filter(None, (handed_in.remark, *(one.problem for one in answers)))):
        results["output"] = told
    if plan["leaderboard"]:
        results["leaderboard"] = _leaderboard(tests, [*verdicts.values()])
    return results


def _judged(root: Path, lesson: Lesson, answer: intake.Answer, plan: dict[str, Any]) -> Verdict:
    exercise, official = f"{lesson.name}/{answer.name}", plan["seeds"][answer.name]
    source, kernels, marks = answer.source or "", root / "source/kernels", plan["partial_marks"]
    return judge(exercise, source, seed=official, root=kernels, partial_marks=marks)


def _tests(name: str, verdict: Verdict, plan: dict[str, Any]) -> list[dict[str, Any]]:
    """One test a case. A learner is told of a hidden case what the course tells everywhere: its
    category, and whether it passed."""
    tests = [_test(name, case, plan) for case in verdict.cases]
    if verdict.partial:
        more = verdict.points - sum(case.points for case in verdict.cases)
        part = CaseResult("one fault", True, verdict.status, more, 0.0, partial.said(verdict))
        tests.append(_test(name, part, plan))
    return tests


def _test(name: str, case: CaseResult, plan: dict[str, Any]) -> dict[str, Any]:
    said = case.message or case.status.replace("_", " ")
    line = f"Line {case.line} of the cell: " if case.line else ""
    optional, outside = name in plan["optional"], name in plan["extra"] + plan["optional"]
    return {
        "name": f"{name}: {case.name}{'' if case.visible else ' (hidden)'}",
        "score": 0.0 if optional else case.points,
        "max_score": 0.0 if outside else case.max_points,
        "status": "passed" if case.status == "passed" else "failed",
        "output": "" if case.status == "passed" else f"{line}{said}"[:_LONGEST],
        "output_format": "text",
        "visibility": "visible",
    }


def _missing(lesson: Lesson, name: str, problem: str, plan: dict[str, Any]) -> dict[str, Any]:
    outside = name in plan["extra"] + plan["optional"]
    most = 0.0 if outside else lesson.exercise(name).points
    case = CaseResult(problem, True, Status.NOT_ATTEMPTED, 0.0, most, problem)
    return _test(name, case, plan)


def _nothing(lesson: Lesson, plan: dict[str, Any], why: str) -> dict[str, Any]:
    tests = [_missing(lesson, one.name, "Nothing to judge.", plan) for one in lesson.exercises]
    return {"output": why, "tests": tests}


def _leaderboard(tests: list[dict[str, Any]], verdicts: list[Verdict]) -> list[dict[str, Any]]:
    """Points first, then the memory sectors that the kernels moved: fewer is better."""
    points = sum(test["score"] for test in tests)
    names = ("global_load_sectors", "global_store_sectors")
    moved = sum(one.counters.get(name, 0) for one in verdicts for name in names)
    return [
        {"name": "points", "value": points},
        {"name": "sectors moved", "value": moved, "order": "asc"},
    ]


def main(root: Path) -> None:
    """What run_autograder calls."""
    results = root / "results"
    results.mkdir(exist_ok=True)
    (results / "results.json").write_text(json.dumps(run(root), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
