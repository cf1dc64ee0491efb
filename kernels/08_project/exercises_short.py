"""The short exercises of the project, before its four steps."""

from __future__ import annotations

from functools import partial

import numpy as np

from grader.course import Bug, Case, Exercise, Order, Problem, covering, one_launch

BLOCK = 32


def moments(rng: np.random.Generator, kernel: str, rows: int, columns: int, center: float):
    """Rows of standard deviation 1 around `center`."""
    x = (center + rng.standard_normal((rows, columns))).astype(np.float32)
    return moments_of(x, kernel, -(-rows // BLOCK))


def any_moments(rng, kernel: str, rows: int, columns: int, grid: int, block: int, draw) -> Problem:
    return moments_of(draw(rng, (rows, columns)), kernel, grid)


def moments_of(x: np.ndarray, kernel: str, grid: int) -> Problem:
    """What is asked for is off by less than a hundredth as long as distances are taken before they
    are squared."""
    rows, columns = x.shape
    exact = x.astype(np.float64)
    outputs = {"mean": exact.mean(axis=1)} if kernel == "welford_lines" else {}
    outputs["variance"] = exact.var(axis=1)
    size = np.int32(rows), np.int32(columns)
    return one_launch(kernel, grid, BLOCK, {"x": x}, outputs, *size, rtol=1e-2, atol=1e-2)


def squared(rng: np.random.Generator, rows: int, columns: int, center: float) -> Problem:
    return moments(rng, "variance_of_rows", rows, columns, center)


variance = Exercise(
    name="variance_of_rows",
    title="A variance that rounding spoils",
    source="0_variance.cu",
    kind=Bug(given="        squares += value * value - mean * mean;\n"),
    minutes=1,
    teaches="take distances before you square them",
    cases=(
        Case("rows around 1", lambda rng: squared(rng, 33, 20, 1), points=0.5),
        Case("rows around 8,192", lambda rng: squared(rng, 20, 30, 8192), points=0.5),
        covering(
            "other numbers, and rows of all lengths",
            partial(any_moments, kernel="variance_of_rows"),
        ),
    ),
    hints=(
        "On paper it is right. What does a float make of the difference of two numbers near 2**26?",
        "(value - mean) is small and nearly exact. Square that.",
    ),
)


def in_one_pass(rng: np.random.Generator, rows: int, columns: int, center: float) -> Problem:
    return moments(rng, "welford_lines", rows, columns, center)


welford_lines = Exercise(
    name="welford_lines",
    title="One more number, line by line",
    source="1_welford_lines.cu",
    kind=Order(
        (
            "m2 += delta * delta;",
            "center += delta / columns;",
            "const float delta = x[row * columns] - center;",
        )
    ),
    minutes=5,
    teaches="which mean is the old one, and which the new one",
    cases=(
        Case("rows of 20", lambda rng: in_one_pass(rng, 9, 20, 0), points=1),
        Case("rows around 500", lambda rng: in_one_pass(rng, 40, 15, 500), points=1),
        covering("one number per row, and many", partial(any_moments, kernel="welford_lines")),
    ),
    hints=(
        "Six lines make the loop, and its brace is one of them. Nothing can be done before the "
        "number is there, and its distance from the old mean.",
        "n counts the new number before the mean moves by delta / n; and m2 takes one distance "
        "from each mean, so it comes last.",
    ),
)
