"""Does the simulated GPU compute what a real one computes? One small kernel per instruction form.

    measure() compares the two on this machine's GPU, family by family;
    run(form, "simulator" | "gpu", inputs) gives the outputs of one form.

A form is inline PTX between bits that come from arrays and bits that go to one: every input and
output is an unsigned integer of the register's size, so that -0, NaN and subnormal numbers pass
through untouched.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import import_module
from itertools import groupby
from typing import Any

import numpy as np

from ...cuda import gpu_count
from ...errors import BadInput, unless
from ...page_templates import page_template
from ...ptx.numbers import FORMATS, from_bfloat
from .forms import FORMS, InlineForm
from .samples import drawn, samples

BLOCK = 128
_REGISTER = {2: ("unsigned short", "h"), 4: ("unsigned int", "r"), 8: ("unsigned long long", "l")}


@dataclass(frozen=True)
class FamilyResult:
    """The outputs of a family of forms on both devices."""

    family: str
    forms: int
    inputs: int
    exact: int  # outputs that the devices agree on to the bit (NaN as NaN)
    beyond: int  # others of the GPU's beyond what is documented; of an exact form, all of them
    beyond_in: tuple[str, ...]  # forms
    worst: float  # disagreement, in units of the last place
    where: str  # the form with it

    @property
    def within(self) -> int:
        """Outputs that differ, as far as the PTX ISA documents that they may."""
        return self.inputs - self.exact - self.beyond


def source(forms: tuple[InlineForm, ...]) -> str:
    """CUDA C++ with a kernel `form_0`, `form_1`, ... for each form."""
    return "\n".join(_kernel(form, number) for number, form in enumerate(forms))


def _kernel(form: InlineForm, number: int) -> str:
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


def run(form: InlineForm, device: str, inputs: tuple[np.ndarray, ...]) -> np.ndarray:
    """The outputs (n,) of `form` on "simulator" or "gpu" for inputs (n,) each, all unsigned
    integers of the registers' sizes; n must be a multiple of 128, a block."""
    kernel = _module(form.family, device).get_function(f"form_{_family(form.family).index(form)}")
    n = len(inputs[0])
    unless(n % BLOCK == 0, ValueError(f"{n} inputs do not fill blocks of {BLOCK} threads"))
    out = np.zeros(n, f"u{form.output_size}")
    if device == "simulator":
        kernel((n // BLOCK,), (BLOCK,), (*inputs, out))
        return out
    import cupy

    on_device = [cupy.asarray(array) for array in (*inputs, out)]
    kernel((n // BLOCK,), (BLOCK,), tuple(on_device))
    return cupy.asnumpy(on_device[-1])


@cache
def _family(name: str) -> tuple[InlineForm, ...]:
    return tuple(form for form in FORMS if form.family == name)


@cache
def _module(family: str, device: str) -> Any:
    return import_module(f"...cuda.{device}", __package__).RawModule(code=source(_family(family)))


SAMPLES, DRAWN = 4096, 1024  # inputs of a form that look for trouble, and that hypothesis draws


def inputs_of(form: InlineForm, chosen: int, by_hypothesis: int) -> tuple[np.ndarray, ...]:
    """Inputs for each operand of a form: so many chosen to look for trouble, so many drawn."""
    return tuple(
        map(np.concatenate, zip(samples(form, chosen), drawn(form, by_hypothesis), strict=True))
    )


def _row(family: str, forms: tuple[InlineForm, ...]) -> FamilyResult:
    exact, outside, worst, where = 0, {}, 0.0, ""
    for form in forms:
        inputs = inputs_of(form, SAMPLES, DRAWN)
        of_gpu = run(form, "gpu", inputs)
        difference = distance(form, run(form, "simulator", inputs), of_gpu)
        exact += int(np.count_nonzero(difference == 0))
        if wrong := np.count_nonzero((difference != 0) & outside_bounds(form, inputs, of_gpu)):
            outside[form.name] = int(wrong)
        if difference.max() > worst:
            worst, where = float(difference.max()), form.name
    return FamilyResult(
        family,
        len(forms),
        inputs=(SAMPLES + DRAWN) * len(forms),
        exact=exact,
        beyond=sum(outside.values()),
        beyond_in=tuple(outside),
        worst=worst,
        where=where,
    )


def outside_bounds(
    form: InlineForm, inputs: tuple[np.ndarray, ...], found: np.ndarray
) -> np.ndarray:
    """Which outputs (n,) are not to be excused by a documented error: all of an exact form."""
    return beyond(form, inputs, found) if form.bounds else np.ones(len(found), bool)


def distance(form: InlineForm, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How far apart outputs are, in units of the last place (integers: the plain difference); NaN
    equals NaN, and is infinitely far from a number. A pair of halves counts as the worse one."""
    if form.output.endswith("x2"):
        halves = distance(form.half, one.view(np.uint16), other.view(np.uint16))
        return np.asarray(halves.reshape(-1, 2).max(axis=1))
    bits = 8 * form.output_size
    a, b = (x.astype(object) if bits == 64 else x.astype(np.int64) for x in (one, other))
    if form.output in FORMATS:
        nan_a, nan_b = (np.isnan(_decode(x, form.output)) for x in (one, other))
        # In the order of the floats; -0 just below +0.
        magnitudes = (1 << bits - 1) - 1
        a, b = (np.where(x > magnitudes, -1 - (x & magnitudes), x & magnitudes) for x in (a, b))
        apart = np.abs(a - b).astype(float)
        return np.where(nan_a & nan_b, 0.0, np.where(nan_a | nan_b, np.inf, apart))
    return np.abs(a - b).astype(float)


# ---- is an approximation as close to the true value as the PTX ISA documents? ----

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


def beyond(form: InlineForm, inputs: tuple[np.ndarray, ...], found: np.ndarray) -> np.ndarray:
    """Which of the outputs `found` (n,) of an approximate form lie farther from the true value
    than documented, or are a number where NaN is due or the other way round: bool (n,). Inputs
    and outputs are bits; of a pair of halves, either may do so."""
    if form.output.endswith("x2"):
        halves = beyond(form.half, tuple(a.view(np.uint16) for a in inputs), found.view(np.uint16))
        return np.asarray(halves.reshape(-1, 2).any(axis=1))
    with np.errstate(all="ignore"):
        return ~_acceptable(
            form, [_decode(a, form.output) for a in inputs], _decode(found, form.output)
        )


def _decode(bits: np.ndarray, kind: str) -> np.ndarray:
    """The numbers of a floating-point format as float64."""
    values = from_bfloat(bits) if kind == "bf16" else bits.view(FORMATS[kind].dtype)
    with np.errstate(invalid="ignore"):  # a NaN that signals
        return values.astype(np.float64)


def _acceptable(form: InlineForm, values: list[np.ndarray], got: np.ndarray) -> np.ndarray:
    kept = FORMATS[form.output]
    smallest, flushes = 2.0**kept.least_exponent, ".ftz" in form.name
    if flushes:
        values = [np.where(np.abs(v) < smallest, np.copysign(0.0, v), v) for v in values]
    true = _TRUE[form.name.partition(".")[0]](*values)
    slack = _slack(form, values[-1], true)
    step, alike = smallest * 2.0 ** (1 - kept.precision), np.signbit(true) == np.signbit(got)
    close = (
        ((np.abs(got - true) <= slack + step) & ((true != 0) | (got != 0) | alike))
        | ((np.abs(true) > kept.largest) & np.isinf(got) & alike)
        | (flushes & (np.abs(true) <= smallest * (1 + 2.0**-20)) & (got == 0))
    )
    if form.name.startswith("div.approx"):  # the reciprocal of a large divisor is flushed
        large = np.abs(values[1]) > 2.0**126
        close = np.where(large, np.where(np.isinf(values[0]), np.isnan(got), got == 0), close)
        true = np.where(large & np.isinf(values[0]), np.nan, true)
    return np.where(np.isnan(true) | np.isnan(got), np.isnan(true) & np.isnan(got), close)


def _slack(form: InlineForm, last: np.ndarray, true: np.ndarray) -> np.ndarray:
    """How far from the true values the results may lie; without limit where nothing is said."""
    slack, kept = np.full(true.shape, np.inf), FORMATS[form.output]
    for bound in reversed(form.bounds):  # the first one that applies counts
        exponent = np.maximum(np.frexp(true)[1] - 1, kept.least_exponent)
        ulp = np.ldexp(1.0, exponent - (kept.precision - 1))
        unit = {"ulp": ulp, "relative": np.abs(true), "absolute": 1.0}[bound.what]
        inside = (np.abs(last) >= bound.low) & (np.abs(last) <= bound.high)
        slack = np.where(inside | ~np.isfinite(last), bound.error * unit, slack)
    return slack


# ---- docs/conformance.md ----


def measure() -> list[FamilyResult]:
    """Every instruction form on both devices, about a minute. Raises BadInput without a GPU."""
    unless(gpu_count(), BadInput("There is no GPU here to compare the simulated one with."))
    return [
        _row(family, tuple(forms)) for family, forms in groupby(FORMS, key=lambda form: form.family)
    ]


def hardware() -> str:
    """The GPU and the CUDA version that this process uses."""
    from cupy.cuda import nvrtc, runtime

    name = runtime.getDeviceProperties(0)["name"].decode()
    driver = runtime.driverGetVersion()
    return (
        f"{name}; CUDA {driver // 1000}.{driver % 1000 // 10} (driver), "
        f"NVRTC {'.'.join(map(str, nvrtc.getVersion()))}"
    )


def page(rows: list[FamilyResult], on: str, day: date) -> str:
    """Markdown: the families, what lies beyond a bound, and what the columns mean."""
    return (
        page_template("bench/pages/conformance.md").render(
            rows=rows, on=on, day=day, samples=SAMPLES, drawn=DRAWN, infinity=np.inf
        )
        + "\n"
    )
