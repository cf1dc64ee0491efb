"""An answer beside what was handed out: is anything written, and is what was given as it was, where
an exercise is to put lines in order or something in its place? Comments and white space do not
count."""

import re
from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import groupby
from operator import itemgetter

from ..compilers.lexer import on_its_lines, tokens, without_comments
from ..course import Exercise
from ..graphs import postorder

_ASSIGNS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}
_MORE = {"#", "define", "asm", "goto"}  # that no barrier and no guard needs
_HARMLESS = re.compile(
    r"""
    ^[ \t]*+ \# [ \t]*+ (?: include [ \t]*+ <[^>\n]*+> | pragma [ \t]++ unroll [^\n]*+ ) [ \t]*+ $
  | \b (?: using \s++ namespace | namespace \s++ \w++ \s*+ = ) \s*+ [\w:]++ \s*+ ;
  | \b (?: auto | (?: \w++ \s*+ :: \s*+ )? thread_block ) \s++ \w++ \s*+ = \s*+
    (?: \w++ \s*+ :: \s*+ )? this_thread_block \s*+ \( \s*+ \) \s*+ ;
  | \b (?: asm | __asm__ ) \s*+ (?: (?: __ )? volatile (?: __ )? )? \s*+ \( \s*+
    "(?P<ptx> [^"\n]*+ )" \s*+ (?: (?: : \s*+ ){3} "memory" \s*+ )? \) \s*+ ;
    """,
    re.VERBOSE | re.MULTILINE,
)
_ALONE = (
    "The result is right here, but {} Use only the given lines, each at most once and unchanged. "
    "Comments, white space, braces and empty statements do not count."
)
_STAYS = (
    "The result is right here, but {} Leave the given code unchanged, and add only barriers, "
    "fences and conditions. Comments and white space do not count."
)

Changed = tuple[str, int | None]  # a sentence, and the line it is about


def is_blank(source: str, handed_out: str) -> bool:
    """True when `source` is empty or the kernel as it was `handed_out`; comments and white space do
    not count."""
    bare, given = ("".join(without_comments(text).split()) for text in (source, handed_out))
    return bare in ("", given)


def changed(exercise: Exercise, handed_out: str, source: str) -> Changed | None:
    """What of the kernel that was `handed_out` the answer has changed though it must stay, or added
    though that is not asked for; None where all is as it may be."""
    kind = exercise.kind
    if not kind.keeps_what_is_given:
        return None
    source = _without_harmless(source, handed_out)
    lines = kind.lines(handed_out)
    found = _arranged(handed_out, lines, source) if lines else _added(handed_out, source)
    if found is None:
        return None
    what, line = found
    return (_ALONE if lines else _STAYS).format(what), line


def _without_harmless(source: str, handed_out: str) -> str:
    """The source without what changes no given line and does no more than wait: headers, names for
    cooperative groups, barriers and fences in PTX. What was given itself stays."""

    def gone(found: re.Match[str]) -> str:
        waits = all(
            re.fullmatch(
                r"(bar|barrier|membar|fence)\.[\w.:]+(\s+\w+(\s*,\s*\w+)?)?|", statement.strip()
            )
            for statement in re.split(r";|\\[nt]", found["ptx"] or "")
        )
        return "\n" * found[0].count("\n") if waits and found[0] not in handed_out else found[0]

    return _HARMLESS.sub(gone, on_its_lines(source))


def _arranged(handed_out: str, lines: tuple[str, ...], source: str) -> Changed | None:
    """The kernel around the lines must be there in its order, and whole lines among its tokens."""
    mine, at = tokens(source)
    frame = tokens(handed_out)[0]
    loose = Counter(tuple(tokens(line)[0]) for line in lines)

    def onward(
        state: tuple[int, int, tuple[int, ...]],
    ) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        here, there, counts = state
        if here < len(mine) and there < len(frame) and mine[here] == frame[there]:
            yield here + 1, there + 1, counts
        # Braces and empty statements.
        if here < len(mine) and mine[here] in ("{", "}", ";"):
            yield here + 1, there, counts
        yield from (
            (here + len(line), there, (*counts[:number], counts[number] - 1, *counts[number + 1 :]))
            for number, line in enumerate(loose)
            if counts[number] and tuple(mine[here : here + len(line)]) == line
        )

    seen = {state[:2] for state in postorder((0, 0, tuple(loose.values())), onward)}
    reached, _ = max(seen)
    return (
        None
        if (len(mine), len(frame)) in seen
        else _first_strange(handed_out, lines, source, at[reached] if reached < len(at) else 0)
    )


