"""What can become of a kernel: the one list of words for it, each with what it means."""

from enum import StrEnum
from typing import Self


class Word(StrEnum):
    """A word with what it means."""

    meaning: str

    def __new__(cls, word: str, meaning: str) -> Self:
        made = str.__new__(cls, word)
        made._value_, made.meaning = word, meaning
        return made


class Status(Word):
    """A verdict's status, equal to its word: `Status.PASSED == "passed"`."""

    PASSED = "passed", "Right in every case that was run, and within its budgets."
    WRONG_ANSWER = (
        "wrong_answer",
        "An output is wrong or was never written, or the kernel changed an input. Also: the kernel "
        "divided an integer by zero, or it did not break in the way that the exercise requires.",
    )
    COMPILE_ERROR = (
        "compile_error",
        "The compiler refuses the source; `diagnostics` has its errors.",
    )
    LAUNCH_ERROR = (
        "launch_error",
        "The exercise cannot launch the kernel (its name, its parameters, its shared memory), or "
        "the kernel ended itself (`assert`, `__trap`) or requested too much memory.",
    )
    OUT_OF_BOUNDS = "out_of_bounds", "A thread touched memory outside every buffer it was given."
    MISALIGNED = "misaligned", "An address is not a multiple of the size of the access."
    UNINITIALIZED_READ = (
        "uninitialized_read",
        "A thread read memory that nobody had written, or needed a variable that has no value.",
    )
    DATA_RACE = (
        "data_race",
        "Two threads accessed one place, at least one wrote, and nothing ordered the accesses.",
    )
    BARRIER_DIVERGENCE = (
        "barrier_divergence",
        "Some threads wait at a barrier that others never reach.",
    )
    SHUFFLE_DIVERGENCE = (
        "shuffle_divergence",
        "A warp-wide operation names lanes that do not take part in it.",
    )
    TIMEOUT = "timeout", "Compiling or running took too long, most likely an endless loop."
    OVER_BUDGET = (
        "over_budget",
        "The answer is right, but it costs more than the exercise allows, or it does not use what "
        "the exercise requires.",
    )
    NOT_RUN = (
        "not_run",
        "A case that was not run to its end, because others come first; it gives no points.",
    )
    NOT_ATTEMPTED = "not_attempted", "The kernel is as it was handed out, or there is none."
    KEPT = (
        "kept",
        "Only for questions: the answer is kept, without points. A person marks it, or the lesson "
        "tells the result only with the marks, or this copy of the course has no right answers.",
    )
    UNSUPPORTED = (
        "unsupported",
        "Not the learner's fault: the simulated GPU lacks an instruction, or the grader itself "
        "failed.",
    )
    UNREADABLE = (
        "unreadable",
        "Only in a class's marks: there is an answer, but the grader cannot read it or cannot tell "
        "which one counts.",
    )


DONE = (Status.PASSED, Status.KEPT)  # nothing is left for the learner to do


class Pattern(Word):
    """What was seen of the making of a wrong element; a hint may be tied to it as to a status."""

    NOBODY_WROTE = "nobody_wrote", "No thread stored it."
    OTHER_PLACE = "other_place", "It is a copy of one element, and should be a copy of another."
    CONSTANT_WON = "constant_won", "It is a number in the code, and should come from an input."
    OTHER_ELEMENTS = (
        "other_elements",
        "It does not use some elements, or uses some that it should not use.",
    )
    TOO_OFTEN = "too_often", "It uses the right elements, but some of them too often."
    FIRST_NAN = "first_nan", "A step made the first NaN."
    CANCELLED = "cancelled", "Large numbers cancel, and mostly their rounding errors are left."
    OVERFLOWED = "overflowed", "A result is too large or too small for a float: infinity, or 0."
    SCALED = "scaled", "All wrong elements are wrong by one factor, or by one amount."
    CHOSEN_OTHERWISE = "chosen_otherwise", "A comparison has another result than in our kernel."
    OTHER_STEP = "other_step", "One of its steps is not a step of our kernel."
    LEFT_EARLY = (
        "left_early",
        "It is an intermediate result of our kernel: a step after it is missing.",
    )


_HEADLINES: dict[str, str] = {
    Status.COMPILE_ERROR: "Does not compile",
    Status.LAUNCH_ERROR: "Cannot be launched",
    Status.TIMEOUT: "Ran too long",
    Status.OVER_BUDGET: "Right, but a requirement is not met",
}


def headline(status: str) -> str:
    """What stands above the account of a failure."""
    return _HEADLINES.get(status, status.replace("_", " ").capitalize())
