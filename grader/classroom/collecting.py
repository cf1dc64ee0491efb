"""What was handed in for a lesson, fetched from the exchange."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..submissions import submission
from . import ClassroomError, coursefile, second_logins, verdicts
from .folder import CourseFolder

NO_NAME = (
    "This is no learner's id (letters, digits and . _ - @ +, a letter or digit first), and is not "
    "graded: rename the folder in submitted/."
)
NOT_NBGRADER_S = (
    "nbgrader gives no submission this name, with a learner's id of letters, digits and . _ - @ + "
    "in it; it is put aside."
)


@dataclass(frozen=True)
class Graded:
    """One learner's submission. `exercises` is what verdicts.read returns; `problems` says, a
    sentence each, what was wrong with the notebook itself."""

    learner: str
    exercises: dict[str, verdicts.Kept]
    problems: tuple[str, ...]


def collect(course: CourseFolder, lesson: str) -> tuple[list[str], tuple[Graded, ...]]:
    """Fetch what was handed in through the exchange, newest version of each, to join what
    already lies in submitted/. Returns the learners, and those whose submission was not fetched
    with the reason; ClassroomError when there is nobody."""
    refused: dict[str, str] = {}
    aside: list[Graded] = []
    second_logins.settle(course, lesson)
    if (course.shelves / "inbound").is_dir():
        aside = _put_aside(course, lesson)
        refused = _collect(course, lesson)
    aside += [Graded(ascii(name), {}, (NO_NAME,)) for name in course.misnamed("submitted", lesson)]
    learners = course.learners("submitted", lesson)
    if not learners and not refused and not aside:
        where = course.path("submitted", lesson, "LEARNER")
        raise ClassroomError(f"Nobody has handed in {lesson} yet: there is no folder like {where}.")
    return learners, (*aside, *(Graded(name, {}, (why,)) for name, why in refused.items()))


def _put_aside(course: CourseFolder, lesson: str) -> list[Graded]:
    """Rename what one learner handed in under another's name, so that it is not collected in
    place of that other's own work, and what nbgrader did not name: of whom, and a sentence. Where
    learners are no users of this machine, as on many hubs, there is no telling the first."""
    found = []
    file = coursefile.read(course)
    for folder in _inbound(course, lesson):
        learner, when = _learner_and_time(folder)
        if forger := _forger(folder, (learner, *file.person(learner).also)):
            _hide(folder, "forged")
            why = f"What {forger} handed in under this name is put aside."
            found.append(Graded(learner, {}, (why,)))
        elif not submission.is_name(learner) or not submission.is_time(when):
            _hide(folder, "odd")
            found.append(Graded(ascii(folder.name), {}, (NOT_NBGRADER_S,)))
    return found


def _forger(folder: Path, logins: tuple[str, ...]) -> str:
    """Who handed in a folder under the name of a learner with these `logins`; empty when nobody is
    known to have."""
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


def _hide(folder: Path, why: str) -> None:
    """Give it a name that nobody looks for, and that is no longer than names may be."""
    known = hashlib.sha256(os.fsencode(folder.name)).hexdigest()[:16]
    try:
        folder.rename(folder.with_name(f".{why}+{folder.name[:40]}+{known}"))
    except OSError as error:
        raise ClassroomError(
            f"{str(folder)!a} must be put aside, and you may not ({error.strerror}): "
            "inbound/ has to belong to you."
        ) from error


def _collect(course: CourseFolder, lesson: str) -> dict[str, str]:
    """Fetch everybody's newest submission; of whom it was not fetched, and a sentence."""
    newest: dict[str, str] = {}
    refused: dict[str, str] = {}
    for folder in _inbound(course, lesson):
        learner, when = _learner_and_time(folder)
        newest[learner] = max(when, newest.get(learner, ""))
        if not submission.only_files(folder):  # it would be copied with an instructor's rights
            refused[learner] = submission.STRANGE
    learners = [learner for learner in newest if learner not in refused]
    if refused or _fetch(course, lesson, "*"):  # where not all can be fetched at once
        for learner in learners:
            if why := _fetch(course, lesson, learner):
                refused[learner] = why
    for learner in learners:
        _stamp(course.path("submitted", lesson, learner), newest[learner])
    return refused


def _fetch(course: CourseFolder, lesson: str, learner: str) -> str:
    """Why it could not be done; empty when it was."""
    try:
        course.run(course.exchange.Collect, lesson, learner, update=True)
    except ClassroomError as error:
        return f"The submission could not be fetched ({error})."
    return ""


def _stamp(folder: Path, when: str) -> None:
    """Where the time beside a submission is not one that nbgrader wrote, put that of its name."""
    stamp = folder / submission.STAMP
    if folder.is_dir() and not submission.is_time(submission.note(stamp) or ""):
        with suppress(OSError):
            if stamp.is_dir():
                shutil.rmtree(stamp)
            stamp.unlink(missing_ok=True)
            stamp.write_text(when, encoding="utf-8")


def _inbound(course: CourseFolder, lesson: str) -> list[Path]:
    """What nbgrader would collect: hidden names, those of `_hide`, are not among it."""
    return sorted((course.shelves / "inbound").glob(f"[!.]*+{lesson}+*"))


def _learner_and_time(folder: Path) -> tuple[str, str]:
    """What nbgrader wrote into a folder's name, LEARNER+LESSON+TIME+ANYTHING."""
    learner, _, when, *_ = [*folder.name.rsplit("+", 3), "", ""]
    return learner, when
