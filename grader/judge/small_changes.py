"""Search for one small change that makes an answer right: its place is the place of the mistake.

Words, numbers, operators and lines of the answer are changed, one at a time, until every case
passes (R. Singh, S. Gulwani, A. Solar-Lezama, "Automated feedback generation for introductory
programming assignments", PLDI 2013). Changes near the lines that the verdict names come first, and
those to what the solution has and the answer lacks. A hint tells the place of the change, and not
the change.
"""

import re
import time
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import NamedTuple

from .. import course
from ..compilers.declared import Declarations
from ..compilers.lexer import parts
from ..course import Exercise
from ..course.kinds import Write
from ..status import Status
from .borrowed import Alignment
from .explaining.stores import ORDINALS
from .judging import judge
from .verdict import Verdict, foremost

TITLE = "One small change"
MOST = 192  # changes that are tried
SECONDS = 8.0  # of the clock: somebody is waiting
AT_ONCE = 2
LINE = "@"  # in what is told: the line of the change
_REPLACE = f"replace {{}} on {LINE}|What should stand there?"
_MORE_LINES = f"add one line after {LINE}|What should it do?"
_NOT_RUN = {Status.COMPILE_ERROR, Status.NOT_ATTEMPTED, Status.UNSUPPORTED}

# Ranks are in bits: how many changes of a kind there were for each that was the right one, in 250
# wrong kernels that were written by people and programs who had only the lessons.
_FAR, _LINES = (0.0, 3.3, 4.1, 5.0), (1, 3, 9)  # more for so many lines from one that is named
_ALIKE = {  # what may stand in each other's place
    **dict.fromkeys(("< <= > >= == !=", "&& ||", "threadIdx blockIdx", "blockDim gridDim"), 10.0),
    "__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync": 10.0,
    **dict.fromkeys(("x y z w", "fmaxf fminf", "max min", "__syncwarp __syncthreads"), 11.5),
    **dict.fromkeys(("0.0f 1.0f -INFINITY", "INFINITY 0.0f", "int unsigned"), 11.5),
    **dict.fromkeys(("+ - * / %", "& | ^ << >>", "= += -= *= /= <<= >>="), 14.5),
}
_ASSIGNS = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "|=", "&=", "++", "--"}
_BUILT_IN = {"threadIdx", "blockIdx", "blockDim", "gridDim"}
_TERM = r"(?:[A-Za-z_]\w*(?:\.\w+|\[\w+\])?|\d+)"
_OPERATION = rf"(?<![\w.])({_TERM})( [-+*/%] )({_TERM})(?![\w.(\[])"
_MORE = (  # an operation with a number, a name or a product, after the other operand or before it
    rf"(?=([-+*/%]) ({_TERM}(?: \* {_TERM})?)(?![\w.(\[]))",
    rf"(?=(?<![\w.])()({_TERM}(?: \* {_TERM})?) ([*+]) )",
)
_GUARD = r"\bif \(((?!threadIdx)\w+)( < \w+)\)"
_ROUNDS = r"for (auto \1_ = \1, \1 = \1_; \1\2; \1 += "
_PATTERNS = (  # with what may stand in their places
    (r"\[([^][\n]+)(\] *\[)([^][\n]+)\]", (r"[\3\2\1]",), 7.6),
    (r"\(([^(),\n]+)(, )([^(),\n]+)\)", (r"(\3\2\1)",), 7.6),
    (r"(?<![\w.])([\w.]+)( - )([\w.]+)", (r"\3\2\1",), 7.6),
    (_OPERATION, (r"\1", r"\3"), 12.0),
    (rf"(?<![\w.])({_TERM} \* )({_TERM} [-+] {_TERM})", (r"\1(\2)",), 12.0),
    (_GUARD, [f"{_ROUNDS}{one})" for one in ("32", "blockDim.x", "gridDim.x * blockDim.x")], 11.0),
)
# A piece that is not quoted: its brackets are no pairs, or it is long.
_ODD = re.compile(r"^[^\]\[(){}]*[\])}]|[\[({][^\]\[(){}]*$|.{61}", re.DOTALL)
_BARRIER = re.compile(r"__sync(?:threads|warp)\(")
_DECLARATION = re.compile(r"\s*(?:const|float\d?|int|unsigned|__shared__|auto|bool|extern)\b")


