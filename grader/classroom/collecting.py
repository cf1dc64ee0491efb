"""What was handed in for a lesson, fetched from the exchange."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from . import ClassroomError
from .folder import CourseFolder

LINKS = "The submission holds links to other files, and is not opened: hand in real files."


@dataclass(frozen=True)
class Graded:
    """One learner's submission. `exercises` is what verdicts.read returns; `problems` says, a
    sentence each, what was wrong with the notebook itself."""

    learner: str
    exercises: dict[str, dict]
    problems: tuple[str, ...]


def collect(course: CourseFolder, lesson: str) -> tuple[list[str], tuple[Graded, ...]]:
    """Fetch what was handed in through the exchange, newest version of each, to join what
    already lies in submitted/. Returns the learners, and those whose submission was not fetched
    with the reason; ClassroomError when there is nobody."""
    refused: dict[str, str] = {}
    forged: list[Graded] = []
    if (course.shelves / "inbound").is_dir():
        forged = _put_aside(course, lesson)
        refused = _with_links(course, lesson)
        _collect(course, lesson, frozenset(refused))
    learners = course.learners("submitted", lesson)
    if not learners and not refused:
        where = course.path("submitted", lesson, "LEARNER")
        raise ClassroomError(f"Nobody has handed in {lesson} yet: there is no folder like {where}.")
    return learners, (*forged, *(Graded(name, {}, (why,)) for name, why in refused.items()))


def _put_aside(course: CourseFolder, lesson: str) -> list[Graded]:
    """Rename what one learner handed in under another's name, so that it is not collected in
    place of that other's own work: of whom, and a sentence. Where learners are no users of this
    machine, as on many hubs, there is nothing to tell it by."""
    found = []
    for folder in sorted((course.shelves / "inbound").glob(f"*+{lesson}+*")):
        learner = folder.name.rsplit("+", 3)[0]
        try:
            rightful = {pwd.getpwnam(learner).pw_uid, os.getuid()}
            owner = pwd.getpwuid(folder.lstat().st_uid)
        except KeyError:
            continue
        if owner.pw_uid not in rightful:
            folder.rename(folder.with_name(f".forged+{folder.name}"))
            why = f"What {owner.pw_name} handed in under this name is put aside."
            found.append(Graded(learner, {}, (why,)))
    return found


def _with_links(course: CourseFolder, lesson: str) -> dict[str, str]:
    """Who handed in links to other files, which collecting would follow with an instructor's
    rights: the learner, and a sentence."""
    return {
        folder.name.rsplit("+", 3)[0]: LINKS
        for folder in sorted((course.shelves / "inbound").glob(f"*+{lesson}+*"))
        if has_links(folder)
    }


def has_links(folder: Path) -> bool:
    """Whether a submission is a link, or has one in it: whoever opened it would be led to
    files that its learner has no right to read."""
    return folder.is_symlink() or any(path.is_symlink() for path in folder.rglob("*"))


def _collect(course: CourseFolder, lesson: str, refused: frozenset[str]) -> None:
    handed_in = {
        folder.name.rsplit("+", 3)[0]
        for folder in (course.shelves / "inbound").glob(f"*+{lesson}+*")
    }
    for learner in sorted(handed_in - refused) if refused else ["*"]:
        course.run(course.exchange.Collect, lesson, learner, update=True)
