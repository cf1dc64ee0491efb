"""From a lesson's folder to what learners get: woven, stripped by nbgrader, published."""

from __future__ import annotations

from pathlib import Path

from nbgrader.converters import GenerateAssignment

from ..course import Lesson
from ..course.weave import CHECK, text, weave
from ..submissions.intake import grade_id
from . import ClassroomError, coursefile
from .coursefile import FILE, CourseFile
from .files import whole
from .folder import CourseFolder
from .judges import Judges, judges
from .proving import prove
from .secret import seed
from .store import Store


def release(course: CourseFolder, lesson: Lesson) -> None:
    """Enter `lesson` in the gradebook and publish the learner's version through the exchange,
    once its own solution has got full marks."""
    with judges(confined=False) as found:
        require_solved(course, lesson, found)
    generate(course, lesson)
    course.run(course.exchange.ReleaseAssignment, lesson.name, force=True)


def require_solved(course: CourseFolder, lesson: Lesson, found: Judges) -> None:
    """AuthorError unless the lesson's own solution gets full marks from those `judges`."""
    prove(store(course), lesson, seeds(course, lesson), found)


def store(course: CourseFolder) -> Store:
    """The course's verdicts."""
    partial_marks = coursefile.read(course).partial_marks
    return Store(course.root / "verdicts", course.kernels, partial_marks)


def seeds(course: CourseFolder, lesson: Lesson) -> dict[str, int]:
    """What each exercise's hidden cases are drawn from in this course."""
    secret = Path(course.config.JudgeAnswers.secret_file)
    names = sorted(exercise.name for exercise in lesson.exercises)
    return {name: seed(secret, f"{lesson.name}/{name}") for name in names}


def points(file: CourseFile, lesson: Lesson) -> dict[str, float]:
    """The most that each exercise adds to the lesson's maximum: nothing where course.toml calls it
    optional or extra credit. ClassroomError when it names one that the lesson has not."""
    outside = file.plan(lesson.name).outside
    names = [exercise.name for exercise in lesson.exercises]
    if strange := outside - set(names):
        raise ClassroomError(
            f"{FILE}: lessons.{lesson.name} speaks of an exercise {min(strange)!r}; the lesson has "
            f"{', '.join(names)}."
        )
    return {one.name: 0.0 if one.name in outside else float(one.points) for one in lesson.exercises}


def generate(course: CourseFolder, lesson: Lesson) -> None:
    """build/source: the solved notebook. build/release: the learner's, stripped by nbgrader,
    which replaces that folder, and entered in the gradebook."""
    source = course.notebook("source", lesson.name)
    source.parent.mkdir(parents=True, exist_ok=True)
    coursefile.settle(course)
    file = coursefile.read(course)
    notebook, worth = weave(lesson, file.partial_marks), points(file, lesson)
    for cell in notebook.cells:
        name = grade_id(cell).removeprefix(CHECK)
        if grade_id(cell) == CHECK + name:
            cell.metadata.nbgrader["points"] = worth[name]
    whole(source, text(notebook))
    course.run(GenerateAssignment, lesson.name, force=True)
