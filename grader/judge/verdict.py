"""What the judge returns: plain frozen data, the same for every reader (JSON, HTML, gradebook).

A status is one of: passed, wrong_answer, compile_error, launch_error, out_of_bounds, misaligned,
uninitialized_read, data_race, barrier_divergence, shuffle_divergence, timeout, over_budget,
not_attempted, unsupported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from math import isfinite

from ..cuda.diagnostics import Diagnostic

LONGEST_MESSAGE = 4000  # characters
LONGEST_LINE = 400
CUT = " [...]"
REPEATED = 200  # characters from which on a message is told once
AS_BEFORE = "The same as the first case that failed like this."


def told_apart(one: float, other: float, digits: int = 9) -> tuple[str, str]:
    """Two numbers with `digits` significant digits, or as many more as tell them apart."""
    for more in range(digits, 18):
        texts = f"{one:.{more}g}", f"{other:.{more}g}"
        if texts[0] != texts[1]:
            break
    return texts


@dataclass(frozen=True)
class Mismatch:
    """One element of an output that is not what the reference says. `buffer` is what the learner's
    kernel calls the output."""

    buffer: str
    index: tuple[int, ...]
    expected: float
    found: float

    @property
    def place(self) -> str:
        """The element as it is written: `y[3]`."""
        return f"{self.buffer}[{', '.join(map(str, self.index))}]" if self.index else self.buffer

    @property
    def values(self) -> tuple[str, str]:
        """Expected and found, with as many digits as tell them apart."""
        return told_apart(self.expected, self.found)


@dataclass(frozen=True)
class CaseResult:
    """How one case went. `message` is a sentence; `line` counts from 1 in the learner's source."""

    name: str
    visible: bool
    status: str
    points: float
    max_points: float
    message: str = ""
    line: int | None = None
    mismatches: tuple[Mismatch, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The judgement on one source text for one exercise.

    `status` is "passed" or that of the first case that failed; `message` and `line` are that
    case's, `diagnostics` what the compiler says. `counters` are the simulated GPU's totals over
    the last passed case with a budget, or over the last case.
    """

    exercise: str
    points: float
    max_points: float
    status: str
    message: str = ""
    line: int | None = None
    cases: tuple[CaseResult, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    counters: dict[str, int] = field(default_factory=dict)
    device: str = "simulator"
    seed: int = 0

    def to_dict(self) -> dict:
        """The verdict as JSON-ready data; JSON has no NaN or infinity, so these become text."""
        data = asdict(self)
        for case in data["cases"]:
            for mismatch in case["mismatches"]:
                for key in ("expected", "found"):
                    if not isfinite(mismatch[key]):
                        mismatch[key] = str(mismatch[key])
        return data

    @classmethod
    def from_dict(cls, data: dict) -> Verdict:
        """The verdict that `to_dict` made `data` of. KeyError or TypeError if it is none."""
        cases = tuple(
            CaseResult(**case | {"mismatches": tuple(map(_mismatch, case["mismatches"]))})
            for case in data["cases"]
        )
        diagnostics = tuple(map(Diagnostic.from_dict, data["diagnostics"]))
        return cls(**data | {"cases": cases, "diagnostics": diagnostics})

    def for_learner(self) -> Verdict:
        """The same verdict with hidden cases reduced to their category: no line, no content."""
        cases = tuple(case if case.visible else _category_only(case) for case in self.cases)
        first_failed = next((case for case in cases if case.status != "passed"), None)
        if first_failed is None or first_failed.visible:
            return replace(self, cases=cases)
        return replace(self, cases=cases, message=first_failed.message, line=None, diagnostics=())


def shortened(message: str) -> str:
    """`message` within what a verdict holds: long lines cut, and what is too long in all."""
    begun = message[: LONGEST_MESSAGE + 1]
    lines = [_cut(line, LONGEST_LINE) for line in begun.split("\n")]
    return _cut("\n".join(lines), LONGEST_MESSAGE)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - len(CUT)] + CUT


def told_once(cases: Iterable[CaseResult]) -> tuple[CaseResult, ...]:
    """The cases, each message shortened, and a long one only in the first case that has it and
    whose reader reads it."""
    told: dict[str, bool] = {}
    results = []
    for case in cases:
        message = shortened(case.message)
        if len(message) > REPEATED and (
            told.get(message) or (message in told and not case.visible)
        ):
            message = AS_BEFORE
        else:
            told[message] = told.get(message, False) or case.visible
        results.append(replace(case, message=message))
    return tuple(results)


def _mismatch(data: dict) -> Mismatch:
    values = {key: float(data[key]) for key in ("expected", "found")}
    return Mismatch(**data | values | {"index": tuple(data["index"])})


def _category_only(case: CaseResult) -> CaseResult:
    passed = case.status == "passed"
    message = "" if passed else f"A hidden case failed ({case.status}): {case.name}."
    return replace(case, message=message, line=None, mismatches=())
