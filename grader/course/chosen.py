"""Cases of many small launches, chosen so that they meet what an exercise's rules promise.

An author writes `covering(name, make)`: `make(rng, **row)` draws the problem of one launch, with
`grid`, `block` and the whole-number parameters of the rule, and with `draw`, which draws arrays of
the values that this launch is about, where the rule names `values`. `grader cases --write` chooses
the rows of sizes (`choose`) and keeps them in the lesson's launches.json, so that a case is
the same on every machine. Each row is of the first such case whose `takes(row)` says so.

The rows are the launches that the other cases lack: a cheap cover of classes and pairs. One launch
is of several classes of one factor (31 elements are one fewer than a warp, and one fewer than a
block of 32 threads), and a rule's conditions tie factors to each other. So the launches are taken
from those that `classes` tries: a set that meets all, and costs little.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import unless
from . import classes, rules, solution_counts
from .inputs import anywhere, hidden, longest_path, mixed, together
from .model import Case, Exercise, Problem, Rule

FILE = "launches.json"

Row = Mapping[str, Any]  # of a launch: "grid", "block", its numbers, "values", "anywhere"


@dataclass(frozen=True)
class Chosen:
    """Draws a problem of all `rows`, by `make`; of other rows `takes` says whether they belong."""

    make: Callable[..., Problem]
    takes: Callable[[Row], bool]
    rows: tuple[Row, ...] = ()

    def __call__(self, rng: np.random.Generator) -> Problem:
        with np.errstate(all="ignore"):  # of infinities, also those that float32 makes of sums
            return together(*(self._problem(rng, row) for row in self.rows))

    def _problem(self, rng: np.random.Generator, row: Row) -> Problem:
        given = {name: tuple(it) if isinstance(it, list) else it for name, it in row.items()}
        moved, values = given.pop("anywhere", False), given.pop("values", None)
        made = self.make(rng, **given, **({"draw": mixed(values)} if values else {}))
        return anywhere(made) if moved else made


def covering(
    name: str,
    make: Callable[..., Problem],
    takes: Callable[[Row], bool] = lambda row: True,
    factor: float = 3,
) -> Case:
    """A hidden case of the launches that other cases lack. As some of their grids are large, it
    also shows whether one thread or one block does the work of all: no thread may execute more
    than `factor` times as many instructions as our busiest one."""
    return replace(hidden(name, Chosen(make, takes)), budgets=(longest_path(factor),))


def kept(lesson: Path) -> dict[str, list[Row]]:
    """The rows that launches.json of a lesson's folder holds, by exercise."""
    return solution_counts.kept(lesson, what="launches")


def of_case(case: Case) -> Chosen | None:
    """What draws the problem of a case, if that is chosen."""
    draw = getattr(case.problem, "__wrapped__", case.problem)
    return draw if isinstance(draw, Chosen) else None


def dealt(cases: Iterable[Case], rows: Iterable[Row]) -> Iterator[Case]:
    """The cases, the covering ones with their rows."""
    left = list(rows)
    for case in cases:
        if made := of_case(case):
            taken = tuple(row for row in left if made.takes(row))
            left = [row for row in left if row not in taken]
            case = replace(case, problem=replace(made, rows=taken))
        yield case


def text(rows: Mapping[str, Iterable[Row]]) -> str:
    """launches.json with these rows, by exercise."""
    return solution_counts.laid_out({name: list(some) for name, some in rows.items()}) + "\n"


SEEDS = range(8)  # the sizes of other cases, and what they meet by chance, may depend on it
ROUNDS = 150  # in which a choice may become cheaper

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
            rows += [
                {**kernel, **row} for row in _launches_for(found[0].promised, rule, missing, mixing)
            ]
    return rows


