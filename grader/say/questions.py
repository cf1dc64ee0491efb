"""A question about what went wrong, to be answered by choice before the first hint."""

import re
from typing import NamedTuple

from ..cuda.errors import Message
from ..status import Status

_THREAD = re.compile(r"thread (?:\d+|\([^)]*\))(?: of block (?:\d+|\([^)]*\)))?", re.IGNORECASE)
_NAMED = re.compile(r"\(line (\d+)\)|\bline (\d+)")
_CODE = re.compile(r"[;)]\s*(?://.*)?$|[;)]\s*{")
_EITHER = "Either of them may come first"


class HelpQuestion(NamedTuple):
    """A question, what may be chosen, the right choice of these, and why it is right."""

    text: str
    choices: tuple[str, ...]
    answer: str
    because: str


def about(status: Status, told: Message, line: int | None, source: str) -> HelpQuestion | None:
    """A question about what is `told` of a `source`; None where nothing can be asked."""
    threads = [*dict.fromkeys(_THREAD.findall(told.first))]
    if status == Status.DATA_RACE and len(threads) > 1:
        return HelpQuestion(
            "Which of the two threads comes first?",
            (*(one[0].upper() + one[1:] for one in threads[:2]), _EITHER),
            _EITHER,
            "Nothing orders these accesses. So the result depends on chance.",
        )
    if status == Status.BARRIER_DIVERGENCE and (
        counts := re.search(r"(\d+) of the block's (\d+) threads", told.first)
    ):
        there, every = str(int(counts[2]) - int(counts[1])), counts[2]
        return HelpQuestion(
            "How many threads of the block must reach this barrier?",
            tuple(dict.fromkeys((there, every, "1"))),
            every,
            "`__syncthreads()` waits for all threads of the block.",
        )
    if status == Status.OUT_OF_BOUNDS and (
        size := re.search(r"(`\w+`) has ([\d,]+) elements?", told.first)
    ):
        count = int(size[2].replace(",", ""))
        return HelpQuestion(
            f"Which is the largest index into {size[1]}?",
            (str(count - 1), str(count), str(count + 1)),
            str(count - 1),
            f"{size[1]} has {size[2]} elements, and the first index is 0.",
        )
    if status == Status.UNINITIALIZED_READ:
        return HelpQuestion(
            "Which value does memory have that nobody has written?",
            ("0", "The value of the launch before", "Any value"),
            "Any value",
            "A GPU does not clear memory for a kernel.",
        )
    return _which_line(told, line, source)


def _which_line(told: Message, line: int | None, source: str) -> HelpQuestion | None:
    """Which line to change: the one that the advice names first, or that of the verdict."""
    named = _NAMED.search(told.remedy)
    right = int(named[1] or named[2]) if named else line
    lines = source.splitlines()
    code = [at for at, text in enumerate(lines, 1) if _CODE.search(text) and text.startswith("  ")]
    if right not in code:
        return None
    near = sorted({*code} - {right}, key=lambda at: abs(at - right))[:2]
    return HelpQuestion(
        "Which line would you look at first?",
        tuple(f"line {at}: `{lines[at - 1].strip()}`" for at in sorted((right, *near))),
        f"line {right}: `{lines[right - 1].strip()}`",
        told.remedy or told.why,
    )
