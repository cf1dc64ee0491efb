"""A verdict: plain frozen data, the same for every reader (JSON, HTML, gradebook); and the report
of `grader check --json` about a .cu file or a notebook, in one versioned shape.

What is said of a field here, `Annotated`, is what docs/verdict.md and docs/verdict.schema.json say
of it, which `tools.schema_page` makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Annotated, Any, Literal

from msgspec import Meta, convert, to_builtins

from ..cuda.diagnostics import Diagnostic
from ..status import Status
from .playback.strip import Strip
from .protocol import Scene, Tried

LONGEST_MESSAGE = 4000  # characters
LONGEST_LINE = 1200
CUT = " [...]"
REPEATED = 200  # characters from which on a message is told once
AS_BEFORE = "The same as the first case that failed like this."


def told_apart(one: float, other: float, digits: int = 9) -> tuple[str, str]:
    """Two numbers with `digits` significant digits, or as many more as tell them apart."""
    while digits < 17 and f"{one:.{digits}g}" == f"{other:.{digits}g}":
        digits += 1
    return f"{one:.{digits}g}", f"{other:.{digits}g}"


@dataclass(frozen=True)
class Mismatch:
    """One element of an array that is not what it should be."""

    buffer: Annotated[str, Meta(description="What the learner's kernel calls the array.")]
    index: Annotated[tuple[int, ...], Meta(description="Where, one number for each dimension.")]
    expected: Annotated[float, Meta(description="What the reference says.")]
    found: Annotated[float, Meta(description="What the kernel has left there.")]

    @property
    def place(self) -> str:
        """The element as it is written: `y[3]`."""
        return f"{self.buffer}[{', '.join(map(str, self.index))}]" if self.index else self.buffer

    @property
    def values(self) -> tuple[str, str]:
        """Expected and found, with as many digits as tell them apart."""
        return told_apart(self.expected, self.found)


@dataclass(frozen=True)
class Part:
    """Neighbouring elements that went, or should have gone, into the first wrong element."""

    buffer: Annotated[str, Meta(description="What the learner's kernel calls their array.")]
    first: Annotated[
        tuple[int, ...], Meta(description="Where the first is, one number for each dimension.")
    ]
    index: Annotated[int, Meta(description="The same counted in C order.")]
    count: Annotated[int, Meta(description="How many there are, one behind the other.")]
    found: Annotated[int, Meta(description="How often each went in.")]
    expected: Annotated[int, Meta(description="How often it does in the lesson's own kernel.")]


@dataclass(frozen=True)
class CaseResult:
    """How one case went: one input, with its launches."""

    name: Annotated[str, Meta(description="What the case tries, in words.")]
    visible: Annotated[bool, Meta(description="Whether learners see it, or only instructors.")]
    status: Annotated[Status, Meta(description="What became of it.")]
    points: Annotated[float, Meta(description="All of `max_points` if it passed, else none.")]
    max_points: Annotated[float, Meta(description="What it is worth.")]
    message: Annotated[str, Meta(description="What is wrong, in sentences; empty if nothing.")] = ""
    line: Annotated[
        int | None, Meta(description="The line it is about, from 1; null where there is none.")
    ] = None
    mismatches: Annotated[
        tuple[Mismatch, ...], Meta(description="The first few elements that are wrong.")
    ] = ()
    made_of: Annotated[
        tuple[Part, ...],
        Meta(
            description="What the first wrong element was made of, and should have been; empty "
            "where that is not known, or the same."
        ),
    ] = ()
    patterns: Annotated[
        tuple[str, ...],
        Meta(
            description="What was seen of the making of the first wrong element, in words that a "
            "hint may be tied to."
        ),
    ] = ()
    note: Annotated[
        str,
        Meta(
            description="Of a case that was to go wrong, and did as it was asked to, what the "
            "simulated GPU saw; empty for all others."
        ),
    ] = ""
    where: Annotated[
        Scene | None,
        Meta(
            description="In which `launch` of the case, from 1, and in which `block` (its "
            "blockIdx, or null) it went wrong, and in which `order` the simulated GPU ran the "
            "threads; null where that is not known."
        ),
    ] = None
    strip: Annotated[
        Strip | None,
        Meta(
            description="The steps that lead to where it went wrong, for a class's feedback page; "
            "null in what `grader check` prints."
        ),
    ] = None

    @property
    def failed(self) -> bool:
        """Whether it was run, and did not pass."""
        return self.status not in (Status.PASSED, Status.NOT_RUN)


@dataclass(frozen=True)
class EverySize:
    """What is known of all sizes, grids and blocks of a kernel that is right in all other cases."""

    outcome: Annotated[
        Literal["proved", "counterexample", "not decided", "not searched"],
        Meta(
            description="`proved`: within the exercise's rules no launch goes out of bounds, is "
            "misaligned, races, or leaves a thread behind at a barrier or a shuffle. "
            "`counterexample`: one does. If it was found by trying launches, the last of the "
            "verdict's cases failed and says how; if Z3 alone found it, that case passed, and "
            "`why` says how. `not decided`: neither is known, and it costs nothing. `not "
            "searched`: in verdicts of older versions, nothing was looked for."
        ),
    ]
    assumes: Annotated[
        tuple[str, ...], Meta(description="What a proof rests on, in sentences.")
    ] = ()
    why: Annotated[
        str, Meta(description="Why nothing is known, or what goes wrong without costing points.")
    ] = ""
    lines: Annotated[
        tuple[int, ...], Meta(description="The lines of what could not be excluded.")
    ] = ()
    tried: Annotated[Tried | None, Meta(description="The launch that goes wrong; or null.")] = None


@dataclass(frozen=True)
class Partial:
    """What a failed answer gets for all that is right beside one fault that the lesson names."""

    mistake: Annotated[str, Meta(description="The fault, in words.")]
    leaves: Annotated[float, Meta(description="Which part of the points it leaves, from 0 to 0.6.")]
    of: Annotated[
        float, Meta(description="What the answer would get without the fault: points `leaves` of.")
    ]


@dataclass(frozen=True)
class Verdict:
    """The judgement on one source text for one exercise."""

    exercise: Annotated[str, Meta(description='Which exercise, "LESSON/NAME".')]
    points: Annotated[
        float,
        Meta(
            description="What the answer gets: the points of all cases together or, where `partial`"
            " is not null, what that leaves, which is more."
        ),
    ]
    max_points: Annotated[
        float,
        Meta(description="What the exercise is worth, whether all of its cases were run or not."),
    ]
    status: Annotated[Status, Meta(description="`passed`, or that of the first case that did not.")]
    message: Annotated[str, Meta(description="That case's.")] = ""
    line: Annotated[int | None, Meta(description="That case's.")] = None
    cases: Annotated[tuple[CaseResult, ...], Meta(description="In the exercise's order.")] = ()
    diagnostics: Annotated[
        tuple[Diagnostic, ...], Meta(description="The compiler's errors, if it refuses the source.")
    ] = ()
    counters: Annotated[
        dict[str, int],
        Meta(
            description="The simulated GPU's totals over the last passed case with a budget, or "
            "over the last case: Nsight Compute's, and the longest paths."
        ),
    ] = field(default_factory=dict)
    contest: Annotated[
        dict[str, int],
        Meta(
            description="What a contest compares, over the exercise's last case: sectors of global "
            "memory and instructions; empty unless that case is hidden, has a budget, and passed."
        ),
    ] = field(default_factory=dict)
    device: Annotated[
        str, Meta(description="`simulator`, or `gpu` where cases also ran on a real one.")
    ] = "simulator"
    seed: Annotated[int, Meta(description="What the inputs were drawn from.")] = 0
    compiler: Annotated[
        str, Meta(description="`nvrtc` or `clang`: whose program the simulated GPU ran.")
    ] = "nvrtc"
    kind: Annotated[
        str,
        Meta(
            description="Of the exercise: `write`, `order` (the lines), `place` (what is missing), "
            "`break` (a right kernel), `cheaper` (make it so) or `bug` (find it)."
        ),
    ] = "write"
    every_size: Annotated[
        EverySize | None,
        Meta(
            description="What is known of all sizes; null where other cases failed (but for a "
            "launch that breaks a kernel whose other cases are over budget), or where the "
            "exercise has no case of this kind."
        ),
    ] = None
    partial: Annotated[
        Partial | None,
        Meta(
            description="How `points` came about where they are more than those of the cases; null "
            "where they are the same. New in version 2."
        ),
    ] = None

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON-ready data; JSON has no NaN or infinity, so these become text."""
        plain: dict[str, Any] = _plain(to_builtins(self))
        return plain

    @classmethod
    def from_dict(cls, data: object) -> Verdict:
        """The verdict that `to_dict` made `data` of. msgspec.ValidationError if it is none."""
        return convert(data, cls, strict=False)

    @property
    def ends(self) -> tuple[str, ...]:
        """What hints may be tied to: the patterns of the first case that failed, and the status."""
        failed = foremost(self.cases)
        seen = failed.patterns if failed and failed.visible else ()
        return (*seen, str(self.status))

    def without_part(self) -> Verdict:
        """The same verdict with the points of the passed cases alone."""
        return replace(self, points=sum(case.points for case in self.cases), partial=None)

    def for_learner(self) -> Verdict:
        """The same verdict with hidden cases reduced to their category: no line, no content."""
        cases = tuple(case if case.visible else _category_only(case) for case in self.cases)
        failure = foremost(cases)
        if failure is None or failure.visible:
            return replace(self, cases=cases)
        return replace(self, cases=cases, message=failure.message, line=None, diagnostics=())