Edit = tuple[tuple[int, int], str, str, float]  # a text for a span; what is told, and the rank


class Change(NamedTuple):
    """A kernel with one change on a line, from 1. `told`: what has to be done, in words after "It
    is enough to", and what to ask, with "|" between. The lowest `rank` is tried first."""

    source: str
    line: int
    told: str
    rank: float


def place_of_mistake(
    exercise: Exercise, source: str, verdict: Verdict, root: Path = course.KERNELS
) -> str:
    """A hint that names the place of a small change with which every case passes; "" where the
    search finds none in its time. The verdict is one on this answer, and not what its learner may
    read of it. `root`: the folder of the course."""
    failed, is_fixed = foremost(verdict.cases), exercise.kind.keeps_what_is_given
    one_case = tuple(one for one in exercise.cases if failed and one.name == failed.name)
    if not one_case or is_fixed or not exercise.solved or verdict.status in _NOT_RUN:
        return ""
    until = time.monotonic() + SECONDS
    first = replace(exercise, cases=one_case, steps=())
    judged = partial(
        judge, seed=verdict.seed, root=root, sizes=False, partial_marks=False, explained=False
    )

    def passes(change: Change) -> bool:
        return all(
            time.monotonic() < until and judged(one, change.source).status == Status.PASSED
            for one in (first, exercise)
        )

    # To make the changes takes a time that grows with the square of a line's length.
    is_short = len(source) < 12_000 and max(map(len, source.split("\n"))) < 1_000
    some = islice(changes(exercise, source, verdict), MOST if is_short else 0)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while tried := [*islice(some, AT_ONCE)]:
            for one, is_right in zip(tried, pool.map(passes, tried), strict=True):
                if is_right:
                    return f"It is enough to {one.told.replace('|', '. Then every case passes. ')}"
    return ""


def changes(exercise: Exercise, source: str, verdict: Verdict) -> Iterator[Change]:
    """The small changes of an answer, in the order in which they are tried. Lines that were handed
    out stay, but where they have the mistake."""
    given = exercise.kind.handed_out(exercise.solution).split("\n")
    fixed = {*given} if isinstance(exercise.kind, Write) else set[str]()
    return _Answer(source, exercise.solution, verdict).changes(fixed)


