"""The table: the ways to write each opcode, the form of each instruction of a program, and the
step that executes it as a function of a set of lanes.

Decorators enter the opcodes. They give the lines of `syntax`, and what else a reader of programs
may want to know (`Form`). The decorated function says what the instruction does:

    elementwise   select(instruction) -> Elementwise: results computed lane by lane
    effect        build(instruction, index, wave) -> step(lanes), which changes state
    control       likewise; the step returns where lanes go on, as pairs (index, lanes)
    collective    likewise; the step is called with lanes whose whole group has come together
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeVar

import numpy as np
from msgspec.structs import replace

from ..cuda.errors import ShuffleDivergence
from ..machine.events import Undefined
from ..machine.lanes import (
    WARP,
    Dense,
    Lanes,
    Step,
    Successors,
    first_of,
    lane_index,
    put,
    seen_by_all,
    select,
)
from ..machine.memory.access import LaneValues
from ..machine.state import Derived, literal
from ..machine.wave import FULL, Wave
from .link import Place, Places, Seen
from .numbers import ON_ARRAYS, on_registers
from .program import (
    SINK,
    Address,
    Flow,
    Form,
    Immediate,
    Instruction,
    Operand,
    Register,
    Role,
    Unsupported,
    several,
    symbol_of,
)
from .syntax import ORDERING, TYPES, OperandList, Syntax, syntax, transfers

Compute = Callable[..., Any]  # of an array (lanes,) for each source; so are the results
Meaning = Callable[[Any], Compute]  # of operations, such as `numbers.ON_ARRAYS`
Described = TypeVar("Described", bound=Callable[..., Any])


@dataclass(frozen=True)
class Elementwise:
    """Results computed lane by lane: `fn(*sources)`."""

    fn: Compute
    sources: tuple[str, ...]  # PTX types of what is read
    result: str | tuple[str, ...]  # PTX type of the first operand, or of each of its parts
    undefined: Undefined | None = None  # where there is no defined result
    operands: tuple[Operand, ...] | None = None  # what is read; None: all operands but the first
    meaning: Meaning | None = None  # what `fn` is, over other operations than NumPy's


# By opcode, the ways to write it, each with what is true of all forms that are written so.
OPCODES: dict[str, list[tuple[Syntax, Form]]] = {}


def of_one_type(fn: Compute, instruction: Instruction, **more: Any) -> Elementwise:
    """`fn`, which takes and gives arrays of numbers, where operands and result all have the
    instruction's type; `more` of `Elementwise`."""
    kind = instruction.form.type
    return Elementwise(
        on_registers(fn, kind), (kind,) * (len(instruction.operands) - 1), kind, **more
    )


def meant(
    meaning: Meaning, instruction: Instruction, undefined: Undefined | None = None
) -> Elementwise:
    """What `meaning` is on arrays, likewise."""
    return of_one_type(meaning(ON_ARRAYS), instruction, meaning=meaning, undefined=undefined)


def effect(names: str, *lines: str, **facts: Any) -> Callable[[Described], Described]:
    """Decorates `build(instruction, index, wave) -> step`; `names` are separated by blanks."""

    def register(build: Described) -> Described:
        common = Form("", "", build=build, **facts)
        for name in names.split():
            OPCODES.setdefault(name, []).extend((syntax(line), common) for line in lines)
        return build

    return register


def elementwise(names: str, *lines: str, **facts: Any) -> Callable[[Described], Described]:
    """Decorates `select(instruction) -> Elementwise`."""

    def register(described: Described) -> Described:
        effect(names, *lines, select=described, **facts)(_elementwise_step)
        return described

    return register


def means(*rows: tuple[str, str, Meaning], undefined: Undefined | None = None) -> None:
    """Enters what has one meaning, whatever its modifiers, over operands of one type: by row its
    name, its form, and the meaning."""
    for name, line, meaning in rows:
        elementwise(name, line)(partial(meant, meaning, undefined=undefined))


