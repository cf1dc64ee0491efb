"""One form of an instruction, as PTX in inline assembly: %0 the result, %1, %2, ... the inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any


def size_of(kind: str) -> int:
    """Bytes of the register for a PTX type, or for what `samples` calls e.g. "few b64"."""
    digits = kind.rstrip("x2") if kind.endswith("x2") else kind[-2:]
    if kind.endswith("x2") or not digits.isdigit():
        return 4
    return int(digits) // 8


@dataclass(frozen=True)
class Bound:
    """How far from the true value a result may lie: `error`, which is "relative", "absolute" or
    counts units of the last place ("ulp"). That is documented where the magnitude of the last
    input lies from `low` to `high`."""

    what: str
    error: float
    low: float = 0.0
    high: float = float("inf")


@dataclass(frozen=True)
class Form:
    """One instruction with its modifiers. `bounds` are empty for exact instructions; of several,
    the first one counts whose domain an input lies in. With `memory` the form works on a cell of
    "global" or "shared" memory that holds the first input; `combined` says what goes out."""

    family: str
    name: str
    asm: str
    inputs: tuple[str, ...]
    output: str
    bounds: tuple[Bound, ...] = ()
    memory: str = ""
    combined: str = ""

    @property
    def input_sizes(self) -> tuple[int, ...]:
        return tuple(size_of(kind) for kind in self.inputs)

    @property
    def output_size(self) -> int:
        return size_of(self.output)

    @property
    def half(self) -> Form:
        """The same on one half of a pair."""
        return replace(self, output=self.output.removesuffix("x2"))


INTEGERS = ("s16", "u16", "s32", "u32", "s64", "u64")
ROUNDINGS = ("rn", "rz", "rm", "rp")


def plain(family: str, opcode: str, inputs: tuple[str, ...], output: str, **more: Any) -> Form:
    """An instruction whose operands are just its inputs."""
    operands = ", ".join(f"%{n}" for n in range(len(inputs) + 1))
    return Form(family, opcode, f"{opcode} {operands};", tuple(inputs), output, **more)


def fixed(family: str, text: str, inputs: tuple[str, ...], output: str) -> Form:
    """An instruction with immediate operands, spelled out."""
    return Form(family, text, f"{text};", tuple(inputs), output)


def predicate(family: str, opcode: str, inputs: tuple[str, ...], **more: Any) -> Form:
    """An instruction that sets a predicate, which comes out as 0 or 1."""
    operands = ", ".join(f"%{n}" for n in range(1, len(inputs) + 1))
    asm = f"{{ .reg .pred p; {opcode} p, {operands}; selp.u32 %0, 1, 0, p; }}"
    return Form(family, opcode, asm, tuple(inputs), "u32", **more)


def names(base: str, *choices: tuple[str, ...]) -> Iterator[str]:
    """Opcodes from a base and, for each place, the modifiers that may stand there ("" for none)."""
    for chosen in product(*choices):
        yield ".".join((base, *[mod for mod in chosen if mod]))
