"""What a kernel prints: C's printf over the arguments that CUDA packs."""

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

BUFFER = 1 << 20  # characters kept of what kernels print, as CUDA's default buffer has bytes
WIDEST = 1000  # columns of one conversion, whatever width or precision it asks for
FULL = f"\n[printf keeps {BUFFER:,} characters, as CUDA's own buffer does. Later output is lost.]\n"

_CONVERSION = re.compile(  # or a percent sign that begins none
    r"%(?:([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?(hh|h|ll|l|z|j|t)?([diouxXcsfFeEgGaAp%]))?"
)
Change = Callable[[Any, Callable[[int], str]], Any]  # of an argument, before it is printed

# By conversion: how its argument lies in memory (struct's code), how Python prints it, and what is
# made of it before.
_CONVERSIONS: dict[str, tuple[str, str, Change | None]] = {
    "s": ("Q", "s", lambda value, text_at: text_at(value)),
    "p": ("Q", "s", lambda value, _: hex(value)),
    "c": ("i", "c", lambda value, _: value & 0xFF),
    "d": ("i", "d", None),
    "i": ("i", "d", None),
    "u": ("I", "d", None),
    **{kind: ("I", kind, None) for kind in "oxX"},
    **{kind: ("d", "s", lambda value, _: float.hex(value)) for kind in "aA"},
    **{kind: ("d", kind, None) for kind in "fFeEgG"},
}


@dataclass
class Output:
    """What has been printed. It takes `BUFFER` characters, then a sentence, then nothing more."""

    pieces: list[str] = field(default_factory=list)
    left: int = BUFFER

    def add(self, text: str) -> None:
        if not self.full:
            self.pieces.append(text[: self.left])
            if len(text) > self.left:
                self.pieces.append(FULL)
            self.left = max(0, self.left - len(text))

    @property
    def full(self) -> bool:
        return self.pieces[-1:] == [FULL]

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True)
class Template:
    """A printf format made ready: Python's format for the same, and how its arguments lie in
    memory: 4 bytes for an int, 8 for a long, a double or a pointer, each aligned to its size.
    `changes` are the arguments, by number, that are not printed as they are."""

    python: str
    layout: struct.Struct
    changes: tuple[tuple[int, Change], ...]

    def filled(self, packed: bytes, text_at: Callable[[int, int], str]) -> Iterator[str]:
        """What each thread prints. `packed`: the threads' arguments, one after the other;
        `text_at(number, address)` gives the string at a pointer of thread `number`."""
        for number, values in enumerate(self.layout.iter_unpack(packed)):
            shown = list(values)
            for at, change in self.changes:
                shown[at] = change(values[at], partial(text_at, number))
            yield self.python % tuple(shown)


@lru_cache(256)
def template(text: str) -> Template:
    """The printf format `text`, made ready."""
    codes: list[str] = []
    changes: list[tuple[int, Change]] = []

    def number(given: str | None) -> str:
        if given == "*":
            changes.append((len(codes), lambda value, _: max(-WIDEST, min(value, WIDEST))))
            codes.append("i")
            return "*"
        return str(min(int(given), WIDEST)) if given else given or ""

    def convert(match: re.Match[str]) -> str:
        flags, width, precision, length, kind = match.groups()
        if kind in (None, "%"):
            return "%%"
        spec = f"%{flags}{number(width)}" + ("" if precision is None else f".{number(precision)}")
        code, shown, change = _CONVERSIONS[kind]
        if change:
            changes.append((len(codes), change))
        longer = kind != "c" and length in ("l", "ll", "z", "j", "t")
        codes.append({"i": "q", "I": "Q"}.get(code, code) if longer else code)
        return spec + shown

    python = _CONVERSION.sub(convert, text)
    # As the compiler aligns them; 8 bytes at least, so that there are always some.
    return Template(
        python, struct.Struct(f"@{''.join(codes)}0q" if codes else "8x"), tuple(changes)
    )