def _first_strange(handed_out: str, lines: tuple[str, ...], source: str, begin: int) -> Changed:
    """The line that is none of the given, or one too many of them; `begin` is where it is looked
    for first."""
    given = Counter(line for _, line, _ in _lines(handed_out)) + Counter(
        tuple(tokens(line)[0]) for line in lines
    )
    mine = list(_lines(source))
    for number, line, text in sorted(mine, key=lambda one: (one[0] < begin, one[0])):
        if line not in given:
            return f"line {number}, `{text}`, is none of the given lines.", number
    for number, line, text in mine:
        given[line] -= 1
        if given[line] < 0:
            return f"line {number}, `{text}`, is there more often than the exercise has it.", number
    return _gone(handed_out, source)


def _gone(handed_out: str, source: str, since: int = 1) -> Changed:
    """The first of the lines of the kernel around, from line `since` of it, that is not there."""
    given, mine = (Counter(line for _, line, _ in _lines(text)) for text in (handed_out, source))
    for number, line, text in _lines(handed_out):
        if number >= since and mine[line] < given[line]:
            texts = {  # of several alike the first comes last, and stays
                its: at for at, one, its in [*_lines(source)][::-1] if mine[one] > given[one]
            }
            return (
                (f"line {texts[near[0]]}, `{near[0]}`, was given as `{text}`.", texts[near[0]])
                if (near := get_close_matches(text, texts, n=1, cutoff=0.5))
                else (f"the line `{text}`, which was given, is gone.", None)
            )
    return "the lines that were given stand in another order.", None


def _added(handed_out: str, source: str) -> Changed | None:
    """What was given must be there in its order, and between its statements nothing that writes."""
    mine = tokens(source)[0]
    frame, rows = tokens(handed_out)
    if len(mine) > len(frame) + 200:  # a barrier or a guard has a few
        return f"{len(mine) - len(frame):,} words and signs are added.", None
    places = _places(frame)

    def onward(state: tuple[int, int]) -> Iterator[tuple[int, int]]:
        here, there = state
        if here < len(mine) and there < len(frame) and mine[here] == frame[there]:
            yield here + 1, there + 1
        if here < len(mine) and (places[there] or mine[here] == "{"):
            yield here + 1, there

    seen = set(postorder((0, 0), onward))
    return (
        _gone(handed_out, source, rows[min(max(there for _, there in seen), len(rows) - 1)])
        if (len(mine), len(frame)) not in seen
        else _writes(mine, frame, handed_out, source)
    )


def _places(frame: list[str]) -> list[bool]:
    """Whether something may be added in front of each token, and behind the last: between two
    statements, or in the condition of an if."""
    open_ifs: list[bool] = []
    found, last = [], ""
    for token in frame:
        # What a statement can follow; the first of a text follows nothing.
        found.append(last in ("", ";", "{", "}", "else") or any(open_ifs[-1:]))
        if token == "(":
            open_ifs.append(last in ("if", "while"))
        elif token == ")" and open_ifs:
            open_ifs.pop()
        last = token
    return [*found, True]


def _writes(mine: list[str], frame: list[str], handed_out: str, source: str) -> Changed | None:
    """What is added that does more than wait or decide."""
    extra = Counter(_deeds(mine)) - Counter(_deeds(frame))
    strange = {
        one
        for one in extra
        if one in _ASSIGNS | _MORE
        or not re.fullmatch(r"if|while|return|\w*(sync|fence|barrier)\w*|this_\w+|min|max", one)
    }
    given = {line for _, line, _ in _lines(handed_out)}
    for number, line, text in _lines(source):
        if line not in given and (does := strange.intersection(line)):
            return f"line {number}, `{text}`, adds `{min(does)}`.", number
    return (f"`{min(strange)}` is added.", None) if strange else None


def _deeds(found: list[str]) -> Iterator[str]:
    """The tokens that assign, and the names of what is called."""
    return (
        token
        for token, behind in zip(found, [*found[1:], ""], strict=True)
        if token in _ASSIGNS | _MORE
        or token.startswith('"')
        or (behind == "(" and token.isidentifier())
    )


def _lines(source: str) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Each line with code on it: its number, its tokens, its text."""
    rows = source.split("\n")
    yield from (
        (number, tuple(token for token, _ in pairs), rows[number - 1].strip())
        for number, pairs in groupby(zip(*tokens(source), strict=True), key=itemgetter(1))
    )
