"""A learner or a lesson has another name: what the course has under the old one moves to the new.

Logins that are not on the roster are named, each with the learner who may be meant; one person's
work under two logins is put together under the one that is on the roster. A lesson whose folder has
another name now takes all that is its own along.

The course file remembers the other login first; then the gradebook is changed in one transaction,
then folder after folder. So whoever is stopped in between gives the same command again. What is
handed in later under the other login (`also` in course.toml) is brought under the right one
whenever work is collected.
"""

import json
import re
import shutil
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path

from nbgrader.api import Gradebook, Student, SubmittedAssignment

from ..course import names as lessons_in
from ..course.weave import CHECK
from ..errors import counted, unless
from ..submissions.intake import handed_in_at
from . import ClassroomError, changes, coursefile, rubric
from .folder import CourseFolder, alone

MOST_NAMED = 5  # logins, each in a sentence of its own
APPEALS = "appeals"
# The last one decides, and so is moved last.
STEPS = (APPEALS, "autograded", "feedback", "submitted")
PUT_ASIDE = "replaced"  # a folder: STEP/LEARNER/LESSON of what no longer counts


def nearest(name: str, known: Mapping[str, Iterable[str]]) -> str:
    """The key in `known` of which one spelling is most like `name`; empty if none is like it."""

    def letters(name: str) -> str:
        """Without accents, capitals, signs between, and what follows an @."""
        return re.sub(
            r"[\W_]+", "", unicodedata.normalize("NFKD", name.partition("@")[0]).casefold()
        )

    spelled = {letters(one): key for key, names in known.items() for one in (key, *names)}
    # Of all letters of two names, 0.6 stand in both in the same order.
    return "".join(spelled[one] for one in get_close_matches(letters(name), spelled, 1, 0.6))


def off_roster(
    file: coursefile.CourseFile, gradebook: Gradebook, learners: Iterable[str]
) -> Iterator[str]:
    """Sentences about those among `learners` who are not on the roster; nothing without a
    roster."""
    strangers = file.off_roster(learners)
    if not strangers:
        return
    known: dict[str, list[str]] = {name: [] for name in file.learners}
    waiting = dict(known)
    for student in gradebook.students:
        if student.id in known:  # how a learner's login could be spelled
            first, last = student.first_name or "", student.last_name or ""
            known[student.id] = waiting[student.id] = [
                student.email or "",
                first + last,
                last + first,
                first[:1] + last,
                last + first[:1],
            ]
        if student.submissions:
            waiting.pop(student.id, None)
    for login in strangers[:MOST_NAMED]:
        # Who has handed in nothing yet is the likelier one.
        meant = nearest(login, waiting) or nearest(login, known)
        nothing = ", who has handed in nothing" if meant in waiting else ""
        offer = (
            f" The nearest name there is {meant}{nothing}: if they are one person, "
            f"`grader roster --same {login}={meant}` moves the work."
            if meant
            else " No name there is like it."
        )
        yield f"{login} is not on the roster.{offer}"
    if others := strangers[MOST_NAMED:]:
        yield (
            f"{counted(len(others), 'more login')} are not on the roster: {', '.join(others)}. If "
            "the roster has other ids than the logins, `grader roster FILE --id COLUMN` takes them "
            "from another column."
        )


def join(course: CourseFolder, other: str, learner: str, later: bool = False) -> list[str]:
    """Move what was handed in as `other` to `learner`, and remember that both are one. Returns the
    lessons. Where both handed in a lesson it is a ClassroomError and nothing is moved or, with
    `later`, what was handed in later counts and the other is put aside."""
    from . import lateness  # here, as nbgrader's preprocessors take long to import

    file = coursefile.read(course)
    unless(
        other not in file.learners,
        ClassroomError(f"{other} is on the roster, and so is another person."),
    )
    if learner not in file.learners:
        meant = nearest(learner, dict.fromkeys(file.learners, ()))
        offer = f"; the nearest name is {meant}" if meant else ""
        raise ClassroomError(f"{learner} is not on the roster{offer}.")
    with alone(course):
        with course.gradebook() as gradebook:
            theirs, ours = (_marked(gradebook, login) for login in (other, learner))
            folders = (path for step in STEPS for path in (course.root / step / other).glob("*"))
            lessons = sorted({*theirs, *(path.name for path in folders)})
            unless(
                lessons or other in file.learners[learner].also,
                ClassroomError(f"Nobody has handed in anything as {other!r}."),
            )
            handed_in = {
                name: (
                    (course.path("submitted", name, other), theirs.get(name)),
                    (course.path("submitted", name, learner), ours.get(name)),
                )
                for name in lessons
            }
            newer = {name for name, one in handed_in.items() if _is_newer(*one)}
            both = [
                name
                for name, ((there, _), (here, _)) in handed_in.items()
                if (there.is_dir() and here.is_dir()) or (name in theirs and name in ours)
            ]
            unless(
                later or not both,
                ClassroomError(
                    f"{other} and {learner} both handed in {', '.join(both)}, so nothing was "
                    f"moved. With --later what was handed in later counts; the other is put into "
                    f"{course.root.name}/{PUT_ASIDE}."
                ),
            )
            _remember(course, file, other, learner)
            _move_marks(gradebook, other, learner, newer)
        changes.rename(course, json.dumps(other), json.dumps(learner), rubric.LOG)
        for name in lessons:
            _move_folders(course, name, other, learner, name in newer)
            changes.record(course, name, why=f"handed in as {other}")
        lateness.apply(course)
    return lessons


