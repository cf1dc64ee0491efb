"""Submissions of a lesson, fetched from the exchange."""

import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import unless
from ..submissions import intake
from . import ClassroomError, coursefile, renaming, verdicts
from .folder import CourseFolder


@dataclass(frozen=True)
class Graded:
    """One learner's submission."""

    learner: str
    exercises: dict[str, verdicts.KeptVerdict]  # as verdicts.read returns them
    problems: tuple[str, ...]  # what was wrong with the notebook itself, a sentence each


def collect(course: CourseFolder, lesson: str) -> tuple[list[str], tuple[Graded, ...]]:
    """Fetch what was handed in through the exchange, newest version of each, to join what
    already lies in submitted/. Returns the learners, and those whose submission was not fetched
    with the reason; ClassroomError when there is nobody."""
    renaming.settle(course, lesson)
    is_there = (course.shelves / "inbound").is_dir()
    refused = [
        *(put_aside(course, lesson) if is_there else ()),
        *(
            Graded(name, {}, (why,))
            for name, why in (_collect(course, lesson) if is_there else {}).items()
        ),
    ]
    learners = course.learners("submitted", lesson)
    refused += [
        Graded(
            ascii(name),
            {},
            (
                "This is no learner's id (letters, digits and . _ - @ +, a letter or digit first), "
                "and is not graded: rename the folder in submitted/.",
            ),
        )
        for name in course.folders("submitted", lesson)
        if name not in learners
    ]
    unless(
        learners or refused,
        ClassroomError(
            f"Nobody has handed in {lesson} yet: there is no folder like "
            f"{course.path('submitted', lesson, 'LEARNER')}."
        ),
    )
    return learners, tuple(refused)


def put_aside(course: CourseFolder, lesson: str) -> Iterator[Graded]:
    """Rename what one learner handed in under another's name, so that it is not collected in
    place of that other's own work, and what nbgrader did not name: of whom, and a sentence. Where
    learners are no users of this machine, as on many hubs, there is no telling the first."""
    file = coursefile.read(course)
    is_exam = file.plan(lesson).service.start is not None
    for folder, (learner, when) in course.inbound(lesson).items():
        why, problem, said = (
            "odd",
            "nbgrader gives no submission this name, with a learner's id of letters, digits and "
            ". _ - @ + in it; it is put aside.",
            ascii(folder.name),
        )
        if forger := _forger(folder, (learner, *file.person(learner).also)):
            why, problem = "forged", f"What {forger} handed in under this name is put aside."
            said = learner
        elif is_exam and sys.platform != "win32" and folder.lstat().st_uid != os.getuid():
            problem, said = (
                "The service has not received this work, and an exam is handed in to the service "
                "alone; the work is put aside.",
                learner,
            )
        elif intake.is_name(learner) and intake.time_of(when):
            continue
        hide(folder, why)
        yield Graded(said, {}, (problem,))


def hide(path: Path, why: str) -> None:
    """Put aside what was handed in: a name that nobody looks for, that is no longer than names may
    be, and that nobody can have taken, so that no learner stops this."""
    renaming.rename_inbound(path, f".{why}+{path.name[:40]}+{secrets.token_hex(8)}", "be put aside")


def _forger(folder: Path, logins: tuple[str, ...]) -> str:
    """The login of whoever handed in a folder under the name of a learner with these `logins`;
    empty when nobody is known to have."""
    if sys.platform == "win32":
        return ""  # nbgrader's exchange knows nobody there
    import pwd

    rightful = set()
    for login in logins:
        with suppress(KeyError, ValueError):
            rightful.add(pwd.getpwnam(login).pw_uid)
    try:
        owner = pwd.getpwuid(folder.lstat().st_uid)
    except KeyError:
        return ""
    return "" if not rightful or owner.pw_uid in rightful | {os.getuid()} else owner.pw_name


def _collect(course: CourseFolder, lesson: str) -> dict[str, str]:
    """Fetch everybody's newest submission; of whom it was not fetched, and a sentence."""
    found = course.inbound(lesson)
    newest = dict(sorted(found.values()))  # the last of each learner's times
    refused = {  # they would be copied with an instructor's rights
        learner: intake.STRANGE
        for folder, (learner, _) in found.items()
        if not intake.only_files(folder)
    }
    learners = [learner for learner in newest if learner not in refused]
    if refused or _fetch(course, lesson, "*"):  # where not all can be fetched at once
        refused |= {
            learner: why for learner in learners if (why := _fetch(course, lesson, learner))
        }
    for learner in learners:
        # Where the time beside it is not one that nbgrader wrote, that of its name stands there.
        stamp = course.path("submitted", lesson, learner) / intake.STAMP
        if stamp.parent.is_dir() and not intake.time_of(intake.note(stamp) or ""):
            with suppress(OSError):
                if stamp.is_dir():
                    shutil.rmtree(stamp)
                stamp.unlink(missing_ok=True)
                stamp.write_text(newest[learner], encoding="utf-8")
    return refused


def _fetch(course: CourseFolder, lesson: str, learner: str) -> str:
    """Why it could not be done; empty when it was."""
    try:
        course.run(course.exchange.Collect, lesson, learner, update=True)
    except ClassroomError as error:
        return f"The submission could not be fetched ({error})."
    return ""
