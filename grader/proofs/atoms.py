"""Integers of unknown value: polynomials over named unknowns ("atoms"), what is known of each atom,
and formulas over them.

Sums, differences and products are exact and need no solver; what a register holds is equal to its
polynomial modulo 2 to the number of its bits, since all three keep that. A formula is Z3's, over
integer and Boolean constants called as the atoms are; a product of atoms is a constant of its own,
"a*b", and each `Fact` about it says what the formulas need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from itertools import chain, product
from math import gcd, prod
from typing import Any, TypeAlias, TypeVar

import z3

Monomial = tuple[str, ...]  # names of atoms, sorted, as often as they are factors; () is 1


@dataclass(frozen=True, eq=False)
class Polynomial:
    """`terms`: the coefficient, not 0, of each monomial."""

    terms: Mapping[Monomial, int]

    @staticmethod
    def of(value: Polynomial | int) -> Polynomial:
        """A number as a polynomial; a polynomial is itself."""
        return value if isinstance(value, Polynomial) else Polynomial({(): value} if value else {})

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
        return None if self.terms.keys() - {()} else self.terms.get((), 0)

    @property
    def rest(self) -> Polynomial:
        """It without its constant term."""
        return Polynomial({m: c for m, c in self.terms.items() if m})

    @cached_property
    def atoms(self) -> frozenset[str]:
        return frozenset(name for monomial in self.terms for name in monomial)

    def __add__(self, other: Polynomial | int) -> Polynomial:
        return _collected(chain(self.terms.items(), Polynomial.of(other).terms.items()))

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return self + Polynomial.of(other) * -1

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        pairs = product(self.terms.items(), Polynomial.of(other).terms.items())
        return _collected((tuple(sorted(m + n)), a * b) for (m, a), (n, b) in pairs)

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
        return sum(c * prod(of[name] for name in m) for m, c in self.terms.items())


def _collected(pairs: Iterable[tuple[Monomial, int]]) -> Polynomial:
    found: dict[Monomial, int] = {}
    for monomial, coefficient in pairs:
        found[monomial] = found.get(monomial, 0) + coefficient
    return Polynomial({m: c for m, c in found.items() if c})


# ---- atoms and formulas ----

Formula: TypeAlias = "z3.BoolRef"
Thing = TypeVar("Thing", Polynomial, "z3.BoolRef")
HUGE = 2**70  # more than any value that matters; an atom without a bound is below it


class Scope(IntEnum):
    """Who agrees on the value of an atom: all threads of a grid, of a block; of a block or a warp
    while they are in the same rounds of the loops around them; nobody."""

    GRID = 0
    BLOCK = 1
    BLOCK_ROUND = 2
    WARP_ROUND = 3
    THREAD = 4


@dataclass
class Atom:
    """An unknown integer, or an unknown truth value."""

    name: str
    scope: Scope
    low: int = 0  # the least value; 0 of a Boolean one
    high: int = 0  # the largest value; 0 of a Boolean one
    boolean: bool = False
    facts: list[Formula] = field(default_factory=list)  # hold wherever the atom means anything
    # Pairs of which the atom is the sum: a multiple of a power of two, and a rest.
    parts: list[tuple[Polynomial, Polynomial]] = field(default_factory=list)

    @cached_property
    def known(self) -> list[Formula]:
        """Its facts and its bounds, once no more will be found."""
        least = [z3.Int(self.name) >= self.low] if self.low > -HUGE else []
        most = [z3.Int(self.name) <= self.high] if self.high < HUGE else []
        return [*self.facts, *([] if self.boolean else least + most)]


def product_name(monomial: Monomial) -> str:
    return "*".join(monomial)


def constant(monomial: Monomial) -> z3.ArithRef:
    return z3.Int(product_name(monomial))


def term(value: Polynomial) -> z3.ArithRef:
    """A polynomial as Z3's linear term over atoms and products."""
    parts = [constant(m) * c if c != 1 else constant(m) for m, c in value.terms.items() if m]
    number = value.terms.get((), 0)
    if not parts:
        return z3.IntVal(number)
    whole = z3.Sum(parts) if len(parts) > 1 else parts[0]
    return whole + number if number else whole


def all_of(formulas: Iterable[Formula]) -> Formula:
    """Their conjunction, without what is trivially true."""
    found = [one for one in formulas if not z3.is_true(one)]
    if any(z3.is_false(one) for one in found):
        return z3.BoolVal(False)
    return found[0] if len(found) == 1 else z3.And(found) if found else z3.BoolVal(True)


def negated(formula: Formula) -> Formula:
    if z3.is_not(formula):
        return formula.arg(0)
    return (
        z3.BoolVal(z3.is_false(formula))
        if z3.is_true(formula) or z3.is_false(formula)
        else z3.Not(formula)
    )