def foremost(cases: Sequence[CaseResult]) -> CaseResult | None:
    """The failed case whose status, message and line are the verdict's: the first, or the first of
    its status that a learner sees, which says more than a hidden one."""
    failed = [case for case in cases if case.failed]
    seen = (case for case in failed if case.visible and case.status == failed[0].status)
    return next(seen, failed[0] if failed else None)


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


def by_cause(verdict: Verdict) -> list[list[CaseResult]]:
    """The cases that failed, those of one cause together: of one named fault; of one status on
    one line; or with one message."""
    groups: dict[tuple[object, ...], list[CaseResult]] = {}
    for case in verdict.cases:
        if not case.failed:
            continue
        key: tuple[object, ...] = (case.status, case.line or case.message)
        if verdict.partial and case.status == verdict.status:
            key = (case.status,)
        elif (verdict.diagnostics and case.status == Status.COMPILE_ERROR) or not case.visible:
            key = (case.status, case.line)
        groups.setdefault(key, []).append(case)
    return list(groups.values())


def stopped(cases: list[CaseResult], verdict: Verdict) -> str:
    """The names of cases that failed alike, some of the verdict's."""
    if len(cases) == sum(case.status != Status.NOT_RUN for case in verdict.cases) > 1:
        return "all cases"
    names = [case.name if case.visible else f"{case.name} (hidden)" for case in cases]
    return ", ".join(names)


