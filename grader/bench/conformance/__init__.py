"""Does the simulated GPU compute what a real one computes? One small kernel per instruction form.

    table() compares the two on this machine's GPU, family by family;
    run(form, "simulator" | "gpu", inputs) gives the outputs of one form.

A form is inline PTX between bits that come from arrays and bits that go to one: every input and
output is an unsigned integer of the register's size, so that -0, NaN and subnormal numbers pass
through untouched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np

from .documented import beyond
from .inline_form import Form
from .number_forms import bits, carries, comparisons, conversions, floating, integers, special
from .samples import drawn, samples
from .warp_forms import atomics, tensors, warps

FORMS: tuple[Form, ...] = (
    *floating(),
    *integers(),
    *carries(),
    *bits(),
    *comparisons(),
    *conversions(),
    *special(),
    *warps(),
    *atomics(),
    *tensors(),
)
BLOCK = 128
_REGISTER = {2: ("unsigned short", "h"), 4: ("unsigned int", "r"), 8: ("unsigned long long", "l")}


@dataclass(frozen=True)
class Row:
    """How a family fared: how many of its outputs the devices agree on to the bit (NaN as NaN),
    how many of the GPU's others are `beyond` what is documented (of an exact instruction, all of
    them) and in which forms; the worst disagreement in units of the last place, and where."""

    family: str
    forms: int
    inputs: int
    exact: int
    beyond: int
    beyond_in: tuple[str, ...]
    worst: float
    where: str

    @property
    def within(self) -> int:
        """Outputs that differ, as far as the PTX ISA documents that they may."""
        return self.inputs - self.exact - self.beyond


def source(forms: tuple[Form, ...]) -> str:
    """CUDA C++ with a kernel `form_0`, `form_1`, ... for each form."""
    return "\n".join(_kernel(form, number) for number, form in enumerate(forms))


def _kernel(form: Form, number: int) -> str:
    result, constraint = _REGISTER[form.output_size]
    types = [_REGISTER[size] for size in form.input_sizes]
    parameters = [f"const {kind}* a{n}" for n, (kind, _) in enumerate(types)]
    operands = ", ".join(f'"{letter}"(a{n}[i])' for n, (_, letter) in enumerate(types))
    if form.memory:
        # The form works on a cell of memory, %1, which holds a0 first.
        cell = "out[i]" if form.memory == "global" else "cells[threadIdx.x]"
        address = f"&{cell}" if form.memory == "global" else f"__cvta_generic_to_shared(&{cell})"
        operands = f'"l"({address})' + operands.removeprefix(f'"{types[0][1]}"(a0[i])')
        shared = "" if form.memory == "global" else f"__shared__ {result} cells[{BLOCK}];"
        body = (
            f'{shared} {cell} = a0[i]; asm volatile("{form.asm}" : "={constraint}"(d) '
            f': {operands} : "memory"); out[i] = {form.combined.format(d="d", cell=cell)};'
        )
    else:
        body = f'asm volatile("{form.asm}" : "={constraint}"(d) : {operands}); out[i] = d;'
    return (
        f'extern "C" __global__ void form_{number}({", ".join(parameters)}, {result}* out) {{ '
        f"int i = blockIdx.x * blockDim.x + threadIdx.x; {result} d; {body} }}"
    )


def run(form: Form, device: str, inputs: tuple[np.ndarray, ...]) -> np.ndarray:
    """The outputs (n,) of `form` on "simulator" or "gpu" for inputs (n,) each, all unsigned
    integers of the registers' sizes; n must be a multiple of 128, a block."""
    family = _family(form.family)
    kernel = _module(form.family, device).get_function(f"form_{family.index(form)}")
    n = len(inputs[0])
    if n % BLOCK:
        raise ValueError(f"{n} inputs do not fill blocks of {BLOCK} threads")
    out = np.zeros(n, f"u{form.output_size}")
    if device == "simulator":
        kernel((n // BLOCK,), (BLOCK,), (*inputs, out))
        return out
    import cupy

    on_device = [cupy.asarray(array) for array in (*inputs, out)]
    kernel((n // BLOCK,), (BLOCK,), tuple(on_device))
    return cupy.asnumpy(on_device[-1])


@cache
def _family(name: str) -> tuple[Form, ...]:
    return tuple(form for form in FORMS if form.family == name)


@cache
def _module(family: str, device: str) -> Any:
    code = source(_family(family))
    if device == "simulator":
        from ...cuda import simulator

        return simulator.RawModule(code=code, options=("-arch=compute_90",))
    from ...cuda import gpu

    return gpu.RawModule(code=code)


SAMPLES, DRAWN = 4096, 1024  # inputs of a form that look for trouble, and that hypothesis draws


def table() -> Iterator[Row]:
    """Runs every form on the simulated and on the real GPU."""
    for family, forms in groupby(FORMS, key=lambda form: form.family):
        yield _row(family, tuple(forms))


def inputs_of(form: Form, chosen: int, by_hypothesis: int) -> tuple[np.ndarray, ...]:
    """Inputs for each operand of a form: so many chosen to look for trouble, so many drawn."""
    pairs = zip(samples(form, chosen), drawn(form, by_hypothesis), strict=True)
    return tuple(map(np.concatenate, pairs))


def _row(family: str, forms: tuple[Form, ...]) -> Row:
    exact, outside, worst, where = 0, {}, 0.0, ""
    for form in forms:
        inputs = inputs_of(form, SAMPLES, DRAWN)
        of_gpu = run(form, "gpu", inputs)
        difference = distance(form, run(form, "simulator", inputs), of_gpu)
        exact += int(np.count_nonzero(difference == 0))
        wrong = np.count_nonzero((difference != 0) & outside_bounds(form, inputs, of_gpu))
        if wrong:
            outside[form.name] = int(wrong)
        if difference.max() > worst:
            worst, where = float(difference.max()), form.name
    total = (SAMPLES + DRAWN) * len(forms)
    return Row(
        family, len(forms), total, exact, sum(outside.values()), tuple(outside), worst, where
    )


def outside_bounds(form: Form, inputs: tuple[np.ndarray, ...], found: np.ndarray) -> np.ndarray:
    """Which outputs (n,) are not to be excused by a documented error: all of an exact form."""
    return beyond(form, inputs, found) if form.bounds else np.ones(len(found), bool)


def distance(form: Form, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How far apart outputs are, in units of the last place (integers: the plain difference); NaN
    equals NaN, and is infinitely far from a number. A pair of halves counts as the worse one."""
    if form.output.endswith("x2"):
        parts = [
            distance(form.half, x.view(np.uint16), y.view(np.uint16)) for x, y in [(one, other)]
        ]
        return parts[0].reshape(-1, 2).max(axis=1)
    bits = 8 * form.output_size
    a, b = (x.astype(object) if bits == 64 else x.astype(np.int64) for x in (one, other))
    if form.output in _INFINITY:
        nan_a, nan_b = (_magnitude(x, bits) > _INFINITY[form.output] for x in (a, b))
        a, b = (_ordered(x, bits) for x in (a, b))
        apart = np.abs(a - b).astype(float)
        return np.where(nan_a & nan_b, 0.0, np.where(nan_a | nan_b, np.inf, apart))
    return np.abs(a - b).astype(float)


_INFINITY = {
    "f16": 0x7C00,
    "bf16": 0x7F80,
    "f32": 0x7F800000,
    "tf32": 0x7F800000,
    "f64": 0x7FF0 << 48,
}


def _magnitude(bits: np.ndarray, width: int) -> np.ndarray:
    return bits & ((1 << (width - 1)) - 1)


def _ordered(bits: np.ndarray, width: int) -> np.ndarray:
    """Floats' bits as integers in the order of the floats; -0 just below +0."""
    magnitude = _magnitude(bits, width)
    return np.where(bits >> (width - 1) == 1, -1 - magnitude, magnitude)