def lanewise(names: str, *lines: str, types: str, **facts: Any) -> Callable[[Compute], Compute]:
    """Decorates `fn(form, *sources) -> result`. `types` are those of the sources and, last, of the
    result, such as "t u32 t", where t is the instruction's own."""

    def register(fn: Compute) -> Compute:
        def select(instruction: Instruction) -> Elementwise:
            *sources, result = types.replace("t", instruction.form.type).split()
            return Elementwise(partial(fn, instruction.form), tuple(sources), result)

        elementwise(names, *lines, **facts)(select)
        return fn

    return register


def control(names: str, *lines: str, **facts: Any) -> Callable[[Described], Described]:
    """Decorates `build(instruction, index, wave) -> step`, where the step returns where lanes
    go on."""
    return effect(names, *lines, control=True, **facts)


def collective(
    names: str, *lines: str, whole_warp: bool = False, **facts: Any
) -> Callable[[Described], Described]:
    """Decorates `build(instruction, index, wave) -> combine(lanes)`; the last operand is the
    mask of the lanes that must come together first, if it is not the `whole_warp`."""

    def register(combining: Described) -> Described:
        @effect(names, *lines, control=True, collective=True, **facts)
        def build(instruction: Instruction, at: int, wave: Wave) -> Step:
            combine = combining(instruction, at, wave)
            masks = (
                seen_by_all(np.array(FULL, np.uint32), wave.geometry.lanes)
                if whole_warp
                else np.asarray(wave.read(instruction.operands[-1], "b32"))
            )

            def step(lanes: Lanes) -> Successors:
                if (together := wave.collectives.gather(lanes, at, masks)) is None:
                    return ()
                wave.events.collective(at, together, masks)
                if whole_warp:
                    _check_whole(together, at, wave)
                combine(together)
                return ((at + 1, together),)

            return step

        return combining

    return register


def _check_whole(together: Lanes, at: int, wave: Wave) -> None:
    """Raises ShuffleDivergence if lanes of a warp are missing."""
    index = lane_index(together)
    present = wave.present(index)
    if len(partial := np.flatnonzero((present != 0) & (present != FULL))):
        raise wave.report.error(
            ShuffleDivergence,
            at,
            int(index[np.searchsorted(index, partial[0] * WARP)]),
            "matrix_of_a_part_of_a_warp",
            absent=WARP - int(np.bitwise_count(present[partial[0]])),
        )


# What computes one result of what lies in registers: the function, where the result goes, and where
# the operands lie (None, and its value for all lanes: of an immediate).
Move = tuple[Compute, Place, list[tuple[Seen | None, Any]]]


def _elementwise_step(instruction: Instruction, at: int, wave: Wave) -> Step:
    moves, rows = wave.program.moves, wave.registers
    if at not in moves:
        moves[at] = _move(instruction, wave.program.places)
    if (move := moves[at]) is not None:
        fn, (seen, number), read = move
        sources = [one if of is None else rows[of][one] for of, one in read]
        return Straight(wave.dense, [(fn, rows[seen][number], sources)])
    form, target = instruction.selected, instruction.operands[0]
    sources = [wave.read(operand, kind) for operand, kind in _sources(instruction)]
    step = (
        _one_result(form.fn, wave.registers.write(target, form.result), sources, wave.dense)
        if isinstance(form.result, str)
        else _several_results(form.fn, target, form.result, sources, wave)
    )
    undefined = form.undefined
    if undefined is None or not wave.events.listeners["undefined"]:
        return step

    def checked(lanes: Lanes) -> None:
        where = undefined.where(*[source[lanes] for source in sources])
        if (lane := first_of(lanes, where)) is not None:
            wave.events.undefined(at, lane, undefined)
        step(lanes)

    return checked


