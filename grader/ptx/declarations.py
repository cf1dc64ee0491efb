"""PTX declarations: variables with their initial values, parameters, registers, literals."""

from __future__ import annotations

import re
import struct

from .numeric.types import DTYPES, size_of
from .ptx import Immediate, Malformed, Variable

MOST_REGISTERS = 1_000_000  # of one function; the largest kernels have some ten thousand

REGISTERS = re.compile(r"\s*\.reg\s*(?:\.v\d\s*)?\.(\w+)\s+(.*)$", re.DOTALL)


def is_variable(statement: str) -> bool:
    """Whether a statement declares a variable in a state space of memory."""
    return bool(re.match(r"\s*(\.\w+\s+)*\.(global|const|shared|local)\b", statement))


_VARIABLE = re.compile(
    r"""\s*(?:\.(?:visible|weak|extern|common)\s+)*
        \.(?P<space>global|const|shared|local|param)\s+
        (?:\.align\s+(?P<align>\d+)\s+)?
        (?:\.attribute\([^)]*\)\s+)?
        (?:\.ptr\S*\s+)?
        \.(?P<type>\w+)\s+(?:\.ptr\s+(?:\.\w+\s+)*(?:\.align\s+\d+\s+)?)?
        (?P<name>[\w$%.]+)\s*(?P<dims>(?:\[\s*\d*\s*\]\s*)*)
        (?:=\s*(?P<initial>.*))?$""",
    re.VERBOSE | re.DOTALL,
)


def declared(statement: str) -> Variable:
    """The variable or parameter that a statement declares."""
    match = _VARIABLE.match(statement)
    if not match:
        raise Malformed(f"PTX declaration not understood: {statement.strip()[:120]}")
    if match["type"] not in DTYPES and match["type"] != "b128":  # textures, surfaces
        raise Malformed(f"a variable of type .{match['type']}")
    element = size_of(match["type"])
    dims = [int(d) if d.strip() else 0 for d in re.findall(r"\[([^\]]*)\]", match["dims"])]
    size = element
    for dim in dims:
        size *= dim
    initial, pointers = _initial(match["initial"], match["type"], element)
    align = int(match["align"] or element)
    return Variable(match["name"], match["space"], match["type"], size, align, initial, pointers)


def _initial(
    text: str | None, kind: str, element: int
) -> tuple[bytes, tuple[tuple[int, str], ...]]:
    if text is None:
        return b"", ()
    items = [item for item in re.split(r"[{},\s]+", text) if item]
    content, pointers = bytearray(), []
    for item in items:
        if re.match(r"[A-Za-z_$%]", item):
            symbol = re.sub(r"^generic\((.*)\)$", r"\1", item)
            pointers.append((len(content), symbol))
            content += bytes(element)
        else:
            content += _literal_bytes(literal(item), kind, element)
    return bytes(content), tuple(pointers)


def _literal_bytes(literal: Immediate, kind: str, element: int) -> bytes:
    value = literal.value
    if literal.float_width == 8 and kind == "f32":
        value = struct.unpack("<I", struct.pack("<f", _as_double(value)))[0]
    return (value & ((1 << (8 * element)) - 1)).to_bytes(element, "little")


def _as_double(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


LITERAL = re.compile(
    r"-?(0[xX][0-9a-fA-F]+|0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|\d+\.\d+|\d+)U?$"
)


def literal(token: str) -> Immediate:
    """`42`, `0x1F`, `017`, `1.5`, `0f3F800000` (a float by its bits) or `0d...` (a double);
    Malformed for anything else."""
    if not LITERAL.match(token):
        raise Malformed(f"{token[:20]!r} where a number is expected")
    sign = -1 if token.startswith("-") else 1
    body = token.lstrip("-").rstrip("U")
    prefix = body[:2].lower()
    if prefix == "0f":
        return Immediate(int(body[2:], 16), 4)
    if prefix == "0d":
        return Immediate(int(body[2:], 16), 8)
    if "." in body:
        return Immediate(struct.unpack("<Q", struct.pack("<d", float(token)))[0], 8)
    if prefix != "0x" and len(body) > 1 and body.startswith("0"):
        if not set(body) <= set("01234567"):
            raise Malformed(f"{token[:20]} is no number with 8 for its base")
        return Immediate(sign * int(body, 8))
    return Immediate(sign * int(body, 0))


def declared_list(text: str | None) -> tuple[Variable, ...]:
    """Parameters, separated by commas."""
    parts = [part for part in (text or "").split(",") if part.strip()]
    return tuple(declared(part) for part in parts)


def check_registers(number: int) -> None:
    """Malformed for more registers than any kernel has."""
    if number > MOST_REGISTERS:
        raise Malformed(f"it declares {number:,} registers, and {MOST_REGISTERS:,} are the most")


def register_names(text: str) -> list[str]:
    """`%r<3>, %f0` declares %r0, %r1, %r2 and %f0."""
    names: list[str] = []
    for name in re.split(r"\s*,\s*", text.strip()):
        many = re.fullmatch(r"([\w$%.]+)<(\d+)>", name)
        check_registers(int(many[2]) if many else 1)
        names += [f"{many[1]}{number}" for number in range(int(many[2]))] if many else [name]
    return names
