"""Numbers as the GPU computes them: types, rounding, exact results."""
