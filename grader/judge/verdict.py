"""A verdict: plain frozen data, the same for every reader (JSON, HTML, gradebook); and the report
of `grader check --json` about a .cu file or a notebook, in one versioned shape.

What is said of a field here, `Annotated`, is what docs/verdict.md and docs/verdict.schema.json say
of it, which `tools.schema_page` makes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Annotated, Any, Literal, Self

from msgspec import Meta, convert, to_builtins

from ..cuda.errors import Diagnostic, Message, in_parts
from ..grouped import grouped
from ..status import Status
from .playback.strip import Strip
from .protocol import Scene, ThreadPlace, Tried

LONGEST_MESSAGE = 4000  # characters
LONGEST_LINE = 1200
CUT = " [...]"
REPEATED = 200  # characters from which on a message is told once


def told_apart(one: float, other: float, digits: int = 9) -> tuple[str, str]:
    """Two numbers with `digits` significant digits, or as many more as tell them apart."""
    while digits < 17 and f"{one:.{digits}g}" == f"{other:.{digits}g}":
        digits += 1
    return f"{one:.{digits}g}", f"{other:.{digits}g}"


def indexed(name: str, index: Sequence[int]) -> str:
    """An element as people write it, `y[3]`; the name alone of what has no dimension."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


@dataclass(frozen=True)
class Mismatch:
    """One element of an array that is not what it should be."""

    buffer: Annotated[str, Meta(description="The array, by its name in the learner's kernel.")]
    index: Annotated[tuple[int, ...], Meta(description="Its index, one number per dimension.")]
    expected: Annotated[float, Meta(description="The reference's value.")]
    found: Annotated[float, Meta(description="The kernel's value.")]
    written: Annotated[str, Meta(description="The element as the kernel writes it.")] = ""

    @property
    def place(self) -> str:
        """The element as it is written: `y[3]`."""
        return self.written or indexed(self.buffer, self.index)

    @property
    def values(self) -> tuple[str, str]:
        """Expected and found, with as many digits as tell them apart."""
        return told_apart(self.expected, self.found)


@dataclass(frozen=True)
class Part:
    """Neighbouring elements that are, or should be, part of the first wrong element."""

    buffer: Annotated[str, Meta(description="Their array, by its name in the learner's kernel.")]
    first: Annotated[
        tuple[int, ...], Meta(description="The index of the first, one number per dimension.")
    ]
    index: Annotated[int, Meta(description="The same index in C order.")]
    count: Annotated[int, Meta(description="How many there are in a row.")]
    found: Annotated[int, Meta(description="How often the learner's kernel uses each.")]
    expected: Annotated[int, Meta(description="How often the lesson's own kernel uses each.")]


