"""What the judge forgives a float32 softmax: all that rounding can do, and no mistake."""

from __future__ import annotations

import numpy as np
import pytest

from grader.course.tolerances import softmax, softmax_bound

RNG = np.random.default_rng(4)
ROWS = {
    "normal": RNG.standard_normal((64, 1000)),
    "uniform": np.zeros((2, 1000)),
    "offset": 1000 + RNG.standard_normal((16, 1000)),
    "steep": 30 * RNG.standard_normal((16, 1000)),
    "heavy-tailed": RNG.standard_cauchy((16, 1000)),
    "huge": 3e38 * RNG.standard_normal((16, 7)).clip(-1, 1),
    "short": RNG.standard_normal((100, 3)),
}
each_row = pytest.mark.parametrize("x", [x.astype(np.float32) for x in ROWS.values()], ids=ROWS)


def float32_softmax(x: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def by_exp2(x: np.ndarray) -> np.ndarray:
    """As __expf does it: the argument times log2(e), and powers of two."""
    with np.errstate(over="ignore", under="ignore"):
        distance = x - x.max(axis=-1, keepdims=True)
        exponentials = np.exp2(distance * np.float32(np.log2(np.e)))
    return exponentials * (np.float32(1) / exponentials.sum(axis=-1, keepdims=True))


@each_row
@pytest.mark.parametrize("method", [float32_softmax, by_exp2])
def test_a_float32_softmax_is_within_the_bound(x, method):
    assert (np.abs(method(x) - softmax(x)) <= softmax_bound(x, additions=20)).all()


@each_row
def test_a_sum_that_lacks_its_largest_term_is_not(x):
    exact = softmax(x)
    lacking = exact / (1 - exact.max(axis=-1, keepdims=True)).clip(1e-6)
    wrong = np.abs(lacking - exact) > softmax_bound(x, additions=20)
    assert wrong.any(axis=-1).all()


def test_one_element_of_a_hundred_thousand_must_not_be_missing():
    x = np.zeros(100_000, np.float32)
    found = np.full(x.size, 1 / (x.size - 1))
    assert (np.abs(found - softmax(x)) > softmax_bound(x, additions=40)).all()


def test_zeros_are_wrong_wherever_the_answer_is_a_normal_number():
    x = np.linspace(-80, 0, 1000, dtype=np.float32)
    assert (softmax(x) > softmax_bound(x, additions=20)).all()


def test_an_online_sum_counts_six_operations_for_each_merge():
    x = ROWS["steep"].astype(np.float32)
    largest, total = x[:, 0].copy(), np.ones(len(x), np.float32)
    for column in x[:, 1:].T:
        new = np.maximum(largest, column)
        total = total * np.exp(largest - new) + np.exp(column - new)
        largest = new
    found = np.exp(x - largest[:, None]) / total[:, None]
    assert (np.abs(found - softmax(x)) <= softmax_bound(x, 6 * x.shape[1])).all()


def test_along_another_axis_it_is_the_same_bound_turned():
    x = RNG.standard_normal((3, 5, 4)).astype(np.float32)
    turned = softmax_bound(np.moveaxis(x, 1, -1), 8)
    np.testing.assert_array_equal(softmax_bound(x, 8, axis=1), np.moveaxis(turned, -1, 1))


def test_where_the_answer_is_not_a_number_there_is_no_tolerance():
    rows = np.array([[-np.inf] * 3, [np.nan, 0, 1], [np.inf, 0, 1], [-np.inf, 0, 1]], np.float32)
    assert np.isnan(softmax(rows)).all(axis=1).tolist() == [True, True, True, False]
    bound = softmax_bound(rows, 8)
    assert (bound[:3] == 0).all()
    assert np.isfinite(bound).all()
