"""The table: entries by opcode, and the form of each instruction of a program.

An entry is registered by a decorator that gives the opcodes it is for, the lines of its `syntax`,
and what else a reader of programs may want to know (`Form`). The decorated function says what the
instruction does:

    elementwise   select(instruction) -> Elementwise: a result computed lane by lane
    effect        build(instruction, index, wave) -> step(lanes), which changes state
    control       likewise; the step returns where lanes go on, as pairs (index, lanes)
    collective    likewise; the step is called with lanes whose whole group has come together
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ...compilers.advice import TEXTURES
from ...machine.events import Step
from ...machine.operands import read
from ...machine.wave import Wave
from ..ptx import Address, Instruction, Operand
from .form import Flow, Form, Role
from .steps import (
    Combine,
    Elementwise,
    collective_step,
    elementwise_step,
    guarded,
    unsupported,
    warp_step,
)
from .syntax import ORDERING, TYPES, OperandList, Syntax, syntax, transfers


@dataclass(frozen=True)
class Entry:
    """What the table holds of `names`: the `lines` of their syntax, what these mean, and a form
    that holds what is true of all of them."""

    names: tuple[str, ...]
    lines: tuple[str, ...]
    syntaxes: tuple[Syntax, ...]
    common: Form
    words: str


OPCODES: dict[str, list[Entry]] = {}

Select = Callable[[Instruction], Elementwise]
Build = Callable[[Instruction, int, Wave], Step]
Combining = Callable[[Instruction, int, Wave], Combine]


def elementwise(names: str, *lines: str, **facts: Any) -> Callable[[Select], Select]:
    """Decorates `select(instruction) -> Elementwise`; `names` are separated by blanks."""

    def register(select: Select) -> Select:
        form_of = lru_cache(maxsize=8192)(select)  # it does not depend on the launch

        def build(instruction: Instruction, at: int, wave: Wave) -> Step:
            return elementwise_step(form_of(instruction), instruction, at, wave)

        _enter(names, lines, select, build, facts)
        return select

    return register


def effect(names: str, *lines: str, **facts: Any) -> Callable[[Build], Build]:
    """Decorates `build(instruction, index, wave) -> step`."""

    def register(build: Build) -> Build:
        _enter(names, lines, build, build, facts)
        return build

    return register


def control(names: str, *lines: str, **facts: Any) -> Callable[[Build], Build]:
    """Decorates `build(instruction, index, wave) -> step`, where the step returns where lanes
    go on."""
    return effect(names, *lines, control=True, **facts)


def collective(
    names: str, *lines: str, whole_warp: bool = False, **facts: Any
) -> Callable[[Combining], Combining]:
    """Decorates `build(instruction, index, wave) -> combine(lanes)`; the last operand is the
    mask of the lanes that must come together first, if it is not the `whole_warp`."""

    def register(combining: Combining) -> Combining:
        def build(instruction: Instruction, at: int, wave: Wave) -> Step:
            combine = combining(instruction, at, wave)
            if whole_warp:
                return warp_step(combine, at, wave)
            masks = np.asarray(read(instruction.operands[-1], "b32", wave))
            return collective_step(combine, masks, at, wave)

        _enter(names, lines, combining, build, {**facts, "control": True, "collective": True})
        return combining

    return register


def _enter(
    names: str, lines: tuple[str, ...], described: object, build: Build, facts: dict[str, Any]
) -> None:
    common = Form("", "", build=build, **facts)
    words = described.__doc__ or ""
    entry = Entry(tuple(names.split()), lines, tuple(map(syntax, lines)), common, words)
    for name in entry.names:
        OPCODES.setdefault(name, []).append(entry)


_TEXTURES = ("tex", "tld4", "txq", "suld", "sust", "sured", "suq")


def resolve(opcode: str, operands: tuple[Operand, ...]) -> Form:
    """The form of an instruction. One that the table does not have gets a form with a refusal,
    which is raised where the instruction is come to."""
    addressed = tuple([type(operand) is Address for operand in operands])
    return _resolved(opcode, addressed)


@cache
def _resolved(opcode: str, addressed: tuple[bool, ...]) -> Form:
    forms = next(iter(forms_of(opcode)), ())
    for operands, form in forms:
        if operands.fits(addressed):
            return form
    reason = f"These are not its operands{_one_is(opcode)}." if forms else _strange(opcode)
    return _refused(opcode, addressed, reason)


def forms_of(opcode: str) -> list[tuple[tuple[OperandList, Form], ...]]:
    """For each line of the table that an opcode is written like (there should be one): the lists
    of operands that may follow, and the form that each makes."""
    name, *mods = opcode.split(".")
    found = []
    for entry in OPCODES.get(name, ()):
        for line in entry.syntaxes:
            if (ordered := line.in_order(tuple(mods))) is not None:
                pairs = ((one, _form(entry, opcode, ordered, one)) for one in line.operands)
                found.append(tuple(pairs))
    return found


def _form(entry: Entry, opcode: str, mods: tuple[str, ...], operands: OperandList) -> Form:
    kind = next((mod for mod in reversed(mods) if mod in TYPES), "")
    return replace(
        entry.common,
        opcode=opcode,
        name=opcode.partition(".")[0],
        mods=mods,
        type=kind,
        roles=operands.roles,
        transfers=transfers(operands, mods, kind),
        orders=entry.common.orders or not ORDERING.isdisjoint(mods),
    )


def _refused(opcode: str, addressed: tuple[bool, ...], reason: str) -> Form:
    """A form that nobody can execute; by PTX's habit the first operand is written."""
    name, *mods = opcode.split(".")
    first = Role.ADDRESS if addressed[:1] == (True,) else Role.WRITTEN
    return Form(opcode, name, tuple(mods), roles=(first, Role.READ), refusal=reason)


def _strange(opcode: str) -> str:
    """What is wrong with an opcode of which no line is right; "" if its name is unknown."""
    name, *mods = opcode.split(".")
    lines = [line for entry in OPCODES.get(name, ()) for line in entry.syntaxes]
    known = frozenset().union(*(line.modifiers for line in lines))
    strange = [mod for mod in mods if mod not in known]
    if name in _TEXTURES:
        return f"{TEXTURES[0].upper()}{TEXTURES[1:]}."
    if not lines:
        return ""
    if strange:
        return f"It has `{name}`, but not with the modifier `.{strange[0]}`."
    return f"It has `{name}`, but not with these modifiers together, or not without others."


def _one_is(opcode: str) -> str:
    name = opcode.partition(".")[0]
    return f" of `{name}`" if name else ""


def bind(instruction: Instruction, at: int, wave: Wave) -> Step:
    """The step that executes `instruction`, which stands at index `at`, on `wave`."""
    form = instruction.form
    if form.build is None:
        raise unsupported(instruction, wave)
    step = form.build(instruction, at, wave)
    step = wave.events.execute(at, step)
    if instruction.guard and form.flow is not Flow.BRANCH:
        step = guarded(step, instruction, at, wave, form.control)
    return wave.events.follow(at, step)
