"""Inputs of forms: those that look for trouble (edges, neighbours of edges, equal and cancelling
operands), and those that hypothesis draws.
"""

import zlib
from collections.abc import Callable
from functools import cache

import numpy as np

from ...ptx.numbers import FORMATS
from .forms import INTEGERS, InlineForm, size_of

# Bits of floats: zeros, subnormals, the smallest normal, around 1, halves and ties of integers,
# the ends of integer types, the largest, infinities, NaN; each also with its sign turned.
_EDGES = {
    "f16": (
        "0000 0001 03FF 0400 0401 3BFF 3C00 3C01 3800 3E00 4100 7BFF 7C00 7FFF 5BF8 6400 77FF 7800"
    ),
    "bf16": (
        "0000 0001 007F 0080 0081 3F7F 3F80 3F81 3F00 3FC0 4020 7F7F 7F80 7FFF 437F 4F00 4F80 5F00"
    ),
    "f32": (
        "00000000 00000001 007FFFFF 00800000 00800001 3F7FFFFF 3F800000 3F800001 "
        "3F000000 3FC00000 40200000 7F7FFFFF 7F800000 7FFFFFFF 42FE0000 42FF0000 "
        "437F8000 46FFFE00 477FEFFF 477FF000 4EFFFFFF 4F000000 4F7FFFFF 4F800000 "
        "5EFFFFFF 5F000000 5F800000 33000000 33000001 3F801000 3F808000 3F803000 "
        "7E800001 C2FC0000 C3150000"
    ),
    "f64": (
        "0000000000000000 0000000000000001 000FFFFFFFFFFFFF 0010000000000000 "
        "3FEFFFFFFFFFFFFF 3FF0000000000000 3FF0000000000001 3FE0000000000000 "
        "3FF8000000000000 4004000000000000 7FEFFFFFFFFFFFFF 7FF0000000000000 "
        "7FFFFFFFFFFFFFFF 41DFFFFFFFC00000 41E0000000000000 41EFFFFFFFE00000 "
        "41F0000000000000 43E0000000000000 43DFFFFFFFFFFFFF 43F0000000000000 "
        "36A0000000000000 3690000000000000 380FFFFFE0000000 47EFFFFFE0000000 "
        "47EFFFFFF0000000 3FF0000010000000 3FF0000030000000 3FF0020000000000 "
        "40EFFDFFFFFFFFFF 40EFFE0000000000"
    ),
}
_WHOLE = (*INTEGERS, "b16", "b32", "b64")
Draw = Callable[[str, int, np.random.Generator], np.ndarray]


def samples(form: InlineForm, number: int) -> tuple[np.ndarray, ...]:
    """`number` inputs for each operand of a form, as unsigned integers; always the same ones."""
    rng = np.random.default_rng((zlib.crc32(form.name.encode()), 0))
    inputs = [operand(kind, number, rng, _edged) for kind in form.inputs]
    first = form.inputs[0]
    alike = [n for n, kind in enumerate(form.inputs) if kind == first]
    if len(alike) > 1 and first in (*_EDGES, *_WHOLE):
        _relate(inputs, alike, first, rng)
    return without_zero_divisors(form, tuple(inputs))


def without_zero_divisors(
    form: InlineForm, inputs: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, ...]:
    """The inputs, with 1 for every divisor 0 of integers: what that gives is undefined."""
    if form.name.startswith(("div.", "rem.")) and form.inputs[0] in _WHOLE:
        inputs[1][inputs[1] == 0] = 1
    return inputs


def _relate(
    inputs: list[np.ndarray], alike: list[int], kind: str, rng: np.random.Generator
) -> None:
    """Some operands equal, some opposite, some neighbours of each other."""
    one, other = inputs[alike[0]], inputs[alike[-1]]
    choice = rng.random(len(one))
    unit, top = one.dtype.type(1), one.dtype.type(1 << (8 * one.itemsize - 1))
    other[choice < 0.06] = one[choice < 0.06]
    near = (choice >= 0.06) & (choice < 0.1)
    other[near] = one[near] ^ unit
    if kind in _EDGES:
        opposite = (choice >= 0.1) & (choice < 0.16)
        other[opposite] = one[opposite] ^ top


