"""What this notebook is about: its lesson, and the kernels its cells have given so far."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from grader import course

from .failures import Notice


@dataclass
class Session:
    """`sources` holds the text last given to each `%%cuda NAME`, `kernels` the names of all that
    such a cell has ever defined, `ends` what its last check ended in, patterns before the status;
    `hints` counts the hints of each exercise that have been shown, `told` names the ends of which
    the hint has been. `partial_marks`: whether one fault
    that the lesson names leaves a part of the points, as it does in the course."""

    lesson: course.Lesson
    sources: dict[str, str] = field(default_factory=dict)
    kernels: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    ends: dict[str, tuple[str, ...]] = field(default_factory=dict)
    hints: Counter[str] = field(default_factory=Counter)
    partial_marks: bool = True
    told: set[tuple[str, str]] = field(default_factory=set)

    def exercise(self, name: str) -> course.Exercise:
        """The lesson's exercise `name`; a Notice with the names there are otherwise."""
        for exercise in self.lesson.exercises:
            if exercise.name == name:
                return exercise
        known = ", ".join(f"`{exercise.name}`" for exercise in self.lesson.exercises)
        raise Notice(f"This lesson has no exercise `{name}`. Its exercises are: {known}.")

    def source(self, name: str) -> str:
        """The text last given to `%%cuda name`; a Notice if there is none."""
        if name not in self.sources:
            raise Notice(
                f"Run the cell that begins with `%%cuda {name}` first: it is what is checked."
            )
        return self.sources[name]


_session: Session | None = None


def begin(lesson: course.Lesson, partial_marks: bool = True) -> None:
    """Make `lesson` the notebook's; running the set-up cell again forgets nothing."""
    global _session
    if _session is None or _session.lesson.path != lesson.path:
        _session = Session(lesson)
    else:
        _session.lesson = lesson
    _session.partial_marks = partial_marks


def current() -> Session:
    if _session is None:
        raise Notice("No lesson has been opened yet. Run the notebook's first code cell.")
    return _session
