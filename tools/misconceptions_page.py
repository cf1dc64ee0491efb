"""docs/misconceptions.md: every typical mistake, and what it shows about what its learner believes.

`python -m tools.misconceptions_page` writes the page. It judges each mistake that is new or has
changed, and keeps the first message in docs/misconceptions.json. All of them take a few minutes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.course import KERNELS, Lesson, WrongKernel, lessons
from grader.errors import counted
from grader.judge import judge
from grader.status import Status

PAGE = KERNELS.with_name("docs") / "misconceptions.md"
MESSAGES = PAGE.with_suffix(".json")  # by mistake: the key of its source, and the first message


@dataclass(frozen=True)
class MistakeKind:
    """Mistakes that reveal the same about what a learner believes."""

    title: str
    status: Status  # that the mistake must get
    message: str  # a pattern that the first message has
    reveals: str


# The first kind that fits counts.
MISTAKE_KINDS = (
    MistakeKind(
        "Nothing breaks where it should",
        Status.WRONG_ANSWER,
        r"This case asks for|^[a-z_]+, line ",
        "The exercise is to break a kernel in one way. The learner believes that this edit causes "
        "that fault, but the kernel is still correct there, or has another fault.",
    ),
    MistakeKind(
        "Elements without a thread",
        Status.WRONG_ANSWER,
        r"^No thread wrote|: No thread wrote",
        "The learner believes that the threads of the grid reach every element. The index, the "
        "guard or the loop leaves elements out.",
    ),
    MistakeKind(
        "The element of another index",
        Status.WRONG_ANSWER,
        r"comes from",
        "The learner has a wrong picture of the order of elements in memory, or of the thread, "
        "lane or launch that has a value. The kernel moves a value from the wrong place.",
    ),
    MistakeKind(
        "Too many or too few inputs",
        Status.WRONG_ANSWER,
        r"\buses?\b(?! the right elements)",
        "The learner has a wrong picture of what one thread, warp, block or launch has seen when "
        "it combines values. Inputs are missing, count twice, or belong to another result.",
    ),
    MistakeKind(
        "Another wrong value",
        Status.WRONG_ANSWER,
        r"",
        "The message names no element that is missing or too many. Often the learner knows which "
        "elements belong to a result, but not what the code computes from them: the initial value, "
        "the order of the steps, the limits of a type, or the formula differ.",
    ),
    MistakeKind(
        "Access out of bounds",
        Status.OUT_OF_BOUNDS,
        r"",
        "The learner believes that there are exactly as many threads as elements, or that an index "
        "of one array is also an index of another array.",
    ),
    MistakeKind(
        "Right, but too expensive",
        Status.OVER_BUDGET,
        r"",
        "The learner believes that a right result is enough. The cost of memory accesses, of "
        "conflicts or of work that is done twice is not clear yet.",
    ),
    MistakeKind(
        "Data race",
        Status.DATA_RACE,
        r"",
        "The learner believes that threads run in step, or in the order of their numbers. Without "
        "a barrier or an atomic operation there is no order.",
    ),
    MistakeKind(
        "A shuffle with lanes that do not take part",
        Status.SHUFFLE_DIVERGENCE,
        r"",
        "The learner believes that a lane can read from a lane that does not take part. All lanes "
        "that the mask names must reach the same shuffle.",
    ),
    MistakeKind(
        "A read of what nobody wrote",
        Status.UNINITIALIZED_READ,
        r"",
        "The learner believes that memory or a variable begins with 0, or that another thread has "
        "already written it.",
    ),
    MistakeKind(
        "A barrier that some threads never reach",
        Status.BARRIER_DIVERGENCE,
        r"",
        "The learner believes that a barrier waits only for the threads that reach it. All threads "
        "of the block must reach it.",
    ),
    MistakeKind(
        "The compiler refuses the source",
        Status.COMPILE_ERROR,
        r"",
        "The learner believes that CUDA has this name, this type or this conversion. The rules of "
        "C++ or the types of CUDA are not clear yet.",
    ),
    MistakeKind(
        "Misaligned access",
        Status.MISALIGNED,
        r"",
        "The learner believes that a wide load can begin at any element. Its address must be a "
        "multiple of its size.",
    ),
    MistakeKind(
        "A kernel that does not end",
        Status.TIMEOUT,
        r"",
        "The learner believes that a loop ends by itself, or that another thread will change what "
        "the loop waits for.",
    ),
)

_HEAD = """\
# Misconceptions about CUDA

Made by `python -m tools.misconceptions_page`.

{count} typical mistakes in {lessons} lessons. The authors of the lessons chose the mistakes. They
show what a learner may believe. They do not show how common a belief is. `grader report LESSON`
shows how many learners of your class got each diagnosis, and how many got it on the same line.

Each part below is about one kind of mistake, and begins with what this kind reveals. The tool takes
the kind from the diagnosis and the first message, so the sentence may not fit each single mistake.
Use it as a question to the learner. It is no result of a study.

*First message* is what the judge says first about this mistake. A mistake with the same words in
another exercise is in its own row.
"""
_TABLE = """
| exercise | mistake | first message |
| --- | --- | --- |
"""


def every() -> Iterator[tuple[str, Lesson, WrongKernel]]:
    """The mistakes of all lessons, each with a name that no other has."""
    for lesson in lessons():
        for wrong in lesson.wrong_kernels:
            yield f"{lesson.name}/{wrong.exercise}/{wrong.name}", lesson, wrong


def key(wrong: WrongKernel) -> str:
    """It changes with the mistake's source."""
    return hashlib.sha256(wrong.source.encode()).hexdigest()[:12]


def first_message(lesson: Lesson, wrong: WrongKernel) -> str:
    """What the judge says first about a mistake."""
    return judge(f"{lesson.name}/{wrong.exercise}", wrong.source).parts.first


def kept() -> dict[str, list[str]]:
    """The messages from the file."""
    text = MESSAGES.read_text(encoding="utf-8") if MESSAGES.is_file() else "{}"
    return dict(json.loads(text))


def text(messages: dict[str, list[str]]) -> str:
    """What the page must hold."""
    mistakes = list(every())
    page = _HEAD.format(count=len(mistakes), lessons=len(lessons()))
    for kind in MISTAKE_KINDS:
        found = [
            f"| {lesson.name}, `{wrong.exercise}` | {_cell(wrong.mistake)} | "
            f"{_cell(messages[name][1])} |\n"
            for name, lesson, wrong in mistakes
            if kind_of(wrong, messages[name][1]) is kind
        ]
        page += f"\n## {kind.title}\n\n{counted(len(found), 'mistake')}. {kind.reveals}\n"
        page += _TABLE + "".join(found)
    return page


def kind_of(wrong: WrongKernel, message: str) -> MistakeKind:
    """The kind of a mistake, by its status and its first message."""
    return next(
        kind
        for kind in MISTAKE_KINDS
        if kind.status == wrong.status and re.search(kind.message, message)
    )


def _cell(sentence: str) -> str:
    """A sentence as a cell of a table."""
    return " ".join(sentence.split()).replace("|", "\\|").replace("<", "&lt;")


def main() -> None:
    """Judge what has changed, and write both files."""
    before, messages = kept(), dict[str, list[str]]()
    for name, lesson, wrong in every():
        known = before.get(name)
        is_current = known is not None and known[0] == key(wrong)
        messages[name] = (
            known if known and is_current else [key(wrong), first_message(lesson, wrong)]
        )
    MESSAGES.write_text(json.dumps(messages, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(text(messages), encoding="utf-8")


if __name__ == "__main__":
    main()
