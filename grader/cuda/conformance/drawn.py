"""Inputs that hypothesis draws: what its strategies for floats and integers think worth trying."""

from __future__ import annotations

import zlib
from functools import cache

import numpy as np

from .inline_form import Form, size_of
from .samples import FLOATS, INTEGERS, PAIRS, SPECIAL, operand, without_zero_divisors

POOL = 2048  # values that are drawn for each kind of operand


def drawn(form: Form, number: int) -> tuple[np.ndarray, ...]:
    """`number` inputs for each operand of a form, as unsigned integers: combinations of values
    from the pools of the operands' kinds; always the same ones."""
    rng = np.random.default_rng(zlib.crc32(form.name.encode()))
    inputs = tuple(_operand(kind, number, rng) for kind in form.inputs)
    return without_zero_divisors(form, inputs)


def _operand(kind: str, number: int, rng: np.random.Generator) -> np.ndarray:
    if kind in PAIRS:
        return rng.choice(pool(kind.removesuffix("x2")), 2 * number).view(np.uint32)
    if kind.split()[0] in SPECIAL:  # lane numbers and the like, of which only a few mean anything
        return operand(kind, number, rng)
    known = kind if kind in (*FLOATS, *INTEGERS) else f"u{8 * size_of(kind)}"
    return rng.choice(pool(known), number)


@cache
def pool(kind: str) -> np.ndarray:
    """What hypothesis draws for a type of PTX, e.g. "f32" or "s64", as unsigned integers."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st

    values: list[float] = []
    bits = 8 * size_of(kind)
    wide = 32 if kind == "bf16" else bits  # a bfloat16 is the upper half of a float
    one: st.SearchStrategy[float] = st.integers(0, (1 << bits) - 1)
    if kind in FLOATS:
        one = {16: st.floats(width=16), 32: st.floats(width=32), 64: st.floats(width=64)}[wide]

    @settings(
        max_examples=POOL // 16,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],  # of a busy machine
    )
    @given(st.lists(one, min_size=16, max_size=32))
    def collect(some: list[float]) -> None:
        values.extend(some)

    collect()
    if kind not in FLOATS:
        return np.array(values, f"u{bits // 8}")
    words = np.array(values, f"f{wide // 8}").view(f"u{wide // 8}")
    return (words >> 16).astype(np.uint16) if kind == "bf16" else words
