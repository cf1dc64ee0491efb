"""What decides points beside the result, in words: for the page, a card and a message.

A limit is said per warp, per block or per launch, whichever divides it in the case; so the page and
the card have the same figure.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable

import numpy as np

from ..errors import counted
from ..grouped import grouped
from .model import Budget, Case, Exercise, Hazard, Problem, Requirement
from .rules import blocks_and_threads, dimensions, in_threads, is_whole, parameters

_SHAPES = 3  # of launches that are named one by one
_CALLED = {
    "atomics": "atomic operations",
    "exponentials": "exponentials that warps compute",
    "longest_path": "instructions of the busiest thread",
    "busiest_warp": "instructions of the busiest warp",
    "inst_executed": "instructions that warps execute",
    "thread_inst_executed": "instructions that threads execute",
}
WENT_WRONG = {
    "out_of_bounds": "an access out of bounds",
    "misaligned": "a misaligned access",
    "uninitialized_read": "a read of memory that nobody has written",
    "data_race": "a data race",
    "barrier_divergence": "a barrier that some threads never reach",
    "shuffle_divergence": "a shuffle with lanes that do not take part",
}


def called(counter: str) -> str:
    """What people call a counter of the simulated GPU: "sectors loaded from global memory"."""
    space, *access = counter.split("_", 2)
    if len(access) < 2 or access[0] not in ("load", "store"):
        return _CALLED.get(counter, counter.replace("_", " "))
    way, what = access[0], access[1].replace("_", " ")
    return (
        f"{what} {'loaded from' if way == 'load' else 'stored to'} {space} memory"
        if what in ("sectors", "bytes")
        else f"{way} {what} to {space} memory"
    )


def named(counter: str) -> str:
    """The same, and the counter's own name where that is another one."""
    what = called(counter)
    return what if what == counter else f"{what} (`{counter}`)"


