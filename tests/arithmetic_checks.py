"""What `analysis.values.Arithmetic` must make of small integers, all of them tried.

Each check fails with an AssertionError. Where a result is a formula over new atoms, Z3 is asked
whether it can be what it must, and whether it can be anything else.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product

import z3
from instruction_meanings import LOOSE, answer, possible

from grader.proofs import meanings, thread
from grader.proofs.atoms import Atoms, Polynomial, Scope, all_of, negated, term
from grader.proofs.solver import Solver
from grader.proofs.values import Arithmetic, Obligation, Pointer, Unknown, Value
from grader.ptx.program import Instruction, Register
from grader.ptx.table import resolve

CHECKS: list[Callable[[], None]] = []
ANY = object()


def check(function: Callable[[], None]) -> Callable[[], None]:
    CHECKS.append(function)
    return function


def arithmetic(*wraps: int) -> Arithmetic:
    return Arithmetic(Atoms(), frozenset(wraps))


def atom(on: Arithmetic, name: str, low: int, high: int, scope: Scope = Scope.THREAD) -> Polynomial:
    return on.atoms.integer(name, low, high, scope)


def is_always(on: Arithmetic, given: list, value: Polynomial, number: int) -> None:
    """Where `given` holds, `value` is that number and nothing else."""
    assert answer(Solver(on.atoms), [*given, term(value) == number]) == z3.sat, (given, number)
    assert answer(Solver(on.atoms), [*given, term(value) != number]) == z3.unsat, (given, number)


def towards_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


@check
def quotients_are_rounded_down_or_towards_zero() -> None:
    for b in (1, 2, 3, 5):
        on = arithmetic()
        a = atom(on, "a", -7, 7)
        down, near = on.floor_quotient(a, b), on.quotient(a, Polynomial.of(b))
        assert on.atoms.interval(down) == (-7 // b, 7 // b)
        for number in range(-7, 8):
            given = [term(a) == number]
            is_always(on, given, down, number // b)
            is_always(on, given, near, towards_zero(number, b))
            assert on.floor_quotient(Polynomial.of(number), b) == Polynomial.of(number // b)
    on = arithmetic()
    a = atom(on, "a", 0, 7)
    assert on.quotient(a, Polynomial.of(2)) == on.floor_quotient(a, 2)
    assert on.quotient(a, Polynomial.of(1)) == a
    for number in range(8):
        is_always(on, [term(a) == number], on.quotient(a, Polynomial.of(-3)), -(number // 3))
    assert on.floor_quotient(a * 6 + 4, 2) == a * 3 + 2


@check
def quotients_by_what_is_no_number_are_exact() -> None:
    on = arithmetic()
    a, b = atom(on, "a", -5, 5), atom(on, "b", -3, 3)
    found = on.quotient(a, b)
    assert on.atoms.interval(found) == (-5, 5)
    for x, y in product((-5, -4, -1, 0, 1, 4, 5), (-3, -2, -1, 1, 2, 3)):
        is_always(on, [term(a) == x, term(b) == y], found, towards_zero(x, y))
    for number in (-1, 0, 4):  # nothing is said of what is divided by 0
        given = [term(a) == 4, term(b) == 0, term(found) == number]
        assert answer(Solver(on.atoms), given) == z3.sat
    for low, least, lowest in ((0, 0, 0), (-1, 0, -5), (0, -1, -5)):
        on = arithmetic()
        a, b = atom(on, "a", low, 5), atom(on, "b", least, 3)
        assert on.atoms.interval(on.quotient(a, b)) == (lowest, 5)
    assert on.atoms.interval(b) == (-1, 3)


@check
def low_bits_are_a_remainder() -> None:
    for low, high in ((0, 3), (0, 4), (-1, 3), (-5, 9), (1, 3)):
        on = arithmetic()
        a = atom(on, "a", low, high)
        for by, plus, bits in ((1, 0, 2), (2, 0, 2), (3, 1, 2), (4, 0, 3), (4, 2, 3), (6, 0, 3)):
            rest = on.low_bits(a * by + plus, bits)
            for number in range(low, high + 1):
                is_always(on, [term(a) == number], rest, (number * by + plus) % 2**bits)
    on = arithmetic()
    a = atom(on, "a", 0, 9)
    zero = Polynomial.of(0)
    assert zero == on.low_bits(a, 0) == on.low_bits(a * 8, 3) == on.low_bits(a * 32, 3)
    assert zero == on.low_bits(zero, 3)
    assert on.low_bits(Polynomial.of(-3), 3) == Polynomial.of(5)
    assert on.low_bits(Polynomial.of(22), 3) == Polynomial.of(6)
    assert on.low_bits(a, 4) == a
    assert on.low_bits(atom(on, "b", 0, 7), 3) == Polynomial.atom("b")
    assert on.low_bits(a * 2, 4) == on.low_bits(a, 3) * 2
    assert on.low_bits(a * 12, 5) == on.low_bits(a * 3, 3) * 4
    assert on.atoms.interval(on.low_bits(a, 3)) == (0, 7)


@check
def an_integer_remembers_the_parts_it_has_been_divided_into() -> None:
    on = arithmetic()
    a, b = atom(on, "a", 0, 99), atom(on, "b", 0, 99)
    rest = on.low_bits(a, 5)
    ((whole, low),) = on.atoms.by_name["a"].parts
    assert low == rest and whole == on.floor_quotient(a, 32) * 32
    on.low_bits(a + b, 5)
    on.low_bits(b * 3, 5)
    assert len(on.atoms.by_name["a"].parts) == 1 and on.atoms.by_name["b"].parts == []


@check
def numbers_wrap_into_their_type() -> None:
    for kind, low in (("s8", -128), ("u8", 0)):
        for number in (-300, -129, -128, -1, 0, 127, 128, 255, 256, 300):
            right = (number - low) % 256 + low
            on = arithmetic()
            assert on.wrapped(Polynomial.of(number), kind) == Polynomial.of(right)
            assert on.read_as(kind, Polynomial.of(number)) == Polynomial.of(right)
            on = arithmetic(0)
            a = atom(on, "a", -300, 300)
            found = on.read_as(kind, a)
            is_always(on, [term(a) == number], found, right)
            assert on.atoms.interval(found) == (low, low + 255)
            assert on.obligations == []


@check
def what_fits_is_read_as_it_is() -> None:
    for low, high, fits in ((-128, 127, True), (-129, 127, False), (-128, 128, False)):
        on = arithmetic()
        a = atom(on, "a", low, high)
        assert on.read_as("s8", a) == a
        owed = [] if fits else [Obligation((), a, -128, 127, 0)]
        assert on.obligations == owed


@check
def an_offset_that_is_compared_is_owed_to_be_no_address_of_another_array() -> None:
    on = arithmetic()
    a = atom(on, "a", -(2**40), 2**40)
    assert on.address(Pointer("x", a)) == a
    assert on.obligations == [Obligation((), a, -(2**31), 2**60, 0)]


@check
def what_is_asked_twice_is_one_and_what_differs_is_not() -> None:
    on = arithmetic()
    a, b = atom(on, "a", -99, 99), atom(on, "b", -99, 99)
    u, v = Unknown("u"), Unknown("v")
    asked: list[Callable[[], Value]] = [
        *(lambda n=n, x=x: on.floor_quotient(x, n) for n in (2, 3) for x in (a, b)),
        *(lambda x=x, y=y: on.quotient(x, y) for x, y in ((a, b), (b, a), (a, a), (b, b))),
        *(lambda n=n, x=x: on.low_bits(x, n) for n in (2, 3) for x in (a, b)),
        *(lambda k=k, x=x: on.wrapped(x, k) for k in ("s8", "u8", "s16") for x in (a, b)),
        *(lambda x=x: on.named_sum(x) for x in (a + b, a - b, a + b * 2)),
        *(lambda k=k, x=x: on.integer(x, k) for k in ("s32", "u32") for x in (u, v)),
    ]
    first = [one() for one in asked]
    assert [one() for one in asked] == first
    assert len(set(first)) == len(first)
    assert not on.condition(u).eq(on.condition(v)) and on.condition(u).eq(on.condition(u))


@check
def what_nothing_is_known_of_may_be_any_integer_of_its_type() -> None:
    on = arithmetic()
    for kind, ends in (("s8", (-128, 127)), ("u8", (0, 255))):
        assert on.atoms.interval(on.integer(Unknown("u"), kind)) == ends
        assert on.atoms.interval(on.read_as(kind, Unknown("v"))) == ends
        made = on.fresh("f", kind)
        assert on.atoms.interval(made) == ends and on.fresh("f", kind) != made
    assert on.integer(Polynomial.of(7), "u8") == Polynomial.of(7)
    held = on.atoms.boolean("held", Scope.THREAD)
    assert on.condition(held) is held
    assert on.atoms.scope(on.condition(Unknown("u"))) is Scope.THREAD


@check
def an_address_is_a_multiple_of_256_and_bytes_into_its_array() -> None:
    on = arithmetic()
    a = atom(on, "a", 0, 99)
    start = on.integer(Pointer("x", Polynomial.of(0)), "u32")
    assert start.divisible(256) and not start.divisible(512)
    assert on.atoms.scope(start) is Scope.GRID and on.atoms.interval(start)[0] == 0
    assert on.integer(Pointer("x", a), "u64") == start + a
    assert on.integer(Pointer("y", a), "u64") != start + a


@check
def sums_get_a_name_before_they_are_multiplied() -> None:
    on = arithmetic()
    a, b, c = (atom(on, name, -9, 9) for name in "abc")
    for x, y in ((a + b + 1, c), (c, a + b + 1), (a * 2 + 3, c), (a - 2, b + 5), (a + b, a - b)):
        found = on.product(x, y)
        assert [len(factors) for factors in found.terms].count(2) == 1
        assert max(map(len, found.terms)) == 2
        for numbers in ((2, 3, 4), (-2, 5, 0), (1, -1, -3)):
            values = dict(zip("abc", numbers, strict=True))
            given = [z3.Int(name) == number for name, number in values.items()]
            is_always(on, given, found, x.value(values) * y.value(values))
    assert on.product(a + b, Polynomial.of(3)) == a * 3 + b * 3
    assert on.product(Polynomial.of(3), a + b) == a * 3 + b * 3
    assert on.product(a * 4 + 1, b) == a * b * 4 + b
    assert on.named_sum(a * b + 4) == a * b + 4
    named = on.named_sum(a + b + 7)
    assert len(named.rest.terms) == 1 and named.terms[()] == 7
    assert on.atoms.interval(named) == (-11, 25)


@check
def where_ways_join_each_value_goes_with_its_own() -> None:
    on = arithmetic()
    a, b = atom(on, "a", -4, 4), atom(on, "b", 8, 12)
    p, q = (on.atoms.boolean(name, Scope.THREAD) for name in "pq")
    ways = [((p, q), a * 4), ((p, negated(q)), b * 4 + 8), ((negated(p),), Polynomial.of(0))]
    found = on.merged(ways, "s32")
    assert isinstance(found, Polynomial) and found.divisible(4)
    assert on.atoms.interval(found) == (-16, 56)
    for number, (path, _) in zip((12, 48, 0), ways, strict=True):
        is_always(on, [*path, term(a) == 3, term(b) == 10], found, number)
    assert on.merged([((p,), a + b), ((negated(p),), b + a)], "s32") == a + b
    chosen = on.chosen(p, a, b, "s32")
    assert isinstance(chosen, Polynomial)
    is_always(on, [p, term(a) == 3], chosen, 3)
    is_always(on, [negated(p), term(b) == 9], chosen, 9)
    either = on.merged([((p,), a), ((negated(p),), Unknown("u"))], "s8")
    assert isinstance(either, Polynomial)
    is_always(on, [p, term(a) == 3], either, 3)
    assert on.atoms.interval(either) == (-128, 127)


@check
def addresses_join_if_they_are_of_one_array() -> None:
    on = arithmetic()
    a = atom(on, "a", -4, 4)
    p = on.atoms.boolean("p", Scope.THREAD)
    x, other, y = Pointer("x", a), Pointer("x", a + 4), Pointer("y", a)
    for one, another in ((x, y), (y, x), (x, a), (a, x), (x, Unknown("u")), (Unknown("u"), y)):
        assert isinstance(on.chosen(p, one, another, "b64"), Unknown), (one, another)
    assert on.chosen(p, x, x, "b64") == x
    found = on.chosen(p, x, other, "b64")
    assert isinstance(found, Pointer) and found.array == "x"
    is_always(on, [p, term(a) == 2], found.offset, 2)
    is_always(on, [negated(p), term(a) == 2], found.offset, 6)
    unknown = [Unknown("u"), Unknown("v")]
    assert isinstance(on.chosen(p, *unknown, "b32"), Unknown)
    assert isinstance(on.chosen(p, Unknown("u"), a, "f32"), Unknown)
    assert isinstance(on.chosen(p, a, a + 1, "f32"), Unknown)
    assert on.chosen(p, *unknown, "b32") != on.chosen(p, *unknown, "b32")
    assert on.chosen(p, unknown[0], unknown[0], "b32") == unknown[0]


@check
def conditions_join_like_numbers() -> None:
    on = arithmetic()
    p, q, r = (on.atoms.boolean(name, Scope.THREAD) for name in "pqr")
    false, true = z3.BoolVal(False), z3.BoolVal(True)
    for values in product((r, false, true, z3.Not(r)), repeat=3):
        paths = [(p, q), (p, negated(q)), (negated(p),)]
        found = on.merged(list(zip(paths, values, strict=True)), "pred")
        for path, value in zip(paths, values, strict=True):
            for held in (r, negated(r)):
                solver = z3.SimpleSolver()
                solver.add(all_of((*path, held)), found != value)
                assert solver.check() == z3.unsat, values
    unknown = on.merged([((p,), r), ((negated(p),), Unknown("u"))], "pred")
    assert isinstance(unknown, z3.BoolRef) and unknown.eq(z3.If(p, r, on.condition(Unknown("u"))))
    assert on.merged([((p,), r), ((negated(p),), false)], "pred").eq(z3.And(p, r))
    for number, held in ((-1, true), (0, false), (1, true)):  # as `mov` writes them
        assert on.condition(Polynomial.of(number)).eq(held)


@check
def what_follows_from_others_is_agreed_on_by_whoever_agrees_on_those() -> None:
    kinds = (Scope.GRID, Scope.BLOCK, Scope.THREAD)
    for one, two in product(kinds, repeat=2):
        on = arithmetic(0)
        a, b = atom(on, "a", -99, 99, one), atom(on, "b", -99, 99, two)
        p = on.atoms.boolean("p", two)
        wide = max(one, two)
        for found in (on.quotient(a, b), on.named_sum(a + b), on.chosen(p, a, a + 1, "s32")):
            assert isinstance(found, Polynomial) and on.atoms.scope(found) is wide
        for alone in (on.floor_quotient(a, 4), on.low_bits(a, 3), on.read_as("s8", a * 2)):
            assert on.atoms.scope(alone) is one


@check
def of_two_values_of_which_no_bit_is_known_the_result_is_bounded() -> None:
    """Small ones and large ones, where sums are no more than a type holds, and where they are."""
    few = (*range(5), *range(2**32 - 5, 2**32))
    for opcode, exact in zip(LOOSE, (operator.and_, operator.or_, operator.xor), strict=True):
        on = arithmetic()
        a, b = atom(on, "a", 0, 2**32 - 1), atom(on, "b", 0, 2**32 - 1)
        registers = tuple(map(Register, ("%d", "%a", "%b")))
        found = meanings.computed(on, Instruction(resolve(opcode, registers), registers), [a, b])
        assert isinstance(found, Polynomial) and on.obligations == []
        solver = z3.SimpleSolver()
        solver.add(Solver(on.atoms).known([term(found) >= -1])[0])
        for x, y in product(few, repeat=2):
            low, high = possible(opcode, x, y)
            right = exact(x, y)
            may_be = {low - 1: False, low: True, right: True, high: True, high + 1: False}
            for number, answered in may_be.items():
                given = [term(a) == x, term(b) == y, term(found) == number]
                assert (solver.check(*given) == z3.sat) == answered, (opcode, x, y, number)


@check
def a_number_that_steps_to_zero_has_not_jumped_over_it() -> None:
    """Excluded is what lies at 0 or behind it, of what would have come to 0; nothing else."""
    for start, step, now in product(range(-4, 5), (-3, -1, 1, 2), (-9, -2, -1, 0, 1, 2, 9)):
        on = arithmetic()
        first, last = atom(on, "first", -9, 9), atom(on, "last", -30, 30)
        (fact,) = thread.not_passed(on, first, last, step)
        facts = [one for each in on.atoms.by_name.values() for one in each.facts]
        solver = z3.SimpleSolver()
        solver.add(*facts, fact, term(first) == start, term(last) == now)
        before = start * step < 0  # it steps towards 0
        comes = before and start % step == 0
        gone = now * step >= 0
        assert (solver.check() == z3.unsat) == (comes and gone), (start, step, now)