def _marked(gradebook: Gradebook, login: str) -> dict[str, SubmittedAssignment]:
    """By lesson, what the gradebook has under this login."""
    return {
        row.assignment.name: row
        for row in gradebook.db.query(SubmittedAssignment).filter_by(student_id=login)
    }


HandedIn = tuple[Path, SubmittedAssignment | None]  # a folder, which need not be there, and marks


def _is_newer(theirs: HandedIn, ours: HandedIn) -> bool:
    """True if what counts is theirs: the folder, or without folders the marks, are later."""

    def when(folder: Path, marks: SubmittedAssignment | None) -> tuple[bool, bool, datetime]:
        at = handed_in_at(folder) or (marks and marks.timestamp) or datetime.min
        return folder.is_dir(), folder.is_dir() or marks is not None, at

    return when(*theirs) > when(*ours)


def _remember(course: CourseFolder, file: coursefile.CourseFile, other: str, learner: str) -> None:
    """Keep that what is handed in as `other` from now on is this learner's, and its extensions."""
    with coursefile.changed(course) as document:
        document["learners"][learner]["also"] = sorted({*file.learners[learner].also, other})
        for name in file.lessons:
            extensions = coursefile.table(document, "lessons", name).get("extensions", {})
            if other in extensions:
                extensions.setdefault(learner, extensions.pop(other))


def _move_marks(gradebook: Gradebook, other: str, learner: str, newer: set[str]) -> None:
    """All marks, in one transaction; of a lesson that both have, those that count."""
    ours, theirs = _marked(gradebook, learner), _marked(gradebook, other)
    student = gradebook.update_or_create_student(learner)
    for lesson, marked in theirs.items():
        lost = marked if lesson in ours and lesson not in newer else ours.get(lesson)
        if lost is not None:
            for notebook in list(lost.notebooks):
                for row in (*notebook.grades, *notebook.comments):
                    gradebook.db.delete(row)
                gradebook.db.delete(notebook)
            gradebook.db.delete(lost)
        if lost is not marked:
            gradebook.db.flush()
            marked.student = student
    gradebook.db.flush()
    gradebook.db.query(Student).filter_by(id=other).delete()
    gradebook.db.commit()


# --- folders -------------------------------------------------------------------------------------


def settle(course: CourseFolder, lesson: str) -> None:
    """Rename what the exchange has from other logins, and move what lies in submitted/. Of two
    folders there the newer one counts."""
    for learner, person in coursefile.read(course).learners.items():
        for other in person.also:
            for folder in (course.shelves / "inbound").glob(f"{other}+{lesson}+*"):
                name = f"{learner}{folder.name.removeprefix(other)}"
                rename_inbound(folder, name, f"be renamed to {name!a}")
            theirs, ours = (course.path("submitted", lesson, login) for login in (other, learner))
            _move_folders(course, lesson, other, learner, _is_newer((theirs, None), (ours, None)))


def rename_inbound(folder: Path, name: str, what: str) -> None:
    """Give a folder of the exchange's another name, unless its learner has taken it away by now;
    ClassroomError that `what` must be done where that is not allowed."""
    try:
        with suppress(FileNotFoundError):
            folder.rename(folder.with_name(name))
    except OSError as error:
        raise ClassroomError(
            f"{str(folder)!a} must {what}, and you may not ({error.strerror}): "
            "inbound/ has to belong to you."
        ) from error


def _move_folders(course: CourseFolder, lesson: str, other: str, learner: str, newer: bool) -> None:
    """Move what lies under the other login into the learner's place, if it is `newer` than what is
    there; else put it aside."""
    for step in STEPS:
        source, target = (course.path(step, lesson, login) for login in (other, learner))
        if not source.is_dir():
            continue
        loses = target if newer else source
        if loses.exists():
            place = course.root / PUT_ASIDE / loses.relative_to(course.root)
            shutil.rmtree(place, ignore_errors=True)
            place.parent.mkdir(parents=True, exist_ok=True)
            loses.rename(place)
        if newer:
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)
        with suppress(OSError):  # other lessons are there
            source.parent.rmdir()


