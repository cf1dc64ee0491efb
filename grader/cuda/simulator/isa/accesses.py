"""What instructions do where their accesses hit, and the one place that tells of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..memory.access import Access, Hit, bits_of
from .turns import in_turns


def put(machine, access: Access, hit: Hit, values: list[np.ndarray]) -> None:
    """Store `values`, an array for each component, where an access hits."""
    watched = machine.races is not None and machine.races.watches(access, hit)
    same = _unchanged(access, hit, values) if watched else None
    for component, value in enumerate(values):
        access.write(hit, component, value)
    note(machine, access, hit, "store", same, values)


def update(
    machine,
    access: Access,
    hit: Hit,
    operation: Callable,
    sources: list[list[np.ndarray]],
    cleaned: Callable = np.asarray,
) -> list[np.ndarray]:
    """Read, modify and write where an access hits: `operation(old, *values)` once a lane, for
    each component, where `sources` holds an array (lanes of the hit,) for each component of each
    operand. What was found before, by component. `cleaned` is done to what lies in memory before
    and after."""
    access.check_written(hit)
    if access.constant or not hit.store.writable:
        access.refuse_write(hit)
    memory, found = hit.store.view(sources[0][0].dtype), []
    for component in range(access.components):
        element = hit.element + component
        if cleaned is not np.asarray:
            memory[element] = cleaned(memory[element])
        values = [source[component] for source in sources]
        found.append(in_turns(memory, element, operation, values))
        if cleaned is not np.asarray:
            memory[element] = cleaned(memory[element])
    failed = found[0] != sources[0][0] if access.compares else None  # then nothing is written
    note(machine, access, hit, "atomic", failed)
    return found


def note(machine, access: Access, hit: Hit, kind: str, same=None, values=None) -> None:
    """Tell the race detector and the observer of an access that has just been made. What a copy
    engine moves (`bulk`), no load or store instruction does, and no counter of theirs counts."""
    if machine.races is not None and machine.races.watches(access, hit):
        machine.races.check(access, hit, kind, same, values)
    if machine.observed and not access.bulk:
        machine.watch.access(hit, access, kind)


def _unchanged(access: Access, hit: Hit, values: list[np.ndarray]) -> np.ndarray:
    """Per lane, whether memory holds the values already."""
    return np.logical_and.reduce(
        [bits_of(access.read(hit, n, v.dtype)) == bits_of(v) for n, v in enumerate(values)]
    )
