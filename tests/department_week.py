"""The week of a department's class: odd hand-ins, a moved deadline, an extension, teams, points
raised mid-term, resubmissions, a mark by hand; and the same through Gradescope's bundle.

`python tests/department_week.py [LEARNERS]` (500 by default) prints each learner's mark and why,
and says where a mark is not the one counted by hand here. Nothing of the grader's decides what is
expected: a kind of hand-in says what its answers are worth, and `expected` does the week's sums.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import nbformat
import small_class
from small_class import LESSON, NO_GUARD, SCALED, UNGUARDED_SCALE, WRONG_SUM, cell_of, grader
from small_lesson import SOLUTION, instead

from grader.classroom import changes, export
from grader.classroom.folder import CourseFolder, new_course

DUE, MOVED = "2098-12-01 23:59", "2098-12-02 23:59"  # UTC
IN_TIME = "2098-12-01 12:00:00 UTC"
ONE_DAY_LATE = "2098-12-02 12:00:00 UTC"  # in time once the deadline is moved
TWO_DAYS_LATE = "2098-12-03 12:00:00 UTC"
ENDLESS = instead("    while (i >= 0) { total[0] = i; }")
NO_C = instead("    if (i < n) total[i] = x[i] + ;")
BEFORE, RAISED = 2, 7  # points of the case "whole blocks" of add

MOST = RAISED + 2 + 2
# By answer, its points: cases of RAISED, 1 and 1 for add, the last without the guard not; 1 and 1.
ADDS = {SOLUTION: RAISED + 2, NO_GUARD: RAISED + 1}
SCALES = {SCALED: 2, UNGUARDED_SCALE: 1}


@dataclass(frozen=True)
class Kind:
    """How somebody hands in: answers as written, what is done to the notebook and to the folder,
    and of which answers nothing counts."""

    name: str
    add: str = SOLUTION
    scale: str = SCALED
    damage: Callable[[nbformat.NotebookNode], None] | None = None
    odd: Callable[[Path], None] | None = None
    lost: tuple[str, ...] = ()

    def points(self) -> float:
        """In the end of the week, when a case is worth more."""
        added = 0 if "add" in self.lost else ADDS.get(self.add, 0)
        return added + (0 if "scale" in self.lost else SCALES[self.scale])


# --- odd hand-ins --------------------------------------------------------------------------------


def renamed(place: Path) -> None:
    notebook(place).rename(place / "Homework final.ipynb")


def beside_an_untouched_one(place: Path) -> None:
    notebook(place).rename(place / f"{LESSON} (1).ipynb")
    blank = place.parents[2] / "release" / LESSON / f"{LESSON}.ipynb"
    shutil.copy(blank, notebook(place))


def torn(place: Path) -> None:
    notebook(place).write_text(notebook(place).read_text()[:-200])


def empty_file(place: Path) -> None:
    notebook(place).write_bytes(b"")


def old_format(place: Path) -> None:
    """As a Jupyter of 2014 saves it."""
    whole = nbformat.read(notebook(place), as_version=4)
    nbformat.write(nbformat.convert(whole, 3), notebook(place), version=3)


def linked(place: Path) -> None:
    (place / "notes.txt").symlink_to("/etc/passwd")


def without_metadata(whole: nbformat.NotebookNode) -> None:
    for cell in whole.cells:
        cell.metadata.pop("nbgrader", None)


def with_outputs(whole: nbformat.NotebookNode) -> None:
    shown = nbformat.v4.new_output("stream", text="x" * 100_000)
    cell_of(whole, "add").outputs = [shown]


def notebook(place: Path) -> Path:
    return place / f"{LESSON}.ipynb"


ODD = (
    Kind("another name", odd=renamed),
    Kind("beside an untouched one", odd=beside_an_untouched_one),
    Kind("torn file", odd=torn, lost=("add", "scale")),
    Kind("empty file", odd=empty_file, lost=("add", "scale")),
    Kind("a link to /etc/passwd", odd=linked, lost=("add", "scale")),
    Kind("format of 2014", odd=old_format, add=NO_GUARD),
    Kind("cells without metadata", damage=without_metadata, scale=UNGUARDED_SCALE),
    Kind("a missing cell", damage=small_class.delete, lost=("add",)),
    Kind("an empty cell", damage=small_class.empty, lost=("add",)),
    Kind("a cell twice", damage=small_class.copy),
    Kind("a cell twice, changed", damage=small_class.copy_changed, lost=("add",)),
    Kind("forged marks", damage=small_class.attack, add=NO_GUARD),
    Kind("large outputs", damage=with_outputs, add=WRONG_SUM),
    Kind("a loop without an end", add=ENDLESS),
)
PLAIN = (
    Kind("right"),
    Kind("no guard", add=NO_GUARD),
    Kind("two guards missing", add=NO_GUARD, scale=UNGUARDED_SCALE),
    Kind("wrong sum", add=WRONG_SUM),
    Kind("no C++", add=NO_C),
    Kind("right again"),
)
KINDS = ODD + PLAIN  # of each twenty learners one hands in each

# Whose week is another one.
LATE, EXTENDED, TEAM, MATE, BETTER, WORSE, BY_HAND = range(len(ODD), len(ODD) + 7)
FEWEST = BY_HAND + 1  # learners with whom all of it happens


def learner(number: int) -> str:
    return f"learner_{number:03}"


# --- the week ------------------------------------------------------------------------------------


@dataclass
class Week:
    """The course, what each hands in, and when."""

    here: CourseFolder
    kinds: dict[str, Kind]
    stamps: dict[str, str]

    def hand_in(self, name: str, kind: Kind, stamp: str) -> None:
        """In place of what `name` handed in before, as nbgrader collects it."""
        place = self.here.path("submitted", LESSON, name)
        shutil.rmtree(place, ignore_errors=True)
        small_class.hand_in(self.here, name, kind.damage, add=kind.add, scale=kind.scale)
        (place / "timestamp.txt").write_text(stamp)
        if kind.odd:
            kind.odd(place)
        self.kinds[name], self.stamps[name] = kind, stamp


def of(folder: Path, learners: int) -> Week:
    """From Monday to Friday."""
    week = monday(folder, learners)
    tuesday(week)
    wednesday(week)
    thursday(week)
    friday(week)
    return week


def monday(folder: Path, learners: int) -> Week:
    """A roster with sections and a team, an extension before anything is there, and all hand in."""
    (folder / "kernels").mkdir()
    kernels = small_class.write_lesson(folder / "kernels")
    here = new_course(folder / "course", kernels)
    rows = "".join(_row(number) for number in range(learners))
    (folder / "roster.csv").write_text(f"id;name;section;team\n{rows}")
    run(here, "roster", str(folder / "roster.csv"))
    run(here, "release", LESSON, "--due", DUE, "--late", "10%/day, at most 3 days")
    course = here.root / "course.toml"
    course.write_text(course.read_text().replace(f"[lessons.{LESSON}]", f"{_TEAMS}", 1))
    run(here, "extend", LESSON, learner(EXTENDED), "--until", "2098-12-04 12:00")
    week = Week(here, {}, {})
    for number in range(learners):
        if number != MATE:  # for whom the team hands in
            week.hand_in(learner(number), KINDS[number % len(KINDS)], _stamp(number))
    run(here, "autograde", LESSON)
    return week


def tuesday(week: Week) -> None:
    """The deadline is moved by a day: nothing is judged again."""
    run(week.here, "release", LESSON, "--due", MOVED)
    run(week.here, "autograde", LESSON)


def wednesday(week: Week) -> None:
    """One case is worth more: first a dry run, which must say what then happens."""
    exercises = week.here.kernels / LESSON / "exercises.py"
    more = exercises.read_text().replace(f"add(128), {BEFORE})", f"add(128), {RAISED})")
    exercises.write_text(more)
    tried = run(week.here, "regrade", LESSON, "--dry-run").partition("learner ")[2]
    done = run(week.here, "regrade", LESSON).partition("learner ")[2]
    assert tried, "the dry run said nothing"
    assert tried.replace("would change", "changed") == done, "the dry run said something else"


def thursday(week: Week) -> None:
    """Two hand in again: one better, one a file that nobody can read."""
    week.hand_in(learner(BETTER), Kind("right, the second time"), ONE_DAY_LATE)
    again = Kind("torn, the second time", odd=torn)  # what was handed in before counts
    week.hand_in(learner(WORSE), again, ONE_DAY_LATE)
    run(week.here, "autograde", LESSON)


def friday(week: Week) -> None:
    """A mark by hand; then its learner hands in again, and somebody has to look at it."""
    with week.here.gradebook() as gradebook:
        gradebook.find_grade("check-add", LESSON, LESSON, learner(BY_HAND)).manual_score = 1.0
        gradebook.db.commit()
    week.hand_in(learner(BY_HAND), Kind("no guard, marked by hand", add=NO_GUARD), IN_TIME)
    run(week.here, "autograde", LESSON)
    run(week.here, "feedback", LESSON)


_TEAMS = f"[lessons.{LESSON}]\nteams = true"


def _row(number: int) -> str:
    team = "blue" if number in (TEAM, MATE) else ""
    section = "evening" if number % 2 else "morning"
    return f"{learner(number)};Name {number};{section};{team}\n"


def _stamp(number: int) -> str:
    if number == LATE:
        return ONE_DAY_LATE
    late = number == EXTENDED or (number > BY_HAND and number % 7 == 3)
    return TWO_DAYS_LATE if late else IN_TIME


def run(here: CourseFolder, *arguments: str) -> str:
    """What a command says; 1 is the status when notebooks are damaged or marks wait for a look."""
    said = grader(here, *arguments)
    assert said.exit_code in (0, 1), said.stderr
    return str(said.stdout)


# --- what it must come to ------------------------------------------------------------------------


def expected(week: Week, name: str) -> float:
    """A learner's points in the end, counted by hand."""
    number = int(name.removeprefix("learner_"))
    source = learner(TEAM) if number == MATE else name
    points = week.kinds[source].points()
    if number == BY_HAND:
        points = 1.0 + SCALES[week.kinds[name].scale]
    if week.stamps[source] == TWO_DAYS_LATE and number != EXTENDED:  # half a day after MOVED
        points -= min(points, 0.1 * MOST)
    return points


