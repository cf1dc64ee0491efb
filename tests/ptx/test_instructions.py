"""Every instruction form on the simulated GPU, against Python's integers and rationals."""

import numpy as np
import pytest
from ptx_reference_forms import expected

from grader.bench import conformance
from grader.bench.conformance.forms import InlineForm
from grader.cuda import simulator

CHOSEN, DRAWN = 512, 128  # inputs of a form
FAMILIES = tuple(dict.fromkeys(form.family for form in conformance.FORMS))


def _rows(inputs):
    return list(zip(*[array.tolist() for array in inputs], strict=True))


def _first_difference(form: InlineForm) -> str:
    """Runs a form; what the first wrong lane was given, gave and should have given."""
    inputs = conformance.inputs_of(form, CHOSEN, DRAWN)
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


def _approximate(name: str) -> InlineForm:
    return next(form for form in conformance.FORMS if form.name == name)


def _share_beyond(name: str, value: float, got: float) -> float:
    """How much of a block of outputs `got` for inputs `value` is beyond the documented error."""
    arrays = [np.full(128, x, np.float32).view(np.uint32) for x in (value, got)]
    return conformance.outside_bounds(_approximate(name), (arrays[0],), arrays[1]).mean()


@pytest.mark.parametrize(
    "form", [f for f in conformance.FORMS if f.bounds], ids=lambda form: form.name
)
def test_approximations_stay_within_their_documented_error(form):
    inputs = conformance.inputs_of(form, CHOSEN, DRAWN)
    found = conformance.run(form, "simulator", inputs)
    at = np.flatnonzero(conformance.outside_bounds(form, inputs, found))
    assert _rows([*[a[at] for a in inputs], found[at]]) == []


@pytest.mark.parametrize("name", ["ex2", "lg2", "sin", "cos", "tanh"])
def test_an_approximation_has_the_same_bits_on_every_processor(name):
    """NumPy's float32 functions have other last digits where the processor has AVX-512."""
    form = _approximate(f"{name}.approx.f32")
    drawn = np.random.default_rng(0).uniform(0.01, 20, 65536).astype(np.float32)
    found = conformance.run(form, "simulator", (drawn.view(np.uint32),)).view(np.float32)
    function = getattr(np, {"ex2": "exp2", "lg2": "log2"}.get(name, name))
    assert (found == function(drawn.astype(np.float64)).astype(np.float32)).all()


def test_the_bound_of_a_logarithm_near_1_is_absolute():
    assert _share_beyond("lg2.approx.f32", 0.99999994, -1.1825e-8) == 0
    assert _share_beyond("lg2.approx.f32", 0.99999994, -1e-6) == 1


def test_a_sine_has_a_bound_only_where_one_is_documented():
    assert _share_beyond("sin.approx.f32", 2.0, np.sin(2.0) + 1e-5) == 1
    assert _share_beyond("sin.approx.f32", 200.0, np.sin(200.0) + 1e-5) == 0
    assert _share_beyond("sin.approx.f32", 1e9, 0.0) == 0


def test_a_number_for_nan_is_beyond_any_bound():
    assert _share_beyond("sqrt.approx.f32", -1.0, 0.0) == 1


def test_a_comparison_of_pairs_goes_with_one_predicate_for_both_halves():
    source = """extern "C" __global__ void k(unsigned* y)
{
  unsigned t = threadIdx.x;
  asm("{ .reg .pred p; setp.lt.u32 p, %1, 2; set.lt.and.f16x2.f16x2 %0, %2, %3, p; }"
      : "=r"(y[t]) : "r"(t), "r"(t % 2 ? 0x40003C00 : 0x3C004000), "r"(0x3E003E00));
}"""
    found = np.zeros(4, np.uint32)
    simulator.RawModule(code=source).get_function("k")((1,), (4,), (found,))
    # 1.0 in the lower or in the upper half is less than 1.5; from thread 2 on p does not hold.
    assert found.tolist() == [0x3C000000, 0x00003C00, 0, 0]


@pytest.mark.parametrize("selector", [0x5410, 0x7632, 0xD410, 0xFFFF, 0x10000123])
def test_bytes_are_permuted_alike_by_a_number_and_by_a_register(selector):
    source = f"""extern "C" __global__ void k(unsigned* y)
{{
  unsigned t = threadIdx.x, a = 0x9E3779B9u * t, b = ~a;
  asm("prmt.b32 %0, %1, %2, {selector};" : "=r"(y[2 * t]) : "r"(a), "r"(b));
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(y[2 * t + 1]) : "r"(a), "r"(b), "r"({selector} + t - t));
}}"""
    found = np.zeros((64, 2), np.uint32)
    simulator.RawModule(code=source).get_function("k")((1,), (64,), (found,))
    assert (found[:, 0] == found[:, 1]).all()
    octets = [[0x9E3779B9 * t >> 8 * k & 255 for k in range(4)] for t in range(64)]
    octets = [own + [255 - one for one in own] for own in octets]
    chosen = [selector >> 4 * place & 15 for place in range(4)]
    wanted = [
        [(own[one & 7] >> 7) * 255 if one & 8 else own[one & 7] for one in chosen] for own in octets
    ]
    assert found[:, 0].copy().view(np.uint8).reshape(64, 4).tolist() == wanted