def _sources(instruction: Instruction) -> list[tuple[Operand, str]]:
    """The operands that an instruction computes with, and as which types."""
    form = instruction.selected
    operands = instruction.operands[1:] if form.operands is None else form.operands
    return list(zip(operands, form.sources, strict=True))


def _move(instruction: Instruction, places: Places) -> Move | None:
    """None for what computes otherwise."""
    form, target, sources = instruction.selected, instruction.operands[0], _sources(instruction)
    is_plain = all(isinstance(operand, Register | Immediate) for operand, _ in sources)
    if form.undefined or isinstance(form.result, tuple) or target == SINK or not is_plain:
        return None
    read: list[tuple[Seen | None, Any]] = [
        (None, seen_by_all(literal(operand, kind), 1 << 40))  # lanes: more than any wave has
        if isinstance(operand, Immediate)
        else places.read(operand, kind)
        for operand, kind in sources
    ]
    return form.fn, places.written(target, form.result), read


def _one_result(fn: Compute, out: np.ndarray, sources: list[LaneValues], dense: Dense) -> Step:
    def step(lanes: Lanes) -> None:
        out[lanes] = fn(*[source[lanes] for source in sources])

    derived = any(isinstance(source, Derived) for source in sources)
    return step if derived else Straight(dense, [(fn, out, sources)])


@dataclass(eq=False)
class Straight:
    """The step of instructions, one after the other, that compute one result each, lane by lane, of
    what lies in registers: `fn(*sources)` for `out`, for each of `parts`. The views that contiguous
    lanes see are kept for the next time, as in a loop; NumPy computes into registers where it can.
    """

    dense: Dense
    parts: list[tuple[Compute, np.ndarray, list[Any]]]
    _last: slice | None = None
    _views: Sequence[tuple[bool, Compute, np.ndarray, list[Any]]] = ()

    def __call__(self, lanes: Lanes) -> None:
        part, chosen = self.dense.of(lanes)
        if type(part) is not slice:
            for fn, out, sources in self.parts:
                out[part] = fn(*[source[part] for source in sources])
            return
        if part is not self._last and part != self._last:
            self._last, self._views = part, [_seen(part, *one) for one in self.parts]
        if chosen is True:
            for into, fn, target, views in self._views:
                if into:
                    fn(*views, out=target)
                else:
                    target[...] = fn(*views)
        else:
            for _, fn, target, views in self._views:
                np.copyto(target, fn(*views), where=chosen, casting="unsafe")


def _seen(
    part: slice, fn: Compute, out: np.ndarray, sources: list[Any]
) -> tuple[bool, Compute, np.ndarray, list[Any]]:
    """The registers as these lanes see them; whether NumPy can compute into them as they are."""
    into = isinstance(fn, np.ufunc) and all(
        source.dtype is sources[0].dtype for source in (*sources, out)
    )
    return into, fn, out[part], [source[part] for source in sources]


def fused(steps: list[Step]) -> list[Step]:
    """The same with one step for all that are side by side and compute lane by lane."""
    made: list[Step] = []
    for step in steps:
        if made and isinstance(step, Straight) and isinstance(made[-1], Straight):
            made[-1].parts += step.parts
        else:
            made.append(step)
    return made


def _several_results(
    fn: Compute, target: Operand, kinds: tuple[str, ...], sources: list[LaneValues], wave: Wave
) -> Step:
    outs = results_of(target, kinds, wave)
    return lambda lanes: put(outs, lanes, fn(*[source[lanes] for source in sources]))


def results_of(target: Operand, kinds: tuple[str, ...], wave: Wave) -> list[np.ndarray]:
    """Where results of these PTX types go, each (lanes,), to be `put` there. Those that nobody
    wants are left out at the end, or go to the sink."""
    return [
        wave.registers.write(part, kind)
        for part, kind in zip(several(target, *range(1, len(kinds) + 1)), kinds, strict=False)
    ]


