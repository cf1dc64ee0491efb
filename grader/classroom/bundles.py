"""A lesson packed for a place where people grade already.

Gradescope: the zip that is uploaded there, and what it does there. By Gradescope's *Autograder
Specifications* (gradescope-autograders.readthedocs.io/en/latest/specs) the zip has setup.sh and
run_autograder at its root and is unpacked in /autograder/source; the submission lies in
/autograder/submission, and /autograder/results/results.json is the answer. What judges there
imports nothing of nbgrader's, which would take longer than a verdict: whoever hands in waits.

GitHub Actions: what a learner pushes is judged, and what is wrong is said on the learner's lines.
Hidden cases are drawn from a public seed there: the secret stays at home.
"""

import io
import json
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..course import Lesson, catalogue
from ..judge import judge, partial
from ..judge.arrangement import is_blank
from ..judge.sandbox import landlock
from ..judge.verdict import CaseResult
from ..status import Status
from ..submissions import intake
from ..whole_files import filed

if TYPE_CHECKING:
    from .folder import CourseFolder

PLAN = "plan.json"  # what the bundle needs to know of the course, the secret's seeds among it
WORKFLOW = ".github/workflows/grade.yml"
_LONGEST = 5000  # characters of a case's output
_PACKAGE = Path(__file__).parents[2]

_SETUP = """\
#!/usr/bin/env bash
# Run once, as root, when Gradescope builds the autograder's image; needs the network.
set -euo pipefail
here=/autograder/source
apt-get update
apt-get install -y python3 python3-venv
python=python3
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    python=python3.11  # Ubuntu 22.04 has it beside its own 3.10
    apt-get install -y "$python" "$python-venv"
fi
"$python" -m venv /autograder/venv
cd "$here"
/autograder/venv/bin/pip install --quiet --constraint constraints.txt --editable ".[classroom]"
/autograder/venv/bin/python -m compileall -q grader  # else each container does that anew
chmod -R go-rwx "$here"
"""
_RUN = """\
#!/usr/bin/env bash
# Run for each submission; needs no network. Its folder is /autograder.
root=$(cd "$(dirname "$0")" && pwd)
cd "$root"
export PYTHONPATH="$root/source" WARPWISE_DEVICE=simulator
exec "$root/venv/bin/python" -m grader.classroom.bundles "$root"
"""
_WORKFLOW = """\
# Made by `grader bundle github`. It belongs into the repository that learners start from.
name: {title}
on: [push]
permissions:
  contents: read
jobs:
  grade:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@v4
      - uses: actions/checkout@v4
        with:
          repository: {repository}
          path: .course
      - uses: actions/setup-python@v5
        with:
          python-version: "3.11"
          cache: pip
          cache-dependency-path: .course/constraints.txt
      - run: pip install --quiet --constraint .course/constraints.txt --editable .course
      - run: grader check {lesson}.ipynb --github
"""


def workflow(lesson: Lesson, repository: str) -> str:
    """The text of a workflow for GitHub, where the course lies in `repository`, OWNER/NAME."""
    title = "".join(char for char in lesson.title if char.isalnum() or char in " -,") or lesson.name
    return _WORKFLOW.format(title=f'"{title}"', repository=repository, lesson=lesson.name)


def gradescope(
    course: "CourseFolder", lesson: Lesson, leaderboard: bool, unsafe: bool = False
) -> bytes:
    """The zip for one lesson. Of the course's secret it has what this lesson's hidden cases are
    drawn from and no more; of the solutions, nothing. `unsafe`: it judges also where there is no
    Landlock."""
    from . import coursefile, handing_out

    file = coursefile.read(course)
    plan = file.plan(lesson.name)
    known = {
        "lesson": lesson.name,
        "seeds": handing_out.seeds(course, lesson),
        "extra": sorted(plan.extra),
        "optional": sorted(plan.optional),
        "partial_marks": file.partial_marks,
        "leaderboard": leaderboard,
        "unsafe": unsafe,
    }
    files: list[tuple[str, str | bytes]] = [
        ("setup.sh", _SETUP),
        ("run_autograder", _RUN),
        (PLAN, json.dumps(known, indent=1)),
        *(
            (within.as_posix(), path.read_bytes())
            for path in (
                *(
                    _PACKAGE / name
                    for name in ("pyproject.toml", "constraints.txt", "README.md", "LICENSE")
                ),
                *(path for path in sorted((_PACKAGE / "grader").rglob("*")) if path.is_file()),
            )
            if {"__pycache__", "slides", "report"}.isdisjoint(
                (within := path.relative_to(_PACKAGE)).parts
            )
        ),
        *((f"kernels/{lesson.name}/{name}", given) for name, given in catalogue.handed_out(lesson)),
    ]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files:
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))  # the same files, the same zip
            entry.external_attr = (0o755 if text in (_SETUP, _RUN) else 0o644) << 16
            packed.writestr(entry, text, zipfile.ZIP_DEFLATED)
    return content.getvalue()


