"""Questions about one thread, or two, of a launch: may all of this be true at once?

A question takes with it what is known of the atoms that it speaks of, and no more. Of products of
integers it takes linear facts. Each lemma about them is a function of integers and of Z3's terms
alike: so tests can try it on numbers, and a solver need be told only of what the numbers fail that
it has come to. McCormick, "Computability of global solutions to factorable nonconvex programs"
(1976), has the four of the envelope.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from math import prod
from typing import Any

import z3

from ..errors import unless
from .atoms import (
    Atoms,
    Formula,
    Monomial,
    Polynomial,
    Scope,
    Thing,
    Twins,
    constant,
    product_name,
    term,
)
from .launches import FORMULA, MOST_OF_ONE, Effort
from .loops import Undecided

# ---- what is true of products ----

# From ints, or terms of Z3: conditions that must hold, and what follows.
Lemma = Callable[..., tuple[list[Any], Any]]

# x, y and their product.
ABOUT_ONE: dict[str, Lemma] = {
    "zero": lambda x, y, product: ([x == 0], product == 0),
    "one": lambda x, y, product: ([x == 1], product == y),
    "minus one": lambda x, y, product: ([x == -1], product == -y),
    "same sign": lambda x, y, product: ([x >= 0, y >= 0], product >= 0),
    "no less than a factor": lambda x, y, product: ([x >= 1, y >= 0], product >= y),
    "opposite signs": lambda x, y, product: ([x <= -1, y >= 0], product <= -y),
    "twice a factor": lambda x, y, product: ([x >= 2, y >= 0], product >= y + y),
}
# x, y, product, and a further number that shares y: other * y == others
ABOUT_TWO: dict[str, Lemma] = {
    "equal": lambda x, y, product, other, others: ([x == other], product == others),
    "apart": lambda x, y, product, other, others: ([x >= other + 1, y >= 0], product >= others + y),
    "in order": lambda x, y, product, other, others: ([x >= other, y >= 0], product >= others),
    "next to": lambda x, y, product, other, others: ([x == other + 1], product == others + y),
}
# x in [low, high] and y in [least, most], which are a box; product lies between these four planes.
ENVELOPE: dict[str, Lemma] = {
    "above least": lambda x, y, product, low, high, least, most: (
        [],
        product >= x * least + y * low - low * least,
    ),
    "above most": lambda x, y, product, low, high, least, most: (
        [],
        product >= x * most + y * high - high * most,
    ),
    "below least": lambda x, y, product, low, high, least, most: (
        [],
        product <= x * least + y * high - high * least,
    ),
    "below most": lambda x, y, product, low, high, least, most: (
        [],
        product <= x * most + y * low - low * most,
    ),
}


@dataclass(frozen=True, eq=False)
class Fact:
    """What a lemma says of some products: `parts` are what it is given, `ends` the numbers behind
    them."""

    lemma: Lemma
    parts: tuple[Monomial, ...]
    ends: tuple[int, ...] = ()

    @cached_property
    def formula(self) -> Formula:
        conditions, follows = self.lemma(
            *(constant(one) if one else z3.IntVal(1) for one in self.parts), *self.ends
        )
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


@dataclass(eq=False)
class Facts:
    """The facts about products of some atoms, each made once; `failed` are those that a model has
    failed, and others may again."""

    atoms: Atoms
    failed: set[Fact] = field(default_factory=set)
    _made: dict[tuple[Monomial, ...], list[Fact]] = field(default_factory=dict)

    def about(self, monomials: set[Monomial]) -> Iterator[Fact]:
        """Those about these products (of two factors at least)."""
        for make, count in ((self._about_one, 1), (_about_two, 2)):
            for some in combinations(sorted(monomials), count):
                if some not in self._made:
                    self._made[some] = list(make(*some))
                yield from self._made[some]

    def _about_one(self, whole: Monomial) -> Iterator[Fact]:
        for name, y in _splits(whole):
            x = (name,)
            for lemma in ABOUT_ONE.values():
                yield Fact(lemma, (x, y, whole))
                if len(y) == 1:
                    yield Fact(lemma, (y, x, whole))
            ends = [end for one in (x, y) for end in self.atoms.interval(Polynomial({one: 1}))]
            yield from (Fact(plane, (x, y, whole), tuple(ends)) for plane in ENVELOPE.values())


def _about_two(left: Monomial, right: Monomial) -> Iterator[Fact]:
    shared = _common(left, right)
    if not shared:
        return
    x, other = _without(left, shared), _without(right, shared)
    for lemma in ABOUT_TWO.values():
        yield Fact(lemma, (x, shared, left, other, right))
        yield Fact(lemma, (other, shared, right, x, left))


def _splits(monomial: Monomial) -> Iterator[tuple[str, Monomial]]:
    return ((name, _without(monomial, (name,))) for name in dict.fromkeys(monomial))


@lru_cache(1 << 14)
def _common(left: Monomial, right: Monomial) -> Monomial:
    return tuple((Counter(left) & Counter(right)).elements())


@lru_cache(1 << 14)
def _without(monomial: Monomial, part: Monomial) -> Monomial:
    return tuple((Counter(monomial) - Counter(part)).elements())


def factors_of(monomials: set[Monomial]) -> set[Monomial]:
    """The products of two factors or more that the facts about `monomials` will speak of."""
    found = monomials | {
        rest for monomial in monomials for _, rest in _splits(monomial) if len(rest) > 1
    }
    for left, right in combinations(sorted(monomials), 2):
        shared = _common(left, right)
        parts = (shared, _without(left, shared), _without(right, shared)) if shared else ()
        found |= {part for part in parts if len(part) > 1}
    return found


# ---- what may be true at once ----


@dataclass
class Solver:
    """`shared`: how narrow a scope the two threads have in common; `in_parts`: whether products of
    what has been divided are looked at in parts."""

    atoms: Atoms
    shared: Scope = Scope.THREAD
    in_parts: bool = False
    _excluded: list[frozenset[Formula]] = field(default_factory=list)  # what cannot be true at once

    @cached_property
    def second(self) -> Callable[[Thing], Thing]:
        """What is said of the first thread, of the second."""
        return Twins(
            self.atoms,
            lambda name: self.atoms.by_name[name].scope > self.shared,
            f"~{self.shared:d}",
        ).of

    def known(
        self, formulas: list[Formula], values: Mapping[str, int] | None = None
    ) -> tuple[list[Formula], list[Fact]]:
        """The formulas with all others that share an atom with them, and facts about their
        products. `values`: the known values of some atoms."""
        found = list(formulas)
        seen: set[str] = set()
        products: set[Monomial] = set()
        pending = list(formulas)
        while pending:
            constants = {one for formula in pending for one in self.atoms.constants(formula)}
            new = {tuple(one.split("*")) for one in constants if "*" in one} - products
            products = factors_of(products | new)
            factors = {part for one in products for part in one}
            names = (factors | {one for one in constants if "*" not in one}) - seen
            seen |= names
            pending = [
                *(fact for name in sorted(names) for fact in self.atoms.by_name[name].known),
                *(self._parts(new) if self.in_parts else ()),
            ]
            found += pending
        if self.atoms.products is None:
            self.atoms.products = Facts(self.atoms)
        found += fixed(values or {}, sorted(products))
        return found, list(self.atoms.products.about(products))

    def _parts(self, products: set[Monomial]) -> Iterator[Formula]:
        """(a + b) * y = a * y + b * y, where a factor is known to be such a sum."""
        return (
            constant(monomial) == term(a * others + b * others)
            for monomial in sorted(products)
            for name, rest in _splits(monomial)
            for others in [Polynomial({rest: 1})]
            for a, b in self.atoms.by_name[name].parts[:2]
        )

    def ask(
        self, formulas: list[Formula], effort: Effort, values: Mapping[str, int] | None = None
    ) -> Mapping[str, int] | str | None:
        """A model; None where there is none for certain; "unknown" otherwise."""
        asked = frozenset(formulas)
        if any(one <= asked for one in self._excluded):
            return None
        answer = self._answer(formulas, effort, values)
        if answer is None and not values:
            self._excluded.append(asked)
        return answer

    def _answer(
        self, formulas: list[Formula], effort: Effort, values: Mapping[str, int] | None
    ) -> Mapping[str, int] | str | None:
        """Of what is true of products the solver is told what its models have failed so far, until
        it has one that fails nothing."""
        told, facts = self.known(formulas, values)
        failed = self.atoms.products.failed
        told += [one.formula for one in facts if one in failed]
        facts = [one for one in facts if one not in failed]
        solver = z3.SimpleSolver()
        while True:
            effort.spend(FORMULA * len(told))
            if not effort.left:
                return "unknown"
            for one in told:
                z3.Z3_solver_assert(one.ctx_ref(), solver.solver, one.as_ast())
            before = _spent(solver)
            solver.set("rlimit", min(effort.left, MOST_OF_ONE))
            answer = solver.check()
            effort.spend(_spent(solver) - before)
            if answer != z3.sat:
                return None if answer == z3.unsat else "unknown"
            model = {  # read from its text: Z3's Python takes 30 us for each integer
                name: int(number) * (-1 if sign else 1)
                for name, sign, number in re.findall(
                    r"define-fun \|?([^\s|]+)\|? \(\) Int\s+(\(- )?(\d+)", solver.model().sexpr()
                )
            }
            if not (new := list(failing(facts, model))):
                return model
            failed.update(new)
            told = [one.formula for one in new]

    def impossible(self, formulas: list[Formula], effort: Effort) -> bool:
        """Whether they cannot all be true at once; False also where that is not found out. Raises
        Undecided once the effort is spent."""
        answer = self.ask(formulas, effort)
        unless(effort.left, Undecided("the time was too short"))
        return answer is None


def _spent(solver: z3.Solver) -> int:
    """What Z3 has spent since it was started, by its own count."""
    return int(solver.statistics().get_key_value("rlimit count"))


def fixed(values: Mapping[str, int], products: Iterable[Monomial]) -> list[Formula]:
    """That some atoms have these values, so that products with them are linear."""
    found = [z3.Int(name) == number for name, number in values.items()]
    for monomial in products:
        rest = [name for name in monomial if name not in values]
        number = prod(values.get(name, 1) for name in monomial)
        if len(rest) <= 1 and len(rest) < len(monomial):
            part = z3.Int(rest[0]) if rest else z3.IntVal(1)
            found.append(z3.Int(product_name(monomial)) == part * number)
    return found


def differ(solver: Solver, values: Iterable[Polynomial]) -> Formula:
    """That the threads differ in one of these."""
    pairs = [(one, solver.second(one)) for one in values]
    return z3.Or([term(a) != term(b) for a, b in pairs if a != b])
