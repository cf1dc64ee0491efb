"""Read-modify-write by many lanes at once: those that meet at one address take turns."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

Operation = Callable[..., np.ndarray]
Crowds = Iterable[tuple[int, np.ndarray]]  # addresses, each with its lanes in their order
CROWD = 64  # lanes at one address for which running totals pay


def compare_and_swap(old: np.ndarray, expected: np.ndarray, new: np.ndarray) -> np.ndarray:
    return np.where(old == expected, new, old)


def by_place(element: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The positions of lanes, those at one address side by side, first come first served; and where
    each address's run of them begins, and how long it is."""
    order = np.argsort(element, kind="stable")
    place = element[order]
    starts = np.flatnonzero(np.r_[True, place[1:] != place[:-1]])
    return order, starts, np.diff(np.r_[starts, len(place)])


def in_turns(
    memory: np.ndarray, element: np.ndarray, operation: Operation, values: Sequence[np.ndarray]
) -> np.ndarray:
    """Apply the operation once per lane, in order of lanes; the values found before. Where lanes
    meet at one address they take turns, all addresses at once."""
    order, starts, sizes = by_place(element)
    crowds = (
        (element[order[start]], order[start : start + size])
        for start, size in zip(starts, sizes, strict=True)
    )
    old, most = np.empty(len(element), memory.dtype), int(sizes.max())
    if most > CROWD and isinstance(operation, np.ufunc):
        # A running total per address gives every lane's turn.
        for at, lane in crowds:
            running = operation.accumulate(np.r_[memory[at], values[0][lane]], dtype=memory.dtype)
            old[lane] = running[:-1]
            memory[at] = running[-1]
    elif most > 4 and operation is compare_and_swap:
        _swap(memory, crowds, values[0], values[1], old)
    elif most > CROWD * len(sizes):
        _one_by_one(memory, crowds, operation, values, old)
    else:
        for turn in range(most):
            lane = order[starts[sizes > turn] + turn]
            old[lane] = memory[element[lane]]
            memory[element[lane]] = operation(old[lane], *[value[lane] for value in values])
    return old


def _one_by_one(
    memory: np.ndarray,
    crowds: Crowds,
    operation: Operation,
    values: Sequence[np.ndarray],
    old: np.ndarray,
) -> None:
    """Many lanes at few addresses, and no running total: as long as nothing changes, as in a sum
    that has grown too large for its format, twice as many are tried at a time."""
    for at, lane in crowds:
        tried = 1
        while len(lane):
            some = lane[:tried]
            found = np.repeat(memory[at : at + 1], len(some))
            left = operation(found, *[value[some] for value in values])
            changed = np.flatnonzero(left != found)
            taken = int(changed[0]) + 1 if len(changed) else len(some)
            old[some[:taken]] = found[:taken]
            memory[at] = left[taken - 1]
            tried = max(1, taken // 2) if len(changed) else 2 * tried
            lane = lane[taken:]


def _swap(
    memory: np.ndarray, crowds: Crowds, expected: np.ndarray, new: np.ndarray, old: np.ndarray
) -> None:
    """Many lanes compare and swap at few addresses, say for a lock: from one that swaps to the
    next, all find the same value."""
    for at, lane in crowds:
        while len(lane):
            equal = expected[lane] == memory[at]
            last = int(np.argmax(equal))
            found = lane[: last + 1] if equal[last] else lane
            old[found] = memory[at]
            if equal[last]:
                memory[at] = new[lane[last]]
            lane = lane[len(found) :]