def per(number: int, problem: Problem, said: tuple[str, int] | None = None) -> tuple[int, str]:
    """A limit on all launches of a case as so many per what, such as (25, "block"); `said` is the
    author's own unit, and how many of them the case has. The unit is "" where none divides the
    limit, or where several kernels share it."""
    shapes = blocks_and_threads(problem.launches)
    units = {
        "warp": sum(blocks * -(-threads // 32) for blocks, threads in shapes),
        "block": sum(blocks for blocks, _ in shapes),
        "launch": len(shapes) if len(set(shapes)) == 1 else 0,
    }
    several = len({launch.kernel for launch in problem.launches}) > 1
    known = [said] if said else [] if several else units.items()
    return next(
        ((number // many, unit) for unit, many in known if number and many and number % many == 0),
        (number, ""),
    )


def share(budget: Budget, problem: Problem) -> str:
    """What a limit that is a number comes from: "25 per block", "3 times ours"; or ""."""
    if budget.relative:
        factor = budget.relative.factor
        return f"{factor:g} times ours" if factor != 1 else "as many as ours"
    each, unit = per(budget.number, problem, budget.per)
    return f"{each:,} per {unit}" if unit else ""


def explained(number: int, problem: Problem, said: tuple[str, int] | None = None) -> str:
    """A sentence on where a limit comes from, with a space before it; "" where it has no unit."""
    each, unit = per(number, problem, said)
    return (
        f" The number {number:,} means {each:,} per {unit}: this case has {launches(problem)}."
        if each != number
        else ""
    )


def launches(problem: Problem) -> str:
    """The launches of a case: "4 blocks of 256 threads"."""
    alike = Counter((one.kernel, one.grid, one.block) for one in problem.launches)
    several = len({launch.kernel for launch in problem.launches}) > 1
    if len(alike) > _SHAPES:
        return counted(len(problem.launches), "launch", "launches")
    return ", then ".join(
        (f"{times} launches of " if times > 1 else "")
        + f"{counted(math.prod(dimensions(grid)), 'block')} of {in_threads(block)}"
        + (f" of `{kernel}`" if several else "")
        for (kernel, grid, block), times in alike.items()
    )


def stated(exercise: Exercise) -> str:
    """All but the result that decides points, as Markdown: what may be changed, what must go wrong,
    and a line for each thing that is counted. Empty where nothing but the result decides."""
    hazards = grouped((wanted(case.hazard), case) for case in exercise.cases if case.hazard)
    others = any(not case.hazard for case in exercise.cases)
    parts = (
        exercise.kind.allowed,
        *(
            f"**What must go wrong**: {what}, in {counted(len(cases), 'case')}: {_names(cases)}. "
            f"Do not change {'these lines' if ' lines with ' in what else 'this line'}."
            + (" In all other cases the result must be right." if others else "")
            for what, cases in hazards.items()
        ),
        _list(exercise),
    )
    return "\n\n".join(filter(None, parts))


def wanted(hazard: Hazard) -> str:
    """A hazard that is asked for: "a data race (between the lines with `a` and `b`)"."""
    what = WENT_WRONG.get(hazard.status, hazard.status)
    where = "between the lines with" if len(hazard.between) > 1 else "on the line with"
    return f"{what} ({where} {' and '.join(f'`{one}`' for one in hazard.between)})"


def _list(exercise: Exercise) -> str:
    lines = grouped((line, case) for case in exercise.cases for line in _lines(case))
    if not lines:
        return ""
    groups = [_visible(cases) for cases in lines.values()]
    main = max(groups, key=groups.count)
    shapes = " and ".join(
        f"*{case.name}* ({'' if case.visible else 'hidden, '}{_sizes(case, exercise)})"
        for case in main
    )
    rows = [f"**What is counted**, in the case {shapes}:\n"]
    for line, cases in sorted(lines.items(), key=lambda row: _visible(row[1]) != main):
        only = _visible(cases) != main
        told = cases if only else [case for case in cases if case not in main]
        where = f"; counted {'only' if only else 'also'} in {_few(told)}" if told else ""
        rows.append(f"- {line}{where}")
    return "\n".join(rows)


def _sizes(case: Case, exercise: Exercise) -> str:
    """The launches of a case, and the whole numbers that they pass: "2 blocks of 64 threads, with
    `n` = 128"."""
    problem = _drawn(case)
    rules = {rule.kernel: rule for rule in exercise.rules}
    passed = dict.fromkeys(
        ", ".join(
            f"`{one.name}` = {int(arg):,}"
            for one, arg in zip(parameters(rules[launch.kernel]), launch.args, strict=True)
            if is_whole(one)
        )
        for launch in problem.launches
        if launch.kernel in rules
    )
    told = len(passed) == 1 or len(problem.launches) <= _SHAPES
    sizes = ", then ".join(filter(None, passed if told else ()))
    return launches(problem) + (f", with {sizes}" if sizes else "")


def _visible(cases: list[Case]) -> list[Case]:
    """Those that a learner sees; all of them where there are none."""
    return [case for case in cases if case.visible] or cases


def _names(cases: Iterable[Case]) -> str:
    return " and ".join(f"*{case.name}*{'' if case.visible else ' (hidden)'}" for case in cases)


def _few(cases: list[Case]) -> str:
    """The cases that a learner sees by name, and how many hidden ones there are."""
    seen = [case for case in cases if case.visible]
    rest = counted(len(cases) - len(seen), "hidden case")
    return " and ".join(filter(None, (_names(seen), rest if len(seen) < len(cases) else "")))


def _drawn(case: Case) -> Problem:
    return case.problem(np.random.default_rng(0))


def _lines(case: Case) -> list[str]:
    """A line for each thing that is counted in a case."""
    return [
        *(f"{_limit(budget, case)} (`{budget.counter}`)" for budget in case.budgets),
        *(
            f"exactly {_amount(one.count, called(one.counter), case)} (`{one.counter}`)"
            for one in case.exactly
        ),
        *(_required(one, case) for one in case.requires),
        *(
            f"no {one.kind.named} in the computation of a result or of an index"
            for one in case.bans
        ),
    ]


def _limit(budget: Budget, case: Case) -> str:
    what = called(budget.counter)
    if budget.relative and budget.relative.factor != 1:
        return f"{what}: at most {budget.relative.factor:g} times those of our solution"
    if isinstance(budget.at_most, int):
        return (
            f"at most {_amount(budget.at_most, what, case, budget.per)}"
            if budget.at_most
            else f"no {what}"
        )
    return f"no more {what} than in our solution"


def _amount(number: int, what: str, case: Case, said: tuple[str, int] | None = None) -> str:
    """So many of something, and per what: "25 barriers per block"."""
    each, unit = per(number, _drawn(case), said)
    things = (
        re.sub(r"(?:(?<=ch)es|s)(?= (?:to|loaded|stored|that|of)\b|$)", "", what, count=1)
        if each == 1
        else what
    )
    return f"{each:,} {things} {f'per {unit}' if unit else 'in all'}"


def _required(asked: Requirement, case: Case) -> str:
    """What must be on the way to the result, or what warps must execute."""
    kind = asked.kind
    if kind.orders:
        return (
            f"at least {_amount(asked.at_least, f'{kind.named}s', case)} (each counts once "
            "per warp)"
        )
    result = " and ".join(f"`{name}`" for name in asked.of) or "the result"
    free = f", except for up to {counted(asked.but, 'element')}" if asked.but else ""
    if kind.last:
        return f"each element of {result} is written by a {kind.named}{free}"
    if asked.levels:
        return (
            f"a chain of {counted(asked.levels, kind.named)} from the inputs to each element of "
            f"{result}{free}"
        )
    times = f" {asked.at_least} times" if asked.at_least > 1 else ""
    return f"each input of {result} is read{times} by a {kind.named}{free}"