def _launches_for(
    promise: classes.Promised, rule: Rule, missing: np.ndarray, mixing: bool
) -> Iterator[Row]:
    """Rows that meet all pairs that are missing."""
    pairs = np.argwhere(np.triu(missing | missing.T))
    if not len(pairs):
        return
    # Ways to fill arrays and to place them, and which of the known classes each is of.
    known = promise.classes[promise.members.shape[1] :]
    groups = dict.fromkeys([*((one,) for one in rule.values), rule.values])  # all together, too
    fillings = [(one, moved) for one in groups for moved in (False, True)[: 2 - rule.aligned]]
    columns = np.array(
        [
            what in one if factor == "values" else (what == "anywhere") == moved
            for one, moved in fillings
            for factor, what in known
        ],
        bool,
    ).reshape(len(fillings), len(known))
    # How many rows of other values the first array may have: elements, where these go their own
    # ways, and one where it has a single dimension.
    length = next(one.length for one in rules.parameters(rule) if one.length)
    each = length if rule.elementwise else length.rpartition(" * ")[0] or "1"
    rows = classes.known(rule.rows or each, promise.launches)
    several = mixing & (
        (np.broadcast_to(1 if rows is None else rows, classes.count_of(promise.launches)))
        >= len(rule.values)
    )
    costs, shapes = classes.cost(rule, promise.launches)[0], classes.shapes(promise.launches)
    sizes = _cheapest(np.hstack([promise.members, several[:, None]]), costs, shapes)
    found = []  # what each option meets, its launch, and its filling
    for at, (values, _) in enumerate(fillings):
        able = sizes[several[sizes]] if len(values) > 1 else sizes
        others = np.broadcast_to(columns[at], (len(able), columns.shape[1]))
        there = np.hstack([promise.members[able], others])
        found.append((there[:, pairs[:, 0]] & there[:, pairs[:, 1]], able, np.full(len(able), at)))
    covers, launch, filling = map(np.concatenate, zip(*found, strict=True))
    options = LaunchChoices(covers, costs[launch], shapes[launch])
    unless(
        options.covers.any(axis=0).all(),
        rules.RuleError(f"no launch of {rule.kernel} meets what is missing"),
    )
    for best in options.cover():
        numbers = {name: int(one[launch[best]]) for name, one in promise.launches.items()}
        yield _row(rule, numbers, fillings[filling[best]])


def _cheapest(rows: np.ndarray, costs: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """Of rows of truths that are the same, in launches with blocks of the same shape, the number of
    the one that costs least."""
    order = np.argsort(costs, kind="stable")
    alike = np.hstack([np.packbits(rows[order], axis=1), shapes[order, None]])
    return np.asarray(order[np.unique(alike, axis=0, return_index=True)[1]])


@dataclass(frozen=True)
class LaunchChoices:
    """What can be chosen: what each meets (`covers[option, pair]`), what it costs, and its shape of
    blocks. Each shape that is chosen costs 1 more: launches of one shape run at the same time."""

    covers: np.ndarray
    costs: np.ndarray
    shapes: np.ndarray

    def cover(self) -> list[int]:
        """Choices that together meet all, at little cost: a greedy cover, of which some are given
        up again and again and replaced by others if those cost no more."""
        useful = _cheapest(self.covers, self.costs, self.shapes)
        own = LaunchChoices(self.covers[useful], self.costs[useful], self.shapes[useful])
        rng = np.random.default_rng(0)
        best = own._completed([], rng)
        for _ in range(ROUNDS):
            given_up = rng.choice(len(best), min(len(best), int(rng.integers(2, 7))), replace=False)
            now = own._completed([one for at, one in enumerate(best) if at not in given_up], rng)
            if own._price(now) <= own._price(best):
                best = now
        return [int(useful[one]) for one in best]

    def _price(self, chosen: list[int]) -> float:
        return float(self.costs[chosen].sum()) + len(np.unique(self.shapes[chosen]))

    def _completed(self, chosen: list[int], rng: np.random.Generator) -> list[int]:
        """The options that are chosen and such as meet the rest, without those that are spare."""
        left = ~self.covers[chosen].any(axis=0)
        able = np.flatnonzero(self.covers[:, left].any(axis=1))
        rest = self.covers[np.ix_(able, left)].astype(np.float32)
        worth = (1 / rest.sum(axis=0)) ** 0.5  # what few meet comes first
        while worth.any():
            prices = self.costs[able] + ~np.isin(self.shapes[able], self.shapes[chosen])
            best = int(np.argmax(rest @ worth / prices * rng.uniform(0.9, 1.0, len(able))))
            chosen = [*chosen, int(able[best])]
            worth = np.where(rest[best] > 0, 0, worth)
        times, needed = self.covers[chosen].sum(axis=0), []
        for one in sorted(chosen, key=lambda one: -self.costs[one]):
            if (times[self.covers[one]] > 1).all():
                times = times - self.covers[one]
            else:
                needed.append(one)
        return needed


def _row(rule: Rule, sizes: dict[str, int], filling: Filling) -> Row:
    grid, block = (
        [sizes[f"{name}.{axis}"] for axis in rules.AXES] for name in ("gridDim", "blockDim")
    )
    values, moved = filling
    return {
        "grid": grid[0] if rule.grid == 1 else grid[:2],
        "block": block[0] if isinstance(rule.blocks[0], int) else block[:2],
        **{name: sizes[name] for name in classes.edges_of(rule)},
        **({"values": list(values)} if values else {}),
        **({} if rule.aligned else {"anywhere": moved}),
    }