def bind(instruction: Instruction, at: int, wave: Wave) -> Step:
    """The step that executes `instruction`, which stands at index `at`, on `wave`."""
    form = instruction.form
    if form.build is None:
        raise _unsupported(form)
    step = form.build(instruction, at, wave)
    for wrap in wave.events.listeners["execute"]:
        step = wrap(at, step)
    if instruction.guard and form.flow is not Flow.BRANCH:
        step = _guarded(step, instruction, at, wave)
    for wrap in wave.events.listeners["follow"]:
        step = wrap(at, step)
    return step


def _guarded(step: Step, instruction: Instruction, at: int, wave: Wave) -> Step:
    """A predicated instruction: only lanes whose guard holds take part."""
    guard, wanted = guard_of(instruction, wave), not instruction.guard_negated

    def effect_step(lanes: Lanes) -> Any:
        chosen = guard[lanes] == wanted
        wave.events.guard(at, lanes, chosen)
        return step(select(lanes, chosen)) if np.count_nonzero(chosen) else ()

    def control_step(lanes: Lanes) -> Successors:
        chosen = guard[lanes] == wanted
        taken = effect_step(lanes)
        return taken if chosen.all() else (*taken, (at + 1, select(lanes, ~chosen)))

    return control_step if instruction.form.control else effect_step


def guard_of(instruction: Instruction, wave: Wave) -> np.ndarray:
    """The guard predicate of every lane; a view, so it is current whenever it is read."""
    return wave.registers.storage(symbol_of(instruction.guard))


def resolve(opcode: str, operands: tuple[Operand, ...]) -> Form:
    """The form of an instruction. One that the table does not have gets a form without `build`,
    and is refused where threads come to it."""
    return _resolved(opcode, tuple([type(operand) is Address for operand in operands]))


@cache
def _resolved(opcode: str, addressed: tuple[bool, ...]) -> Form:
    for operands, form in next(iter(forms_of(opcode)), ()):
        if operands.fits(addressed):
            return form
    name, *mods = opcode.split(".")
    return Form(
        opcode,
        name,
        tuple(mods),
        # By PTX's habit the first operand of what nobody knows is written.
        roles=(Role.ADDRESS if addressed[:1] == (True,) else Role.WRITTEN, Role.READ),
    )


def forms_of(opcode: str) -> list[tuple[tuple[OperandList, Form], ...]]:
    """For each line of the table that an opcode is written like (there should be one): the lists
    of operands that may follow, and the form that each makes."""
    name, *mods = opcode.split(".")
    return [
        tuple((operands, _form(common, opcode, known, operands)) for operands in line.operands)
        for line, common in OPCODES.get(name, ())
        if (known := line.in_order(tuple(mods))) is not None
    ]


def _form(common: Form, opcode: str, mods: tuple[str, ...], operands: OperandList) -> Form:
    kind = next((mod for mod in reversed(mods) if mod in TYPES), "")
    name = opcode.partition(".")[0]
    return replace(
        common,
        opcode=opcode,
        name=name,
        mods=mods,
        type=kind,
        roles=operands.roles,
        transfers=transfers(operands, mods, kind),
        # What an mbarrier orders is known by its phases.
        orders=common.orders or not (name == "mbarrier" or ORDERING.isdisjoint(mods)),
    )


def _unsupported(form: Form) -> Unsupported:
    """What the table does not have of a form."""
    name, slots = form.name, [slot for line, _ in OPCODES.get(form.name, ()) for slot in line.slots]
    if forms_of(form.opcode):
        return Unsupported("wrong_operands", name=name)
    if name not in OPCODES:
        return Unsupported(
            "unknown",
            of_textures=name in ("tex", "tld4", "txq", "suld", "sust", "sured", "suq"),
        )
    strange = [mod for mod in form.mods if not any(mod in slot.choices for slot in slots)]
    return (
        Unsupported("unknown_modifier", name=name, modifier=strange[0])
        if strange
        else Unsupported("modifiers_together", name=name)
    )
