"""What every kind of exercise says of itself."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

_ANSWER = re.compile(
    r"^(?P<indent>[ \t]*)// BEGIN SOLUTION *\n(?P<text>.*?)^[ \t]*// END SOLUTION *(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_MARKER = re.compile(r"^[ \t]*// (BEGIN|END) SOLUTION[ \t]*\n", re.MULTILINE)


@dataclass(frozen=True)
class Kind(ABC):
    """A kind of exercise. `name` is what a verdict calls it, `title` what people read, `to_do` what
    a learner is to do with the cell as it was handed out, `allowed` what may be changed there, as
    the page says it, `solved` what is said of a right answer.
    `called`: words for a status that says too little of it; `names_the_dearest_line`: whether a
    verdict over budget says which line costs most; `goes_wrong`: whether the answer is to go wrong,
    so that the hardware is left out and verdicts do not say how to avoid that;
    `keeps_what_is_given`: whether all that is handed out must stay as it is; `fault_leaves`: the
    part of its points that one named mistake leaves, where the lesson does not say; `promise`: for
    which launches an exercise without rules must be right."""

    name: ClassVar[str]
    title: ClassVar[str]
    to_do: ClassVar[str]
    allowed: ClassVar[str] = ""
    solved: ClassVar[str] = ""
    called: ClassVar[Mapping[str, str]] = MappingProxyType({})
    names_the_dearest_line: ClassVar[bool] = True
    goes_wrong: ClassVar[bool] = False
    keeps_what_is_given: ClassVar[bool] = False
    fault_leaves: ClassVar[float] = 0.0
    promise: ClassVar[str] = "no rule says for which launches it must be right"

    @abstractmethod
    def stub(self, indent: str, answer: str) -> str:
        """What is handed out in place of `answer`, whole lines, which began at `indent`."""

    def lines(self, handed_out: str) -> tuple[str, ...]:
        """The lines that alone may be added to what is handed out, each once, where the kind hands
        out such lines."""
        return ()

    @classmethod
    def word(cls, status: str) -> str:
        """What a learner reads of a status."""
        return cls.called.get(status, status.replace("_", " "))

    def fault(self, solution: str) -> str:
        """What is wrong with the author's `solution` for this kind, without a full stop; or ""."""
        if not is_solution(solution):
            return "has no // BEGIN SOLUTION with an // END SOLUTION on a line below it"
        if _bare(self.handed_out(solution)) == _bare(solution):
            return f"is handed out solved: nothing is left to {self.title}"
        return ""

    def handed_out(self, solution: str) -> str:
        """The kernel as learners get it."""
        return _ANSWER.sub(lambda found: self.stub(found["indent"], found["text"]), solution)


@dataclass(frozen=True)
class Given(Kind):
    """A kind that hands out lines in place of the answer: `given`, whole lines."""

    given: str = ""

    def stub(self, indent: str, answer: str) -> str:
        return self.given.lstrip("\n")


def answers(solution: str) -> Iterator[str]:
    """What stands between each BEGIN SOLUTION and END SOLUTION."""
    for found in _ANSWER.finditer(solution):
        yield found["text"]


def is_solution(kernel: str) -> bool:
    """Whether an answer stands in it, between its two marks; it does not in what is handed out."""
    return _ANSWER.search(kernel) is not None


def unmarked(source: str) -> str:
    """A kernel as people read it: without the lines that are for handing it out alone."""
    return _MARKER.sub("", source)


def _bare(source: str) -> str:
    return "".join(re.sub(r"//[^\n]*", "", source).split())
