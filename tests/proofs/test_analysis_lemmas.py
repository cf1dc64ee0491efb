"""The lemmas of the analysis are true of integers, and none can change without being noticed.

A lemma is tried on all small integers: it must exclude no product that is right. Which others it
excludes must not change either, since one that said less would prove less.
"""

from itertools import product

import pytest
from python_mutants import mutants

z3 = pytest.importorskip("z3")

from grader.proofs import solver, thread  # noqa: E402
from grader.proofs.atoms import (  # noqa: E402
    Atoms,
    Polynomial,
    Scope,
    term,
)
from grader.proofs.launches import Effort  # noqa: E402
from grader.proofs.solver import Solver  # noqa: E402
from grader.proofs.values import Arithmetic  # noqa: E402

FEW = range(-3, 4)
WIDE = range(-12, 13)


def holds(conditions, follows):
    return not all(conditions) or bool(follows)


def excluded_by(lemma):
    """The (x, y, wrong product) that a lemma about one product excludes; None if a right one."""
    tried = product(FEW, FEW, WIDE)
    return wrong_ones({one: holds(*lemma(*one)) for one in tried})


def excluded_by_two(lemma):
    """Likewise for a lemma about two products that share a factor."""
    tried = product(FEW, FEW, WIDE, FEW)
    return wrong_ones({one: holds(*lemma(*one, one[3] * one[1])) for one in tried})


def excluded_by_plane(plane):
    found = {}
    for low, least in product((-2, 0, 1), (-1, 0, 2)):
        ends = low, low + 2, least, least + 2
        for x, y, p in product(range(low, low + 3), range(least, least + 3), WIDE):
            found[x, y, p, *ends] = holds(*plane(x, y, p, *ends))
    return wrong_ones(found)


def wrong_ones(kept):
    excluded = {one for one, good in kept.items() if not good}
    return None if any(x * y == p for x, y, p, *_ in excluded) else excluded


CHECKS = {name: (one, excluded_by) for name, one in solver.ABOUT_ONE.items()}
CHECKS |= {name: (one, excluded_by_two) for name, one in solver.ABOUT_TWO.items()}
CHECKS |= {name: (one, excluded_by_plane) for name, one in solver.ENVELOPE.items()}


@pytest.mark.parametrize("name", CHECKS)
def test_a_lemma_is_true_of_integers_and_says_something(name):
    lemma, count = CHECKS[name]
    assert count(lemma)


@pytest.mark.parametrize("name", CHECKS)
def test_no_lemma_can_be_mutated_without_being_noticed(name):
    lemma, count = CHECKS[name]
    ours = count(lemma)
    made = list(mutants(lemma))
    assert len(made) >= 8
    assert [text for text, mutant in made if count(mutant) == ours] == []


def test_what_would_be_beyond_zero_is_excluded():
    on = Arithmetic(Atoms(), frozenset())
    first = on.atoms.integer("first", 1, 9, Scope.GRID)
    count = on.atoms.integer("count", 0, 20, Scope.THREAD)
    (fact,) = thread.not_passed(on, first, first - count, -1)
    solver = z3.SimpleSolver()
    solver.add(fact, term(first) >= 1, term(count) >= term(first))
    assert solver.check() == z3.unsat


def test_polynomials_compute_as_integers_do():
    a, b, c = (Polynomial.atom(name) for name in "abc")
    mixed = (a + b * 3 - 2) * (c - a) + a * b
    for x, y, z in product(FEW, repeat=3):
        assert mixed.value({"a": x, "b": y, "c": z}) == (x + 3 * y - 2) * (z - x) + x * y


def test_numbers_fail_a_fact_as_its_formula_says():
    facts = solver.Facts(some_atoms())
    products = {("a", "b"), ("b", "c"), ("a", "b", "c")}
    for numbers in product((-2, 0, 1, 3), (0, 2), (1, 2), (-2, 0, 3, 6), (0, 2, 4), (0, 6)):
        model = dict(zip(("a", "b", "c", "a*b", "b*c", "a*b*c"), numbers, strict=True))
        given = [(z3.Int(name), z3.IntVal(number)) for name, number in model.items()]
        about = list(facts.about(products))
        failing = set(solver.failing(about, model))
        for one in about:
            holds = z3.simplify(z3.substitute(one.formula, *given))
            assert z3.is_false(holds) == (one in failing)


def some_atoms():
    atoms = Atoms()
    for name, low in (("a", -2), ("b", 0), ("c", 1)):
        atoms.integer(name, low, 4, Scope.GRID)
    return atoms


def test_a_question_is_answered_as_if_all_facts_about_products_had_been_told():
    atoms = some_atoms()
    a, b, c = (Polynomial.atom(name) for name in "abc")
    scene = Solver(atoms)
    assert scene.impossible([term(a * b) > term(b) * 4], Effort(10**6))
    assert scene.impossible([term(a) > 0, term(a * b * c) < term(b * c)], Effort(10**6))
    model = scene.ask([term(a * b) == 6, term(b * c) == 9], Effort(10**6))
    facts = atoms.products.about({("a", "b"), ("b", "c")})
    assert list(solver.failing(facts, model)) == []
    assert not scene.impossible([term(a * b) == 6], Effort(10**6))


def test_what_holds_more_than_what_is_impossible_is_not_asked_again():
    scene, effort = Solver(some_atoms()), Effort(10**6)
    a, b = z3.Int("a"), z3.Int("b")
    assert scene.impossible([a > b, b > a], effort)
    spent = effort.meter.spent
    assert scene.impossible([b > a, a == 1, a > b], effort)
    assert effort.meter.spent == spent
    assert not scene.impossible([a > b], effort)
