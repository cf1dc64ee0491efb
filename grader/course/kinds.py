"""The kinds of exercise: what is handed out of a solution, and how it is told.

The judge runs all kernels alike. What a kind asks beyond a right answer stands in the cases:
budgets, a `Hazard` that must come about, a counter that must come to `Exactly` a number.

A `WrittenQuestion` has no kernel and no case: its answer is a text, which is read and never run.
What is right lies in the lesson's answers.toml, with the solutions.
"""

import re
import tomllib
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from msgspec import Struct

from ..errors import LearnerError, unless
from ..status import Status

_TOLD = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8"))
YOURS = "// YOUR CODE HERE"

ANSWER = re.compile(
    r"^(?P<indent>[ \t]*)// BEGIN SOLUTION *\n(?P<text>.*?)^[ \t]*// END SOLUTION *(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_FEWEST = 3  # lines
_LINE = re.compile(r"^[ \t]*//   (.*)$", re.MULTILINE)
_BLOCK = re.compile(rf"((?:^[ \t]*//   .*\n)+)[ \t]*{YOURS}", re.MULTILINE)


@dataclass(frozen=True)
class ExerciseKind(ABC):
    """A kind of exercise: how it is named, what is handed out, and how its verdicts are told.
    kinds.toml has what is told of each kind, in the table that its class names."""

    name: ClassVar[str]  # what a verdict calls it
    title: ClassVar[str]  # what people read
    to_do: ClassVar[str]  # what a learner is to do with the cell as it was handed out
    allowed: ClassVar[str] = ""  # what may be changed there, as the page says it
    solved: ClassVar[str] = ""  # what is said of a right answer
    # Words for a status that says too little of this kind, by the status.
    called: ClassVar[Mapping[str, str]] = MappingProxyType({})
    # A verdict over budget names the line that costs most.
    names_the_dearest_line: ClassVar[bool] = True
    # The answer is to go wrong: the hardware is left out, and verdicts do not say how to avoid it.
    goes_wrong: ClassVar[bool] = False
    keeps_what_is_given: ClassVar[bool] = False  # all that is handed out must stay as it is
    # The part of its points that one named mistake leaves, where the lesson does not say.
    fault_leaves: ClassVar[float] = 0.0
    # For which launches an exercise without rules must be right.
    promise: ClassVar[str] = "no rule says for which launches it must be right"
    magic: ClassVar[str] = "cuda"  # the word after %% that its cell begins with

    def __init_subclass__(cls, told: str = "") -> None:
        for name, value in _TOLD.get(told, {}).items():
            setattr(cls, name, value)

    @property
    def points(self) -> float:
        """What it is worth beside its cases."""
        return 0.0

    def asked(self) -> str:
        """The question, as Markdown for the page; empty where the page's prose has it."""
        return ""

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
        if not answers(solution):
            return "has no // BEGIN SOLUTION with an // END SOLUTION on a line below it"
        return (
            f"is handed out solved: nothing is left to {self.title}"
            if _bare(self.handed_out(solution)) == _bare(solution)
            else ""
        )

    def handed_out(self, solution: str) -> str:
        """The kernel as learners get it."""
        return ANSWER.sub(lambda found: self.stub(found["indent"], found["text"]), solution)


@dataclass(frozen=True)
class Given(ExerciseKind):
    """A kind that hands out lines in place of the answer: `given`, whole lines."""

    given: str = ""

    def stub(self, indent: str, answer: str) -> str:
        return self.given.lstrip("\n")


@dataclass(frozen=True)
class Write(ExerciseKind, told="write"):
    """Write it: the answer, mostly the body of a kernel, is left out."""

    def stub(self, indent: str, answer: str) -> str:
        return f"{indent}{YOURS}\n"


@dataclass(frozen=True)
class Order(ExerciseKind, told="order"):
    """Order the lines (Parsons problems): those of the answer are handed out, shuffled, among
    `distractors`, lines that do not belong to it. It is judged as a kernel of these lines, so that
    another right order is right too.

    D. Parsons and P. Haden, Parson's programming puzzles, Australasian Computing Education 2006.
    """

    distractors: tuple[str, ...] = ()

    def stub(self, indent: str, answer: str) -> str:
        lines = [line.strip() for line in answer.splitlines() if line.strip()]
        given, follows = [*lines, *self.distractors], set(pairwise(lines))
        # An order that depends on the lines alone, and in which as few of the answer's as can be
        # found follow each other as they do there.
        shuffled = min(
            (
                sorted(given, key=lambda line: sha256(f"{attempt} {line}".encode()).digest())
                for attempt in range(50)
            ),
            key=lambda order: sum(pair in follows for pair in pairwise(order)),
        )
        return "".join(f"{indent}//   {line}\n" for line in shuffled) + f"{indent}{YOURS}\n"

    def lines(self, handed_out: str) -> tuple[str, ...]:
        return tuple(line for block in _BLOCK.findall(handed_out) for line in _LINE.findall(block))

    def fault(self, solution: str) -> str:
        few = any(
            len([line for line in answer.splitlines() if line.strip()]) < _FEWEST
            for answer in answers(solution)
        )
        return f"has fewer than {_FEWEST} lines to {self.title}" if few else super().fault(solution)


@dataclass(frozen=True)
class Place(ExerciseKind, told="place"):
    """Place it: a barrier, a fence or a guard is left out without a trace. A budget on what it
    costs tells of one too many."""

    def stub(self, indent: str, answer: str) -> str:
        return ""


@dataclass(frozen=True)
class Break(Given, told="break"):
    """Break it: a right kernel is to go wrong in just one way, or to cost just so much. `given` are
    the right kernel's lines in place of the answer. A case's `Hazard` or `Exactly` says what must
    come about; hardware, which sees neither, is left out."""


@dataclass(frozen=True)
class Cheaper(Given, told="cheaper"):
    """Make it cheaper: the kernel is right, and over its budget. `given` are the costly lines in
    place of the answer. Which line costs most is the learner's to find, so no verdict names it."""


@dataclass(frozen=True)
class Bug(Given, told="bug"):
    """Find the bug: `given` are faulty lines in place of the answer."""


# ---- questions ----

KEYS = "answers.toml"  # in a lesson's folder: right answers, by question; never handed out
NOT_RIGHT = "The answer is not right."
BY_HAND = "The answer is kept. A person marks it."
NO_KEY = "The answer is kept. This copy of the course has no right answers, so it cannot check it."

_NUMBER = re.compile(r"([+-]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?)\s*+((?![\d.,])[^\n]*+)")
_CHOOSE = {
    "one": "One option is right.",
    "several": "One or more options are right. Choose all of them.",
    "order": "Put all options into the right order.",
}


class AnswerKey(Struct, frozen=True, forbid_unknown_fields=True):
    """The author's answers to a question, as a learner would write them: the `right` one and the
    reason for it, and by a wrong one the sentence that says why it is wrong."""

    right: str
    because: str = ""
    wrong: dict[str, str] = {}  # msgspec copies it


@dataclass(frozen=True)
class WrittenQuestion(ExerciseKind, told="question"):
    """A question. `asks` is Markdown. With `feedback`, `check` tells at once whether an answer is
    right, else only that it is kept. `key` is set when the question is found, where the course has
    its answers."""

    by_hand: ClassVar[bool] = False  # a person marks all answers

    asks: str = ""
    points: float = 1.0
    feedback: bool = False
    key: AnswerKey | None = None

    def asked(self) -> str:
        return f"**Question**: {self.asks}"

    def stub(self, indent: str, answer: str) -> str:
        return f"# {self.to_do}.\n"

    def handed_out(self, solution: str) -> str:
        return self.stub("", solution)

    def fault(self, solution: str) -> str:
        if self.key is None:
            return "" if self.by_hand else "has no right answer to it"
        try:
            for answer in (self.key.right, *self.key.wrong):
                self.read(answer)
        except LearnerError as error:
            return f"has an answer to it that cannot be read: {error}".rstrip(".")
        return ""

    def written(self, source: str) -> str:
        """The answer in the text of its cell: without blank lines around it, and without lines that
        begin with #."""
        return re.sub(r"^#.*", "", source, flags=re.MULTILINE).strip()

    def read(self, answer: str) -> Any:
        """The answer as it is compared. LearnerError: it is none to this question."""
        return answer

    def same(self, given: Any, other: Any) -> bool:
        """True if both, as they were read, are one answer."""
        return bool(given == other)

    def has(self, given: Any, part: Any) -> bool:
        """True if an answer that was read has the other one in it."""
        return self.same(given, part)

    def marked(self, given: Any) -> tuple[Status, str]:
        """The result for an answer that was read, and the sentences about it."""
        if self.by_hand or self.key is None:
            return Status.KEPT, BY_HAND if self.by_hand else NO_KEY
        if self.same(given, self.read(self.key.right)):
            return Status.PASSED, self.key.because
        wrong = (said for one, said in self.key.wrong.items() if self.has(given, self.read(one)))
        return Status.WRONG_ANSWER, " ".join(wrong) or NOT_RIGHT


@dataclass(frozen=True)
class Choose(WrittenQuestion, told="choice"):
    """Choose: `options` have a word, by which they are chosen, and a text. `choose` is "one",
    "several" or "order". Where they are `shuffled`, each learner has an order of their own."""

    options: Mapping[str, str] = field(default_factory=dict)
    choose: str = "one"
    shuffled: bool = False

    def asked(self) -> str:
        return "\n\n".join(
            (
                super().asked(),
                _CHOOSE[self.choose],
                "Run the cell below to see the options." if self.shuffled else self.listed(""),
            )
        )

    def listed(self, learner: str) -> str:
        """The options as a list in Markdown, in the order that the learner has."""
        words = list(self.options)
        if self.shuffled:
            words.sort(key=lambda word: sha256(f"{learner}\n{self.asks}\n{word}".encode()).digest())
        return "\n".join(f"- `{word}`: {self.options[word]}" for word in words)

    def read(self, answer: str) -> tuple[str, ...]:
        unless(
            self.choose in _CHOOSE,
            LearnerError(f"choose is {self.choose!r}, and must be one of: {', '.join(_CHOOSE)}."),
        )
        words = re.findall(r"[^\s,;`]+", answer)
        known, most = ", ".join(f"`{word}`" for word in self.options), len(self.options)
        for word in (one for one in words if one not in self.options):
            raise LearnerError(f"There is no option `{word:.40}`. The options are: {known}.")
        if self.choose == "order":
            unless(
                len(words) == len({*words}) == most,
                LearnerError(
                    f"The answer has {len(words)} of {most} options. Write each of them once."
                ),
            )
            return tuple(words)
        unless(
            self.choose == "several" or len({*words}) == 1,
            LearnerError(f"The answer has {len(words)} options. Write one of them."),
        )
        return tuple(sorted({*words}))

    def has(self, given: Any, part: Any) -> bool:
        return bool(given == part if self.choose == "order" else set(part) <= set(given))


@dataclass(frozen=True)
class Number(WrittenQuestion, told="number"):
    """A number. `units` says how many of the first unit each one is, such as {"": 1, "%": 0.01};
    a number without a unit counts in the first one. It is right within atol + rtol * |right|."""

    units: Mapping[str, float] = field(default_factory=dict)
    atol: float = 0.0
    rtol: float = 1e-9

    def read(self, answer: str) -> float:
        number, unit = unless(
            _NUMBER.fullmatch(answer.replace("\N{MINUS SIGN}", "-")),
            LearnerError(
                f"`{answer:.40}` is not a number. Write it like `1024` or `0.5`, without commas."
            ),
        ).groups()
        worth = {  # people type one of several signs that look alike, as two are the micro sign
            unicodedata.normalize("NFKC", one): each
            for one, each in (
                # As in "1 sector".
                *((re.sub(r"(\w{3,})s", r"\1", one), each) for one, each in self.units.items()),
                *(("", next(iter(self.units.values()), 1.0)), *self.units.items()),
            )
        }
        unless(
            (alike := unicodedata.normalize("NFKC", unit)) in worth,
            LearnerError(
                f"The unit `{unit:.40}` does not fit. The question takes "
                f"{' or '.join(f'`{one}`' for one in self.units if one) or 'no unit'}."
            ),
        )
        return float(number) * worth[alike]

    def same(self, given: Any, other: Any) -> bool:
        return bool(abs(given - other) <= self.atol + self.rtol * abs(other))


@dataclass(frozen=True)
class Explain(WrittenQuestion, told="text"):
    """A short text, which a person marks."""


KINDS: dict[str, type[ExerciseKind]] = {
    kind.name: kind for kind in (Write, Order, Place, Break, Cheaper, Bug, Choose, Number, Explain)
}


def answers(solution: str) -> list[str]:
    """What stands between each BEGIN SOLUTION and END SOLUTION; nothing in what is handed out."""
    return [found["text"] for found in ANSWER.finditer(solution)]


def unmarked(source: str) -> str:
    """A kernel as people read it: without the lines that are for handing it out alone."""
    return re.sub(r"^[ \t]*// (BEGIN|END) SOLUTION[ \t]*\n", "", source, flags=re.MULTILINE)


def _bare(source: str) -> str:
    return "".join(re.sub(r"//[^\n]*", "", source).split())
