"""docs/misconceptions.md: every typical mistake, and what it shows about what its learner believes.

`python -m tools.misconceptions_page` writes the page. It judges each mistake that is new or has
changed, and keeps the first message in docs/misconceptions.json. All of them take a few minutes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator

from grader.counted import counted
from grader.course import KERNELS, Lesson, WrongKernel, lessons
from grader.judge import judge
from grader.status import Status

PAGE = KERNELS.with_name("docs") / "misconceptions.md"
MESSAGES = PAGE.with_suffix(".json")  # by mistake: the key of its source, and the first message

# By the status that a mistake must get: what it reveals about what the learner believes.
REVEALS: dict[str, str] = {
    Status.COMPILE_ERROR: (
        "The learner believes that CUDA has this name, this type or this conversion. The rules of "
        "C++ or the types of CUDA are not clear yet."
    ),
    Status.WRONG_ANSWER: (
        "The learner has a wrong picture of which thread computes which element, or of the value "
        "that it has to compute. Every single access is allowed, so the result alone shows it."
    ),
    Status.OUT_OF_BOUNDS: (
        "The learner believes that there are exactly as many threads as elements, or that an index "
        "of one array is also an index of another array."
    ),
    Status.MISALIGNED: (
        "The learner believes that a wide load can begin at any element. Its address must be a "
        "multiple of its size."
    ),
    Status.UNINITIALIZED_READ: (
        "The learner believes that memory or a variable begins with 0, or that another thread has "
        "already written it."
    ),
    Status.DATA_RACE: (
        "The learner believes that threads run in step, or in the order of their numbers. Without "
        "a barrier or an atomic operation there is no order."
    ),
    Status.BARRIER_DIVERGENCE: (
        "The learner believes that a barrier waits only for the threads that reach it. All threads "
        "of the block must reach it."
    ),
    Status.SHUFFLE_DIVERGENCE: (
        "The learner believes that a lane can read from a lane that does not take part. All lanes "
        "that the mask names must reach the same shuffle."
    ),
    Status.TIMEOUT: (
        "The learner believes that a loop ends by itself, or that another thread will change what "
        "the loop waits for."
    ),
    Status.OVER_BUDGET: (
        "The learner believes that a right result is enough. The cost of memory accesses, of "
        "conflicts or of work that is done twice is not clear yet."
    ),
}

_HEAD = """\
# Misconceptions about CUDA

Made by `python -m tools.misconceptions_page`.

{count} typical mistakes in {lessons} lessons. The authors of the lessons chose the mistakes. They
show what a learner may believe. They do not show how common a belief is: `grader report LESSON`
shows how many learners of your class got each diagnosis.

Each part below is about one kind of mistake, and begins with what this kind reveals. *First
message* is what the judge says first about this mistake. A mistake with the same words in another
exercise is in its own row.
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
    kinds = Counter(wrong.status for _, _, wrong in mistakes)
    page = _HEAD.format(count=len(mistakes), lessons=len(lessons()))
    for status, count in kinds.most_common():
        page += f"\n## {status.replace('_', ' ').capitalize()}: {counted(count, 'mistake')}\n\n"
        page += REVEALS[status] + "\n" + _TABLE
        page += "".join(
            f"| {lesson.name}, `{wrong.exercise}` | {_cell(wrong.mistake)} | "
            f"{_cell(messages[name][1])} |\n"
            for name, lesson, wrong in mistakes
            if wrong.status == status
        )
    return page


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