@dataclass(frozen=True)
class CaseResult:
    """The result of one case: one input, with its launches."""

    name: Annotated[str, Meta(description="The thing that the case tries, in words.")]
    visible: Annotated[
        bool, Meta(description="True if learners see it, false if only instructors do.")
    ]
    status: Annotated[Status, Meta(description="Its result.")]
    points: Annotated[float, Meta(description="`max_points` if it passed, else 0.")]
    max_points: Annotated[float, Meta(description="Its worth.")]
    message: Annotated[
        str, Meta(description="The fault, in sentences; empty if there is none.")
    ] = ""
    line: Annotated[
        int | None, Meta(description="The line of the fault, from 1; null if there is none.")
    ] = None
    mismatches: Annotated[
        tuple[Mismatch, ...], Meta(description="The first few elements that are wrong.")
    ] = ()
    made_of: Annotated[
        tuple[Part, ...],
        Meta(
            description="The parts of the first wrong element, as they are and as they should be; "
            "empty if this is not known, or if both are the same."
        ),
    ] = ()
    patterns: Annotated[
        tuple[str, ...],
        Meta(
            description="Patterns in the way in which the first wrong element was made. An "
            "exercise may have a hint for each."
        ),
    ] = ()
    note: Annotated[
        str,
        Meta(
            description="For a case that must go wrong and did so as required: what the simulated "
            "GPU saw. For a right answer to a question: the reason. Empty for all others."
        ),
    ] = ""
    where: Annotated[
        Scene | None,
        Meta(
            description="The place of the fault: the `launch` of the case, from 1, the `block` "
            "(its blockIdx, or null), the `order` in which the simulated GPU ran the threads, and "
            "the `thread` (its threadIdx, or null). Null if it is not known."
        ),
    ] = None
    differs: Annotated[
        ThreadPlace | None,
        Meta(
            description="The first step on the way to the first wrong element that the lesson's "
            "own kernel does not take: the `block` and the `thread` (linear), the `line`, and the "
            "`values`: what it came to, and what it used. Null if it is not known."
        ),
    ] = None
    strip: Annotated[
        Strip | None,
        Meta(
            description="The steps that lead to the fault, for a class's feedback page; null in "
            "the output of `grader check`."
        ),
    ] = None
    parts: Annotated[
        Message,
        Meta(
            description="The message in its parts. `message` has all of them except `ours`. New in "
            "version 2."
        ),
    ] = field(default_factory=Message)
    ran: Annotated[
        bool,
        Meta(description="False if the case was not run, as the time was over before it."),
    ] = True
    step: Annotated[
        int,
        Meta(
            description="The number, from 1, of the exercise's step that the case fails in; 0 if "
            "it did not fail, or if the exercise has no steps. New in version 2."
        ),
    ] = 0

    def __post_init__(self) -> None:
        """A message that came without its parts, as of an older version, is split into them."""
        if str(self.parts) != self.message:
            object.__setattr__(self, "parts", in_parts(self.message))

    def saying(self, parts: Message) -> Self:
        """The same result with another message."""
        return replace(self, message=str(parts), parts=parts)

    @property
    def failed(self) -> bool:
        """Whether it was to be run, and did not pass."""
        return self.status not in (Status.PASSED, Status.NOT_RUN)


@dataclass(frozen=True)
class EverySize:
    """The knowledge about all sizes, grids and blocks of a kernel whose other cases are right."""

    outcome: Annotated[
        Literal["proved", "counterexample", "not decided", "not searched"],
        Meta(
            description="`proved`: within the exercise's rules no launch goes out of bounds, is "
            "misaligned, races, or leaves a thread behind at a barrier or a shuffle. "
            "`counterexample`: one does. If a launch that was tried showed it, the last of the "
            "verdict's cases failed and says how. If only Z3 found it, that case passed, and `why` "
            "says how. `not decided`: neither is known, and it costs nothing. `not searched`: only "
            "in verdicts of older versions, which did not search."
        ),
    ]
    assumes: Annotated[
        tuple[str, ...], Meta(description="The assumptions of a proof, in sentences.")
    ] = ()
    why: Annotated[
        str, Meta(description="The reason why nothing is known, or a fault that costs no points.")
    ] = ""
    lines: Annotated[
        tuple[int, ...], Meta(description="The lines of faults that could not be excluded.")
    ] = ()
    tried: Annotated[Tried | None, Meta(description="The launch that goes wrong; or null.")] = None


@dataclass(frozen=True)
class Partial:
    """The points of a failed answer that is right except for one fault that the lesson names."""

    mistake: Annotated[str, Meta(description="The fault, in words.")]
    leaves: Annotated[float, Meta(description="The part of the points that it leaves, 0 to 0.6.")]
    of: Annotated[
        float, Meta(description="The points that the answer would get without the fault.")
    ]