class _Answer:
    """An answer, and where it is unlike the solution. `kinds`: the type of each variable, as it is
    written; `lacks` and `extra`: the words that the solution has more often, and less often."""

    def __init__(self, source: str, solution: str, verdict: Verdict):
        self.source, self.solution, self.status = source, solution, verdict.status
        self.lines = source.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        named = " ".join(re.findall(r"\b[Ll]ines? [\d, andto]+", str(verdict.parts)))
        self._named = {*map(int, re.findall(r"\d+", named)), verdict.line or 1}
        self.kinds = Declarations(source).types
        self.tokens, ours = (
            [one for one, _ in parts(text) if one.lastgroup not in ("comment", "quoted")]
            for text in (source, solution)
        )
        self.words, self.usual = (Counter(one[0] for one in some) for some in (self.tokens, ours))
        self.lacks, self.extra = self.usual - self.words, self.words - self.usual
        self.barriers = {Status.DATA_RACE: 6.0, Status.UNINITIALIZED_READ: 6.0}.get(
            self.status, 3.5 if "divergence" in self.status else 12.0
        )

    def changes(self, fixed: Collection[str]) -> Iterator[Change]:
        """All changes, the lowest rank first, and each text once; none on a line that is fixed."""
        edits = [*self._words(), *self._operands(), *self._patterns(), *self._borrowed()]
        edits += self._statements()
        ranked = []
        for (first, end), text, told, rank in edits:
            line = bisect(self._starts, first)
            if self.lines[line - 1] not in fixed:
                rank += _FAR[bisect(_LINES, min(abs(line - one) for one in self._named))]
                ranked.append((rank, line, first, end, text, told))
        seen = {self.source}
        for rank, line, first, end, text, told in sorted(ranked):
            source = self.source[:first] + text + self.source[end:]
            if source not in seen:
                seen.add(source)
                yield Change(source, line, told.replace(LINE, f"line {line}"), rank)

    def _words(self) -> Iterator[Edit]:
        """A word, number or operator in the place of another one."""
        known: dict[str, None] = dict.fromkeys(_BUILT_IN)  # names so far
        for at, (token, after) in enumerate(pairwise(self.tokens)):
            word, before = token[0], self.tokens[at - 1][0] if at else ""
            told = _REPLACE.format(self._in_words(*token.span()))
            for one, rank in self._others(word, before, after[0], known).items():
                less = 3.0 * (one.strip("-") in self.lacks) * (1 + (word in self.extra))
                yield token.span(), one, told, rank - less
            if word in self.kinds:
                known[word] = None

    def _others(
        self, word: str, before: str, after: str, known: Collection[str]
    ) -> dict[str, float]:
        """What may stand in the place of a word that is between two others, with ranks; `known`:
        the names that are declared there."""
        others: dict[str, float] = {}
        for alike, rank in _ALIKE.items():
            if word in alike.split() and (word not in "xyzw" or before == "."):
                others |= dict.fromkeys(alike.split(), rank)
        if word in self.kinds and after not in _ASSIGNS and before != ".":
            names = [one for one in known if self.kinds.get(one) == self.kinds[word]]
            others |= {one: 14.5 if self.words[one] > 1 else 10.0 for one in names}
        if number := re.fullmatch(r"(\d+)u?", word):
            others |= {one: 15.0 for one in (*self.usual, "0", "1", "31", "32") if one.isdecimal()}
            whole = [one for one in known if self._is_float(one) is False]
            others |= {one: 15.0 if self.words[one] > 1 else 10.5 for one in whole}
            value = int(number[1])
            others |= {str(one): 13.0 for one in (value + 1, abs(value - 1), 2 * value, value // 2)}
        return others

    def _operands(self) -> Iterator[Edit]:
        """An operation more."""
        more, known = _operations(self.solution) - _operations(self.source), {*_BUILT_IN}
        for token, after in pairwise(self.tokens):
            kind = self._is_float(token[0])
            is_operand = re.match(r"[\w)\]]", token[0]) and after[0] not in ("(", "[", ".", "{")
            for one in ("- 1", "+ 1", *more) if is_operand else ():
                if kind in (None, self._is_float(one[2:])) and _names(one) <= known:
                    here = self._in_words(*token.span())
                    told = f"add one operation after {here} on {LINE}|Which one?"
                    yield (token.end(),) * 2, f" {one}", told, 11.0 if one in more else 14.0
            if token[0] in self.kinds:
                known.add(token[0])

    def _patterns(self) -> Iterator[Edit]:
        """One operand of two, what stands beside a comma or a minus in the other order, and a loop
        for a condition."""
        for pattern, texts, rank in _PATTERNS:
            for found in re.finditer(pattern, self.source):
                told = (
                    f"make a loop of the `if` on {LINE}|Which elements should a thread handle?"
                    if pattern == _GUARD
                    else _REPLACE.format(self._in_words(*found.span()))
                )
                yield from ((found.span(), found.expand(text), told, rank) for text in texts)

    def _borrowed(self) -> Iterator[Edit]:
        """What the solution has where the answer has something else; a line of it more."""
        aligned = Alignment(self.source, self.solution)
        for (first, end), text, differences in aligned.differences():
            piece = self.source[first:end]
            here, is_odd = self._in_words(first, end), bool(_ODD.search(piece))
            told = (
                _MORE_LINES
                if ";" in text and first == end
                else f"add something to {LINE}|What is missing there?"
                if not piece
                else f"change {LINE}|Which part of it is wrong?"
                if is_odd
                else _REPLACE.format(here)
                if text
                else f"change {here} on {LINE}|What should stand there, if anything?"
            )
            rank = 2.5 + differences + min(len(piece.split()) / 2, 6.0) + 6.0 * is_odd
            yield (first, end), f" {text} ", told, rank
        usual = Counter(aligned.renamed(one.strip()) for one in Declarations(self.solution).lines)
        for text in usual - Counter(map(str.strip, Declarations(self.source).lines)):
            is_new = not self.lacks.keys().isdisjoint(_names(text))
            rank = self.barriers if _BARRIER.search(text) else 11.0 - 3.0 * is_new
            for start, line in zip(self._starts, self.lines, strict=False):
                if text.endswith(";") and line.rstrip().endswith((";", "{", "}")):
                    yield (start + len(line),) * 2, f"\n{text}", _MORE_LINES, rank

    def _statements(self) -> Iterator[Edit]:
        """A statement that has a line of its own in another place, or less, or on a condition."""
        guards = 6.5 if self.status in (Status.OUT_OF_BOUNDS, Status.DATA_RACE) else 11.7
        conditions = [
            one
            for both in re.findall(r"\bif \((.*?)\) |= ([\w. <>]+) \?", self.source + self.solution)
            if _names(one := "".join(both)) <= self.kinds.keys() | _BUILT_IN
        ]
        for at, line in enumerate(self.lines):
            if not re.fullmatch(r"\s*[^\s/{}#].*;\s*(?://.*)?", line):
                continue
            start, is_barrier = self._starts[at], _BARRIER.search(line)
            rank = self.barriers if is_barrier else 8.0
            for to in range(at - 3, at + 4) if is_barrier else (at + 1,):
                low, high = sorted((at, max(0, min(to, len(self.lines) - 1))))
                rest = [one for k, one in enumerate(self.lines[low : high + 1], low) if k != at]
                moved = "\n".join([*rest, line, ""] if at == low else [line, *rest, ""])
                span = self._starts[low], self._starts[high + 1]
                yield span, moved, f"move line {at + 1}|Where does it belong?", rank
            if not _DECLARATION.match(line):
                told = f"remove {LINE}|What goes wrong because of this line?"
                less = self.barriers if "return" in line else rank + 4.0
                yield (start, self._starts[at + 1]), "\n", told, less
            for one in (
                conditions if re.match(r"\s*(?:\w.*\] [-+*/]?= |\w+ [-+*/]= |atomic)", line) else ()
            ):
                told = f"add a condition to {LINE}|For which threads should the line run?"
                yield (start + len(line) - len(line.lstrip()),) * 2, f"if ({one}) ", told, guards

    def _in_words(self, first: int, end: int) -> str:
        """A piece of a line, and which one it is, if its line has several."""
        at = bisect(self._starts, first) - 1
        same = re.compile(rf"(?<!\w){re.escape(self.source[first:end])}(?!\w)")
        before = len(same.findall(self.lines[at][: first - self._starts[at]]))
        which = f"the {ORDINALS[min(before, len(ORDINALS) - 1)]} "
        is_one = len(same.findall(self.lines[at])) < 2
        return f"{'' if is_one else which}`{' '.join(self.source[first:end].split())}`"

    def _is_float(self, word: str) -> bool | None:
        """Whether an operand is a float; None where that is not known."""
        name = re.split(r"[.\[]", word)[0]
        if re.fullmatch(r"\d+u?", word) or name in _BUILT_IN:
            return False
        return {"int": False, "unsigned": False, "size_t": False, "float": True}.get(
            self.kinds.get(name, "")
        )


def _names(operation: str) -> set[str]:
    """The names that an operation needs."""
    return {*re.findall(r"(?<![\w.])[A-Za-z_]\w*", operation)}


def _operations(source: str) -> Counter[str]:
    """Operations such as "* gridDim.x", also those that are written before another operand."""
    found = [one for pattern in _MORE for one in re.findall(pattern, source)]
    return Counter(f"{one[0] or one[2]} {one[1]}" for one in found)
