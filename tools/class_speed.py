"""How fast a class is graded, beside stock nbgrader; some minutes:

    python -m tools.class_speed

Scratch courses of one lesson. The answers are those that the lesson's folder holds, right and
wrong, each made distinct by a number that its kernel takes into a register, so that every one has
to be compiled, run and reasoned about: what compiles to the same kernel is reasoned about once.
(Where nothing that was given may change, a comment holds the number.) Stock nbgrader executes the
same notebooks one after another; as that takes long, a few are timed.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from rich.console import Console

from grader import course
from grader.bench.speed import Figure
from grader.classroom import handing_out
from grader.classroom.demo import classmates
from grader.classroom.folder import CourseFolder, new_course
from grader.cli.bench_commands import show_speed
from grader.course.kinds import ExerciseKind
from grader.course.weave import grade_id, learners_cell, text
from grader.submissions.intake import read_notebook

CLASS, FEW, LARGE = 200, 30, 1_000  # submissions; distinct answers among them; a large class
DEPARTMENT, ALIKE = 500, 20  # submissions, distinct ones: a course's week, feedback and all
MINUTE = 60
STOCK_SAMPLE = 5  # submissions that stock nbgrader is timed on
JOBS = 2
_JOBS = ("--jobs", str(JOBS))
PARENT_MB = 512

_STOCK = """
c = get_config()
c.CourseDirectory.root = {root!r}
c.CourseDirectory.course_id = "warpwise"
c.ClearSolutions.code_stub = {{"python": "// YOUR CODE HERE"}}
"""


@dataclass(frozen=True)
class CommandRun:
    """One command, measured."""

    seconds: float  # on the clock
    processor: float  # seconds of the processor that its own process took, those who judge aside
    memory: float  # the most that it ever held, in MB


def measure(lesson: course.Lesson) -> Iterator[Figure]:
    """All figures, each as soon as it is there; some minutes in all."""
    with tempfile.TemporaryDirectory(prefix="throughput-") as folder:
        scratch = Path(folder)
        stock = _stock_seconds(scratch, lesson)
        yield Figure("stock nbgrader, a submission", "s", stock)
        for distinct, least in ((FEW, 10.0), (CLASS, 3.0)):
            here = made_class(scratch, lesson, CLASS, distinct)
            ours = measured(here, "autograde", lesson.name, *_JOBS).seconds / CLASS
            what = f"{CLASS} submissions, {distinct} distinct"
            yield Figure(f"{what}: a submission", "s", ours)
            yield Figure(f"{what}: times as fast as stock", "x", stock / ours, least, at_least=True)
        # Notebooks each of which has a mistake of its own, and then such as have no answer in
        # common, graded and given feedback.
        for own, what in ((False, "distinct"), (True, "distinct in every answer")):
            what = f"{DEPARTMENT} submissions, {ALIKE} {what}"
            yield from _graded_week(scratch, lesson, what, own)
        large = measured(
            made_class(scratch, lesson, LARGE, CLASS), "autograde", lesson.name, *_JOBS
        )
        yield Figure(f"{LARGE:,} submissions, {CLASS} distinct", "s", large.seconds)
        yield Figure("the most memory that took", "MB", large.memory, PARENT_MB)


def _graded_week(scratch: Path, lesson: course.Lesson, what: str, own: bool) -> Iterator[Figure]:
    """A class graded and given feedback, and how much that leaves on the disk."""
    here = made_class(scratch, lesson, DEPARTMENT, ALIKE, own)
    handed_in = _size(here.root)
    for command, *how in (("autograde", *_JOBS), ("feedback",)):
        run = measured(here, command, lesson.name, *how)
        yield Figure(f"{what}: {command}", "s", run.seconds, MINUTE)
        yield Figure(f"{what}: {command}, of the processor, judging aside", "s", run.processor)
    yield Figure(f"{what}: written", "MB", (_size(here.root) - handed_in) / 1e6)


def _size(folder: Path) -> int:
    """Bytes of all files in it; what several names lead to is there once."""
    found = [path.lstat() for path in folder.rglob("*") if path.is_file()]
    return sum({(one.st_dev, one.st_ino): one.st_size for one in found}.values())


def made_class(
    scratch: Path, lesson: course.Lesson, size: int, distinct: int, own: bool = True
) -> CourseFolder:
    """A released course in which `size` learners have handed in `distinct` different notebooks;
    with `own` no answer in one of them stands in another."""
    here = new_course(Path(tempfile.mkdtemp(dir=scratch)))
    handing_out.generate(here, lesson)
    blank = read_notebook(here.notebook("release", lesson.name))
    people = [answers for answers in classmates(lesson).values() if answers]
    notebooks, kinds = [], {one.name: one.kind for one in lesson.exercises}
    for number, answers in islice(enumerate(cycle(people)), distinct):
        for cell in blank.cells:
            if (name := grade_id(cell)) in answers:
                mark = (zlib.crc32(here.root.name.encode()) + number) % 2**31
                source = _distinct(kinds[name], answers[name], mark) if own else answers[name]
                cell.source = learners_cell(name, source)
        notebooks.append(text(blank))
    for number in range(size):
        place = here.notebook("submitted", lesson.name, f"learner_{number:04}")
        place.parent.mkdir(parents=True)
        place.write_text(notebooks[number % distinct], encoding="utf-8")
    return here


def _distinct(kind: ExerciseKind, source: str, number: int) -> str:
    """The same answer, but that its kernels put the number into a register of their own."""
    if kind.keeps_what_is_given:
        return f"{source}// {number}\n"
    own = f'int own; asm volatile("mov.b32 %0, {number};" : "=r"(own));'
    return re.sub(r"(__global__[^{;]*\{)", rf"\1 {own}", source)


def measured(here: CourseFolder, *command: str, module: str = "grader") -> CommandRun:
    """`grader COMMAND`, or that of another module, as a process of its own."""
    if sys.platform == "win32":
        raise SystemExit("How fast a class is graded is measured on Linux or macOS.")
    start, said = time.perf_counter(), here.root / "said.txt"
    with said.open("w", encoding="utf-8") as file:
        command_line = [sys.executable, "-m", module, *command]
        child = subprocess.Popen(command_line, cwd=here.root, stdout=file, stderr=file)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(said.read_text(encoding="utf-8"))
    return CommandRun(
        seconds=time.perf_counter() - start,
        processor=used.ru_utime + used.ru_stime,
        memory=used.ru_maxrss / 1e3,
    )


def _stock_seconds(scratch: Path, lesson: course.Lesson) -> float:
    """Seconds that stock `nbgrader autograde`, which executes notebooks, takes for a submission."""
    here = made_class(scratch, lesson, STOCK_SAMPLE, STOCK_SAMPLE)
    (here.root / "nbgrader_config.py").write_text(
        _STOCK.format(root=str(here.root)), encoding="utf-8"
    )
    return measured(here, "autograde", lesson.name, module="nbgrader").seconds / STOCK_SAMPLE


if __name__ == "__main__":
    # The lesson with the most typical mistakes.
    chosen = max(course.lessons(), key=lambda lesson: len(lesson.wrong_kernels))
    show_speed(Console(), measure(chosen), f"Grading a class, {chosen.name}")