def operand(kind: str, number: int, rng: np.random.Generator, scalars: Draw) -> np.ndarray:
    """`number` values for an operand of a kind: a type of PTX, whose numbers `scalars` draws, or
    one of `SPECIAL`: lane numbers and the like, of which only a few mean anything."""
    return (
        operand(kind.removesuffix("x2"), 2 * number, rng, scalars).view(np.uint32)
        if kind in ("f16x2", "bf16x2")
        else SPECIAL.get(kind.split()[0], scalars)(kind, number, rng)
    )


def _edged(kind: str, number: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers of a type of PTX, many of them at edges."""
    return (
        _floats(kind, number, rng) if kind in _EDGES else _integers(8 * size_of(kind), number, rng)
    )


def _floats(kind: str, number: int, rng: np.random.Generator) -> np.ndarray:
    dtype, kept = np.dtype(f"u{size_of(kind)}"), FORMATS[kind]
    bits, mantissa, bias = 8 * dtype.itemsize, kept.precision - 1, 1 - kept.least_exponent
    anything = rng.integers(0, (1 << bits) - 1, number, dtype, endpoint=True)
    exponent = (bias + rng.integers(-6, 7, number)).astype(dtype) << dtype.type(mantissa)
    sign = rng.integers(0, 2, number).astype(dtype) << dtype.type(bits - 1)
    moderate = sign | exponent | anything & dtype.type((1 << mantissa) - 1)
    few_bits = moderate & ~dtype.type((1 << mantissa - 3) - 1)
    edges = np.array([int(word, 16) for word in _EDGES[kind].split()], np.uint64).astype(dtype)
    edge, choice = rng.choice(edges, number) ^ sign, rng.random(number)
    return np.select(
        [choice < 0.35, choice < 0.65, choice < 0.8], [edge, moderate, few_bits], anything
    ).astype(dtype)


def _integers(bits: int, number: int, rng: np.random.Generator) -> np.ndarray:
    dtype, top = np.dtype(f"u{bits // 8}"), 1 << (bits - 1)
    edges = [
        *(0, 1, 2, 3, 5, 7, 10, 255, 127, 128, 32767 % (2 * top), top - 1, top, top + 1),
        *(-value % (2 * top) for value in (1, 2, 3, 7, 128, 129, 256)),
        *(1 << (bits // 2), (1 << (bits // 2)) - 1, (1 << (bits - 8)) + 1, top // 2 + 1),
    ]
    width = rng.integers(0, bits, number).astype(np.uint64)
    anything = rng.integers(0, (1 << 64) - 1, number, np.uint64, endpoint=True) >> width
    edge = rng.choice(np.array(edges, np.uint64), number)
    negated = rng.random(number) < 0.3
    value = np.where(rng.random(number) < 0.35, edge, anything)
    return np.where(negated, ~value, value).astype(dtype)


def _amounts(kind: str, number: int, rng: np.random.Generator) -> np.ndarray:
    small = rng.integers(0, 70, number)
    return np.where(rng.random(number) < 0.1, rng.integers(0, 300, number), small).astype("u4")


def _below(limit: int, lowest: int = 0) -> Draw:
    return lambda kind, number, rng: rng.integers(lowest, limit, number).astype("i4").view("u4")


def _by_warp(kind: str, number: int, rng: np.random.Generator) -> np.ndarray:
    """Bits of which some warps have none, some all, some a few."""
    share = np.repeat(rng.choice([0.0, 0.03, 0.5, 1.0], -(-number // 32)), 32)[:number]
    return (rng.random(number) < share).astype("u4")


def _same(kind: str, number: int, rng: np.random.Generator) -> np.ndarray:
    """One value a warp; in every other warp one lane differs."""
    bits, warps = int(kind[-2:]), -(-number // 32)
    value = np.repeat(_integers(bits, warps, rng), 32)[:number]
    value[::64] ^= value.dtype.type(1)
    return value


def _for_a_warp(kind: str, number: int, rng: np.random.Generator) -> np.ndarray:
    """Floats, or pairs of them, which a whole warp adds up: small integers, moderate numbers, ones
    of very different size, subnormal ones or edges, for each warp one of these."""
    scalar = kind.split()[1].removesuffix("x2")
    count = number * (2 if kind.endswith("x2") else 1)
    warp = np.arange(count) * number // count // 32
    how = rng.integers(0, 5, int(warp[-1]) + 1)[warp]
    bits = np.select(
        [how == 0, how == 1, how == 2],
        [
            rng.integers(-8, 9, count),
            rng.uniform(-1, 1, count),
            rng.normal(size=count) * 2.0 ** rng.integers(-12, 8, count),
        ],
        rng.normal(size=count) * 2.0 ** {"f16": -15, "bf16": -64, "f32": -64}[scalar],
    ).astype(np.float16 if scalar == "f16" else np.float32)
    bits = bits.view(f"u{bits.itemsize}") >> (16 if scalar == "bf16" else 0)
    edges = _floats(scalar, count, rng)
    mixed = np.where((how == 4) & (rng.random(count) < 0.02), edges, bits).astype(edges.dtype)
    return mixed.view(np.uint32)


def _quarters(kind: str, number: int, rng: np.random.Generator) -> np.ndarray:
    """Four numbers of 8 bits each, hardly any of them infinite or NaN."""
    count, highest = 4 * number, {"e4m3": 0x7E, "e5m2": 0x7B}[kind.split()[1]]
    magnitude = rng.integers(0, highest + 1, count)
    bits = np.where(rng.random(count) < 0.0003, 0x7F, magnitude)  # the rare ones
    return (bits | rng.integers(0, 2, count) << 7).astype(np.uint8).view(np.uint32)


SPECIAL: dict[str, Draw] = {
    "quarters": _quarters,
    "warp": _for_a_warp,
    "amount": _amounts,
    "lane": _below(32),
    "rank": _below(7, -6),
    "bit": _below(2),
    "rare": _by_warp,
    "few": lambda kind, number, rng: rng.choice(_integers(int(kind[-2:]), 5, rng), number),
    "same": _same,
}


# ---- what hypothesis thinks worth trying ----

POOL = 2048  # values that are drawn for each kind of operand


def drawn(form: InlineForm, number: int) -> tuple[np.ndarray, ...]:
    """`number` inputs for each operand of a form, as unsigned integers: combinations of values
    from the pools of the operands' kinds; always the same ones."""
    rng = np.random.default_rng(zlib.crc32(form.name.encode()))
    return without_zero_divisors(
        form, tuple(operand(kind, number, rng, _pooled) for kind in form.inputs)
    )


def _pooled(kind: str, number: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers of a type of PTX that hypothesis has drawn."""
    return rng.choice(pool(kind if kind in (*_EDGES, *_WHOLE) else f"u{8 * size_of(kind)}"), number)


@cache
def pool(kind: str) -> np.ndarray:
    """What hypothesis draws for a type of PTX, e.g. "f32" or "s64", as unsigned integers."""
    from hypothesis import HealthCheck, Phase, given, settings, strategies

    values: list[float] = []
    bits = 8 * size_of(kind)
    wide = 32 if kind == "bf16" else bits  # a bfloat16 is the upper half of a float
    floats = {
        16: strategies.floats(width=16),
        32: strategies.floats(width=32),
        64: strategies.floats(width=64),
    }
    one = floats[wide] if kind in _EDGES else strategies.integers(0, (1 << bits) - 1)

    @settings(
        max_examples=POOL // 16,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],  # of a busy machine
    )
    @given(strategies.lists(one, min_size=16, max_size=32))
    def collect(some: list[float]) -> None:
        values.extend(some)

    collect()
    if kind not in _EDGES:
        return np.array(values, f"u{bits // 8}")
    words = np.array(values, f"f{wide // 8}").view(f"u{wide // 8}")
    return (words >> 16).astype(np.uint16) if kind == "bf16" else words
