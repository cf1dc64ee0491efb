"""PTX that a source writes itself, as `asm(...)`: the compiler passes it on unread.

What the compiler makes holds together. PTX that does not is `Malformed`, which whoever reads an
operand finds. `say.ptx_faults` blames the source if an `asm` is there. Every other exception is a
mistake of ours.
"""

import re
from collections.abc import Iterator

from ..compilers.lexer import COMMENT, QUOTED
from .program import Flow, Function, Instruction, Malformed

_BRACKETS = re.compile(rf"{QUOTED}|[()]|[^()\"']+", re.DOTALL)


def dangling(function: Function) -> Iterator[tuple[Malformed, Instruction | None]]:
    """The jumps to labels that are not there, the guards that are no registers, and a last
    instruction after which threads would go on; each with its instruction, if there is one. The
    compiler makes no such thing."""
    for one in function.instructions:
        flow, names = one.form.flow, [getattr(o, "name", None) for o in one.operands]
        if flow is Flow.BRANCH and not function.labels.keys() & names[:1]:
            yield Malformed("no_such_label"), one
        if flow is Flow.TABLE and names[1] not in function.tables:
            yield Malformed("no_such_list_of_labels"), one
        if one.guard and one.guard.name not in function.registers:
            yield Malformed("no_such_register", name=one.guard.name), one
    last = function.instructions[-1] if function.instructions else None
    if last is None or last.form.flow is Flow.NEXT:
        yield Malformed("no_return"), last


def lines_of_assembly(source: str) -> frozenset[int]:
    """The lines on which a source has `asm` statements, comments apart."""
    text = re.sub(
        f"{COMMENT}|({QUOTED})",
        lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]),
        source,
        flags=re.DOTALL,
    )
    return frozenset(
        line + 1
        for one in re.finditer(r"\b(__asm__|__asm|asm)\b", text)
        for line in range(
            text.count("\n", 0, one.start()), text.count("\n", 0, _closing(text, one.end())) + 1
        )
    )


def _closing(text: str, position: int) -> int:
    """Where the bracket that opens after `position` is closed; the end if nowhere."""
    depth = 0
    for token in _BRACKETS.finditer(text, position):
        depth += (token[0] == "(") - (token[0] == ")")
        if token[0] == ")" and depth <= 0:
            return token.end()
    return len(text)
