"""The one registry of instructions, and how a definition becomes a step of a program.

A definition is registered under the instruction's base name ("add", "ld", "bra") by one of three
decorators. What it makes of an `Instruction` is a *step*: a function of a set of lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...errors import CudaError, UnsupportedInstruction
from ..lanes import index as lane_index
from ..lanes import select, warps
from ..program.ptx import Address, Instruction, Negated, Register, Symbol
from ..special import Clock

Step = Callable


@dataclass(frozen=True)
class Undefined:
    """Operands for which an instruction's result is undefined: `where(*sources)` is true of
    them. A lane that has such raises `error`, with the sentence "thread 3 {predicate}"."""

    where: Callable[..., np.ndarray]
    error: type[CudaError]
    predicate: str


@dataclass(frozen=True)
class Elementwise:
    """A result computed lane by lane: `fn(*sources)`, with the PTX types of operands."""

    fn: Callable[..., np.ndarray]
    sources: tuple[str, ...]
    result: str
    undefined: Undefined | None = None


@dataclass(frozen=True)
class _Definition:
    build: Callable  # (instruction, index in the program, machine) -> Step
    control: bool


_DEFINITIONS: dict[str, _Definition] = {}


def elementwise(*names: str):
    """Decorates `select(instruction) -> Elementwise`, or None if it has no such form. A form that
    does more than compute lane by lane is given by its `build(instruction, at, machine)`."""

    def register(select_form):
        def build(instruction: Instruction, at: int, machine) -> Step:
            form = _form(select_form, instruction)
            if form is None:
                raise unsupported(instruction, machine)
            if not isinstance(form, Elementwise):
                return form(instruction, at, machine)
            return _elementwise_step(form, instruction, at, machine)

        _define(names, build, control=False)
        return select_form

    return register


@lru_cache(maxsize=8192)
def _form(select_form, instruction: Instruction):
    """The form does not depend on the launch: choosing it once per instruction is enough."""
    return select_form(instruction)


def effect(*names: str):
    """Decorates `build(instruction, at, machine) -> step`; the step changes state."""

    def register(build):
        _define(names, build, control=False)
        return build

    return register


def control(*names: str):
    """Decorates `build(instruction, at, machine) -> step`; the step returns where lanes go on,
    as a tuple of (instruction index, lanes)."""

    def register(build):
        _define(names, build, control=True)
        return build

    return register


def bind(instruction: Instruction, at: int, machine) -> Step:
    """The step that executes `instruction`, which stands at index `at`, on `machine`."""
    definition = _DEFINITIONS.get(instruction.base)
    if definition is None:
        raise unsupported(instruction, machine)
    step = definition.build(instruction, at, machine)
    if machine.unset:
        to_memory = any(isinstance(operand, Address) for operand in instruction.operands)
        step = machine.unset.follow(instruction, at, step, definition.control or to_memory)
    if instruction.guard and instruction.base != "bra":
        return _guarded(step, instruction, at, machine, definition.control)
    return step


def ends_block(instruction: Instruction) -> bool:
    """Whether lanes may part, wait or end at this instruction."""
    definition = _DEFINITIONS.get(instruction.base)
    return definition is not None and definition.control


def unsupported(instruction: Instruction, machine) -> UnsupportedInstruction:
    return UnsupportedInstruction(
        f"{machine.kernel.name}, line {instruction.line}: the simulated GPU does not have "
        f"the PTX instruction `{instruction.opcode}`.",
        kernel=machine.kernel.name,
        line=instruction.line,
    )


def read(operand, kind: str, machine) -> np.ndarray:
    """An operand as an array (lanes,) of PTX type `kind`."""
    if isinstance(operand, Negated):
        return _Inverted(machine.registers.read(operand.register, "pred"))
    if isinstance(operand, Symbol) and operand.name in machine.calls.frame_offsets:
        return machine.calls.framed(operand.name)
    if isinstance(operand, Symbol):
        special = machine.special.read(operand.name)
        if isinstance(special, Clock):
            return special
        if special is not None:
            return (
                special.view(np.int32)
                if kind == "s32"
                else special.astype(f"u{_size(kind)}", copy=False)
            )
        value = np.array(machine.symbols[operand.name], np.uint64)
        return np.broadcast_to(value.astype(f"u{_size(kind)}"), machine.geometry.lanes)
    return machine.registers.read(operand, kind)


class _Inverted:
    """`!p`, read when indexed."""

    def __init__(self, predicate: np.ndarray):
        self.predicate = predicate

    def __getitem__(self, lanes) -> np.ndarray:
        return ~self.predicate[lanes]


def guard_mask(instruction: Instruction, machine) -> np.ndarray:
    """The guard predicate of every lane; a view, so it is current whenever it is read."""
    return machine.registers.read(instruction.guard, "pred")


def _define(names, build, control: bool) -> None:
    for name in names:
        if name in _DEFINITIONS:
            raise ValueError(f"instruction {name} is defined twice")
        _DEFINITIONS[name] = _Definition(build, control)


def _size(kind: str) -> int:
    from ..numeric.types import size_of

    return size_of(kind)


def _elementwise_step(form: Elementwise, instruction: Instruction, at: int, machine) -> Step:
    target, *operands = instruction.operands
    if not isinstance(target, Register):
        raise unsupported(instruction, machine)
    out = machine.registers.write(target, form.result)
    sources = [
        read(operand, kind, machine) for operand, kind in zip(operands, form.sources, strict=True)
    ]
    make = {1: _unary, 2: _binary, 3: _ternary}.get(len(sources), _many)
    step = make(form.fn, out, *sources)
    if form.undefined and machine.options.checks:
        return _refusing(form.undefined, step, sources, at, machine)
    return step


def _refusing(undefined: Undefined, step: Step, sources, at: int, machine) -> Step:
    def checked(lanes):
        where = undefined.where(*[source[lanes] for source in sources])
        if np.count_nonzero(where):
            lane = int(lane_index(lanes)[np.argmax(where)])
            raise machine.report.error(undefined.error, at, lane, undefined.predicate)
        step(lanes)

    return checked


def _unary(fn, out, a) -> Step:
    if isinstance(fn, np.ufunc):

        def step(lanes):
            if type(lanes) is slice:
                fn(a[lanes], out=out[lanes], casting="unsafe")
            else:
                out[lanes] = fn(a[lanes])

        return step

    def step(lanes):
        out[lanes] = fn(a[lanes])

    return step


def _binary(fn, out, a, b) -> Step:
    if isinstance(fn, np.ufunc):

        def step(lanes):
            if type(lanes) is slice:
                fn(a[lanes], b[lanes], out=out[lanes], casting="unsafe")
            else:
                out[lanes] = fn(a[lanes], b[lanes])

        return step

    def step(lanes):
        out[lanes] = fn(a[lanes], b[lanes])

    return step


def _ternary(fn, out, a, b, c) -> Step:
    def step(lanes):
        out[lanes] = fn(a[lanes], b[lanes], c[lanes])

    return step


def _many(fn, out, *sources) -> Step:
    def step(lanes):
        out[lanes] = fn(*[source[lanes] for source in sources])

    return step


def _guarded(step: Step, instruction: Instruction, at: int, machine, control: bool) -> Step:
    """A predicated instruction: only lanes whose guard holds take part."""
    guard, wanted = guard_mask(instruction, machine), not instruction.guard_negated

    def chosen_of(lanes):
        chosen = guard[lanes] == wanted
        if machine.observed:
            machine.idle_warps[at] += warps(lanes) - warps(select(lanes, chosen))
        return chosen

    def effect_step(lanes):
        chosen = chosen_of(lanes)
        if np.count_nonzero(chosen):
            step(select(lanes, chosen))

    def control_step(lanes):
        chosen = chosen_of(lanes)
        taken = step(select(lanes, chosen)) if np.count_nonzero(chosen) else ()
        rest = lane_index(lanes)[~chosen]
        return (*taken, (at + 1, select(lanes, ~chosen))) if len(rest) else taken

    return control_step if control else effect_step
