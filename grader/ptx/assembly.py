"""PTX that a source writes itself, as `asm(...)`: the compiler passes it on unread.

What the compiler makes holds together. PTX that does not is `Malformed`, which whoever reads an
operand finds; if it stands in an `asm` of the source, its author is told. No other exception is
anybody's mistake but ours, and none is caught here.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from ..compilers.lexer import COMMENT, QUOTED
from ..cuda.errors import UnsupportedInstruction
from .program import Flow, Function, Instruction, Malformed

_BRACKETS = re.compile(rf"{QUOTED}|[()]|[^()\"']+", re.DOTALL)


@dataclass(frozen=True)
class Assembly:
    """The `asm` statements of a source."""

    source: str

    def blamed(
        self, error: Malformed, instruction: Instruction | None = None
    ) -> UnsupportedInstruction:
        """What to say of what is Malformed in an instruction (None: in the program that is read):
        the source is blamed if that wrote it. Whatever else goes wrong is a fault of ours."""
        line, why = instruction.line if instruction else error.line, str(error)[:100]
        return (
            _refusal(line, instruction, why)
            if line in self._lines
            else UnsupportedInstruction(
                f"the simulated GPU does not understand this PTX: {why}", line=line
            )
        )

    def check_names(self, function: Function) -> None:
        """Jumps go to labels that there are, guards are registers, and the end is one;
        UnsupportedInstruction names the first that is not."""
        for one in function.instructions:
            flow, names = one.form.flow, [getattr(o, "name", None) for o in one.operands]
            if flow is Flow.BRANCH and not function.labels.keys() & names[:1]:
                raise _refusal(one.line, one, "it jumps to a label that is not there")
            if flow is Flow.TABLE and names[1] not in function.tables:
                raise _refusal(one.line, one, "there is no such list of labels")
            if one.guard and one.guard.name not in function.registers:
                raise _refusal(one.line, one, f"there is no register {one.guard.name}")
        last = function.instructions[-1] if function.instructions else None
        if last is None or last.form.flow is Flow.NEXT:
            raise _refusal(last.line if last else None, last, "the kernel ends without a return")

    @cached_property
    def _lines(self) -> frozenset[int]:
        """The lines on which the source has `asm` statements, comments apart."""
        text = re.sub(
            f"{COMMENT}|({QUOTED})",
            lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]),
            self.source,
            flags=re.DOTALL,
        )
        ends = (
            (text.count("\n", 0, one.start()), text.count("\n", 0, _closing(text, one.end())))
            for one in re.finditer(r"\b(__asm__|__asm|asm)\b", text)
        )
        return frozenset(line + 1 for first, last in ends for line in range(first, last + 1))


def _closing(text: str, position: int) -> int:
    """Where the bracket that opens after `position` is closed; the end if nowhere."""
    depth = 0
    for token in _BRACKETS.finditer(text, position):
        depth += (token[0] == "(") - (token[0] == ")")
        if token[0] == ")" and depth <= 0:
            return token.end()
    return len(text)


def _refusal(line: int | None, instruction: Instruction | None, why: str) -> UnsupportedInstruction:
    what = f"`{instruction.form.opcode}`" if instruction else "What stands"
    where = f"{what} on line {line}" if line else "The PTX of this kernel"
    return UnsupportedInstruction(
        f"{where} does not hold together ({why}). The compiler does not read what stands in "
        "asm(...), and the assembler of a real GPU would refuse it: look there.",
        line=line,
    )
