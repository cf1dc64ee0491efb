"""What may go wrong in a kernel, as questions: out of bounds, races, threads that do not meet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

import z3

from ..machine.barriers import FULL
from ..machine.lanes import WARP
from .atoms import Formula, Scope, all_of, negated, term
from .loops import Undecided
from .polynomials import Polynomial
from .scenes import Scene, differ
from .setting import AXES
from .states import AccessSite, Epoch, Meeting
from .thread import Thread


@dataclass(frozen=True)
class Question:
    """`formulas` are true at once if the `fault` ("bounds", "alignment", "race", "barrier",
    "warp") happens at the instructions `places`."""

    fault: str
    places: tuple[int, ...]
    scene: Scene
    formulas: list[Formula]


def all_questions(thread: Thread) -> Iterator[Question]:
    """Whatever has to be impossible; those that are answered fastest come first."""
    yield from _about_accesses(thread)
    yield from _about_meetings(thread)
    yield from _about_races(thread)


def _about_accesses(thread: Thread) -> Iterator[Question]:
    scene, in_parts = Scene(thread.on.atoms), Scene(thread.on.atoms, in_parts=True)
    for one in thread.accesses:
        length = thread.lengths[one.pointer.array]
        if length is None:
            line = thread.code.instructions[one.at].line
            what = f"only its contents say how much `{one.pointer.array}` must hold"
            raise Undecided(what, line)
        offset = term(one.pointer.offset)
        outside = z3.Or(offset < 0, offset + one.width > term(length))
        yield Question("bounds", (one.at,), scene, [*one.path, outside])
        if not one.pointer.offset.divisible(one.width):
            whole = thread.on.floor_quotient(one.pointer.offset, one.width) * one.width
            crooked = term(one.pointer.offset - whole) != 0
            yield Question("alignment", (one.at,), in_parts, [*one.path, crooked])


def _about_meetings(thread: Thread) -> Iterator[Question]:
    scenes = {scope: Scene(thread.on.atoms, scope) for scope in Scope}
    for one in thread.meetings:
        scene = scenes[one.scope]
        if one.scope is Scope.WARP_ROUND:
            yield from _about_whole_warps(thread, scenes[Scope.THREAD], one)
        path = all_of(one.path)
        if thread.on.atoms.scope(path) <= one.scope:
            continue
        apart = differ(scene, [thread.setting.special[f"%tid.{axis}"] for axis in AXES])
        formulas = [path, negated(scene.second(path)), apart]
        if one.scope is Scope.WARP_ROUND:
            warp = thread.on.floor_quotient(thread.setting.thread_number, WARP)
            formulas.append(term(warp) == term(scene.second_value(warp)))
            formulas.append(scene.second(_named(thread, one.mask)))
        fault = "warp" if one.scope is Scope.WARP_ROUND else "barrier"
        yield Question(fault, (one.at,), scene, formulas)


def _about_whole_warps(thread: Thread, scene: Scene, one: Meeting) -> Iterator[Question]:
    """That a mask names the lane that comes with it, and no lane that a block's last warp lacks."""
    on, whole = thread.on, thread.setting.threads
    if one.mask != FULL:
        yield Question("warp", (one.at,), scene, [*one.path, negated(_named(thread, one.mask))])
    if not whole.divisible(WARP):
        last = on.floor_quotient(whole, WARP)
        mine = on.floor_quotient(thread.setting.thread_number, WARP)
        most = one.mask.bit_length() - 1
        partial = [term(whole - last * WARP) <= most, term(mine) == term(last)]
        yield Question("warp", (one.at,), scene, [*one.path, *partial])


def _named(thread: Thread, mask: int) -> Formula:
    """That a mask names a thread's lane."""
    if mask == FULL:
        return z3.BoolVal(True)
    lane = term(thread.on.low_bits(thread.setting.thread_number, 5))
    return z3.Or([lane == bit for bit in range(WARP) if mask >> bit & 1])


def _about_races(thread: Thread) -> Iterator[Question]:
    atoms, special = thread.on.atoms, thread.setting.special
    block, grid = Scene(atoms, Scope.BLOCK), Scene(atoms, Scope.GRID)
    threads = differ(block, [special[f"%tid.{axis}"] for axis in AXES])
    blocks = differ(grid, [special[f"%ctaid.{axis}"] for axis in AXES])
    for a, b in combinations_with_replacement(thread.accesses, 2):
        if a.pointer.array != b.pointer.array or not _conflict(a, b):
            continue
        space = getattr(thread.variables.get(a.pointer.array), "space", "global")
        places = tuple(dict.fromkeys((a.at, b.at)))
        if space in ("global", "shared"):
            meet = _same_epoch(thread, block, a, b)
            if not any(z3.is_false(one) for one in meet):
                both = [*_overlap(block, a, b), threads, *meet]
                yield Question("race", places, block, both)
        if space == "global":
            yield Question("race", places, grid, [*_overlap(grid, a, b), blocks])


def _conflict(a: AccessSite, b: AccessSite) -> bool:
    verbs = {a.verb, b.verb}
    return verbs != {"reads"} and verbs != {"updates"}


def _overlap(scene: Scene, a: AccessSite, b: AccessSite) -> list[Formula]:
    """That the first thread does `a`, the second one `b`, and they touch the same bytes."""
    here, there = a.pointer.offset, scene.second_value(b.pointer.offset)
    apart = there - here
    if a.width == b.width and apart.divisible(a.width):
        touch = [term(apart) == 0]
    else:
        touch = [term(apart) < a.width, term(apart) > -b.width]
    return [*a.path, *(scene.second(one) for one in b.path), *touch]


def _same_epoch(thread: Thread, scene: Scene, a: AccessSite, b: AccessSite) -> list[Formula]:
    """That no barrier lies between: of the block, and of the warp if both are in one."""
    found = _equal(scene, a.epoch, b.epoch)
    if (a.warp_epoch, b.warp_epoch) != (a.epoch, b.epoch):
        warp = thread.on.floor_quotient(thread.setting.thread_number, WARP)
        elsewhere = term(warp) != term(scene.second_value(warp))
        found.append(z3.Or(elsewhere, all_of(_equal(scene, a.warp_epoch, b.warp_epoch))))
    return found


def _equal(scene: Scene, a: Epoch, b: Epoch) -> list[Formula]:
    found = []
    for one, other in zip(a, b, strict=True):
        difference: Polynomial = one - scene.second_value(other)
        if difference.number is None:
            found.append(term(difference) == 0)
        elif difference.number:
            return [z3.BoolVal(False)]
    return found
