"""An exercise's rule: its expressions, and that every case keeps to it."""

import re
from dataclasses import replace

import numpy as np
import pytest

from grader import course
from grader.course import Expected, Launch, Problem, Rule, rules

EXERCISES = [one for lesson in course.lessons() for one in lesson.exercises if one.rules]
SCALE = Rule(
    exercise="scale",
    kernel="scale",
    parameters=("float x[rows * columns]", "float factor", "int rows", "int columns"),
    blocks=(64,),
    where=("columns % 4 == 0", "gridDim.x * blockDim.x >= rows"),
)


def launched(rows=2, columns=8, grid=1, block=64, size=16, dtype=np.float32):
    args = ("x", np.float32(2), np.int32(rows), np.int32(columns))
    outputs = {"x": Expected(np.zeros(size), dtype)}
    launch = Launch("scale", grid, block, args)
    return list(rules.broken(SCALE, Problem({}, outputs, (launch,)), launch))


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.id)
def test_every_case_keeps_to_the_rules_of_its_exercise(exercise):
    assert list(rules.departures(exercise)) == []


def test_an_expression_is_computed_from_sizes():
    names = {"n": 70, "blockDim.x": 32}
    assert rules.value("(n + blockDim.x - 1) // blockDim.x", names) == 3
    assert rules.value("n % 4 == 2", names) is True


@pytest.mark.parametrize("text", ["n +", "m", "f(n)", "n if n else 1", "'n'", "n < 1 < 2"])
def test_what_is_no_expression_of_a_rule_is_said(text):
    with pytest.raises(rules.RuleError, match="is not understood"):
        rules.value(text, {"n": 1})


def test_a_launch_within_the_rule_departs_from_nothing():
    assert launched() == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"columns": 7}, "columns % 4 == 0 does not hold"),
        ({"block": 32}, "blocks of 32 are none of the rule's"),
        ({"grid": (1, 2)}, r"a grid of \(1, 2\) has more than 1 dimension"),
        ({"rows": 65}, "gridDim.x \\* blockDim.x >= rows does not hold"),
        ({"size": 15}, "x has 15 elements of float32"),
        ({"dtype": np.float64}, "x has 16 elements of float64"),
    ],
)
def test_a_launch_outside_the_rule_is_told_by_what_it_breaks(given, said):
    found = launched(**given)
    assert len(found) >= 1
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(found[0])


def test_a_parameter_that_is_not_understood_is_said():
    with pytest.raises(rules.RuleError, match="'complex z' is no parameter"):
        rules.parameters(Rule("scale", "scale", ("complex z",), (32,)))


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.id)
def test_a_rule_calls_each_parameter_as_its_kernel_does(exercise):
    for rule in exercise.rules:
        head = re.search(rf"__global__[^;{{]*\b{rule.kernel}\(([^)]*)\)", exercise.solution)
        named = [declared.split()[-1].lstrip("*&") for declared in head[1].split(",")]
        assert named == [one.name for one in rules.parameters(rule)]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "`float x[rows * columns]`, `float factor`"),
        ({"blocks": tuple(range(32, 1025, 32))}, "blocks of 32 to 1,024 threads, a multiple of 32"),
        ({"blocks": tuple(range(1, 1025))}, "blocks of 1 to 1,024 threads;"),
        ({"blocks": (1,)}, "blocks of 1 thread;"),
        ({"blocks": ((32, 8), 64)}, "blocks of 32 x 8, 64 threads;"),
        ({"parameters": ("out int lane[n // 32]",)}, "`int lane[n / 32]` (only written)"),
        ({"where": ("n // 4 >= 1",)}, "with `n / 4 >= 1`"),
        ({"contents": "every `x` is 0"}, "; every `x` is 0; "),
        ({"values": ("ordinary", "all -inf", "a NaN")}, "values: ordinary, all -inf, some NaN;"),
        ({"aligned": True}, "arrays begin at a multiple of 16 bytes"),
        ({"aligned": False}, "arrays need not begin at a multiple of 16 bytes"),
        ({"most": 8}, "at most 8 elements per array, and 8 threads per grid"),
    ],
)
def test_all_that_a_rule_promises_of_launches_is_in_its_sentence(changed, said):
    assert said in rules.sentence(replace(SCALE, **changed), code="`")
