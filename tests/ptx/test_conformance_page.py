"""The page that sets the simulated GPU's arithmetic beside a real one's."""

from datetime import date

import pytest
from typer.testing import CliRunner

from grader.bench.conformance import FamilyResult, page
from grader.cli.app import app
from grader.cuda import gpu_count

ROWS = [
    FamilyResult("warp", 2, 8192, 8192, 0, (), 0.0, ""),
    FamilyResult(
        "special functions", 1, 4096, 4000, 1, ("sin.approx.f32",), float("inf"), "sin.approx.f32"
    ),
]


def test_the_page_says_how_many_outputs_are_equal_within_and_beyond():
    text = page(ROWS, "a GPU; CUDA 13.0", date(2026, 1, 2))
    assert "on 2026-01-02. Hardware: a GPU; CUDA 13.0." in text
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
