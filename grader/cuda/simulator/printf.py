"""What a kernel prints: C's printf over the arguments that CUDA packs."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

_CONVERSION = re.compile(
    r"%[-+ #0]*(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|j|t)?([diouxXcsfFeEgGaAp%])"
)


def format_printf(template: str, arguments: bytes, text_at: Callable[[int], str]) -> str:
    """`template` with its conversions filled in. The arguments are packed as CUDA packs them: 4
    bytes for an int, 8 for a long, a double or a pointer, each aligned to its size; `text_at`
    gives the string at a pointer."""
    at = 0

    def take(code: str):
        nonlocal at
        size = struct.calcsize(code)
        at = -(-at // size) * size
        value = struct.unpack_from(f"<{code}", arguments, at)[0]
        at += size
        return value

    def convert(match: re.Match) -> str:
        width, precision, length, kind = match.groups()
        if kind == "%":
            return "%"
        flags = re.match(r"%([-+ #0]*)", match.group()).group(1)
        width = str(take("i")) if width == "*" else width or ""
        precision = str(take("i")) if precision == "*" else precision
        spec = f"%{flags}{width}" + (f".{precision}" if precision is not None else "")
        long = length in ("l", "ll", "z", "j", "t")
        if kind == "s":
            return f"{spec}s" % text_at(take("Q"))
        if kind == "p":
            return f"{spec}s" % hex(take("Q"))
        if kind in "fFeEgGaA":
            value = take("d")
            return float.hex(value) if kind in "aA" else f"{spec}{kind}" % value
        if kind == "c":
            return f"{spec}c" % (take("i") & 0xFF)
        signed = kind in "di"
        value = take(("q" if signed else "Q") if long else ("i" if signed else "I"))
        return f"{spec}{'d' if kind in 'diu' else kind}" % value

    return _CONVERSION.sub(convert, template)
