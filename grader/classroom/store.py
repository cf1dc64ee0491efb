"""Verdicts kept by content, on disk: a source is judged once, however many hand it in, and
however often the class is graded."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from ..judge import Verdict

_PACKAGE = Path(__file__).parents[1]
# What a verdict hangs on beside the lesson: the judge, and the simulated GPU with its compiler.
_JUDGE = ("cuda/**/*.py", "cuda/**/*.h", "judge/*.py")
_JUDGE += ("course.py", "inputs.py", "bounds.py", "sanitize.py")
_UNSETTLED = {"timeout", "unsupported"}  # a busy or broken machine can be the cause of these


@dataclass(frozen=True)
class Question:
    """What the judge is asked: is `source` an answer to the exercise "lesson/name", with hidden
    cases drawn from `seed`?"""

    exercise: str
    source: str
    seed: int


@dataclass(frozen=True)
class Store:
    """A folder of verdicts for the lessons under `kernels`."""

    folder: Path
    kernels: Path

    def find(self, question: Question) -> Verdict | None:
        try:
            return Verdict.from_dict(json.loads(self._path(question).read_text()))
        except (OSError, ValueError, KeyError, TypeError):  # none, or one torn by a crash
            return None

    def keep(self, question: Question, verdict: Verdict) -> None:
        """Write it so that a reader sees the whole of it or nothing."""
        path = self._path(question)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as part:
            json.dump(verdict.to_dict(), part)
        Path(part.name).replace(path)

    def settled(self, question: Question) -> bool:
        """Whether there is a verdict that another machine, or another day, would give as well."""
        verdict = self.find(question)
        return verdict is not None and _UNSETTLED.isdisjoint(case.status for case in verdict.cases)

    def edition(self, lesson: str) -> str:
        return edition(self.kernels, lesson)

    def _path(self, question: Question) -> Path:
        lesson = question.exercise.partition("/")[0]
        asked = json.dumps([self.edition(lesson), asdict(question)])
        return self.folder / f"{hashlib.sha256(asked.encode()).hexdigest()}.json"


def edition(kernels: Path, lesson: str) -> str:
    """A name for the grader and the lesson as they are now: with another one, a verdict given
    before no longer counts."""
    digest = hashlib.sha256(_judge_edition().encode())
    for path in sorted(_lesson_files(kernels / lesson)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def _judge_edition() -> str:
    digest = hashlib.sha256()
    for path in sorted(path for pattern in _JUDGE for path in _PACKAGE.glob(pattern)):
        digest.update(str(path.relative_to(_PACKAGE)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _lesson_files(folder: Path) -> Iterator[Path]:
    """What an exercise is made of: its definition and its solution."""
    yield folder / "exercises.py"
    yield from folder.glob("*.cu")
