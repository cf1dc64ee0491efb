"""What a learner has done, in one file of theirs: progress.jsonl in their folder.

A line for each thing done, in JSON, and nothing is ever changed but by adding lines:

    {"at": "2026-11-22T10:00:00+00:00", "lesson": "02_tree_reduction", "passed": "interleaved"}
    {"at": ..., "lesson": ..., "predicted": "3f2a90c1", "choice": "8", "right": true}
    {"at": ..., "lesson": ..., "tried": "interleaved", "right": false, "said": "data_race"}

So two of these files become one by putting one after the other, a line twice does no harm, and a
file that is deleted is a new beginning. The first answer to a prediction is the one that counts as
its answer. Later answers, checks and hints ("right": null) tell `recall` what is remembered.
Outside a learner's folder nothing is kept.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FILE = "progress.jsonl"
MARK = ".warpwise"  # the folder by which a learner's folder is known

Try = tuple[datetime, bool | None]  # when (UTC), and if it was right; None: a hint was taken


@dataclass
class Done:
    """All that was done of one lesson."""

    passed: set[str] = field(default_factory=set)  # exercises
    # By exercise, or key of a prediction, in order.
    tries: defaultdict[str, list[Try]] = field(default_factory=lambda: defaultdict(list))
    # By prediction that was answered, the choice and True if it was right.
    predicted: dict[str, tuple[str, bool]] = field(default_factory=dict)
    # By exercise, the status of its first check that was not right, if it came before a right one.
    said: dict[str, str] = field(default_factory=dict)

    @property
    def right(self) -> int:
        return sum(right for _, right in self.predicted.values())


def now() -> datetime:
    """The time of what is done now."""
    return datetime.now(UTC)


def folder(inside: Path | None = None) -> Path | None:
    """The learner's folder that `inside`, or the current folder, lies in; None if it is in none."""
    start = (inside or Path.cwd()).absolute()
    return next((path for path in (start, *start.parents) if (path / MARK).is_dir()), None)


def is_fetched(lesson: str, inside: Path | None = None) -> bool:
    """True if `inside`, or the current folder, is the one that nbgrader's exchange makes for a
    lesson of a graded course: it has the lesson's name."""
    return (inside or Path.cwd()).absolute().name == lesson


def passed(lesson: str, exercise: str) -> None:
    """Remember that an exercise was passed."""
    if exercise not in of(lesson).passed:
        _add({"lesson": lesson, "passed": exercise})


def tried(lesson: str, exercise: str, right: bool | None, said: str = "") -> None:
    """Remember a check of an exercise that `said` this status; or a hint, if `right` is None."""
    _add({"lesson": lesson, "tried": exercise, "right": right, **({"said": said} if said else {})})


def predicted(lesson: str, key: str, choice: str, right: bool) -> None:
    """Remember what was answered."""
    _add({"lesson": lesson, "predicted": key, "choice": choice, "right": right})


def answer(lesson: str, key: str) -> str | None:
    """The choice that was first made in answer to a prediction, if anything."""
    return of(lesson).predicted.get(key, (None, False))[0]


def of(lesson: str) -> Done:
    """All that was done of a lesson, in the learner's folder that the current one lies in."""
    root = folder()
    return read(root).get(lesson, Done()) if root else Done()


def read(root: Path) -> dict[str, Done]:
    """All that was done, by lesson; nothing for lessons of which nothing was."""
    done: dict[str, Done] = defaultdict(Done)
    for event in sorted(_events(root / FILE), key=lambda event: event["at"]):
        lesson = done[event["lesson"]]
        name = event.get("tried") or event.get("passed") or event["predicted"]
        lesson.tries[name].append((event["at"], event.get("right", True)))
        if "passed" in event:
            lesson.passed.add(event["passed"])
        elif "predicted" in event:
            lesson.predicted.setdefault(event["predicted"], (event["choice"], event["right"]))
        elif event["right"] is False and name not in lesson.passed:
            lesson.said.setdefault(name, str(event.get("said", "")))
    return done


def _add(event: dict[str, Any]) -> None:
    if root := folder():
        at = now().isoformat(timespec="seconds")
        # One write to a file opened for appending: notebooks that are open together do not mix.
        with (root / FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"at": at, **event}, ensure_ascii=False) + "\n")


def _events(path: Path) -> Iterator[dict[str, Any]]:
    """The lines that are as this module writes them, `at` as a datetime; others, of a damaged file
    or a newer edition, are passed over."""
    for line in path.read_text("utf-8", "replace").splitlines() if path.is_file() else ():
        with suppress(ValueError):
            match json.loads(line):
                case (
                    {"at": str(at), "lesson": str(), "passed": str()}
                    | {"at": str(at), "lesson": str(), "tried": str(), "right": bool() | None}
                    | {
                        "at": str(at),
                        "lesson": str(),
                        "predicted": str(),
                        "choice": str(),
                        "right": bool(),
                    }
                ) as event:
                    yield event | {"at": datetime.fromisoformat(at).astimezone(UTC)}
