"""Questions that are answered by choice: what one is, and the one about what went wrong, which
comes before the first hint."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..cuda.errors import Message
from ..status import Status

_THREAD = re.compile(r"thread (?:\d+|\([^)]*\))(?: of block (?:\d+|\([^)]*\)))?", re.IGNORECASE)
_NAMED = re.compile(r"\(line (\d+)\)|\bline (\d+)")
_CODE = re.compile(r"[;)]\s*(?://.*)?$|[;)]\s*{")
_EITHER = "Either of them may come first"


@dataclass(frozen=True)
class Prediction:
    """A question, as before a cell is run: what may be chosen, which of these is right, and why."""

    text: str
    choices: tuple[str, ...]
    answer: str  # one of the choices
    because: str  # why it is right
    # With other numbers: text, choices, answer, because.
    anew: tuple[tuple[str, Sequence[str], str, str], ...] = ()
    title: str = "Predict"

    @property
    def key(self) -> str:
        """By which its answer is remembered: another wording is another question."""
        return hashlib.sha256("\n".join((self.text, *self.choices)).encode()).hexdigest()[:16]

    def after(self, reviews: int) -> "Prediction":
        """The question that comes after so many reviews: at first this one, then each of `anew` in
        turn."""
        every = ((self.text, self.choices, self.answer, self.because), *self.anew)
        text, choices, answer, because = every[reviews % len(every)]
        return Prediction(text, tuple(choices), answer, because, self.anew, self.title)


def about(status: Status, told: Message, line: int | None, source: str) -> Prediction | None:
    """A question about what is `told` of a `source`; None where nothing can be asked."""
    threads = [*dict.fromkeys(_THREAD.findall(told.first))]
    if status == Status.DATA_RACE and len(threads) > 1:
        return Prediction(
            "Which of the two threads comes first?",
            (*(one[0].upper() + one[1:] for one in threads[:2]), _EITHER),
            _EITHER,
            "Nothing orders these accesses. So the result depends on chance.",
        )
    if status == Status.BARRIER_DIVERGENCE and (
        counts := re.search(r"(\d+) of the block's (\d+) threads", told.first)
    ):
        there, every = str(int(counts[2]) - int(counts[1])), counts[2]
        return Prediction(
            "How many threads of the block must reach this barrier?",
            tuple(dict.fromkeys((there, every, "1"))),
            every,
            "`__syncthreads()` waits for all threads of the block.",
        )
    if status == Status.OUT_OF_BOUNDS and (
        size := re.search(r"(`\w+`) has ([\d,]+) elements?", told.first)
    ):
        count = int(size[2].replace(",", ""))
        return Prediction(
            f"Which is the largest index into {size[1]}?",
            (str(count - 1), str(count), str(count + 1)),
            str(count - 1),
            f"{size[1]} has {size[2]} elements, and the first index is 0.",
        )
    if status == Status.UNINITIALIZED_READ:
        return Prediction(
            "Which value does memory have that nobody has written?",
            ("0", "The value of the launch before", "Any value"),
            "Any value",
            "A GPU does not clear memory for a kernel.",
        )
    return _which_line(told, line, source)


def _which_line(told: Message, line: int | None, source: str) -> Prediction | None:
    """Which line to change: the one that the advice names first, or that of the verdict."""
    named = _NAMED.search(told.remedy)
    right = int(named[1] or named[2]) if named else line
    lines = source.splitlines()
    code = [at for at, text in enumerate(lines, 1) if _CODE.search(text) and text.startswith("  ")]
    if right not in code:
        return None
    near = sorted({*code} - {right}, key=lambda at: abs(at - right))[:2]
    return Prediction(
        "Which line would you look at first?",
        tuple(f"line {at}: `{lines[at - 1].strip()}`" for at in sorted((right, *near))),
        f"line {right}: `{lines[right - 1].strip()}`",
        told.remedy or told.why,
    )
