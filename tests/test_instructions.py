"""Every instruction form on the simulated GPU, against Python's integers and rationals."""

import math

import numpy as np
import pytest
from ptx_reference import decode
from ptx_reference_forms import expected

from grader.cuda import conformance
from grader.cuda.conformance.form import Form
from grader.cuda.conformance.samples import samples

INPUTS = 512
FAMILIES = tuple(dict.fromkeys(form.family for form in conformance.FORMS))


def _rows(inputs):
    return list(zip(*[array.tolist() for array in inputs], strict=True))


def _first_difference(form: Form, number: int = INPUTS) -> str:
    """Runs a form; what the first wrong lane was given, gave and should have given."""
    inputs = samples(form, number)
    found = conformance.run(form, "simulator", inputs)
    rows = _rows(inputs)
    wanted = np.array(expected(form, rows), found.dtype)
    wrong = np.flatnonzero(conformance.distance(form, found, wanted) != 0)
    if not len(wrong):
        return ""
    at = wrong[0]
    given = ", ".join(f"{value:#x}" for value in rows[at])
    return f"{form.name}({given}) is {found[at]:#x}, not {wanted[at]:#x}; {len(wrong)} are wrong"


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "special functions"])
def test_every_form_gives_the_exact_bits(family):
    forms = [form for form in conformance.FORMS if form.family == family]
    wrong = [difference for form in forms if (difference := _first_difference(form))]
    assert not wrong, "\n".join(wrong)


_TRUE = {
    "rcp": lambda x: 1 / x if x else math.copysign(math.inf, x),
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "rsqrt": lambda x: (
        1 / math.sqrt(x) if x > 0 else (math.nan if x else math.copysign(math.inf, x))
    ),
    "ex2": lambda x: math.inf if x >= 1024 else 2.0**x,
    "lg2": lambda x: math.log2(x) if x > 0 else (math.nan if x else -math.inf),
    "sin": lambda x: math.sin(x) if math.isfinite(x) else math.nan,
    "cos": lambda x: math.cos(x) if math.isfinite(x) else math.nan,
    "tanh": math.tanh,
    "div": lambda a, b: a / b if b else (math.copysign(math.inf, b) * a if a else math.nan),
}
_SMALLEST = {"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126, "f64": 2.0**-1022}
_LARGEST = {"f16": 65504.0, "bf16": 3.39e38, "f32": 3.4028234e38, "f64": 1.79e308}


def _bounds_broken(form: Form) -> list[str]:
    inputs = samples(form, INPUTS)
    found = conformance.run(form, "simulator", inputs)
    kind, parts = form.output.removesuffix("x2"), inputs
    if form.output.endswith("x2"):
        parts, found = [a.view("u2") for a in inputs], found.view("u2")
    broken = []
    for row, bits in zip(_rows(parts), found.tolist(), strict=True):
        values, got = [decode(bits, kind) for bits in row], decode(bits, kind)
        if not _within(form, kind, values, got):
            broken.append(f"{form.name}({values}) is {got}")
    return broken


def _within(form: Form, kind: str, values: list[float], got: float) -> bool:
    """Is the result as close to the true value as documented, and special where that is?"""
    what, error = form.bound
    smallest = _SMALLEST[kind]
    flushes = "ftz" in form.name
    if flushes:
        values = [math.copysign(0.0, v) if abs(v) < smallest else v for v in values]
    if form.name.startswith("div.approx") and abs(values[1]) > 2.0**126:
        return got == 0 or math.isnan(got)
    base = form.name.split(".")[0]
    true = _TRUE[base](*values)
    if true != true or got != got:
        return true != true and got != got
    if flushes and abs(true) <= smallest and got == 0:
        return True
    if math.isinf(true) or abs(true) > _LARGEST[kind]:
        return math.isinf(got) and got * true > 0
    if true == 0 and base not in ("sin", "cos"):
        return got == 0 and math.copysign(1, got) == math.copysign(1, true)
    if form.domain and not form.domain[0] <= values[0] <= form.domain[1]:
        return True
    grain = smallest * 2.0 ** -(10 if kind == "f16" else 7 if kind == "bf16" else 23)
    slack = error if what == "absolute" else error * abs(true)
    return abs(got - true) <= slack + grain / 2


@pytest.mark.parametrize(
    "form", [f for f in conformance.FORMS if f.bound], ids=lambda form: form.name
)
def test_approximations_stay_within_their_documented_error(form):
    assert not _bounds_broken(form)[:3]
