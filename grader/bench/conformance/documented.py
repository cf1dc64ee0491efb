"""Is an approximation as close to the true value as the PTX ISA documents?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .inline_form import Form

_TRUE: dict[str, Callable[..., np.ndarray]] = {
    "rcp": np.reciprocal,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "div": np.divide,
}
_PRECISION_AND_LEAST = {"f16": (11, -14), "bf16": (8, -126), "f32": (24, -126), "f64": (53, -1022)}


def beyond(form: Form, inputs: tuple[np.ndarray, ...], found: np.ndarray) -> np.ndarray:
    """Which of the outputs `found` (n,) of an approximate form lie farther from the true value
    than documented, or are a number where NaN is due or the other way round: bool (n,). Inputs
    and outputs are bits; of a pair of halves, either may do so."""
    if form.output.endswith("x2"):
        one = replace(form, output=form.output.removesuffix("x2"))
        halves = beyond(one, tuple(a.view(np.uint16) for a in inputs), found.view(np.uint16))
        return np.asarray(halves.reshape(-1, 2).any(axis=1))
    with np.errstate(all="ignore"):
        got = _decode(found, form.output)
        return ~_acceptable(form, [_decode(a, form.output) for a in inputs], got)


def _decode(bits: np.ndarray, kind: str) -> np.ndarray:
    if kind == "bf16":
        bits, kind = bits.astype(np.uint32) << np.uint32(16), "f32"
    return bits.view(kind.replace("f", "float")).astype(np.float64)


def _acceptable(form: Form, values: list[np.ndarray], got: np.ndarray) -> np.ndarray:
    precision, least = _PRECISION_AND_LEAST[form.output]
    smallest, largest = 2.0**least, (2 - 2.0 ** (1 - precision)) * 2.0 ** (1 - least)
    flushes = ".ftz" in form.name
    if flushes:
        values = [np.where(np.abs(v) < smallest, np.copysign(0.0, v), v) for v in values]
    base = form.name.partition(".")[0]
    true = _TRUE[base](*values)
    slack = _slack(form, values[-1], true, precision, least)
    close = np.abs(got - true) <= slack + 2.0 ** (least + 1 - precision)  # a subnormal step
    close &= (true != 0) | (got != 0) | (np.signbit(true) == np.signbit(got))
    close |= (np.abs(true) > largest) & np.isinf(got) & (np.signbit(true) == np.signbit(got))
    if flushes:
        close |= (np.abs(true) <= smallest * (1 + 2.0**-20)) & (got == 0)
    if form.name.startswith("div.approx"):  # the reciprocal of a large divisor is flushed
        large = np.abs(values[1]) > 2.0**126
        close = np.where(large, np.where(np.isinf(values[0]), np.isnan(got), got == 0), close)
        true = np.where(large & np.isinf(values[0]), np.nan, true)
    return np.where(np.isnan(true) | np.isnan(got), np.isnan(true) & np.isnan(got), close)


def _slack(
    form: Form, last: np.ndarray, true: np.ndarray, precision: int, least: int
) -> np.ndarray:
    """How far from the true values the results may lie; without limit where nothing is said."""
    slack = np.full(true.shape, np.inf)
    for bound in reversed(form.bounds):  # the first one that applies counts
        ulp = np.ldexp(1.0, np.maximum(np.frexp(true)[1] - 1, least) - (precision - 1))
        unit = {"ulp": ulp, "relative": np.abs(true), "absolute": 1.0}[bound.what]
        inside = (np.abs(last) >= bound.low) & (np.abs(last) <= bound.high)
        slack = np.where(inside | ~np.isfinite(last), bound.error * unit, slack)
    return slack