@dataclass(eq=False)
class Atoms:
    """All atoms of an analysis, by name."""

    by_name: dict[str, Atom] = field(default_factory=dict)
    products: Any = None  # `solver.Facts` about them, as long as no atom is forgotten
    # What constants a formula has, by its id; it is kept alive, so that no other gets that.
    _names: dict[int, tuple[Formula, frozenset[str]]] = field(default_factory=dict)

    def integer(self, name: str, low: int, high: int, scope: Scope) -> Polynomial:
        """A new integer between `low` and `high`; its name is made distinct."""
        return Polynomial.atom(self._enter(Atom(name, scope, low, high)))

    def boolean(self, name: str, scope: Scope) -> Formula:
        return z3.Bool(self._enter(Atom(name, scope, boolean=True)))

    def fact(self, about: Polynomial | Formula, formula: Formula) -> None:
        """Let a formula hold wherever one of the atoms is spoken of that something is about."""
        for name in self.names(about):
            self.by_name[name].facts.append(formula)

    def interval(self, value: Polynomial) -> tuple[int, int]:
        """Bounds of a polynomial, by those of its atoms."""
        low = high = 0
        for monomial, coefficient in value.terms.items():
            ends = (coefficient, coefficient)
            for name in monomial:
                one = self.by_name[name]
                corners = [a * b for a in ends for b in (one.low, one.high)]
                ends = (min(corners), max(corners))
            low, high = low + ends[0], high + ends[1]
        return low, high

    def scope(self, *things: Polynomial | Formula) -> Scope:
        """The widest group of threads that is sure to agree on all of these."""
        return max(
            (self.by_name[name].scope for one in things for name in self.names(one)),
            default=Scope.GRID,
        )

    def names(self, thing: Polynomial | Formula) -> frozenset[str]:
        """The atoms in it."""
        return (
            thing.atoms
            if isinstance(thing, Polynomial)
            else frozenset(name for one in self.constants(thing) for name in one.split("*"))
        )

    def constants(self, formula: z3.ExprRef) -> frozenset[str]:
        """The names of its constants; products count as such."""
        known = self._names.get(formula.get_id())
        if known is None:
            children = formula.children()
            found = (
                frozenset[str]().union(*map(self.constants, children))
                if children or formula.decl().kind() != z3.Z3_OP_UNINTERPRETED
                else frozenset([formula.decl().name()])
            )
            known = self._names[formula.get_id()] = (formula, found)
        return known[1]

    def renamed(self, thing: Thing, names: Mapping[str, str]) -> Thing:
        """A polynomial or a formula with some atoms replaced by others, also within products."""
        if isinstance(thing, Polynomial):
            return _collected(
                (tuple(sorted(names.get(n, n) for n in m)), c) for m, c in thing.terms.items()
            )
        pairs = []
        for one in sorted(self.constants(thing)):
            factors = one.split("*")
            if not names.keys().isdisjoint(factors):
                new = product_name(tuple(sorted(names.get(factor, factor) for factor in factors)))
                sort = z3.Bool if factors == [one] and self.by_name[one].boolean else z3.Int
                pairs.append((sort(one), sort(new)))
        return z3.substitute(thing, *pairs) if pairs else thing

    def forget(self, number: int) -> frozenset[str]:
        """Keep the first `number` atoms only; the names of the others."""
        self.products = None
        gone = list(self.by_name)[number:]
        for name in gone:
            del self.by_name[name]
        for one in self.by_name.values():
            one.parts = [pair for pair in one.parts if pair[1].atoms <= self.by_name.keys()]
        return frozenset(gone)

    def _enter(self, atom: Atom) -> str:
        """Enter an atom, and make its name distinct."""
        if atom.name in self.by_name:
            atom.name = f"{atom.name}#{len(self.by_name)}"
        self.by_name[atom.name] = atom
        return atom.name


class Twins:
    """The same atoms at another time, or of another thread: those that are `inside` a loop, or not
    shared, get a twin each, of which the same is known, made when first spoken of; `pinned` says
    what is known of some instead. No twin's `scope` is narrower than this one."""

    def __init__(self, atoms: Atoms, inside: Callable[[str], bool], mark: str):
        self.atoms, self.inside, self.mark = atoms, inside, mark
        self.made: dict[str, str] = {}
        self.pinned: dict[str, Callable[[str], list[Formula]]] = {}
        self.scope = Scope.GRID

    def of(self, thing: Thing) -> Thing:
        """A polynomial or a formula about the twins."""
        inside = sorted(filter(self.inside, self.atoms.names(thing)))
        twin: Thing = self.atoms.renamed(thing, {name: self._twin(name) for name in inside})
        return twin

    def _twin(self, name: str) -> str:
        if name not in self.made:
            old = self.atoms.by_name[name]
            new = Atom(
                f"{name}{self.mark}", max(old.scope, self.scope), old.low, old.high, old.boolean
            )
            self.made[name] = new.name
            self.atoms.by_name[new.name] = new
            known = self.pinned.get(name)
            new.facts += known(new.name) if known else [self.of(one) for one in list(old.facts)]
        return self.made[name]
