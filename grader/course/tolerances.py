"""How far rounding can take a float32 result from the exact one: what the judge forgives.

N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002: section 3.1
(inner products), section 3.4 (Lemma 3.1: what n rounded operations do to a product), section 4.2
(summation in any order, pairwise for a tree).
"""

import numpy as np

from .references import softmax

UNIT_ROUNDOFF = 2.0**-24  # of float32 rounded to nearest


def sum_bound(additions: int, magnitude: np.ndarray) -> np.ndarray:
    """Largest error of a float32 sum in which no summand takes part in more than `additions`
    rounded operations; `magnitude` is the sum of the absolute values, float64 of any shape."""
    return gamma(additions) * magnitude


def softmax_bound(x: np.ndarray, additions: int, axis: int = -1) -> np.ndarray:
    """Largest error of a float32 softmax of x (float32, any shape) along `axis`: float64 of x's
    shape, 0 where the exact answer is NaN. No term of the sum takes part in more than `additions`
    rounded operations; a term that is also rescaled, as online softmax does, counts 6 for each
    merge: an addition, a product and an exponential.

    Write u for UNIT_ROUNDOFF, m for the maximum, which is exact, and gamma(k) = k u / (1 - k u),
    what k rounded operations can do to a product or a quotient (Higham, Lemma 3.1).

    1. The argument. x - m is rounded once. Where exp is made from exp2, its product with log2(e) is
       rounded too, and log2(e) itself is: three times u, relative to the argument. exp turns what
       is *absolute* in its argument into something relative: 3 u (m - x), or 3 (m - x) operations.
    2. exp. An ulp is at most 2 u. expf is within 1 ulp of the exact result rounded (CUDA C++
       Programming Guide, Mathematical Functions), so 3 operations; ex2.approx, of which exp2f and
       __expf are made, is within 2**-22 of it (PTX ISA), so 4. Hence exp(x - m) is right to
       gamma(k) with k = 3 (m - x) + 4. Rescaling by exp(m - m') changes nothing in the first
       part: the arguments add up.
    3. The sum. All terms are positive, so its relative error is at most the mean of theirs,
       gamma(k + additions), weighted by their share of the sum, which is the softmax itself.
    4. The quotient, by a division or a reciprocal, fast ones too: within 2 ulp of the exact one
       rounded, so 5 operations.
    5. What lies below the smallest normal number, 2**-126, may be flushed to zero, before the
       quotient and after it. That is the only part of the bound not relative to the answer.
    """
    exact = softmax(x, axis)
    largest = x.astype(np.float64).max(axis=axis, keepdims=True)
    with np.errstate(invalid="ignore"):
        distance = np.minimum(largest - x, 200)  # exp(-200) is far below 2**-126
    operations = 3 * distance + 4
    of_sum = np.nansum(exact * gamma(operations + additions), axis=axis, keepdims=True)
    relative = (gamma(operations + 5) + of_sum) / (1 - of_sum)
    return np.asarray(np.nan_to_num(exact * relative + 2.0**-124))


def gamma(operations: np.ndarray | float) -> np.ndarray | float:
    """Largest relative error of a product of numbers that `operations` roundings went into."""
    ku = operations * UNIT_ROUNDOFF
    return ku / (1 - ku)
