"""The classes of launches that a `Rule` promises, and which of them and of their pairs are met.

A class is of a factor: a dimension of the grid, the threads of a block, a whole-number parameter,
the elements of an array, the values in it, where arrays begin. Sizes of all factors are tried
together, so that what the rule forbids is no class and no pair. A pair of classes counts if a
launch of at most `TOGETHER` threads and elements is of both, with at most `PASSES` elements of an
array per thread; a class alone if one of at most `ALONE` is. So what is beyond 16 bits is asked
once, and not once more beside each other class, as each would be a launch of 65,536 elements. It is
asked of ordinary values: a NaN or an infinity would hide a wrong element.
`ALONE` also bounds threads times passes, and there `PASSES_ALONE` the passes.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce

import numpy as np

from . import inputs, rules
from .model import Exercise, Launch, Problem, Rule

TOGETHER, ALONE = 1 << 13, 1 << 17
PASSES, PASSES_ALONE = 64, 1024
WARP = 32
TRIED = 50_000  # launches at most, of which pairs are looked for

_BLOCKS = {1, 31, 32, 33, 64, 65, 96, 128, 160, 256, 1000, 1024}
# How many numbers an unsigned char, a short that is not negative, and an unsigned short can be.
_KINDS_OF = (1 << 8, 1 << 15, 1 << 16)
_BLOCKS_BEYOND = (WARP, 1 << 8)

Class = tuple[str, str]  # its factor, and what it is there
Numbers = dict[str, np.ndarray]  # by name ("gridDim.x", "n"), a number for each of many launches


@dataclass(frozen=True)
class Promised:
    """The `classes` of a rule. `wanted[a, b]` says whether the classes a and b can go together,
    `wanted[a, a]` whether there is a; `launches` are such that have them, and
    `members[launch, class]` says which launch is of which class of sizes."""

    classes: tuple[Class, ...]
    wanted: np.ndarray
    launches: Numbers
    members: np.ndarray


@lru_cache(maxsize=256)
def promised(rule: Rule) -> Promised:
    """What a rule promises, and launches that keep to it."""
    launches = _tried(rule)
    found = {
        name: there
        for name, there in sizes(rule, launches).items()
        if there.any() and not there.all()
    }
    values = [("values", one) for one in rule.values] if len(rule.values) > 1 else []
    begins = [] if rule.aligned else [("arrays begin", "anywhere"), ("arrays begin", "aligned")]
    classes = (*found, *values, *begins)
    members = np.array([*found.values()], bool).reshape(len(found), count_of(launches)).T
    small = members[cost(rule, launches)[1]].astype(np.float32)
    pairs = small.T @ small > 0
    wanted = np.ones((len(classes), len(classes)), bool)
    wanted[: len(found), : len(found)] = pairs
    wanted[len(found) :, : len(found)] = pairs.diagonal()
    wanted[: len(found), len(found) :] = pairs.diagonal()[:, None]
    usual = [at for at, one in enumerate(classes) if one == ("values", "ordinary")]
    wanted[: len(found), usual] = wanted[usual, : len(found)] = True
    factors = np.array([factor for factor, _ in classes])
    wanted &= factors[:, None] != factors
    wanted[range(len(found)), range(len(found))] = members.any(axis=0)
    wanted[range(len(found), len(classes)), range(len(found), len(classes))] = True
    return Promised(classes, wanted, launches, members)


def sizes(rule: Rule, numbers: Numbers) -> dict[Class, np.ndarray]:
    """By class of sizes, which of the launches are of it."""
    found: dict[Class, np.ndarray] = {}
    for axis in rules.AXES[: rule.grid]:
        blocks, name = numbers[f"gridDim.{axis}"], f"gridDim.{axis}"
        found |= {
            (name, "1"): blocks == 1,
            (name, "2 to 32"): (blocks > 1) & (blocks <= WARP),
            **{(name, f"above {n}"): _at_work(rule, name, n, numbers) for n in _BLOCKS_BEYOND},
        }
    found |= _blocks(rule, numbers)
    for name, edges in edges_of(rule).items():
        number, step = numbers[name], _step(rule, name)
        found[name, "1"] = number == 1
        for edge in edges:
            at = rules.value(edge, numbers)
            found |= {
                (name, f"{edge} - {step}"): (number == at - step) & (number > 1),
                (name, edge): (number == at) & (number > 1),
                (name, f"{edge} + {step}"): number == at + step,
            }
        found |= {(name, f"above {many:,}"): number > many for many in _KINDS_OF}
    return found | _products(rule, numbers)


def _at_work(rule: Rule, name: str, block: int, numbers: Numbers) -> np.ndarray:
    """Where block number `block` along a dimension of the grid has work to do: a grid that ends
    before it would be against the rule, or would not reach all that the kernel goes over."""
    there = numbers[name] > block
    shorter = numbers | {name: np.full_like(numbers[name], block)}
    bound = [condition for condition in rule.where if name in condition]
    if bound:
        return np.asarray(
            there & ~np.logical_and.reduce([rules.value(one, shorter) for one in bound])
        )
    reached = [
        numbers[one] > rules.value(edge, shorter)
        for one, edges in edges_of(rule).items()
        for edge in edges
        if name in edge
    ]
    if reached:
        return np.asarray(there & np.logical_or.reduce(reached))
    return (
        there
        if name in next(one.length or "" for one in rules.parameters(rule) if one.length)
        else there & (elements_of(rule, numbers) * numbers[name] > block * _threads(numbers))
    )


def _products(rule: Rule, numbers: Numbers) -> dict[Class, np.ndarray]:
    """Products of sizes that a narrow type cannot hold: indices of rows, and of threads."""
    elements, threads = elements_of(rule, numbers), _threads(numbers)
    largest = np.max([numbers[name] for name in edges_of(rule)] or [elements], axis=0)
    found: dict[Class, np.ndarray] = {}
    for many in _KINDS_OF:
        beyond, wide = f"above {many:,}", threads > many + _product(numbers, "blockDim")
        found |= {
            ("elements", beyond): elements > many,
            # Twice as many, so that the last row begins beyond.
            ("elements", f"above {2 * many:,}, no size {beyond}"): (elements > 2 * many)
            & (largest <= many),
            ("threads of the grid", beyond): wide,
            ("threads of the grid", f"{beyond}, and more elements"): wide & (elements > threads),
        } | {  # the last row's index, before it is complete
            (f"({first} - 1) * {second}", beyond): (numbers[first] - 1) * numbers[second] > many
            for first, second in _outer_sizes(rule)
        }
    products = {one.length for one in rules.parameters(rule) if one.length and "*" in one.length}
    return found | {
        (f"{length} elements", f"above {_KINDS_OF[1]:,}"): there > _KINDS_OF[1]
        for length in (sorted(products) if len(products) > 1 else ())  # one alone may go beyond
        if (there := known(length, numbers)) is not None
    }


def _outer_sizes(rule: Rule) -> set[tuple[str, str]]:
    """The first two sizes of each array whose length is a product of three."""
    size = r"([A-Za-z][\w.]*)"
    return {
        (product[1], product[2])
        for one in rules.parameters(rule)
        if (product := re.fullmatch(rf"{size} \* {size} \* {size}", one.length or ""))
    }


def _blocks(rule: Rule, numbers: Numbers) -> dict[Class, np.ndarray]:
    threads = _product(numbers, "blockDim")
    warps, whole = threads // WARP, threads % WARP == 0
    found = {
        ("threads", "fewer than a warp"): threads < WARP,
        ("threads", "a warp"): threads == WARP,
        ("threads", "some warps"): whole & (warps > 1) & (warps & (warps - 1) == 0) & (warps < 32),
        ("threads", "no power of 2 of warps"): whole & (warps & (warps - 1) > 0),
        ("threads", "1,024"): threads == 1024,
        ("threads", "more than a warp, and no multiple"): ~whole & (threads > WARP),
    }
    if any(not isinstance(block, int) for block in rule.blocks):
        across = numbers["blockDim.x"]
        found |= {
            ("blockDim.x", "1"): across == 1,
            ("blockDim.x", "fewer than a warp"): (across > 1) & (across < WARP),
            ("blockDim.x", "a warp"): across == WARP,
            ("blockDim.x", "more than a warp"): across > WARP,
        }
    return found


def edges_of(rule: Rule) -> dict[str, tuple[str, ...]]:
    """By whole-number parameter, its edges, and where the rule has a largest number that."""
    given, found = {name: edges for name, *edges in rule.edges}, {}
    for one in filter(rules.is_whole, rules.parameters(rule)):
        edges = given.get(one.name, ["32", "blockDim.x"])
        most = [m[1] for m in (re.fullmatch(rf"{one.name} <= (.+)", w) for w in rule.where) if m]
        if edges:
            found[one.name] = tuple(dict.fromkeys([*edges, *most]))
    known = re.compile(rf"\b(?:{'|'.join(found)})\b")  # these come first
    return dict(sorted(found.items(), key=lambda one: bool(known.search(" ".join(one[1])))))


def _step(rule: Rule, name: str) -> int:
    """From a size of the parameter to the next one."""
    return next(
        (
            int(match[1])
            for condition in rule.where
            if (match := re.fullmatch(rf"{name} % (\d+) == 0", condition))
        ),
        1,
    )


def _tried(rule: Rule) -> Numbers:
    """Launches that keep to the rule, of sizes at its edges, beside them and between them."""
    shapes = [
        shape
        for shape in map(rules.dimensions, rule.blocks)
        if len(rule.blocks) <= len(_BLOCKS) or shape[0] in _BLOCKS
    ]
    numbers: Numbers = {
        f"blockDim.{axis}": np.array([shape[k] for shape in shapes])
        for k, axis in enumerate(rules.AXES)
    }
    for k, axis in enumerate(rules.AXES):
        grids = (
            (1, 2, 3, 7, 31, 32, 33, 40, 65, 130, 257, 300, 520, 1030, 2050)
            if k < rule.grid
            else (1,)
        )
        numbers = _beside(rule, numbers, f"gridDim.{axis}", [str(size) for size in grids])
    for name, edges in edges_of(rule).items():
        step = _step(rule, name)
        around = [f"{edge} {sign} {step}" for edge in edges for sign in "+-"]
        # Sizes at no edge, that others need beside them.
        between = [f"{size * step}" for size in (2, 5, 70, 130)]
        beyond = [f"{many + step}" for many in _KINDS_OF]
        blocks = (
            f"{block} * {each} + {step}"
            for block in _BLOCKS_BEYOND
            for each in ("blockDim.x", "blockDim.y", "(blockDim.x // 32)")
        )
        tried = dict.fromkeys(("1", f"{step}", *edges, *around, *between, *beyond, *blocks))
        numbers = _beside(rule, numbers, name, tried)
    return numbers


def _beside(rule: Rule, numbers: Numbers, name: str, tried: Iterable[str]) -> Numbers:
    """The launches with each of these sizes under `name`, as far as the rule allows."""
    columns = [np.broadcast_to(rules.value(size, numbers), count_of(numbers)) for size in tried]
    many = {known: np.tile(one, len(columns)) for known, one in numbers.items()} | {
        name: np.concatenate(columns)
    }
    many = {each: sizes[many[name] >= 1] for each, sizes in many.items()}
    passes = _passes(rule, many)
    kept = (
        (elements_of(rule, many) <= ALONE)
        & (passes <= PASSES_ALONE)
        & (_threads(many) * np.maximum(1, passes) <= ALONE)
    )
    for condition in rule.where:
        if (holds := known(condition, many)) is not None:
            kept = kept & holds
    rows = np.unique(np.stack([one[kept] for one in many.values()], axis=1), axis=0)
    if len(rows) > TRIED:
        rows = np.random.default_rng(0).choice(rows, TRIED, replace=False)
    return dict(zip(many, rows.T, strict=True))


def count_of(numbers: Numbers) -> int:
    return len(next(iter(numbers.values())))


def known(expression: str, numbers: Numbers) -> np.ndarray | None:
    """What an expression comes to, if all its names are known yet."""
    try:
        return np.asarray(rules.value(expression, numbers))
    except rules.RuleError:
        return None


def _threads(numbers: Numbers) -> np.ndarray:
    return np.asarray(_product(numbers, "gridDim") * _product(numbers, "blockDim"))


def _product(numbers: Numbers, shape: str) -> np.ndarray:
    """How many blocks ("gridDim") or threads of a block ("blockDim") there are, by the dimensions
    that are known yet."""
    return np.asarray(
        np.prod([one for name, one in numbers.items() if name.startswith(f"{shape}.")], axis=0)
    )


def elements_of(rule: Rule, numbers: Numbers) -> np.ndarray:
    """Of the largest array whose length the sizes tell."""
    lengths = (
        length
        for one in rules.parameters(rule)
        if one.length and (length := known(one.length, numbers)) is not None
    )
    return reduce(np.maximum, lengths, np.zeros(count_of(numbers), int))


def _passes(rule: Rule, numbers: Numbers) -> np.ndarray:
    """How often the busiest thread does what its kernel repeats."""
    said = known(rule.passes, numbers) if rule.passes else None
    return -(-elements_of(rule, numbers) // _threads(numbers)) if said is None else said


def cost(rule: Rule, numbers: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """About how long each launch takes on the simulated GPU, in times of a small one that runs
    alone, if it runs at the same time as others of its shape of blocks; and which are small."""
    threads, elements = _threads(numbers), elements_of(rule, numbers)
    passes = _passes(rule, numbers)
    small = (threads <= TOGETHER) & (elements <= TOGETHER) & (passes <= PASSES)
    blocks, warps = _product(numbers, "gridDim"), -(-threads // WARP)
    return 0.1 + blocks / 300 + passes / 30 + passes * warps / 400, small


def shapes(numbers: Numbers) -> np.ndarray:
    """By launch, the number of its shape of blocks."""
    blocks = np.stack([numbers[f"blockDim.{axis}"] for axis in rules.AXES], axis=1)
    return np.unique(blocks, axis=0, return_inverse=True)[1].ravel()


# --- what the cases of an exercise meet ----------------------------------------------------------


@dataclass(frozen=True)
class Met:
    """Of a rule, its classes, which and which pairs it promises (`Promised.wanted`), and which of
    these the launches of cases `met`."""

    rule: Rule
    promised: Promised
    met: np.ndarray

    @property
    def missing(self) -> np.ndarray:
        return np.asarray(self.promised.wanted & ~self.met)

    def counts(self) -> tuple[int, int, int, int]:
        """Classes, those met, pairs, those met."""
        wanted, met = self.promised.wanted, self.promised.wanted & self.met
        return (
            int(np.trace(wanted)),
            int(np.trace(met)),
            int(np.triu(wanted, 1).sum()),
            int(np.triu(met, 1).sum()),
        )

    def told(self) -> Iterator[str]:
        """What is not met, in words: classes, and pairs of those that are."""
        names = [f"{factor}: {what}" for factor, what in self.promised.classes]
        alone = self.missing.diagonal()
        yield from (name for name, lacks in zip(names, alone, strict=True) if lacks)
        yield from (
            f"{names[a]}, with {names[b]}"
            for a, b in np.argwhere(np.triu(self.missing, 1) & ~(alone[:, None] | alone))
        )


def met(exercise: Exercise, problems: Iterable[Problem]) -> tuple[Met, ...]:
    """For each rule of an exercise, what of it these problems meet."""
    launched = [(problem, launch) for problem in problems for launch in problem.launches]
    return tuple(
        _met(rule, [pair for pair in launched if pair[1].kernel == rule.kernel])
        for rule in exercise.rules
    )


def drawn(exercise: Exercise, seed: int = 0) -> Iterator[Problem]:
    """A problem of each of its cases."""
    return (case.problem(np.random.default_rng(seed)) for case in exercise.cases)


def _met(rule: Rule, launched: list[tuple[Problem, Launch]]) -> Met:
    promise = promised(rule)
    counts = np.zeros((len(launched), len(promise.classes)), np.float32)
    if launched:
        each = [rules.numbers(rule, launch) for _, launch in launched]
        of_sizes = sizes(rule, {name: np.array([one[name] for one in each]) for name in each[0]})
        for row, (problem, launch) in enumerate(launched):
            arrays = [arg for arg in launch.args if isinstance(arg, str)]
            moved = any(problem.begins.get(name, 0) for name in arrays)
            others = {("arrays begin", "anywhere" if moved else "aligned")} | {
                ("values", one)
                for array in (problem.inputs[name] for name in arrays if name in problem.inputs)
                if array.dtype.kind == "f" and array.size
                for one in inputs.classes_of(array, rule.values, rule.elementwise)
            }
            counts[row] = [
                known in others or (known in of_sizes and of_sizes[known][row])
                for known in promise.classes
            ]
    return Met(rule, promise, counts.T @ counts > 0)