@dataclass(frozen=True)
class Verdict:
    """The judgement on one source text for one exercise."""

    exercise: Annotated[str, Meta(description='The exercise, "LESSON/NAME".')]
    points: Annotated[
        float,
        Meta(
            description="The points of the answer: the sum over the cases. If `partial` is not "
            "null, they are more: `leaves` times `of`."
        ),
    ]
    max_points: Annotated[
        float,
        Meta(description="The worth of the exercise, also if some of its cases were not run."),
    ]
    status: Annotated[
        Status,
        Meta(
            description="`passed`, or that of the first failed case. If the exercise has steps, it "
            "is the first one in the first step that is not passed."
        ),
    ]
    message: Annotated[str, Meta(description="The message of that case.")] = ""
    line: Annotated[int | None, Meta(description="The line of that case.")] = None
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
            description="The costs that a contest compares: sectors of global memory and "
            "instructions in the exercise's last case. Empty unless that case is hidden, has a "
            "budget, and passed."
        ),
    ] = field(default_factory=dict)
    device: Annotated[
        str, Meta(description="`simulator`, or `gpu` if cases also ran on a real one.")
    ] = "simulator"
    seed: Annotated[
        int, Meta(description="The seed of the inputs. `grader serve` tells learners 0 instead.")
    ] = 0
    compiler: Annotated[
        str, Meta(description="`nvrtc` or `clang`: the compiler of the program that ran.")
    ] = "nvrtc"
    kind: Annotated[
        str,
        Meta(
            description="The kind of the exercise: `write`, `order` (the lines), `place` (a "
            "missing line), `break` (a right kernel), `cheaper` (make it so) or `bug` (find it); "
            "for a question `choice`, `number` or `text`."
        ),
    ] = "write"
    every_size: Annotated[
        EverySize | None,
        Meta(
            description="The knowledge about all sizes; null if the exercise has no case of this "
            "kind. Also null if other cases failed, except if they are over budget and a launch "
            "breaks the kernel."
        ),
    ] = None
    partial: Annotated[
        Partial | None,
        Meta(
            description="The reason if `points` are more than those of the cases; null if they are "
            "the same. New in version 2."
        ),
    ] = None
    steps: Annotated[
        tuple[str, ...],
        Meta(
            description="The names of the exercise's steps, in order; empty if it has none. A step "
            "is passed if no case failed in it or in a step before it (`step`). New in version 2."
        ),
    ] = ()

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON-ready data; JSON has no NaN or infinity, so these become text."""
        return dict(_plain(to_builtins(self)))

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The verdict that `to_dict` made `data` of. msgspec.ValidationError if it is none."""
        return convert(data, cls, strict=False)

    @property
    def parts(self) -> Message:
        """Those of its message; of a verdict without failed cases all that it says."""
        failed = foremost(self.cases)
        return failed.parts if failed else in_parts(self.message)

    def while_open(self) -> Self:
        """The verdict as its learner may read it before asking for a hint."""
        cases = tuple(one.saying(one.parts.while_open) for one in self.cases)
        return replace(self.unnamed(), cases=cases, message=str(self.parts.while_open))

    def unnamed(self) -> Self:
        """The same verdict without the name of its one fault."""
        return replace(self, partial=self.partial and replace(self.partial, mistake=""))

    @property
    def ends(self) -> tuple[str, ...]:
        """What hints may be tied to: the patterns of the first case that failed, and the status."""
        failed = foremost(self.cases)
        return (*(failed.patterns if failed and failed.visible else ()), str(self.status))

    @property
    def progress(self) -> tuple[str, ...]:
        """A line for each of its steps: "✓ step 1, the loss: passed."."""
        first = min((one.step for one in self.cases if one.failed), default=len(self.steps) + 1)
        passed, later = ("✓", "passed"), ("·", "comes later")
        said = [passed] * (first - 1) + [("✗", "not there yet")] + [later] * len(self.steps)
        rows = enumerate(zip(self.steps, said, strict=False), start=1)
        return tuple(f"{mark} step {at}, {name}: {how}." for at, (name, (mark, how)) in rows)

    def without_part(self) -> Self:
        """The same verdict with the points of the passed cases alone."""
        return replace(self, points=sum(case.points for case in self.cases), partial=None)

    def for_learner(self) -> Self:
        """The same verdict with hidden cases reduced to their category: no line, no content,
        and no seed, from which whoever has the exercise draws them."""
        cases = tuple(
            case
            if case.visible
            else replace(
                case,
                message=""
                if case.status == Status.PASSED
                else f"A hidden case failed ({case.status}): {case.name}.",
                line=None,
                mismatches=(),
                made_of=(),
                patterns=(),
                note="",
                where=None,
                differs=None,
                strip=None,
            )
            for case in self.cases
        )
        failure = foremost(cases)
        return (
            replace(self, cases=cases, seed=0)
            if failure is None or failure.visible
            else replace(
                self, cases=cases, seed=0, message=failure.message, line=None, diagnostics=()
            )
        )


