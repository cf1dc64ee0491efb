"""A launch that an exercise's rule allows, with everything that it takes to make it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..course import rules
from ..course.model import Rule

MOST_ELEMENTS = 2**22  # of an array, and threads of a grid

Argument = np.ndarray | np.generic


@dataclass(frozen=True)
class Trial:
    """A launch to be tried: `numbers` are the whole-number parameters."""

    rule: Rule
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    numbers: Mapping[str, int]

    @property
    def shared_mem(self) -> int:
        return int(rules.value(self.rule.shared_mem, self.names))

    @property
    def names(self) -> dict[str, int]:
        return rules.launch_names(self.grid, self.block) | dict(self.numbers)

    @property
    def threads(self) -> int:
        return math.prod(self.grid) * math.prod(self.block)

    def sizes(self) -> Iterator[int]:
        """The elements of each array."""
        for one in rules.parameters(self.rule):
            if one.length is not None:
                yield int(rules.value(one.length, self.names))

    def keeps_to_its_rule(self) -> bool:
        """And is small enough to be tried."""
        whole = {one.name for one in rules.parameters(self.rule) if rules.is_whole(one)}
        return (
            self.numbers.keys() == whole
            and all(0 <= number < 2**31 for number in self.numbers.values())
            and self.block in map(rules.dimensions, self.rule.blocks)
            and min(self.grid) >= 1
            and all(one == 1 for one in self.grid[self.rule.grid :])
            and all(rules.value(one, self.names) for one in self.rule.where)
            and all(0 <= size <= MOST_ELEMENTS for size in (self.threads, *self.sizes()))
        )

    def arguments(self, seed: int = 0) -> dict[str, Argument]:
        """What the kernel is given, by parameter: made-up numbers where any will do."""
        rng = np.random.default_rng(seed)
        return {one.name: self._argument(one, rng) for one in rules.parameters(self.rule)}

    def _argument(self, one: rules.Parameter, rng: np.random.Generator) -> Argument:
        if one.length is None:
            number = self.numbers[one.name] if one.name in self.numbers else rng.normal()
            scalar: np.generic = one.dtype.type(number)
            return scalar
        size = int(rules.value(one.length, self.names))
        if one.zero or one.out:
            return np.zeros(size, one.dtype)
        drawn = rng.integers(0, 2, size) if one.dtype.kind == "b" else rng.normal(size=size)
        return drawn.astype(one.dtype)

    def __str__(self) -> str:
        """In the exercise's words: n = 257, 2 blocks of 256 threads."""
        said = [f"{name} = {number:,}" for name, number in self.numbers.items()]
        blocks = " x ".join(f"{one:,}" for one in rules.without_ones(self.grid))
        threads = " x ".join(f"{one:,}" for one in rules.without_ones(self.block))
        ends = ["" if one == "1" else "s" for one in (blocks, threads)]
        return ", ".join([*said, f"{blocks} block{ends[0]} of {threads} thread{ends[1]}"])
