"""What is true of products of integers, as linear facts about the products a query speaks of.

Each lemma is a function of integers and of Z3's terms alike: so tests can try it on numbers, and a
solver need be told only of what the numbers fail that it has come to. McCormick, "Computability of
global solutions to factorable nonconvex programs" (1976), has the four of the envelope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any

import z3

from .atoms import Atoms, Formula, constant, product_name
from .polynomials import Monomial

Number = Any  # an int, or a term of Z3
Implication = tuple[list[Any], Any]  # conditions that must hold, and what follows


def zero(x: Number, y: Number, product: Number) -> Implication:
    return [x == 0], product == 0


def one(x: Number, y: Number, product: Number) -> Implication:
    return [x == 1], product == y


def minus_one(x: Number, y: Number, product: Number) -> Implication:
    return [x == -1], product == -y


def same_sign(x: Number, y: Number, product: Number) -> Implication:
    return [x >= 0, y >= 0], product >= 0


def no_less_than_a_factor(x: Number, y: Number, product: Number) -> Implication:
    return [x >= 1, y >= 0], product >= y


def opposite_signs(x: Number, y: Number, product: Number) -> Implication:
    return [x <= -1, y >= 0], product <= -y


def twice_a_factor(x: Number, y: Number, product: Number) -> Implication:
    return [x >= 2, y >= 0], product >= y + y


# x, y, product, and a further number that shares y: other * y == others
def equal(x: Number, y: Number, product: Number, other: Number, others: Number) -> Implication:
    return [x == other], product == others


def apart(x: Number, y: Number, product: Number, other: Number, others: Number) -> Implication:
    return [x >= other + 1, y >= 0], product >= others + y


def in_order(x: Number, y: Number, product: Number, other: Number, others: Number) -> Implication:
    return [x >= other, y >= 0], product >= others


def next_to(x: Number, y: Number, product: Number, other: Number, others: Number) -> Implication:
    return [x == other + 1], product == others + y


ABOUT_ONE = (zero, one, minus_one, same_sign, no_less_than_a_factor, opposite_signs, twice_a_factor)
ABOUT_TWO = (equal, apart, in_order, next_to)


# x in [low, high], y in [least, most]: the four planes between which a product lies
def above_least(
    x: Number, y: Number, product: Number, low: int, high: int, least: int, most: int
) -> Implication:
    return [], product >= x * least + y * low - low * least


def above_most(
    x: Number, y: Number, product: Number, low: int, high: int, least: int, most: int
) -> Implication:
    return [], product >= x * most + y * high - high * most


def below_least(
    x: Number, y: Number, product: Number, low: int, high: int, least: int, most: int
) -> Implication:
    return [], product <= x * least + y * high - high * least


def below_most(
    x: Number, y: Number, product: Number, low: int, high: int, least: int, most: int
) -> Implication:
    return [], product <= x * most + y * low - low * most


ENVELOPE = (above_least, above_most, below_least, below_most)


@dataclass(frozen=True, eq=False)
class Fact:
    """What a lemma says of some products: `parts` are what it is given, `ends` the numbers behind
    them."""

    lemma: Callable[..., Implication]
    parts: tuple[Monomial, ...]
    ends: tuple[int, ...] = ()

    @cached_property
    def formula(self) -> Formula:
        conditions, follows = self.lemma(*map(_constant_or_one, self.parts), *self.ends)
        return z3.Implies(z3.And(conditions), follows) if conditions else follows

    def fails(self, values: Mapping[Monomial, int]) -> bool:
        """Whether numbers, by product, are not as the lemma says."""
        conditions, follows = self.lemma(*(values[one] for one in self.parts), *self.ends)
        return all(conditions) and not follows


def failing(facts: Iterable[Fact], model: Mapping[str, int]) -> Iterator[Fact]:
    """Those that a model fails, which knows products by name, 0 where it says nothing. What speaks
    of nothing but products of their factors holds."""
    values: dict[Monomial, int] = {(): 1}
    wrong: set[Monomial] = set()
    for fact in facts:
        for one in fact.parts:
            if one not in values:
                values[one] = model.get(product_name(one), 0)
                if values[one] != prod(model.get(name, 0) for name in one):
                    wrong.add(one)
        if not wrong.isdisjoint(fact.parts) and fact.fails(values):
            yield fact


class Facts:
    """The facts about products of some atoms, each made once; `failed` are those that a model has
    failed, and others may again."""

    def __init__(self, atoms: Atoms, original: Callable[[str], str]):
        self.atoms, self.original = atoms, original
        self.failed: set[Fact] = set()
        self._made: dict[tuple[Monomial, ...], list[Fact]] = {}

    def about(self, monomials: set[Monomial]) -> Iterator[Fact]:
        """Those about these products (of two factors at least)."""
        ordered = sorted(monomials)
        for monomial in ordered:
            yield from self._kept((monomial,))
        for pair in combinations(ordered, 2):
            yield from self._kept(pair)

    def _kept(self, key: tuple[Monomial, ...]) -> list[Fact]:
        if key not in self._made:
            whole, *other = key
            if other:
                found = list(_about_two(whole, other[0]))
            else:
                ends = self.atoms, self.original
                splits = _splits(whole)
                found = [f for x, rest in splits for f in _about_one(whole, (x,), rest, *ends)]
            self._made[key] = found
        return self._made[key]


def _about_one(
    whole: Monomial, x: Monomial, y: Monomial, atoms: Atoms, original: Callable[[str], str]
) -> Iterator[Fact]:
    for lemma in ABOUT_ONE:
        yield Fact(lemma, (x, y, whole))
        if len(y) == 1:
            yield Fact(lemma, (y, x, whole))
    ends = (*_ends(x, atoms, original), *_ends(y, atoms, original))
    for plane in ENVELOPE:
        yield Fact(plane, (x, y, whole), ends)


def _about_two(left: Monomial, right: Monomial) -> Iterator[Fact]:
    shared = _common(left, right)
    if not shared:
        return
    x, other = _without(left, shared), _without(right, shared)
    for lemma in ABOUT_TWO:
        yield Fact(lemma, (x, shared, left, other, right))
        yield Fact(lemma, (other, shared, right, x, left))


def _ends(monomial: Monomial, atoms: Atoms, original: Callable[[str], str]) -> tuple[int, int]:
    low = high = 1
    for name in monomial:
        one_of = atoms.by_name[original(name)]
        corners = [a * b for a in (low, high) for b in (one_of.low, one_of.high)]
        low, high = min(corners), max(corners)
    return low, high


def _splits(monomial: Monomial) -> Iterator[tuple[str, Monomial]]:
    for name in dict.fromkeys(monomial):
        yield name, _without(monomial, (name,))


def _constant_or_one(monomial: Monomial) -> z3.ArithRef:
    return constant(monomial) if monomial else z3.IntVal(1)


def _common(left: Monomial, right: Monomial) -> Monomial:
    rest, found = list(right), []
    for name in left:
        if name in rest:
            rest.remove(name)
            found.append(name)
    return tuple(found)


def _without(monomial: Monomial, part: Monomial) -> Monomial:
    rest = list(monomial)
    for name in part:
        rest.remove(name)
    return tuple(rest)


def factors_of(monomials: set[Monomial]) -> set[Monomial]:
    """The products of two factors or more that the facts about `monomials` will speak of."""
    found = set(monomials)
    for monomial in monomials:
        found |= {rest for _, rest in _splits(monomial) if len(rest) > 1}
    for left, right in combinations(sorted(monomials), 2):
        shared = _common(left, right)
        parts = (shared, _without(left, shared), _without(right, shared)) if shared else ()
        found |= {part for part in parts if len(part) > 1}
    return found
