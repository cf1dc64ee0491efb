"""What instructions do where their accesses hit, and the one place that tells of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...machine.events import Accessed
from ...machine.memory.access import Access, Hit
from .turns import in_turns


def get(access: Access, hit: Hit) -> None:
    """Tell that lanes load what lies where an access hits; they then may read it."""
    access.about_to_read(hit)
    if listeners := access.memory.events.access:
        _tell(listeners, Accessed(access, hit, "load"))


def put(access: Access, hit: Hit, values: list[np.ndarray]) -> None:
    """Store `values`, an array for each component, where an access hits."""
    events = access.memory.events
    for tell in events.write:
        tell(access, hit, values)
    for component, value in enumerate(values):
        access.write(hit, component, value)
    if events.access:
        _tell(events.access, Accessed(access, hit, "store", values))


def update(
    access: Access,
    hit: Hit,
    operation: Callable[..., np.ndarray],
    sources: list[list[np.ndarray]],
    cleaned: Callable[[np.ndarray], np.ndarray] = np.asarray,
) -> list[np.ndarray]:
    """Read, modify and write where an access hits: `operation(old, *values)` once a lane, for
    each component, where `sources` holds an array (lanes of the hit,) for each component of each
    operand. What was found before, by component. `cleaned` is done to what lies in memory before
    and after."""
    access.about_to_read(hit)
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
    used(access, hit, found, failed)
    return found


def used(
    access: Access,
    hit: Hit,
    found: list[np.ndarray] | None = None,
    failed: np.ndarray | None = None,
) -> None:
    """Tell that lanes have used a place as an atomic does."""
    if listeners := access.memory.events.access:
        _tell(listeners, Accessed(access, hit, "atomic", found, failed))


def _tell(listeners: tuple[Callable[[Accessed], None], ...], done: Accessed) -> None:
    for tell in listeners:
        tell(done)
