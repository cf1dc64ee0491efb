"""Integers as polynomials with integer coefficients over named unknowns ("atoms").

Sums, differences and products are exact and need no solver; what a register holds is equal to its
polynomial modulo 2 to the number of its bits, since all three keep that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import gcd

Monomial = tuple[str, ...]  # names of atoms, sorted, as often as they are factors; () is 1


@dataclass(frozen=True, eq=False)
class Polynomial:
    """`terms`: the coefficient, not 0, of each monomial."""

    terms: Mapping[Monomial, int]

    @staticmethod
    def of(value: int) -> Polynomial:
        return Polynomial({(): value} if value else {})

    @staticmethod
    def atom(name: str) -> Polynomial:
        return Polynomial({(name,): 1})

    @cached_property
    def key(self) -> frozenset[tuple[Monomial, int]]:
        return frozenset(self.terms.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def number(self) -> int | None:
        """Its value where it has no atom."""
        if any(self.terms.keys() - {()}):
            return None
        return self.terms.get((), 0)

    @property
    def rest(self) -> Polynomial:
        """It without its constant term."""
        return Polynomial({m: c for m, c in self.terms.items() if m})

    @cached_property
    def atoms(self) -> frozenset[str]:
        return frozenset(name for monomial in self.terms for name in monomial)

    def __add__(self, other: Polynomial | int) -> Polynomial:
        return _sum((self, 1), (_polynomial(other), 1))

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return _sum((self, 1), (_polynomial(other), -1))

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        found: dict[Monomial, int] = {}
        for left, a in self.terms.items():
            for right, b in _polynomial(other).terms.items():
                monomial = tuple(sorted(left + right))
                found[monomial] = found.get(monomial, 0) + a * b
        return Polynomial({m: c for m, c in found.items() if c})

    def renamed(self, names: Mapping[str, str]) -> Polynomial:
        """It with some atoms replaced by others, one for one."""
        if self.atoms.isdisjoint(names):
            return self
        pairs = self.terms.items()
        return _collected((tuple(sorted(names.get(n, n) for n in m)), c) for m, c in pairs)

    def divisible(self, number: int) -> bool:
        """Whether every coefficient is a multiple of `number`."""
        return all(c % number == 0 for c in self.terms.values())

    @property
    def content(self) -> int:
        """The greatest number that divides every coefficient; 0 where there is none."""
        return gcd(*self.terms.values())

    def divided(self, number: int) -> Polynomial:
        """It by a number that divides it."""
        return Polynomial({m: c // number for m, c in self.terms.items()})

    def value(self, of: Mapping[str, int]) -> int:
        """Its value where every atom has one."""
        total = 0
        for monomial, coefficient in self.terms.items():
            for name in monomial:
                coefficient *= of[name]
            total += coefficient
        return total


def _polynomial(value: Polynomial | int) -> Polynomial:
    return value if isinstance(value, Polynomial) else Polynomial.of(value)


def _collected(pairs: Iterable[tuple[Monomial, int]]) -> Polynomial:
    found: dict[Monomial, int] = {}
    for monomial, coefficient in pairs:
        found[monomial] = found.get(monomial, 0) + coefficient
    return Polynomial({m: c for m, c in found.items() if c})


def _sum(*parts: tuple[Polynomial, int]) -> Polynomial:
    return _collected((m, sign * c) for one, sign in parts for m, c in one.terms.items())
