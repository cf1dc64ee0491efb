"""docs/exercises.md: every exercise of the course. `python -m tools.exercises_page`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from grader.course import KERNELS, KINDS, Exercise, Lesson, lessons
from grader.errors import counted

PAGE = KERNELS.with_name("docs") / "exercises.md"

_HEAD = """\
# All exercises

Made by `python -m tools.exercises_page`.

{count} exercises in {lessons} lessons: {kinds}.

*Minutes* is the time for a learner who has read the page up to the exercise. *Mistakes* is the
number of its typical mistakes, each with the diagnosis that it must get. [Author a
lesson](authoring.md#kinds-of-exercise) explains the kinds.
"""
_TABLE = """
| exercise | kind | minutes | what it teaches | mistakes |
| --- | --- | --: | --- | --: |
"""


def text() -> str:
    """What the page must hold."""
    found = lessons()
    kinds = Counter(exercise.kind.name for lesson in found for exercise in lesson.exercises)
    listed = ", ".join(
        f"{kinds[name]} to *{kind.title}*" for name, kind in KINDS.items() if kinds[name]
    )
    head = _HEAD.format(count=kinds.total(), lessons=len(found), kinds=listed)
    return head + "".join(_lesson(lesson) for lesson in found)


def _lesson(lesson: Lesson) -> str:
    minutes = sum(exercise.minutes for exercise in lesson.exercises)
    head = f"\n## {lesson.name}: {lesson.title}\n\n"
    head += f"{counted(len(lesson.exercises), 'exercise')}, {counted(minutes, 'minute')}.\n"
    return head + _TABLE + "".join(_rows(lesson))


def _rows(lesson: Lesson) -> Iterator[str]:
    foreseen = Counter(wrong.exercise for wrong in lesson.wrong_kernels)
    for exercise in lesson.exercises:
        yield _row(exercise, foreseen[exercise.name])


def _row(exercise: Exercise, mistakes: int) -> str:
    return (
        f"| `{exercise.name}` {exercise.title} | {exercise.kind.title} | {exercise.minutes} | "
        f"{exercise.teaches} | {mistakes} |\n"
    )


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
