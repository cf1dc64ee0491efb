"""Where the PTX ISA leaves room, or reads otherwise: what an H200 gave, to the bit."""

from datetime import date

import numpy as np
import pytest
from typer.testing import CliRunner

from grader.bench import conformance
from grader.bench.conformance import FamilyResult, page
from grader.bench.conformance.forms import InlineForm
from grader.cli.app import app
from grader.cuda import gpu_count

# form, inputs, what the hardware gave
MEASURED = [
    ("mul.rn.ftz.f32", (0x800000, 0x3F7FFFFF), 0x0),
    ("mul.rm.ftz.f32", (0xBF7FFFFF, 0x800000), 0x80000000),
    ("mul.rn.ftz.f16", (0x400, 0xBBFF), 0x8000),
    ("mul.rn.ftz.sat.f16", (0x400, 0x3BFF), 0x0),
    ("mul.rn.ftz.f16x2", (0x3BFFCC3A, 0x8400C474), 0x800054B5),
    ("fma.rn.ftz.f16", (0xBBFF, 0x400, 0x8000), 0x8000),
    ("rcp.rm.ftz.f32", (0xFE800001,), 0x80000000),
    ("rcp.rp.ftz.f32", (0x7E800001,), 0x0),
    ("cvt.rn.ftz.f32.f64", (0x380FFFFFE0000000,), 0x0),
    ("cvt.rn.ftz.f32.f64", (0x380FFFFFF0000000,), 0x800000),
    ("cvt.rm.ftz.f32.f64", (0xB80FFFFFE0000000,), 0x80000000),
    ("cvt.rp.ftz.sat.f32.f64", (0x380FFFFFE0000000,), 0x0),
    ("fma.rm.f32", (0x1, 0x3F3D3946, 0x80000000), 0x0),
    ("fma.rm.f64", (0x7E9B444B5916881F, 0x75BB9BD8DAEFC46F, 0xFFF0000000000000), 0xFFF0 << 48),
    ("fma.rp.f64", (0x79B223105E8F8C08, 0x70F321E99C45C91A, 0xFFF0000000000000), 0xFFF0 << 48),
    ("bfi.b64", (0xFFFFFFFFFFFFC04B, 0x80, 0x10C, 0x3F), 0x80),
    ("bfe.u64", (0xFFFFFF69AA589430, 0x0, 0x105), 0xFFFFFF69AA589430),
    ("bfe.s64", (0x68FEFF98520, 0x107, 0xA), 0x0),
    ("testp.normal.f32", (0x80000000,), 0x1),
    ("testp.normal.f64", (0x8000000000000000,), 0x1),
    ("div.approx.f32", (0xFFFFFFFF, 0xFF800000), 0x7FFFFFFF),
    ("div.approx.ftz.f32", (0x7FFFFFFF, 0x7E800001), 0x7FFFFFFF),
]


def _form(name: str) -> InlineForm:
    return next(form for form in conformance.FORMS if form.name == name)


def _outputs(form: InlineForm, inputs: tuple[int, ...]) -> np.ndarray:
    """What the simulated GPU gives for one set of inputs, the same in every lane."""
    arrays = [
        np.full(conformance.BLOCK, value, f"u{size}")
        for value, size in zip(inputs, form.input_sizes, strict=True)
    ]
    return conformance.run(form, "simulator", tuple(arrays))


@pytest.mark.parametrize(("name", "inputs", "hardware"), MEASURED)
def test_the_simulated_gpu_gives_what_the_hardware_gave(name, inputs, hardware):
    form = _form(name)
    found = _outputs(form, inputs)
    wanted = np.full_like(found, hardware)
    assert not conformance.distance(form, found, wanted).any(), f"{found[0]:#x}"


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
def test_an_infinite_addend_outlasts_a_product_that_overflows(mode):
    large, minus_infinity = 0x7FE0000000000000, 0xFFF0000000000000
    form = _form(f"fma.{mode}.f64")
    assert (_outputs(form, (large, large, minus_infinity)) == minus_infinity).all()


# --- the page that sets the simulated GPU's arithmetic beside a real one's ------------------------


ROWS = [
    FamilyResult("warp", 2, 8192, 8192, 0, (), 0.0, ""),
    FamilyResult(
        "special functions", 1, 4096, 4000, 1, ("sin.approx.f32",), float("inf"), "sin.approx.f32"
    ),
]


def test_the_page_says_how_many_outputs_are_equal_within_and_beyond():
    text = page(ROWS, "a GPU; CUDA 13.0", date(2026, 1, 2))
    assert "on 2026-01-02. Hardware: `a GPU; CUDA 13.0`." in text
    assert "| warp | 2 | 8,192 | 8,192 | 0 | 0 |  |  |" in text
    assert "| special functions | 1 | 4,096 | 4,000 | 95 | 1 | ∞ | `sin.approx.f32` |" in text
    assert "| all | 3 | 12,288 | 12,192 | 95 | 1 |" in text
    assert "- special functions: `sin.approx.f32`" in text


@pytest.mark.skipif(bool(gpu_count()), reason="there is a GPU")
def test_without_a_gpu_the_command_says_so(tmp_path):
    done = CliRunner().invoke(app, ["conformance", "--to", str(tmp_path / "page.md")])
    assert done.exit_code == 2
    assert "There is no GPU here" in done.output
    assert not (tmp_path / "page.md").exists()
