"""Verdicts as they are kept beside a graded notebook, and the points that feedback has shown for an
answer: for the same answer a new version of the grader or of the lesson gives no less, unless the
instructor says so.

A file that the grader itself, or nbgrader, has written is read without nbformat's checks, which
take most of the time, and with a sentence where it was damaged since.
"""

import hashlib
import json
import math
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from msgspec import convert, defstruct
from nbformat import NotebookNode

from ..course.weave import grade_id
from ..errors import MachineError
from ..status import Status
from ..submissions.intake import Answer, cuda_source
from ..whole_files import filed, whole
from .folder import CourseFolder

# Beside the autograded notebook: {"fingerprint": ..., "had": ..., "exercises": {name: {"problem":
# ..., "verdict": ...}}}; the fingerprint says what the marks depend on (see `grading`), `had` the
# points of the last notebook that could be read, where this one cannot. Both are added last, by
# `grader autograde` alone: what was graded otherwise, or not to the end, is graded again.
FILE = "verdicts.json"
SHOWN = "shown.txt"  # beside a feedback page: by exercise the points and a name for the answer
UNREADABLE = Status.UNREADABLE  # beside the judge's own: there is an answer, and no reading it
NO_MARK = "no_mark"  # in the metadata of a check cell's output: nbgrader would read a 0
READ_ONLY = 0o444  # as nbgrader leaves what was graded

ShownPoints = dict[str, tuple[float, str]]  # by exercise: points, and a name for the answer


class KeptVerdict(TypedDict):
    """A verdict as it is kept, with what else there is to say of the exercise."""

    problem: str  # a sentence about the notebook, empty when all is well
    verdict: dict[str, Any]  # as `Verdict.to_dict` gives it
    keeps: NotRequired[float]  # points shown for the same answer, where the verdict has fewer


def points(kept: KeptVerdict) -> float | None:
    """The points of an answer, None where it could not be judged, or a person is to mark it."""
    verdict = kept["verdict"]
    judged = {Status.UNREADABLE, Status.UNSUPPORTED, Status.KEPT}.isdisjoint(
        each["status"] for each in (verdict, *verdict.get("cases", ()))
    )
    return kept.get("keeps", float(verdict["points"]) if judged else None)


def score(points: float, most: float) -> float:
    """The points that nbgrader reads: finite, from 0 to `most`. Anything else it would take for
    full marks, or refuse."""
    return min(max(points, 0.0), most) if math.isfinite(points) else 0.0


def mark_of(check: NotebookNode) -> float | None:
    """The points in a check cell that was filled; None: the answer could not be judged."""
    (output,) = check.outputs
    return None if NO_MARK in output.metadata else float(output.data["text/plain"])


# --- the file beside a graded notebook -----------------------------------------------------------


def read(autograded: Path) -> dict[str, KeptVerdict]:
    """The verdicts on a submission, by exercise; `autograded` is the submission's folder.
    MachineError when they are damaged, OSError when there are none."""
    return _object(autograded / FILE, _VERDICTS)["exercises"]  # type: ignore[no-any-return]


def read_if_any(autograded: Path) -> dict[str, KeptVerdict]:
    """The same; none where there are none, as of what was marked by hand alone, or moved away."""
    return read(autograded) if (autograded / FILE).exists() else {}


def fingerprint(autograded: Path) -> str:
    """A name for what the marks depend on; empty where nothing is graded, or not to the end."""
    with suppress(OSError, MachineError):
        return str(_object(autograded / FILE).get("fingerprint", ""))
    return ""


def had(autograded: Path) -> float:
    """The points of the last notebook that could be read; 0 where nothing is known of one."""
    with suppress(OSError, MachineError, ValueError, TypeError):
        return float(_object(autograded / FILE).get("had", 0.0))
    return 0.0


def differing(one: str, other: str) -> list[str]:
    """The names of the parts, as `name:value` between blanks, in which two fingerprints differ."""
    first, second = (dict(part.split(":", 1) for part in text.split()) for text in (one, other))
    return sorted(name for name in first | second if first.get(name) != second.get(name))


def packed(verdicts: dict[str, KeptVerdict], **more: object) -> bytes:
    """The content of `FILE`, without blanks: there is one of these for each learner and lesson."""
    return json.dumps({**more, "exercises": verdicts}, separators=(",", ":")).encode()


