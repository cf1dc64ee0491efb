"""Questions about one thread, or two, of a launch: may all of this be true at once?

A question takes with it what is known of the atoms that it speaks of, and no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import z3

from . import lemmas
from .atoms import Atoms, Formula, Scope, constant, product_name, ranges, term
from .effort import FORMULA, MOST_OF_ONE, Effort
from .polynomials import Monomial, Polynomial

_INTEGERS = re.compile(r"define-fun \|?([^\s|]+)\|? \(\) Int\s+(\(- )?(\d+)")

OTHER = "~"  # marks the atoms of the second thread

Model = Mapping[str, int]  # what whole numbers may be, by atom


@dataclass
class Scene:
    """`shared`: how narrow a scope the two threads have in common; `in_parts`: whether products of
    what has been divided are looked at in parts."""

    atoms: Atoms
    shared: Scope = Scope.THREAD
    in_parts: bool = False
    _facts: dict[str, list[Formula]] = field(default_factory=dict)
    _excluded: list[frozenset[int]] = field(default_factory=list)  # what cannot be true at once
    _alive: list[Formula] = field(default_factory=list)  # so that no other gets its number

    def second(self, thing: Formula) -> Formula:
        """A formula about the first thread, of the second."""
        return self.atoms.renamed(thing, self._names(self.atoms.names(thing)))

    def second_value(self, value: Polynomial) -> Polynomial:
        return value.renamed(self._names(value.atoms))

    def _names(self, names: Iterable[str]) -> dict[str, str]:
        by_name, shared = self.atoms.by_name, self.shared
        return {name: name + OTHER for name in names if by_name[name].scope > shared}

    def known(
        self, formulas: list[Formula], values: Mapping[str, int] | None = None
    ) -> tuple[list[Formula], list[lemmas.Fact]]:
        """The formulas and what bears on them, and what is true of their products; `values` are
        those of some atoms."""
        found = list(formulas)
        seen: set[str] = set()
        products: set[Monomial] = set()
        pending = list(formulas)
        while pending:
            constants = {one for formula in pending for one in self.atoms.constants(formula)}
            new = {tuple(one.split("*")) for one in constants if "*" in one} - products
            products |= new
            products |= lemmas.factors_of(products)
            factors = {part for one in products for part in one}
            names = (factors | {one for one in constants if "*" not in one}) - seen
            seen |= names
            pending = [fact for name in sorted(names) for fact in self._about(name)]
            pending += self._parts(new) if self.in_parts else []
            found += pending
        if self.atoms.products is None:
            self.atoms.products = lemmas.Facts(self.atoms, original)
        found += fixed(values or {}, sorted(products))
        return found, list(self.atoms.products.about(products))

    def _parts(self, products: set[Monomial]) -> Iterator[Formula]:
        """(a + b) * y = a * y + b * y, where a factor is known to be such a sum."""
        for monomial in sorted(products):
            for name in dict.fromkeys(monomial):
                rest = list(monomial)
                rest.remove(name)
                others = Polynomial({tuple(rest): 1})
                parts = () if name.endswith(OTHER) else self.atoms.by_name[name].parts
                for a, b in parts[:2]:
                    yield constant(monomial) == term(a * others + b * others)

    def _about(self, name: str) -> list[Formula]:
        if name not in self._facts:
            facts = self.atoms.by_name[original(name)].facts
            known = map(self.second, facts) if name.endswith(OTHER) else facts
            self._facts[name] = [*known, *ranges(self.atoms, name, original(name))]
        return self._facts[name]

    def ask(
        self, formulas: list[Formula], effort: Effort, values: Mapping[str, int] | None = None
    ) -> Model | str | None:
        """A model; None where there is none for certain; "unknown" otherwise."""
        asked = self._numbered(formulas)
        if any(one <= asked for one in self._excluded):
            return None
        answer = self._answer(formulas, effort, values)
        if answer is None and not values:
            self._excluded.append(asked)
        return answer

    def _numbered(self, formulas: Iterable[Formula]) -> frozenset[int]:
        """Z3's numbers of what is said to be true at once."""
        found: set[int] = set()
        for one in formulas:
            if z3.is_and(one):
                found |= self._numbered(one.children())
            else:
                self._alive.append(one)
                found.add(one.get_id())
        return frozenset(found)

    def _answer(
        self, formulas: list[Formula], effort: Effort, values: Mapping[str, int] | None
    ) -> Model | str | None:
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
            answer = _checked(solver, effort)
            if answer != z3.sat:
                return None if answer == z3.unsat else "unknown"
            model = _numbers(solver.model())
            new = list(lemmas.failing(facts, model))
            if not new:
                return model
            failed.update(new)
            told = [one.formula for one in new]

    def impossible(self, formulas: list[Formula], effort: Effort) -> bool:
        """Whether they cannot all be true at once; False also where that is not found out."""
        return self.ask(formulas, effort) is None


def _checked(solver: z3.Solver, effort: Effort) -> z3.CheckSatResult:
    before = _spent(solver)
    solver.set("rlimit", min(effort.left, MOST_OF_ONE))
    answer = solver.check()
    effort.spend(_spent(solver) - before)
    return answer


def _numbers(model: z3.ModelRef) -> dict[str, int]:
    """The integers of a model, read from its text: Z3's Python takes 30 us for each."""
    found = _INTEGERS.findall(model.sexpr())
    return {name: int(number) * (-1 if sign else 1) for name, sign, number in found}


def _spent(solver: z3.Solver) -> int:
    """What Z3 has spent since it was started, by its own count."""
    count: int = solver.statistics().get_key_value("rlimit count")
    return count


def original(name: str) -> str:
    """The atom of which a name is the second thread's."""
    return name.removesuffix(OTHER)


def fixed(values: Mapping[str, int], products: Iterable[Monomial]) -> list[Formula]:
    """That some atoms have these values, so that products with them are linear."""
    found = [z3.Int(name) == number for name, number in values.items()]
    for monomial in products:
        rest = [name for name in monomial if name not in values]
        number = 1
        for name in monomial:
            number *= values.get(name, 1)
        if len(rest) <= 1 and len(rest) < len(monomial):
            part = z3.Int(rest[0]) if rest else z3.IntVal(1)
            found.append(z3.Int(product_name(monomial)) == part * number)
    return found


def differ(scene: Scene, values: Iterable[Polynomial]) -> Formula:
    """That the threads differ in one of these."""
    pairs = [(one, scene.second_value(one)) for one in values]
    return z3.Or([term(a) != term(b) for a, b in pairs if a != b])
