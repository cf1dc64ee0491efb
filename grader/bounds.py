"""How far rounding can take a float32 result from the exact one: what the judge forgives.

N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002: section 3.1
(inner products), section 4.2 (summation in any order, pairwise for a tree).
"""

from __future__ import annotations

import numpy as np

UNIT_ROUNDOFF = 2.0**-24  # of float32 rounded to nearest


def sum_bound(additions: int, magnitude: np.ndarray) -> np.ndarray:
    """Largest error of a float32 sum in which no summand takes part in more than `additions`
    rounded operations; `magnitude` is the sum of the absolute values, float64 of any shape."""
    ku = additions * UNIT_ROUNDOFF
    return ku / (1 - ku) * magnitude