def complete(autograded: Path, known: str, before: float) -> None:
    """Add what the marks depend on, once they are in the gradebook, and what it `had` before."""
    whole(autograded / FILE, packed(read(autograded), fingerprint=known, had=before), READ_ONLY)


# --- the points that feedback has shown ----------------------------------------------------------


def keep_shown(course: CourseFolder, lesson: str, learner: str) -> None:
    """Remember what the learner's feedback page shows."""
    filed(
        course.path("feedback", lesson, learner) / SHOWN,
        json.dumps(_graded_points(course, lesson, learner)),
    )


def forget_shown(course: CourseFolder, lesson: str, learner: str) -> None:
    """Let the learner's marks fall."""
    if course.path("feedback", lesson, learner).is_dir():
        whole(course.path("feedback", lesson, learner) / SHOWN, "{}")


def floors(
    course: CourseFolder, lesson: str, learner: str, answers: Iterable[Answer]
) -> tuple[tuple[str, float], ...]:
    """The exercises for whose answers, and just these, feedback has shown points; and these."""
    names = {answer.name: named(answer.source) for answer in answers}
    return tuple(
        (name, points)
        for name, (points, answer) in sorted(shown_points(course, lesson, learner).items())
        if names.get(name) == answer
    )


def shown_points(course: CourseFolder, lesson: str, learner: str) -> ShownPoints:
    """The points that were shown. A page that an earlier version wrote, which kept no such file,
    shows what is graded."""
    place = course.path("feedback", lesson, learner)
    if not (place / f"{lesson}.html").is_file():
        return {}
    with suppress(OSError, ValueError, TypeError, AttributeError):
        kept = json.loads((place / SHOWN).read_text(encoding="utf-8"))
        return {name: (float(points), str(answer)) for name, (points, answer) in kept.items()}
    with suppress(OSError, MachineError):
        return _graded_points(course, lesson, learner)
    return {}


def may_fall(course: CourseFolder, lesson: str, learner: str) -> bool:
    """True if a mark is one that feedback has shown, where the verdict has less, and the instructor
    has let it fall since."""
    place, keeping = course.path("autograded", lesson, learner), set[str]()
    with suppress(OSError, MachineError):
        keeping = {name for name, kept in read(place).items() if "keeps" in kept}
    return bool(keeping) and not keeping <= shown_points(course, lesson, learner).keys()


def _graded_points(course: CourseFolder, lesson: str, learner: str) -> ShownPoints:
    """The judge's points for each answer, as it was graded."""
    kept = read(course.path("autograded", lesson, learner))
    return {
        name: (judged, named(cuda_source("".join(cell["source"]))))
        for cell in cells(course.notebook("autograded", lesson, learner))
        if (name := grade_id(cell)) in kept and (judged := points(kept[name])) is not None
    }


def named(source: str | None) -> str:
    """A name for a text, the same for the same text."""
    return hashlib.sha256((source or "").encode()).hexdigest()[:16]


# --- files that were written here ----------------------------------------------------------------

# What is needed of them.
_VERDICT = defstruct(
    "_VERDICT", [("status", str), ("line", int | None), ("points", float), ("max_points", float)]
)
_KEPT = defstruct("_KEPT", [("verdict", _VERDICT)])
_VERDICTS = defstruct("_VERDICTS", [("exercises", dict[str, _KEPT])])  # type: ignore[valid-type]
_CELL = defstruct("_CELL", [("metadata", dict[str, Any]), ("source", str | list[str])])
_NOTEBOOK = defstruct("_NOTEBOOK", [("cells", list[_CELL])])  # type: ignore[valid-type]


def cells(path: Path) -> list[dict[str, Any]]:
    """The cells of a released or graded notebook. MachineError when it is damaged."""
    return _object(path, _NOTEBOOK)["cells"]  # type: ignore[no-any-return]


def _object(path: Path, form: Any = dict[str, Any]) -> Any:
    """The object in a file of ours, which must have this form and may have more. MachineError when
    it is damaged, OSError when there is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))  # a learner's may have a NaN
        convert(content, form)
    except ValueError as error:
        raise damaged(path) from error
    return content


def damaged(path: Path) -> MachineError:
    """An error that says what to do about a file in release/LESSON or in
    autograded/LEARNER/LESSON."""
    command = "release" if path.parents[1].name == "release" else "autograde"
    return MachineError(
        f"{path} is damaged: delete the folder it lies in, then run `grader {command} "
        f"{path.parent.name}`, which writes it anew."
    )