def foremost(cases: Sequence[CaseResult]) -> CaseResult | None:
    """The failed case whose status, message and line are the verdict's: the first in the first step
    that is not passed, or the first of its status that was run and that a learner sees, which says
    more than a hidden one."""
    failed = sorted((case for case in cases if case.failed), key=lambda case: case.step)
    alike = (case for case in failed if case.visible and case.status == failed[0].status)
    return next((case for case in alike if case.ran), failed[0] if failed else None)


def shortened(message: str) -> str:
    """`message` within what a verdict holds: long lines cut, and what is too long in all."""
    lines = [_cut(line, LONGEST_LINE) for line in message[: LONGEST_MESSAGE + 1].split("\n")]
    return _cut("\n".join(lines), LONGEST_MESSAGE)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - len(CUT)] + CUT


def told_once(cases: Iterable[CaseResult]) -> Iterator[CaseResult]:
    """The cases, each message shortened, and a long one only in the first case that has it and
    whose reader reads it."""
    told: dict[str, bool] = {}
    for case in cases:
        message = shortened(case.message)
        if len(message) > REPEATED and (
            told.get(message) or (message in told and not case.visible)
        ):
            message = "This case fails like the one above."
        else:
            told[message] = told.get(message, False) or case.visible
        yield replace(case, message=message)


def by_cause(verdict: Verdict) -> list[list[CaseResult]]:
    """The cases that failed in the first step that is not passed, those of one cause together: of
    one named fault; of one status on one line; or with one message."""
    first = foremost(verdict.cases)
    failed = [one for one in verdict.cases if first and one.failed and one.step == first.step]
    return list(grouped((_cause(one, verdict), one) for one in failed).values())


def _cause(case: CaseResult, verdict: Verdict) -> tuple[object, ...]:
    """What cases of one cause have in common."""
    return (
        (case.status,)
        if verdict.partial and case.status == verdict.status
        else (case.status, case.line)
        if (verdict.diagnostics and case.status == Status.COMPILE_ERROR) or not case.visible
        else (case.status, case.line or case.message)
    )


def stopped(cases: list[CaseResult], verdict: Verdict) -> str:
    """The names of cases that failed alike, some of the verdict's; of three or more the first."""
    if len(cases) == sum(case.status != Status.NOT_RUN for case in verdict.cases) > 1:
        return "all cases"
    names = [case.name if case.visible else f"{case.name} (hidden)" for case in cases]
    return ", ".join(names) if len(names) < 3 else f"{names[0]}, and {len(names) - 1} more cases"


def _plain(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, tuple):
        return [_plain(value) for value in data]
    return str(data) if isinstance(data, float) and not isfinite(data) else data


VERSION = 2  # raised when a field goes or changes its meaning; new ones may come without


@dataclass(frozen=True)
class Checked:
    """One exercise of the file, and its result."""

    exercise: Annotated[str, Meta(description='The exercise, "LESSON/NAME".')]
    problem: Annotated[
        str,
        Meta(description="The fault of the notebook or its cell, in sentences; or empty."),
    ]
    verdict: Annotated[
        Verdict | None, Meta(description="The verdict; null if there was nothing to judge.")
    ]


@dataclass(frozen=True)
class Report:
    """The results for one file."""

    checked: Annotated[
        tuple[Checked, ...],
        Meta(description="The exercise of a .cu file, or all of a notebook's lesson."),
    ]
    version: Annotated[int, Meta(description=f"The version of this format: {VERSION}.")] = VERSION

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
