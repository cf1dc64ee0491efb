"""Verdicts kept by content, on disk: a source is judged once, however many hand it in, and
however often the class is graded."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ..judge import Verdict
from .edition import edition
from .files import whole

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
    """A folder of verdicts for the lessons under `kernels`, as they were when first asked
    about."""

    folder: Path
    kernels: Path
    _editions: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def find(self, question: Question) -> Verdict | None:
        try:
            return Verdict.from_dict(json.loads(self._path(question).read_text()))
        except (OSError, ValueError, KeyError, TypeError):  # none, or one torn by a crash
            return None

    def keep(self, question: Question, verdict: Verdict) -> None:
        """Write it so that a reader sees the whole of it or nothing."""
        path = self._path(question)
        path.parent.mkdir(parents=True, exist_ok=True)
        whole(path, json.dumps(verdict.to_dict()), mode=0o600)

    def settled(self, question: Question) -> bool:
        """Whether there is a verdict that another machine, or another day, would give as well."""
        verdict = self.find(question)
        return verdict is not None and _UNSETTLED.isdisjoint(case.status for case in verdict.cases)

    def edition(self, lesson: str) -> str:
        if lesson not in self._editions:
            self._editions[lesson] = edition(self.kernels, lesson)
        return self._editions[lesson]

    def _path(self, question: Question) -> Path:
        lesson = question.exercise.partition("/")[0]
        asked = json.dumps([self.edition(lesson), asdict(question)])
        return self.folder / f"{hashlib.sha256(asked.encode()).hexdigest()}.json"
