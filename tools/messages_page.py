"""docs/messages.md: every message about a kernel, with an example that was run.

`python -m tools.messages_page` runs the examples, a few minutes, and writes the page. An example is
a kernel of tests/broken or tests/said, a typical mistake of a lesson, or one of tests/suites.
`templates` reads each sentence in the source of `ROOMS`; the page lists at its end those that no
example has.
"""

import io
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from textwrap import fill

from rich.console import Console

from grader import course, cuda
from grader.cli import terminal
from grader.cuda import simulator
from grader.cuda.errors import Message
from grader.judge import judge
from grader.judge.verdict import by_cause, foremost
from grader.notebook import cards
from grader.status import Status
from tools import prose

HERE = Path(__file__).parents[1]
sys.path.append(str(HERE / "tests"))

from kernel_files import broken, run, said  # noqa: E402
from suites import answers  # noqa: E402

PAGE = HERE / "docs" / "messages.md"
EXAMPLES = HERE / "docs" / "messages.txt"  # the names of the examples, one per line
ROOMS = (
    "grader/say/*.py",
    "grader/judge/explaining/*.py",
    "grader/judge/technique.py",
    "grader/cuda/limits.py",
    "grader/cuda/simulator.py",
)
STEPS = 100_000  # instructions of a thread, where no exercise has a limit
WIDTH = 100  # columns of the terminal
FIXED = 4  # words: a piece of a sentence that is as long shows that the sentence is there

_HEAD = """\
# Every message about a kernel

Made by `python -m tools.messages_page`; `grader messages` prints the same.

A message says what happened and where, why that is wrong, and, if the grader knows it, what to look
at next. The first sentences, with the place, have at most 30 words, and a card always shows them.
The reason is in a fold of the card.

Each example on this page is a kernel with one mistake. Below the kernel is the message as the card
in the notebook shows it, and as the terminal does. In an exercise, what to look at next is a hint.
A second hint names the place of one small change with which every case passes, if the grader finds
one. A third one says what our own kernel does. The
[last section](#messages-without-an-example) lists the sentences that no example has, with … for
names and numbers.
"""
_REST = """
## Messages without an example

"""


@dataclass(frozen=True)
class Example:
    """A kernel with a mistake, and what a learner reads about it."""

    name: str  # of the file in tests/broken, or lesson/exercise/mistake
    mistake: str  # in words
    source: str  # of the kernel and what it calls
    status: Status
    message: Message
    card: str
    terminal: str  # "": the same as the card, which is that of a cell

    @property
    def text(self) -> str:
        """The example as Markdown."""
        mistake = self.mistake[:1].upper() + self.mistake[1:]
        parts = [f"\n### {self.name}\n\n{mistake}.\n", _fenced("cuda", _numbered(self.source))]
        parts.append("The card:\n\n" + _fenced("text", self.card))
        if self.terminal:
            parts.append("The terminal:\n\n" + _fenced("text", self.terminal))
            hints = [(one, _fenced("text", _filled(text))) for one, text in self.message.hints]
            parts += [f"A hint, “{title}”:\n\n{one}" for title, one in hints]
        return "\n".join(parts)


