"""The numbers at which a kernel may begin to do something else, read from its PTX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..ptx.program import Form, Function, Immediate, Instruction, PtxModule, components

LARGEST = 1 << 22
MOST_FACTOR = 1 << 12
NO_SIZE = ("bar", "barrier", "shfl", "vote", "match", "redux", "prmt", "lop3", "activemask")
NARROW = re.compile(r"\.[sub](8|16)\b")  # integers of fewer than 32 bits
COMPARES = ("setp", "set", "min", "max", "sub", "add", "selp", "slct")
SMALLEST_WIDTH = 8  # bits
HALF_IS_EXACT_TO = 2048  # whole numbers; of a float that is beyond LARGEST


@dataclass(frozen=True)
class Constants:
    """Some numbers of a kernel, in the order in which they are to be tried."""

    limits: tuple[int, ...]  # that an index or a size may pass
    factors: tuple[int, ...]  # by which something is multiplied or divided, or that are added to it


def same_code(program: PtxModule, other: PtxModule, kernel: str) -> bool:
    """Whether a kernel is the same in two programs, but for the lines of its source."""
    return _code(program, kernel) == _code(other, kernel)


def _code(program: PtxModule, kernel: str) -> list[object]:
    code: list[object] = [*program.variables.values()]
    for function in _functions(program, kernel):
        parts = function.instructions
        code += [(one.form, one.operands, one.guard, one.guard_negated) for one in parts]
        code += [function.variables, function.labels, function.directives]
    return code


def _functions(program: PtxModule, kernel: str) -> list[Function]:
    """A kernel, and what it may call."""
    return [one for one in program.functions.values() if one.name == kernel or not one.entry]


def constants(
    program: PtxModule, kernel: str, other: PtxModule | None
) -> tuple[Constants, Constants]:
    """The constants of a kernel that `other`, a program known to be right, does not use in the same
    way, and those that it does."""
    mine, usual = _uses(program, kernel), _uses(other, kernel) if other else {}
    own = {use: at for use, at in mine.items() if use not in usual}
    shared = {use: at for use, at in mine.items() if use in usual}
    return _constants(own), _constants(shared)


def _constants(uses: dict[tuple[str, int], None]) -> Constants:
    """Comparisons come first, then widths, then all others; the numbers of each in their order."""
    compared = [n for name, n in uses if name in COMPARES]
    widths = [n for name, n in uses if name == "width"]
    others = [n for name, n in uses if name not in (*COMPARES, "width", "factor")]
    limits = dict.fromkeys(n for n in (*compared, *widths, *others) if 1 < n <= LARGEST)
    added = [n for name, n in uses if name in ("factor", "add", "sub")]
    factors = dict.fromkeys(n for n in added if 1 < n <= MOST_FACTOR)
    return Constants(tuple(limits), tuple(factors))


def _uses(program: PtxModule, kernel: str) -> dict[tuple[str, int], None]:
    """What is done with each number: the opcode's first word, "width" where integers wrap there,
    "factor" where something is multiplied or divided by it, "array" where so many elements lie in
    an array of the kernel's own."""
    functions = _functions(program, kernel)
    uses: dict[tuple[str, int], None] = {}
    for function in functions:
        for one in function.instructions:
            uses |= dict.fromkeys(_of_instruction(one))
        uses |= dict.fromkeys(_divisors(uses))
    variables = [one for f in functions for one in f.variables]
    for variable in (*program.variables.values(), *variables):
        uses |= dict.fromkeys(("array", variable.size // width) for width in (4, 8, 1))
    return uses


def _of_instruction(one: Instruction) -> Iterator[tuple[str, int]]:
    form = one.form
    if form.transfers or form.name in NO_SIZE:
        return
    if form.type != "b8" and (narrow := NARROW.search(form.opcode)):
        bits = int(narrow[1])
        yield from (("width", 1 << bits - 1), ("width", 1 << bits))
    if form.name == "cvt" and "f16" in form.opcode and form.type[:1] in "su":
        yield "width", HALF_IS_EXACT_TO
    for operand in one.operands:
        for part in components(operand):
            if isinstance(part, Immediate) and not part.float_width:
                yield from _of_number(form, part.value)


def _of_number(form: Form, number: int) -> Iterator[tuple[str, int]]:
    name, bits = form.name, int(form.type[1:]) if form.type[1:].isdigit() else 32
    if name in ("shl", "shr"):
        if 0 <= number < MOST_FACTOR.bit_length():
            yield "factor", 1 << number
        if SMALLEST_WIDTH <= bits - number < LARGEST.bit_length():  # the rest is lost, or a sign
            yield from (("width", 1 << bits - number), ("width", 1 << bits - number - 1))
    elif name == "and" and number > 0 and not number & number + 1:
        yield from (("width", number + 1), ("factor", number + 1))
    else:
        yield name, abs(number)
    if name in ("mul", "mad", "div", "rem"):
        yield "factor", abs(number)
        if form.has("lo") and number > 1:  # from where on the product needs more bits
            yield from (("width", 2**31 // number), ("width", 2**32 // number))


def _divisors(uses: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """The numbers by which the compiler divides: it multiplies by 2 to the power of 32 and more,
    divided by that number and rounded up, and shifts the product."""
    known = list(uses)
    shifts = {32, *(n % 32 + 32 for name, n in known if name == "shr")}
    for name, magic in known:
        for shift in shifts if name in ("mul", "mad") and magic > 1 << 28 else ():
            by = 2.0**shift / magic
            if 2 < by < MOST_FACTOR and abs(by - round(by)) < by * 2**-28:
                yield "factor", round(by)
