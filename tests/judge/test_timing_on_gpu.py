"""Kernels timed on a real GPU. Needs only NumPy, CuPy, rich, typer and pytest beside the course."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from grader import course
from grader.bench import timings
from grader.cli.app import app

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def recorded(root):
    """What the shell sees of a recording, and the recorded file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(course, "KERNELS", root)
        arguments = ["bench", "--device", "gpu", "01_add", "--record"]
        result = CliRunner().invoke(app, arguments, env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    return result.output, json.loads((root / "01_add" / timings.FILE).read_text())


@pytest.fixture(scope="module")
def found(root, recorded):
    lesson = course.lesson("01_add", root)
    return timings.read(lesson, lesson.benchmark("add"))


def test_every_size_of_every_variant_is_timed(found):
    assert found.sizes == ((1 << 10,), (1 << 16,), (1 << 22,), (1 << 24,))
    assert {row.size for row in found.rows if row.variant == "ours"} == set(found.sizes)
    assert all(0 < row.low <= row.ms <= row.high for row in found.rows)


def test_who_cannot_take_part_is_named(found, recorded):
    said = "\n".join(found.skipped)
    assert "a library is not installed here." in said
    assert "a wrong library at 1,024 gave an answer that is wrong by" in said
    assert found.variants == ("ours", "ours, small", "CuPy")


def test_a_size_that_a_variant_is_not_made_for_is_a_gap(found):
    assert (1 << 24,) not in {row.size for row in found.rows if row.variant == "ours, small"}


def test_nothing_that_fits_no_cache_is_faster_than_a_copy(found):
    for variant in ("ours", "CuPy"):
        assert 0 < found.row(variant, (1 << 24,)).fraction < 1.3


def test_the_device_is_recorded(recorded):
    shown, kept = recorded
    device = kept["device"]
    assert device["name"] in shown
    assert device["copy_gb_per_s"] > 100
    assert device["peak_gflop_per_s"] > 1000
    assert {"CUDA driver", "CUDA runtime", "CuPy"} <= set(device["versions"])
