"""Copies of boxes of a tensor that a tensor map describes (PTX ISA, "Data Movement and Conversion
Instructions": cp.async.bulk.tensor, cp.reduce.async.bulk.tensor).

A box is dense in shared memory, its innermost dimension first; with a swizzle, a row takes at least
as many bytes as that has. A load writes all of it: zeros, or NaN, stand for places outside of the
tensor. A store leaves these places out. All of this is as an H100 does it.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ...cuda.errors import LaunchError, Misaligned, OutOfBounds
from ...cuda.tensor_maps import SIZE, TensorMap, decoded, swizzled
from ...machine.lanes import Lanes, Step, lane_index
from ...machine.memory.access import Access, Landing, Updating
from ...machine.memory.spaces import OFFSET_MASK
from ...machine.wave import Wave
from ..numbers import DTYPES
from ..program import Instruction, Malformed, Transfer, several
from ..table import Compute, effect
from .asynchronous_copies import (
    TOLD,
    UNIT,
    bringing,
    reading_later,
    taken_units,
    unit_access,
    unit_hits,
    write_later,
)
from .synchronization import OPERATIONS, operation_on

_DIMENSIONS = "1d|2d|3d|4d|5d"
_WITHIN = 128  # bytes: where a box may begin in shared memory
_STORE = "global shared|shared::cta"
Plan = Callable[[int], tuple[TensorMap, list[int]]]  # of a lane: its map, and where its box begins


@effect(
    "cp",
    f"async bulk tensor {_DIMENSIONS} shared::cluster|shared::cta global tile? {TOLD} "
    "multicast::cluster? L2::cache_hint? : "
    "writes.b32@shared[to], reads.b32@global[map], c, updates.b64@shared[barrier], mask?, policy?",
)
def load_box(instruction: Instruction, at: int, wave: Wave) -> Step:
    """[to], [map, {coordinates}], [barrier][, blocks]"""
    to = unit_access(instruction, 0, at, wave)
    bring, plan = bringing(instruction, to, at, wave), _plan(instruction, 1, at, wave)
    source = _of_elements("reads", at, wave)

    def step(lanes: Lanes) -> None:
        for lane in lane_index(lanes).tolist():
            tensor, coordinates = plan(lane)
            addresses, inside = tensor.places(coordinates)
            wave.events.gathered(at, inside)
            # An H100 fills each 16 bits with 0x7FF7.
            outside = 0x7FF77FF77FF77FF7 & (1 << 8 * tensor.size) - 1 if tensor.nan else 0
            values = np.full(len(addresses), outside, f"u{tensor.size}")
            sources, access = [], source(tensor.size)
            for hit in unit_hits(access, lane, addresses[inside], at, wave):
                access.get(hit)
                values[inside] = access.read(hit, 0, values.dtype)
                sources.append(reading_later(access, hit))
            bring(
                lane,
                values.view(np.uint32).reshape(-1, 4),
                _units(to, lane, tensor, wave),
                sources,
            )

    return step


@effect(
    "cp",
    f"async bulk tensor {_DIMENSIONS} {_STORE} tile? bulk_group L2::cache_hint? : "
    "writes.b8@global[map], c, reads.b32@shared[from], policy?",
)
@effect(
    "cp",
    f"reduce async bulk tensor {_DIMENSIONS} {_STORE} add|min|max|inc|dec|and|or|xor tile? "
    "bulk_group L2::cache_hint? : updates.b16@global[map], c, reads.b32@shared[from], policy?",
)
def store_box(instruction: Instruction, at: int, wave: Wave) -> Step:
    """[map, {coordinates}], [from]: the elements are stored, or each element of the tensor is
    updated as by an atomic."""
    name = instruction.form.one_of(OPERATIONS)
    target = _of_elements("updates" if name else "writes", at, wave)
    source, plan = unit_access(instruction, 2, at, wave), _plan(instruction, 0, at, wave)

    def step(lanes: Lanes) -> None:
        for lane in lane_index(lanes).tolist():
            tensor, coordinates = plan(lane)
            if min(coordinates) < 0:
                raise wave.report.error(OutOfBounds, at, lane, "box_stored_at_a_negative_place")
            addresses, inside = tensor.places(coordinates)
            units = _units(source, lane, tensor, wave)
            kept = inside.reshape(len(units), -1)  # what lies outside may never have been written
            some = kept.any(axis=1)
            words, sources = taken_units(source, lane, units[some], at, wave)
            wave.outgoing[0].add(*sources)
            access, update = target(tensor.size), _operation(name, tensor.kind) if name else None
            values = words.view(f"u{tensor.size}")[kept[some]]
            for hit in unit_hits(access, lane, addresses[inside], at, wave):
                write_later(
                    Updating(access, hit, [values.view(DTYPES[tensor.kind])], update)
                    if update
                    else Landing(access, hit, [values]),
                    wave,
                )

    return step


def _operation(name: str, kind: str) -> Compute:
    """The operation on elements of a PTX type."""
    try:
        return operation_on(kind, name)
    except KeyError:
        raise Malformed("no_such_operation", name=name, kind=kind) from None


def _plan(instruction: Instruction, position: int, at: int, wave: Wave) -> Plan:
    """Reads the map at the address that stands at `position`, and the coordinates after it."""
    rank = int((instruction.form.one_of(_DIMENSIONS.split("|")) or "")[0])
    address, coordinates = instruction.operands[position : position + 2]
    begins = [wave.read(item, "s32") for item in several(coordinates, rank)]
    access = wave.access(Transfer("reads", "generic", 8, 8), address, at)

    def plan(lane: int) -> tuple[TensorMap, list[int]]:
        index = np.array([lane])
        tensor = decoded(
            b"".join(
                access.read(hit, word, np.dtype(np.uint64)).tobytes()
                for half in range(0, SIZE, access.width)
                for hit in access.hits(index, np.array([half]))
                for word in range(access.components)
            )
        )
        if tensor is None or len(tensor.dims) != rank:
            raise wave.report.error(
                LaunchError,
                at,
                lane,
                "no_such_tensor_map",
                rank=rank,
                dimensions=len(tensor.dims) if tensor else 0,
            )
        first = [int(begin[index][0]) for begin in begins]
        if first[0] * tensor.size % UNIT:
            raise wave.report.error(
                Misaligned,
                at,
                lane,
                "column_of_a_box",
                column=first[0],
                size=tensor.size,
                unit=UNIT,
                rank=rank,
            )
        return tensor, first

    return plan


def _of_elements(verb: str, at: int, wave: Wave) -> Callable[[int], Access]:
    """By the size of elements, a copy engine's access to those that lie at any address."""

    @cache
    def access(size: int) -> Access:
        transfer = Transfer(
            verb, "global", size, bulk=True, asynchronous=True, strong=verb == "updates"
        )
        return Access(transfer, at, (np.zeros(wave.geometry.lanes, np.int64), 0), wave)

    return access


def _units(access: Access, lane: int, tensor: TensorMap, wave: Wave) -> np.ndarray:
    """By how many bytes each 16 bytes of a box lie behind the address in shared memory where it
    begins: int64, in the box's order."""
    start = (int(access.base[np.array([lane])][0]) + access.offset) & OFFSET_MASK
    if start % _WITHIN:
        raise wave.report.error(
            Misaligned,
            access.at,
            lane,
            "box_at_a_misaligned_byte",
            start=start,
            within=_WITHIN,
        )
    row = tensor.counts[0] * tensor.size
    begins = np.arange(tensor.moved // row) * max(row, tensor.swizzle)
    return (
        swizzled((start + begins[:, None] + np.arange(0, row, UNIT)).ravel(), tensor.swizzle)
        - start
    )