def _plain(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, tuple):
        return [_plain(value) for value in data]
    return str(data) if isinstance(data, float) and not isfinite(data) else data


def _category_only(case: CaseResult) -> CaseResult:
    passed = case.status == Status.PASSED
    message = "" if passed else f"A hidden case failed ({case.status}): {case.name}."
    return replace(
        case,
        message=message,
        line=None,
        mismatches=(),
        made_of=(),
        patterns=(),
        note="",
        where=None,
        strip=None,
    )


VERSION = 2  # raised when a field goes or changes its meaning; new ones may come without


@dataclass(frozen=True)
class Checked:
    """One exercise that was asked for, and what became of it."""

    exercise: Annotated[str, Meta(description='Which exercise, "LESSON/NAME".')]
    problem: Annotated[
        str,
        Meta(description="What is wrong with the notebook or its cell, in sentences; or empty."),
    ]
    verdict: Annotated[
        Verdict | None, Meta(description="The judgement; null where there was nothing to judge.")
    ]


@dataclass(frozen=True)
class Report:
    """All that was found in a file."""

    checked: Annotated[
        tuple[Checked, ...],
        Meta(description="The exercise of a .cu file, or all of a notebook's lesson."),
    ]
    version: Annotated[int, Meta(description=f"Of this shape: {VERSION}.")] = VERSION

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        return {
            "version": self.version,
            "checked": [
                {
                    "exercise": one.exercise,
                    "problem": one.problem,
                    "verdict": one.verdict and one.verdict.to_dict(),
                }
                for one in self.checked
            ],
        }
