"""What is wrong with the PTX of a kernel, in words: by the name of the fault, with its facts.

MALFORMED has what does not hold together, and `refused` makes a sentence of it. UNSUPPORTED has the
rest of the sentence about an instruction that the simulated GPU does not have.
"""

from collections.abc import Callable

from ..compilers.advice import TEXTURES
from ..cuda.errors import UnsupportedInstruction
from ..errors import counted
from ..ptx.assembly import lines_of_assembly
from ..ptx.program import Instruction, Malformed, Unsupported

MALFORMED: dict[str, Callable[..., str]] = {
    # what is declared
    "unknown_declaration": lambda text: f"PTX declaration not understood: {text[:120]}",
    "unknown_header": lambda text: f"PTX function header not understood: {text[:120]}",
    "unknown_directive": lambda text: f"PTX directive not understood: {text[:120]}",
    "no_line_of_a_table": lambda loc: f"{loc:.80} is no line of a line table",
    "no_closing_brace": lambda name, left: f"{name} ends before its closing brace: {left[:40]}",
    "type_of_a_variable": lambda kind: f"a variable of type .{kind}",
    "too_many_registers": lambda number, most: (
        f"it declares {number:,} registers, and {most:,} are the most"
    ),
    "no_return": lambda: "the kernel ends without a return",
    # what an instruction is written with
    "early_end": lambda: "an instruction ends too early",
    "no_literal": lambda token: f"{token[:20]!r} where a number is expected",
    "no_octal_number": lambda token: f"{token[:20]} is no number with 8 for its base",
    "depth_of_operands": lambda: "operands within operands",
    "base_of_an_address": lambda: "an address that is no register, name or number",
    "no_name": lambda: "a name is expected among the operands",
    "no_address": lambda: "an address is expected among the operands",
    "no_number": lambda: "a number is expected among the operands",
    "no_register": lambda kind: f"a register of type .{kind} is expected among the operands",
    "no_value_or_policy": lambda: "a value or the cache policy is missing among its operands",
    "no_mask_of_blocks": lambda: "the mask of blocks is missing among its operands",
    "parts_of_an_operand": lambda parts, wanted: (
        f"an operand has {counted(parts, 'part')} and not {' or '.join(map(str, wanted))}"
    ),
    "parts_of_a_value": lambda kind, parts: f"a value of type .{kind} has no {parts} parts",
    # what its operands name
    "no_such_label": lambda: "it jumps to a label that is not there",
    "no_such_list_of_labels": lambda: "there is no such list of labels",
    "no_such_register": lambda name: f"there is no register {name}",
    "nothing_of_that_name": lambda name: f"there is nothing called {name} that has an address",
    "wrong_register": lambda name, kind: f"{name} is no register for a value of type .{kind}",
    "read_of_the_sink": lambda: "`_` holds nothing to read",
    "no_value": lambda name, kind: f"{name} is no value of type .{kind}",
    "type_of_a_negation": lambda kind: f"`!` makes no value of type .{kind}",
    "number_with_a_point": lambda kind: f"a number with a point is no value of type .{kind}",
    # what it is to do with them
    "call_of_nothing": lambda: "it names no function",
    "no_parameter_of_a_call": lambda name: f"{name} is no parameter of a call",
    "parameters_of_a_call": lambda expected, given: (
        f"a function of {counted(expected, 'parameter')} is called with {given}"
    ),
    "beyond_a_parameter": lambda size: (
        f"it reaches beyond the {counted(size, 'byte')} of a parameter"
    ),
    "size_of_a_copy": lambda size: f"{counted(size, 'byte')} cannot be copied at once",
    "no_such_operation": lambda name, kind: f"there is no .{name} of elements of type .{kind}",
    "registers_of_a_thread": lambda number: (
        f"a thread cannot have {number} registers: 24 to 256, a multiple of 8"
    ),
}

UNSUPPORTED: dict[str, Callable[..., str]] = {
    "unknown": lambda of_textures: f" {TEXTURES[0].upper()}{TEXTURES[1:]}." * of_textures,
    "wrong_operands": lambda name: f" These are not its operands{f' of `{name}`' * bool(name)}.",
    "unknown_modifier": lambda name, modifier: (
        f" It has `{name}`, but not with the modifier `.{modifier}`."
    ),
    "modifiers_together": lambda name: (
        f" It has `{name}`, but not with these modifiers together, or not without others."
    ),
}


def refused(
    error: Malformed | Unsupported,
    instruction: Instruction | None,
    source: str = "",
    kernel: str = "",
) -> UnsupportedInstruction:
    """Why the simulated GPU does not take an instruction of `kernel` (None: the program that is
    read). If that does not hold together, an `asm` on its line of the `source` is blamed; where
    there is none, the fault is ours. Without a source, an `asm` is blamed: the compiler makes no
    such thing."""
    line = instruction.line if instruction else error.line
    what = f"`{instruction.form.opcode}`" if instruction else "What stands"
    if isinstance(error, Unsupported):
        return UnsupportedInstruction(
            f"{kernel}, line {line}: the simulated GPU does not have the PTX instruction {what}."
            + UNSUPPORTED[str(error)](**error.facts),
            kernel=kernel,
            line=line,
        )
    why = MALFORMED[str(error)](**error.facts)[:100]  # it may quote the source
    if source and line not in lines_of_assembly(source):
        return UnsupportedInstruction(
            f"the simulated GPU does not understand this PTX: {why}", line=line
        )
    where = f"{what} on line {line}" if line else "The PTX of this kernel"
    return UnsupportedInstruction(
        f"{where} does not hold together ({why}). The compiler does not read what is in "
        "asm(...), and the assembler of a real GPU would refuse it: look there.",
        line=line,
    )