# --- a lesson -------------------------------------------------------------------------------------


def gone(course: CourseFolder) -> Iterator[str]:
    """A sentence for each lesson that the gradebook has and that has no folder here. nbgrader may
    have assignments of an instructor's own, too: their cells have other names."""
    if not (course.root / "gradebook.db").is_file():
        return
    here = lessons_in(course.kernels)
    with course.gradebook() as gradebook:
        marks = {each.name: each.num_submissions for each in gradebook.assignments}
        new = {name: () for name in here if not marks.get(name)}
        for each in gradebook.assignments:
            name, books = each.name, each.notebooks
            checks = [cell.name.startswith(CHECK) for book in books for cell in book.grade_cells]
            if name not in here and checks and all(checks):
                command = f"`grader rename {name} {nearest(name, new) or 'NEW'}`"
                yield (
                    f"The gradebook has {name} ({counted(marks[name], 'mark')}), and there is no "
                    f"folder kernels/{name}. If that lesson was renamed, {command} moves "
                    "everything to its new name; else put the folder back."
                )


def rename(course: CourseFolder, old: str, new: str) -> int:
    """Give everything that the course has of the lesson `old` the name `new`, which a folder of
    kernels/ has. Returns how many learners' marks that are. ClassroomError, and nothing is moved,
    where both have marks or work. Whoever is stopped gives the same command again: the gradebook,
    by which `gone` knows the old name, comes last."""
    here = lessons_in(course.kernels)
    unless(
        old not in here,
        ClassroomError(f"kernels/{old} is still there: give that folder its new name first."),
    )
    unless(
        new in here,
        ClassroomError(f"There is no folder kernels/{new}; there are: {', '.join(here)}."),
    )
    with alone(course):
        # Each folder of the old lesson, and where it belongs.
        folders = (
            *(course.path(step, old) for step in ("source", "release")),
            course.shelves / "outbound" / old,
            *(path for step in STEPS for path in sorted((course.root / step).glob(f"*/{old}"))),
        )
        moves = [
            *((folder, folder.with_name(new)) for folder in folders if folder.is_dir()),
            *(
                (folder, folder.with_name(folder.name.replace(f"+{old}+", f"+{new}+")))
                for folder in sorted((course.shelves / "inbound").glob(f"*+{old}+*"))
            ),
        ]
        with course.gradebook() as gradebook:
            found = {each.name: each for each in gradebook.assignments}
            unless(
                moves or old in found,
                ClassroomError(f"The course has nothing of a lesson {old!r}."),
            )
            if all(name in found and found[name].num_submissions for name in (old, new)):
                raise ClassroomError(
                    f"The gradebook has marks of {old} ({found[old].num_submissions}) and of {new} "
                    f"({found[new].num_submissions}), so nothing was moved."
                )
            both = [
                source.parent.name
                for source, target in moves
                if target.parents[1].name == "submitted" and target.exists()
            ]
            unless(
                not both,
                ClassroomError(
                    f"Both {old} and {new} were handed in by {', '.join(both)}, so nothing was "
                    "moved: keep one of the folders in submitted/."
                ),
            )
            for source, target in moves:
                _move(source, target, old, new)
            with coursefile.changed(course) as document:
                if old in document.get("lessons", {}):
                    kept = coursefile.table(document, "lessons", new)
                    for name, value in document["lessons"].pop(old).items():
                        kept.setdefault(name, value)  # what it says of the new name goes before
            rubric.rename(course, old, new)
            changes.rename(
                course,
                *(f'"lesson": {json.dumps(name)}' for name in (old, new)),
                *(changes.FILE, rubric.LOG),
            )
            if old in found:
                if new in found:  # which nobody has marks of
                    gradebook.remove_assignment(new)
                for notebook in found[old].notebooks:
                    notebook.name = new
                found[old].name = new
                gradebook.db.commit()
            renamed = found.get(old) or found.get(new)
            return renamed.num_submissions if renamed else 0


def _move(source: Path, target: Path, old: str, new: str) -> None:
    """A folder and what in it has the lesson's name. What was handed out anew under the new name
    stays; what was graded under it stands for no marks."""
    for suffix in (".ipynb", ".html"):
        with suppress(OSError):  # there is none, or it is a learner's: any name is read
            (source / f"{old}{suffix}").rename(source / f"{new}{suffix}")
    if target.exists():
        shutil.rmtree(source if source.parent.name in ("source", "release", "outbound") else target)
    if source.exists():
        source.rename(target)
