"""Cases of many small launches, chosen so that they meet what an exercise's rules promise.

An author writes `covering(name, make)`: `make(rng, **row)` draws the problem of one launch, with
`grid`, `block` and the whole-number parameters of the rule, and with `draw`, which draws arrays of
the values that this launch is about, where the rule names `values`. `grader cases --write` chooses
the rows of sizes (`choosing`) and keeps them in the lesson's launches.json, so that a case is
the same on every machine. Each row is of the first such case whose `takes(row)` says so.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .inputs import mixed
from .model import Case, Problem
from .problems import anywhere, hidden, longest_path, together

FILE = "launches.json"

Row = Mapping[str, Any]


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
    name: str, make: Callable[..., Problem], takes: Callable[[Row], bool] = lambda row: True
) -> Case:
    """A hidden case of the launches that other cases lack. As some of their grids are large, it
    also shows whether one thread or one block does the work of all."""
    return replace(hidden(name, Chosen(make, takes)), budgets=(longest_path(),))


def kept(lesson: Path) -> dict[str, list[Row]]:
    """The rows that launches.json of a lesson's folder holds, by exercise."""
    path = lesson / FILE
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


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
    made = [
        f' "{name}": [\n' + ",\n".join(f"  {json.dumps(row)}" for row in some) + "\n ]"
        for name, some in rows.items()
    ]
    return "{\n" + ",\n".join(made) + "\n}\n"
