"""Verdicts kept by content, on disk: a source is judged once, however many hand it in, and
however often the class is graded. Each file begins with a seal, so that one that was damaged, or
written by somebody who does not know what hidden cases are drawn from, counts as none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ..errors import GO_ON, MachineError
from ..judge import Verdict
from .cache_key import cache_key, judge_key, lesson_key
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
    about. Without `partial_marks` they are told without what a named fault leaves."""

    folder: Path
    kernels: Path
    partial_marks: bool = True
    _keys: dict[tuple[str, str], str] = field(default_factory=dict, compare=False, repr=False)

    def find(self, question: Question) -> Verdict | None:
        try:
            seal, _, content = self._path(question).read_text(encoding="utf-8").partition("\n")
        except (OSError, ValueError):  # none, or no text any more
            return None
        if seal != self._name(question, content):
            return None
        verdict = Verdict.from_dict(json.loads(content))
        return verdict if self.partial_marks else verdict.without_part()

    def verdict(self, question: Question) -> Verdict:
        """The verdict that has been kept; MachineError where somebody has taken it away."""
        found = self.find(question)
        if found is None:
            raise MachineError(f"A verdict is gone from {self.folder}. {GO_ON}")
        return found

    def keep(self, question: Question, verdict: Verdict) -> None:
        """Write it so that a reader sees the whole of it or nothing."""
        path = self._path(question)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = json.dumps(verdict.to_dict())
        whole(path, f"{self._name(question, content)}\n{content}", mode=0o600)

    def settled(self, question: Question) -> bool:
        """Whether there is a verdict that another machine, or another day, would give as well."""
        verdict = self.find(question)
        return verdict is not None and _UNSETTLED.isdisjoint(case.status for case in verdict.cases)

    def judge(self, lesson: str) -> str:
        """What of `cache_key` is not the lesson's own."""
        return self._once("judge", lesson, judge_key)

    def lesson(self, lesson: str) -> str:
        """What of `cache_key` is the lesson's own."""
        return self._once("lesson", lesson, lesson_key)

    def cache_key(self, lesson: str) -> str:
        return self._once("both", lesson, cache_key)

    def _once(self, what: str, lesson: str, key: Callable[[Path, str], str]) -> str:
        if (what, lesson) not in self._keys:
            self._keys[what, lesson] = key(self.kernels, lesson)
        return self._keys[what, lesson]

    def _path(self, question: Question) -> Path:
        return self.folder / f"{self._name(question)}.json"

    def _name(self, question: Question, content: str = "") -> str:
        """Of the question, or of the question with `content` for its answer: nobody can tell it
        without the question's seed."""
        lesson = question.exercise.partition("/")[0]
        named = json.dumps([self.cache_key(lesson), asdict(question), content])
        return hashlib.sha256(named.encode()).hexdigest()