def found(week: Week) -> dict[str, list[export.ExerciseRow]]:
    """By learner, the rows that the course has."""
    with week.here.gradebook() as gradebook:
        rows = export.rows(week.here, gradebook, LESSON)
    return {name: list(mine) for name, mine in groupby(rows, attrgetter("learner"))}


def score(rows: list[export.ExerciseRow]) -> float:
    return sum(row.score or 0.0 for row in rows) - max(row.late_penalty or 0.0 for row in rows)


def why(week: Week, name: str, rows: list[export.ExerciseRow]) -> Iterator[str]:
    """In words, what a mark is made of, and what has changed it."""
    mate = "for whom the team handed in" if name == learner(MATE) else ""
    yield mate or week.kinds[name].name
    for row in rows:
        line = f", line {row.line}" if row.line else ""
        by_hand = ", by hand" if row.by_hand is not None else ""
        got = f"{row.score or 0:g} of {row.max_score:g}"
        yield f"{row.exercise} {got} ({row.status}{line}{by_hand})"
    if late := max(row.late_penalty or 0.0 for row in rows):
        yield f"late, {late:g} taken off"
    yield from dict.fromkeys(row.note for row in rows if row.note)
    for one in changes.read(week.here, LESSON):
        if one.learner == name and one.before is not None:
            before, after = one.before or 0, one.after or 0
            yield f"{one.what} {before:g} -> {after:g}: {one.why}"


