"""The launches that the cases of an exercise lack, chosen as a greedy cover of classes and pairs.

One launch is of several classes of one factor (31 elements are one fewer than a warp, and one fewer
than a block of 32 threads), and a rule's conditions tie factors to each other. So the launches are
taken from those that `classes` tries, each time the one that meets most for its cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from . import classes, rules
from .chosen import dealt, of_case
from .classes import Class, Numbers, Promised
from .model import Exercise, Rule

SEEDS = 0, 1, 2  # the sizes of other cases may hang on it

Row = Mapping[str, Any]  # of a launch: "grid", "block", its numbers, "values", "anywhere"
Filling = tuple[tuple[str, ...], bool]  # the values in arrays, and whether they begin anywhere


def choose(exercise: Exercise) -> list[Row]:
    """The rows that an exercise needs beside its other cases, rule by rule, as the launches for
    one rule may be launches for the next; RuleError where no launch meets what is missing."""
    others = tuple(case for case in exercise.cases if not of_case(case))
    ours = tuple(case for case in exercise.cases if of_case(case))
    rows: list[Row] = []
    for number, rule in enumerate(exercise.rules if ours else ()):
        kernel = {"kernel": rule.kernel} if len(exercise.rules) > 1 else {}
        # A case may not make rows of several values where the rule lets one expect them.
        for mixing in (True, False):
            now = replace(exercise, cases=(*others, *dealt(ours, rows)))
            found = [classes.met(now, classes.drawn(now, seed))[number] for seed in SEEDS]
            missing = np.logical_or.reduce([one.missing for one in found])
            added = _launches_for(found[0].promised, rule, missing, mixing)
            rows += [{**kernel, **row} for row in added]
    return rows


def _launches_for(
    promise: Promised, rule: Rule, missing: np.ndarray, mixing: bool
) -> Iterator[Row]:
    left = (missing | missing.T).astype(np.float32)
    count = promise.members.shape[1]
    members = promise.members.astype(np.float32)
    fillings, columns = _fillings(rule, promise.classes[count:])
    several = mixing & (_rows_of(rule, promise.launches) >= len(rule.values))
    cost = classes.cost(rule, promise.launches)[0]
    while left.any():
        gain = ((members @ left[:count, :count]) * members).sum(axis=1)[:, None]
        gain = gain + 2 * members @ left[:count, count:] @ columns.T
        gain = gain + ((columns @ left[count:, count:]) * columns).sum(axis=1)
        for at, (values, _) in enumerate(fillings):
            gain[:, at] *= several if len(values) > 1 else 1
        best, filling = np.unravel_index(np.argmax(gain / cost[:, None]), gain.shape)
        there = np.flatnonzero(np.concatenate([members[best], columns[filling]]))
        if not left[np.ix_(there, there)].any():
            raise rules.RuleError(f"no launch of {rule.kernel} meets what is missing")
        left[np.ix_(there, there)] = 0
        sizes = {name: int(one[best]) for name, one in promise.launches.items()}
        yield _row(rule, sizes, fillings[filling])


def _fillings(rule: Rule, known: tuple[Class, ...]) -> tuple[list[Filling], np.ndarray]:
    """Ways to fill arrays and to place them, and which of the `known` classes each is of."""
    values: list[tuple[str, ...]] = [(one,) for one in rule.values] or [()]
    values += [rule.values] if len(rule.values) > 1 else []
    fillings = [(one, moved) for one in values for moved in (False, True)[: 2 - rule.aligned]]
    columns = [
        [
            what in one if factor == "values" else (what == "anywhere") == moved
            for factor, what in known
        ]
        for one, moved in fillings
    ]
    return fillings, np.array(columns, np.float32).reshape(len(fillings), len(known))


def _rows_of(rule: Rule, numbers: Numbers) -> np.ndarray:
    """How many rows of other values the first array may have: elements, where these go their own
    ways, and one where it has a single dimension."""
    length = next(one.length for one in rules.parameters(rule) if one.length)
    each = length if rule.elementwise else length.rpartition(" * ")[0] or "1"
    rows = classes.known(rule.rows or each, numbers)
    return np.broadcast_to(1 if rows is None else rows, classes.count_of(numbers))


def _row(rule: Rule, sizes: dict[str, int], filling: Filling) -> Row:
    row: dict[str, Any] = {}
    for name, key, flat in (
        ("gridDim", "grid", rule.grid == 1),
        ("blockDim", "block", isinstance(rule.blocks[0], int)),
    ):
        shape = [sizes[f"{name}.{axis}"] for axis in rules.AXES]
        row[key] = shape[0] if flat else shape[:2]
    row |= {name: sizes[name] for name in classes.edges_of(rule)}
    values, moved = filling
    row |= {"values": list(values)} if values else {}
    return row if rule.aligned else row | {"anywhere": moved}
