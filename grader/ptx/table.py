"""Steps: what executes an instruction, as a function of a set of lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ..compilers.out_of_reach import TEXTURES
from ..cuda.errors import ShuffleDivergence, UnsupportedInstruction
from ..machine.barriers import FULL
from ..machine.events import Step, Successors, Undefined
from ..machine.lanes import WARP, Lanes, select, warp_masks
from ..machine.lanes import index as lane_index
from ..machine.memory.access import LaneValues
from ..machine.wave import Wave
from .program import Address, Flow, Form, Instruction, Operand, Role, symbol_of
from .syntax import ORDERING, TYPES, OperandList, Syntax, syntax, transfers

Compute = Callable[..., np.ndarray]
Combine = Callable[[Lanes], None]  # of lanes whose whole group has come together


@dataclass(frozen=True)
class Elementwise:
    """A result computed lane by lane: `fn(*sources)`, with the PTX types of operands."""

    fn: Callable[..., np.ndarray]
    sources: tuple[str, ...]
    result: str
    undefined: Undefined | None = None


def elementwise_step(form: Elementwise, instruction: Instruction, at: int, wave: Wave) -> Step:
    """The step that computes lane by lane into the first operand."""
    target, *operands = instruction.operands
    out = wave.registers.write(target, form.result)
    sources = [
        wave.read(operand, kind) for operand, kind in zip(operands, form.sources, strict=True)
    ]
    by_number: dict[int, Callable[..., Step]] = {1: _unary, 2: _binary, 3: _ternary}
    make: Callable[..., Step] = by_number.get(len(sources), _many)
    step = make(form.fn, out, *sources)
    if form.undefined and wave.events.undefined:
        return _telling(form.undefined, step, sources, at, wave)
    return step


def _telling(
    undefined: Undefined, step: Step, sources: Sequence[LaneValues], at: int, wave: Wave
) -> Step:
    def checked(lanes: Lanes) -> None:
        where = undefined.where(*[source[lanes] for source in sources])
        if np.count_nonzero(where):
            lane = int(lane_index(lanes)[np.argmax(where)])
            for tell in wave.events.undefined:
                tell(at, lane, undefined)
        step(lanes)

    return checked


def _unary(fn: Compute, out: np.ndarray, a: LaneValues) -> Step:
    def step(lanes: Lanes) -> None:
        out[lanes] = fn(a[lanes])

    def in_place(lanes: Lanes) -> None:
        if type(lanes) is slice:
            fn(a[lanes], out=out[lanes], casting="unsafe")
        else:
            out[lanes] = fn(a[lanes])

    return in_place if isinstance(fn, np.ufunc) else step


def _binary(fn: Compute, out: np.ndarray, a: LaneValues, b: LaneValues) -> Step:
    def step(lanes: Lanes) -> None:
        out[lanes] = fn(a[lanes], b[lanes])

    def in_place(lanes: Lanes) -> None:
        if type(lanes) is slice:
            fn(a[lanes], b[lanes], out=out[lanes], casting="unsafe")
        else:
            out[lanes] = fn(a[lanes], b[lanes])

    return in_place if isinstance(fn, np.ufunc) else step


def _ternary(fn: Compute, out: np.ndarray, a: LaneValues, b: LaneValues, c: LaneValues) -> Step:
    def step(lanes: Lanes) -> None:
        out[lanes] = fn(a[lanes], b[lanes], c[lanes])

    return step


def _many(fn: Compute, out: np.ndarray, *sources: LaneValues) -> Step:
    def step(lanes: Lanes) -> None:
        out[lanes] = fn(*[source[lanes] for source in sources])

    return step


def collective_step(combine: Combine, masks: np.ndarray, at: int, wave: Wave) -> Step:
    """A step that waits until the lanes that `masks` (one a lane of the wave) name have come
    together, and then combines them."""

    def step(lanes: Lanes) -> Successors:
        together = wave.collectives.gather(lanes, at, masks)
        if together is None:
            return ()
        for tell in wave.events.collective:
            tell(at, together, masks)
        combine(together)
        return ((at + 1, together),)

    return step


def warp_step(combine: Combine, at: int, wave: Wave) -> Step:
    """A step that waits until all 32 lanes of a warp have come together, and then combines them."""

    def combine_whole(together: Lanes) -> None:
        present = warp_masks(lane_index(together), wave.geometry.warps)
        partial = np.flatnonzero((present != 0) & (present != FULL))
        if len(partial):
            where = int(partial[0]) * WARP
            lane = next(n for n in lane_index(together).tolist() if n >= where)
            absent = WARP - int(np.bitwise_count(present[partial[0]]))
            raise wave.report.error(ShuffleDivergence, at, lane, _WHOLE.format(absent))
        combine(together)

    everybody = np.broadcast_to(np.uint32(FULL), wave.geometry.lanes)
    return collective_step(combine_whole, everybody, at, wave)


_WHOLE = (
    "takes part in a matrix operation that belongs to the whole warp, but {} of the warp's 32 "
    "lanes never come here. Keep it out of branches, and give blocks a multiple of 32 threads."
)


def guarded(step: Step, instruction: Instruction, at: int, wave: Wave, control: bool) -> Step:
    """A predicated instruction: only lanes whose guard holds take part."""
    guard, wanted = guard_of(instruction, wave), not instruction.guard_negated

    def chosen_of(lanes: Lanes) -> np.ndarray:
        chosen = guard[lanes] == wanted
        for tell in wave.events.guard:
            tell(at, lanes, chosen)
        return chosen

    def effect_step(lanes: Lanes) -> None:
        chosen = chosen_of(lanes)
        if np.count_nonzero(chosen):
            step(select(lanes, chosen))

    def control_step(lanes: Lanes) -> Successors:
        chosen = chosen_of(lanes)
        taken = step(select(lanes, chosen)) if np.count_nonzero(chosen) else ()
        rest = lane_index(lanes)[~chosen]
        return (*taken, (at + 1, select(lanes, ~chosen))) if len(rest) else taken

    return control_step if control else effect_step


def guard_of(instruction: Instruction, wave: Wave) -> np.ndarray:
    """The guard predicate of every lane; a view, so it is current whenever it is read."""
    return wave.registers.storage(symbol_of(instruction.guard))


def unsupported(instruction: Instruction, wave: Wave) -> UnsupportedInstruction:
    """The error for an instruction that the simulated GPU does not have."""
    form = instruction.form
    reason = f" {form.refusal}" if form.refusal else ""
    return UnsupportedInstruction(
        f"{wave.kernel.name}, line {instruction.line}: the simulated GPU does not have "
        f"the PTX instruction `{form.opcode}`.{reason}",
        kernel=wave.kernel.name,
        line=instruction.line,
    )


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
            masks = np.asarray(wave.read(instruction.operands[-1], "b32"))
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