# --- on Gradescope -------------------------------------------------------------------------------


def run(root: Path) -> dict[str, Any]:
    """Judge what lies in `root`/submission; the content of results.json. What hidden cases are
    drawn from is read and deleted before anything of a learner's is compiled."""
    path, kernels = root / "source" / PLAN, root / "source/kernels"
    plan = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    lesson = catalogue.lesson(plan["lesson"], kernels)
    if not plan["unsafe"]:
        try:
            landlock.require()
        except landlock.Unconfined as error:
            return _nothing(lesson, plan, f"{error} (`grader bundle` takes it.)")
    blank = {exercise.name: lesson.handed_out(exercise) for exercise in lesson.exercises}
    kernels_alone = [exercise.name for exercise in lesson.exercises if exercise.cases]
    asked = ", ".join(name for name in blank if name not in kernels_alone)

    handed_in = intake.read(
        root / "submission",
        lesson.name,
        lambda notebook: sum(  # the answers that somebody has worked on
            answer.source is not None and not is_blank(answer.source, blank[answer.name])
            for answer in intake.find(notebook, blank)
        ),
    )
    try:
        notebook = handed_in.notebook()
    except intake.UnreadableNotebook as error:
        return _nothing(lesson, plan, str(error))
    answers = intake.find(notebook, kernels_alone)
    tests, verdicts = [], []
    for answer in answers:
        if answer.source is None:
            tests.append(_missing(lesson, answer, plan))
            continue
        verdict = judge(
            f"{lesson.name}/{answer.name}",
            answer.source,
            seed=plan["seeds"][answer.name],
            root=kernels,
            partial_marks=plan["partial_marks"],
        )
        verdicts.append(verdict)
        # A learner is told of a hidden case what the course tells everywhere: its category, and
        # whether it passed.
        told = verdict.for_learner()
        tests += [_test(answer.name, case, plan) for case in told.cases]
        if told.partial:
            more = told.points - sum(case.points for case in told.cases)
            part = CaseResult("one fault", True, told.status, more, 0.0, partial.said(told))
            tests.append(_test(answer.name, part, plan))
    unreadable = [answer.name for answer in answers if answer.unreadable]
    results = {
        "tests": tests,
        "stdout_visibility": "hidden",
        "extra_data": {"not_judged": unreadable} if unreadable else None,
        "output": " ".join(
            filter(
                None,
                (
                    handed_in.remark,
                    *(each.problem for each in answers),
                    f"Questions are not marked here: {asked}." if asked else "",
                ),
            )
        ),
        # Points first, then the memory sectors that the kernels moved: fewer is better.
        "leaderboard": plan["leaderboard"]
        and [
            {"name": "points", "value": sum(test["score"] for test in tests)},
            {
                "name": "sectors moved",
                "value": sum(
                    verdict.counters.get(f"global_{way}_sectors", 0)
                    for verdict in verdicts
                    for way in ("load", "store")
                ),
                "order": "asc",
            },
        ],
    }
    return {name: value for name, value in results.items() if value or name == "tests"}


def _test(name: str, case: CaseResult, plan: dict[str, Any]) -> dict[str, Any]:
    """What Gradescope shows of a case."""
    said = str(case.parts.while_open) or case.status.replace("_", " ")
    line = f"Line {case.line} of the cell: " if case.line else ""
    return {
        "name": f"{name}: {case.name}{'' if case.visible else ' (hidden)'}",
        "score": 0.0 if name in plan["optional"] else case.points,
        "max_score": 0.0 if name in plan["extra"] + plan["optional"] else case.max_points,
        "status": "passed" if case.status == "passed" else "failed",
        "output": "" if case.status == "passed" else f"{line}{said}"[:_LONGEST],
        "output_format": "text",
        "visibility": "visible",
    }


def _missing(lesson: Lesson, answer: intake.Answer, plan: dict[str, Any]) -> dict[str, Any]:
    """The one test of an exercise without an answer, or with one that cannot be read."""
    most = lesson.exercise(answer.name).points
    named = "could not be judged; a person must look at it" if answer.unreadable else answer.problem
    return _test(
        answer.name, CaseResult(named, True, Status.NOT_ATTEMPTED, 0.0, most, answer.problem), plan
    )


def _nothing(lesson: Lesson, plan: dict[str, Any], why: str) -> dict[str, Any]:
    """The content of results.json where nothing could be judged. Its format has no empty mark, and
    Gradescope says of a run without results only that it failed; so each exercise has a test of 0
    points that says what is to be done, and `extra_data` names them."""
    names = [exercise.name for exercise in lesson.exercises if exercise.cases]
    tests = [_missing(lesson, intake.Answer(name, None, why, None, True), plan) for name in names]
    return {"output": why, "tests": tests, "extra_data": {"not_judged": names}}


if __name__ == "__main__":
    there = Path(sys.argv[1])
    filed(there / "results" / "results.json", json.dumps(run(there), indent=1))
