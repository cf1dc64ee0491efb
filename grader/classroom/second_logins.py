"""What is handed in under a learner's other logins (`also` in course.toml), brought under the one
that is on the roster."""

from __future__ import annotations

import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from . import ClassroomError, counting, coursefile
from .folder import CourseFolder

STEPS = ("autograded", "feedback", "submitted")  # the last one decides, and so is moved last
PUT_ASIDE = "replaced"  # a folder: STEP/LEARNER/LESSON of what no longer counts


def settle(course: CourseFolder, lesson: str) -> None:
    """Rename what the exchange has from other logins, and move what lies in submitted/. Of two
    folders there the newer one counts."""
    for learner, person in coursefile.read(course).learners.items():
        for other in person.also:
            for folder in (course.shelves / "inbound").glob(f"{other}+{lesson}+*"):
                _rename(folder, f"{learner}{folder.name.removeprefix(other)}")
            theirs, ours = (course.path("submitted", lesson, one) for one in (other, learner))
            move_folders(course, lesson, other, learner, _time(theirs) > _time(ours))


def _time(folder: Path) -> tuple[bool, datetime]:
    """Whether anything was handed in, and when."""
    return folder.is_dir(), counting.handed_in_at(folder) or datetime.min


def _rename(folder: Path, name: str) -> None:
    try:
        folder.rename(folder.with_name(name))
    except OSError as error:
        raise ClassroomError(
            f"{str(folder)!a} must be renamed to {name!a}, and you may not ({error.strerror}): "
            "inbound/ has to belong to you."
        ) from error


def move_folders(course: CourseFolder, lesson: str, other: str, learner: str, newer: bool) -> None:
    """What lies under the other login, in the learner's place if it is `newer` than what is there,
    else put aside."""
    for step in STEPS:
        source, target = (course.path(step, lesson, login) for login in (other, learner))
        if not source.is_dir():
            continue
        if newer:
            if target.exists():
                _put_aside(course, target)
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)
        else:
            _put_aside(course, source)
        with suppress(OSError):  # other lessons are there
            source.parent.rmdir()


def _put_aside(course: CourseFolder, folder: Path) -> None:
    place = course.root / PUT_ASIDE / folder.relative_to(course.root)
    if place.exists():
        shutil.rmtree(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    folder.rename(place)
