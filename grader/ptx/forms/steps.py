"""Steps: what executes an instruction, as a function of a set of lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...cuda.errors import ShuffleDivergence, UnsupportedInstruction
from ...machine.collectives import FULL
from ...machine.events import Step, Successors, Undefined
from ...machine.lanes import WARP, Lanes, select, warp_masks
from ...machine.lanes import index as lane_index
from ...machine.memory.access import Source
from ...machine.operands import read
from ...machine.wave import Wave
from ..ptx import Instruction, symbol_of

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
        read(operand, kind, wave) for operand, kind in zip(operands, form.sources, strict=True)
    ]
    by_number: dict[int, Callable[..., Step]] = {1: _unary, 2: _binary, 3: _ternary}
    make: Callable[..., Step] = by_number.get(len(sources), _many)
    step = make(form.fn, out, *sources)
    if form.undefined and wave.events.undefined:
        return _telling(form.undefined, step, sources, at, wave)
    return step


def _telling(
    undefined: Undefined, step: Step, sources: Sequence[Source], at: int, wave: Wave
) -> Step:
    def checked(lanes: Lanes) -> None:
        where = undefined.where(*[source[lanes] for source in sources])
        if np.count_nonzero(where):
            lane = int(lane_index(lanes)[np.argmax(where)])
            for tell in wave.events.undefined:
                tell(at, lane, undefined)
        step(lanes)

    return checked


def _unary(fn: Compute, out: np.ndarray, a: Source) -> Step:
    def step(lanes: Lanes) -> None:
        out[lanes] = fn(a[lanes])

    def in_place(lanes: Lanes) -> None:
        if type(lanes) is slice:
            fn(a[lanes], out=out[lanes], casting="unsafe")
        else:
            out[lanes] = fn(a[lanes])

    return in_place if isinstance(fn, np.ufunc) else step


def _binary(fn: Compute, out: np.ndarray, a: Source, b: Source) -> Step:
    def step(lanes: Lanes) -> None:
        out[lanes] = fn(a[lanes], b[lanes])

    def in_place(lanes: Lanes) -> None:
        if type(lanes) is slice:
            fn(a[lanes], b[lanes], out=out[lanes], casting="unsafe")
        else:
            out[lanes] = fn(a[lanes], b[lanes])

    return in_place if isinstance(fn, np.ufunc) else step


def _ternary(fn: Compute, out: np.ndarray, a: Source, b: Source, c: Source) -> Step:
    def step(lanes: Lanes) -> None:
        out[lanes] = fn(a[lanes], b[lanes], c[lanes])

    return step


def _many(fn: Compute, out: np.ndarray, *sources: Source) -> Step:
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
