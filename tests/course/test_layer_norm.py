"""Layer normalisation that reads its row once, on the simulated GPU: right, clean, and once."""

import numpy as np
import pytest

from grader import course
from grader.cuda import simulator

SOURCE = (course.KERNELS / "08_project/5_layer_norm_once.cu").read_text()


@pytest.mark.parametrize(
    ("kernel", "block", "columns"),
    [
        ("layer_norm_1", 256, 1024),
        ("layer_norm_1", 32, 104),
        ("layer_norm_4", 256, 4096),
        ("layer_norm_4", 96, 1032),
        ("layer_norm_long", 1024, 16_384),
    ],
)
def test_a_row_is_normalised_and_read_once(kernel, block, columns):
    rng = np.random.default_rng(8)
    x = (1_000 + rng.standard_normal((3, columns))).astype(np.float32)
    weight, bias = rng.standard_normal((2, columns)).astype(np.float32)
    y = np.zeros_like(x)
    launched = simulator.RawModule(code=SOURCE).get_function(kernel)
    with simulator.observe() as run:
        args = (x, weight, bias, y, np.int32(columns), np.float32(1e-5))
        launched((len(x),), (block,), args)
    assert not run.hazards
    exact = x.astype(np.float64)
    apart = exact - exact.mean(axis=1, keepdims=True)
    right = apart / np.sqrt((apart**2).mean(axis=1, keepdims=True) + 1e-5) * weight + bias
    assert np.abs(y - right).max() < 2e-3
    least = 4 * x.nbytes // 32  # x, weight, bias and y
    total = run.counters.total
    moved = total["global_load_sectors"] + total["global_store_sectors"]
    assert moved <= 1.01 * least + 4