# --- Gradescope ----------------------------------------------------------------------------------


def by_gradescope(week: Week, folder: Path, names: Iterable[str]) -> Iterator[tuple[str, float]]:
    """What the bundle gives each of `names`, by its results.json. What is handed in alike is
    judged once, in folders as Gradescope has them."""
    run(week.here, "bundle", "gradescope", LESSON)
    packed = zipfile.ZipFile(week.here.root / f"export/{LESSON}-gradescope.zip")
    known: dict[str, float] = {}
    for name in names:
        place = week.here.path("submitted", LESSON, name)
        same = _digest(place)
        if same not in known:
            root = folder / same
            packed.extractall(root / "source")
            shutil.copytree(place, root / "submission", symlinks=True)
            known[same] = _judged(root)
        yield name, known[same]


def _judged(root: Path) -> float:
    shutil.copy(root / "source/run_autograder", root / "run_autograder")
    (root / "run_autograder").chmod(0o755)
    (root / "venv").symlink_to(Path(sys.prefix))  # what setup.sh makes
    environment = {"PATH": os.environ["PATH"], "HOME": str(root)}
    subprocess.run([root / "run_autograder"], check=True, env=environment, cwd="/")
    results = json.loads((root / "results/results.json").read_text())
    return sum(test["score"] for test in results["tests"])


def _digest(place: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(place.iterdir()):
        if path.name != "timestamp.txt":
            content = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
            digest.update(f"{path.name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def differences(week: Week) -> Iterator[str]:
    """Where a mark is not what was counted by hand."""
    rows = found(week)
    for name, mine in rows.items():
        if not math.isclose(score(mine), expected(week, name), abs_tol=1e-9):
            yield f"{name}: {score(mine):g}, and by hand {expected(week, name):g}"


def differences_on_gradescope(week: Week, folder: Path, names: Iterable[str]) -> Iterator[str]:
    """Where, for some who handed in, Gradescope's mark is not the course's."""
    rows = found(week)
    for name, points in by_gradescope(week, folder, names):
        ours = sum(row.by_judge or 0.0 for row in rows[name])
        if name == learner(WORSE):
            ours = 0.0  # Gradescope has what was handed in last, and keeps nothing of before
        if not math.isclose(points, ours, abs_tol=1e-9):
            yield f"{name}: {points:g} by Gradescope's bundle, and {ours:g} here"


def main(learners: int) -> int:
    with tempfile.TemporaryDirectory(prefix="week-") as name:
        week = of(Path(name), learners)
        for learner_id, rows in found(week).items():
            points = f"{score(rows):g} of {sum(row.max_score for row in rows):g}"
            print(f"{learner_id}  {points}  {'; '.join(why(week, learner_id, rows))}")
        wrong = list(differences(week))
        wrong += differences_on_gradescope(week, Path(name) / "gradescope", week.kinds)
    print(*wrong, f"{learners} learners, {len(wrong)} marks are not as they should be", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500))