def _filled(text: str) -> str:
    return fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.strip(chr(10))}\n```\n"


def _numbered(source: str) -> str:
    """The lines with their numbers, without comments above the first line of code."""
    lines = list(enumerate(source.rstrip().splitlines(), 1))
    while lines and (not lines[0][1].strip() or lines[0][1].startswith("//")):
        lines.pop(0)
    return "\n".join(f"{number:>3}  {line}".rstrip() for number, line in lines)


def example(name: str) -> Example:
    """An example by its name; it is run."""
    return _of_lesson(*name.split("/")) if "/" in name else _of_file(name)


def _of_file(name: str) -> Example:
    """A kernel of tests/broken, launched as a `%%cuda` cell is."""
    kernel = next(one for one in (*broken(), *said()) if one.name == name)
    try:
        with simulator.options(step_limit=STEPS):
            run(kernel, simulator.RawModule, simulator.empty)
    except cuda.CudaError as error:
        card = cards.explain(cards.of_error(error)).text
        return Example(name, kernel.words, kernel.source, error.status, error.parts, card, "")
    raise ValueError(f"{name} runs clean")


def _of_lesson(lesson_name: str, exercise: str, name: str) -> Example:
    """A typical mistake of a lesson, as `check` and `grader check` judge it."""
    full = f"{lesson_name}/{exercise}/{name}"
    mistake, source = _answers()[full]
    verdict = judge(f"{lesson_name}/{exercise}", source, sizes=False, hidden=False)
    case = foremost(verdict.cases)
    if case is None:
        raise ValueError(f"{full} passes")
    errors = verdict.diagnostics if case.status == Status.COMPILE_ERROR else ()
    told = case.parts.while_open
    what = cards.Diagnosis(case.status, told, source, line=case.line, diagnostics=errors)
    with io.StringIO() as file:
        console = Console(file=file, width=WIDTH, color_system=None)
        alike = next(cases for cases in by_cause(verdict) if case in cases)
        terminal.show_failures(console, replace(verdict, cases=tuple(alike)), source)
        shown = "\n".join(line.rstrip() for line in file.getvalue().splitlines())
    card = cards.explain(what).text
    return Example(full, mistake, source, case.status, case.parts, card, shown)


@cache
def _answers() -> dict[str, tuple[str, str]]:
    """By name the mistake, in words, and the source: of the lessons and of tests/suites."""
    found = {}
    for suite in ("skips", "mistakes", "said"):
        for answer in answers(suite):
            what = f" (a {answer.cause})" if answer.cause else ""
            found[answer.path] = f"{answer.name}{what}".replace("_", " "), answer.source
    for lesson in course.lessons():
        for wrong in lesson.wrong_kernels:
            found[f"{lesson.name}/{wrong.exercise}/{wrong.name}"] = wrong.mistake, wrong.source
    return found


def templates() -> list[str]:
    """Each sentence of `ROOMS` in the order of the files, with … for names and numbers."""
    texts = []
    for pattern in ROOMS:
        for path in sorted(HERE.glob(pattern)):
            for block in prose.blocks_of_module(path.read_text(encoding="utf-8")):
                texts.append(" ".join(block.text.replace(prose.CODE, "…").split()))
    sentences = (one.strip() for text in texts for one in re.split(r"(?<=[.?!]) ", text))
    said = (re.sub(r"\{[^}]*\}", "…", one) for one in sentences if "\\" not in one)  # of no pattern
    return list(dict.fromkeys(filter(_pieces, said)))


def _pieces(template: str) -> list[str]:
    """What is fixed in a template, longest first; too short a piece shows nothing."""
    pieces = (piece.strip(" ,.:;`") for piece in template.split("…"))
    return sorted((one for one in pieces if len(one.split()) >= FIXED), key=len, reverse=True)


def unseen(page: str) -> Iterator[str]:
    """The templates that a text does not show."""
    words = " ".join(re.sub(r"`[^`\n]*`", "…", page).split())
    for template in templates():
        if _pieces(template)[0] not in words:
            yield template


def page(examples: Iterable[Example]) -> str:
    """The page, by status."""
    texts: dict[Status, list[str]] = {status: [] for status in Status}
    for one in examples:
        texts[Status(one.status)].append(one.text)
    sections = [
        f"\n## {status.replace('_', ' ').capitalize()}\n\n{status.meaning}\n{''.join(some)}"
        for status, some in texts.items()
        if some
    ]
    shown = _HEAD + "".join(sections)
    return shown + _REST + "".join(f"- {one}\n" for one in unseen(shown))


def names() -> list[str]:
    """The names of the examples."""
    return EXAMPLES.read_text(encoding="utf-8").split()


if __name__ == "__main__":
    PAGE.write_text(page(map(example, names())), encoding="utf-8")
