"""The lessons' fastest kernels on the simulated GPU: any length and alignment, NaN, inf, rows all
-inf; nothing races."""

from __future__ import annotations

from functools import cache
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pytest

from grader import course, cuda
from grader.cuda import simulator
from grader.cuda.limits import opted_in

LESSON = course.KERNELS / "07_fused_softmax"
_SPEC = spec_from_file_location("leaderboard", LESSON / "benchmarks_leaderboard.py")
leaderboard = module_from_spec(_SPEC)
_SPEC.loader.exec_module(leaderboard)
choose = leaderboard.choose
OFFSETS = (0, 1, 3)  # floats from a 16-byte boundary


@cache
def kernel(file: str, name: str, together: bool = False):
    path = course.KERNELS / file if "/" in file else LESSON / file
    module = simulator.RawModule(code=path.read_text(), enable_cooperative_groups=together)
    return module.get_function(name)


def launch(kernel, grid, block, args, shared_mem=0):
    """Nothing that the kernel does is a hazard."""
    with simulator.observe() as run:
        opted_in(kernel, shared_mem)(grid, block, args, shared_mem=shared_mem)
    assert run.hazards == []


def placed(values: np.ndarray, offset: int) -> np.ndarray:
    """A copy of `values` that begins so many elements after a 16-byte boundary."""
    room = np.empty(values.size + 16, values.dtype)
    first = -(room.ctypes.data // values.itemsize) % (16 // values.itemsize) + offset
    view = room[first : first + values.size].reshape(values.shape)
    view[...] = values
    return view


def rows_of(rows: int, columns: int) -> np.ndarray:
    """Ordinary rows, and of five or more one with a NaN, one with inf, one of -inf, one of half."""
    x = (3 * np.random.default_rng(columns).standard_normal((rows, columns))).astype(np.float32)
    if rows >= 5:
        x[0] *= 30
        x[1, columns // 2], x[2, 0], x[3] = np.nan, np.inf, -np.inf
        x[4, : columns // 2] = -np.inf
    return x


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    x = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)


def agree(y: np.ndarray, reference: np.ndarray, tolerance: float = 2e-5) -> None:
    np.testing.assert_allclose(y.astype(np.float64), reference, rtol=0, atol=tolerance)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("columns", [1, 3, 64, 121, 128, 250, 512, 1000, 1024, 2047, 4097])
def test_the_dispatcher_s_kernel_takes_rows_of_any_length_and_alignment(columns, offset):
    choice = choose(1000, columns)
    rows = 13  # the last blocks are not full
    x = placed(rows_of(rows, columns), offset)
    y = placed(np.full((rows, columns), 9, np.float32), offset)
    numbers = (np.int32(rows),) if choice.file == leaderboard.REGISTERS else ()
    args = (x, y, *numbers, np.int32(columns))
    launch(kernel(choice.file, choice.kernel), -(-rows // choice.rows), choice.threads, args)
    agree(y, softmax(x))


@pytest.mark.parametrize("offset", [0, 1, 5])
@pytest.mark.parametrize("columns", [1, 9, 100, 1001, 4000])
def test_halves_take_rows_of_any_length_and_alignment(columns, offset):
    choice = choose(1000, columns, "half")
    x = placed(rows_of(9, columns).astype(np.float16), offset)
    y = placed(np.full((9, columns), 9, np.float16), offset)
    numbers = (np.int32(9),) if choice.file == leaderboard.REGISTERS else ()
    args = (x, y, *numbers, np.int32(columns))
    launch(kernel(choice.file, choice.kernel), -(-9 // choice.rows), choice.threads, args)
    agree(y, softmax(x), 1e-3)


@pytest.mark.parametrize("columns", [1, 100, 1001, 4000])
def test_bfloats_take_rows_of_any_length(columns):
    choice = choose(1000, columns, "bfloat")
    bits = (rows_of(9, columns).view(np.uint32) >> 16).astype(np.uint16)
    x, y = placed(bits, 3), placed(np.zeros((9, columns), np.uint16), 3)
    numbers = (np.int32(9),) if choice.file == leaderboard.REGISTERS else ()
    args = (x, y, *numbers, np.int32(columns))
    launch(kernel(choice.file, choice.kernel), -(-9 // choice.rows), choice.threads, args)
    agree(leaderboard.floats(y), softmax(leaderboard.floats(x)), 8e-3)


def test_there_is_a_kernel_for_every_length():
    for kind, powers in (("float", 34), ("half", 19), ("bfloat", 19)):
        for rows in (1, 1000):
            for power in range(powers):
                choice = choose(rows, 1 << power, kind)
                assert f" {choice.kernel}(" in (LESSON / choice.file).read_text()


@pytest.mark.parametrize(
    ("file", "name", "blocks", "threads", "columns", "offset"),
    [
        ("9_cluster_in_registers.cu", "cluster_32768", 4, 512, 2001, 0),
        ("9_cluster_in_registers.cu", "few_32768", 8, 128, 3001, 1),
        ("9_cluster_in_registers.cu", "few_65536", 16, 128, 7, 3),  # most blocks have nothing
    ],
)
def test_a_cluster_takes_a_row(file, name, blocks, threads, columns, offset):
    x = placed(rows_of(5, columns), offset)
    y = placed(np.full((5, columns), 9, np.float32), offset)
    launch(kernel(file, name), 5 * blocks, threads, (x, y, np.int32(columns)))
    agree(y, softmax(x))


@pytest.mark.parametrize(("columns", "offset"), [(7, 0), (3001, 1), (4000, 5)])
@pytest.mark.parametrize("kind", ["half", "bfloat"])
def test_a_cluster_takes_a_row_of_halves(kind, columns, offset):
    x = rows_of(5, columns)
    x = x.astype(np.float16) if kind == "half" else (x.view(np.uint32) >> 16).astype(np.uint16)
    x, y = placed(x, offset), placed(np.zeros_like(x), offset)
    choice = choose(1000, 32_768, kind)
    launch(
        kernel(choice.file, choice.kernel),
        5 * choice.blocks,
        choice.threads,
        (x, y, np.int32(columns)),
    )
    if kind == "bfloat":
        x, y = leaderboard.floats(x), leaderboard.floats(y)
    agree(y, softmax(x), 1e-3 if kind == "half" else 8e-3)


# Instances as small as tests can wait for.
SMALL = {
    "9_cluster_ring.cu": """
extern "C" __global__ void __cluster_dims__(NUMBER)
small(const float* x, float* y, int rows, int columns) {
    softmax_ring<64, 2, 5, NUMBER>(x, y, rows, columns);
}""",
    "9_whole_gpu.cu": """
extern "C" __global__ void small(const float* x, float* y, unsigned long long* messages, int rows,
                                 int columns) {
    softmax_gpu<64, 2, 5, NUMBER>(x, y, messages, rows, columns);
}""",
}


def small(file: str, number: int, together: bool = False):
    code = (LESSON / file).read_text() + SMALL[file].replace("NUMBER", str(number))
    return simulator.RawModule(code=code, enable_cooperative_groups=together).get_function("small")


@pytest.mark.parametrize(("blocks", "columns", "offset"), [(4, 7, 0), (4, 1001, 1), (16, 901, 3)])
def test_a_ring_of_a_cluster_takes_one_row_after_the_other(blocks, columns, offset):
    x = placed(rows_of(5, columns), offset)
    y = placed(np.full((5, columns), 9, np.float32), offset)
    args = (x, y, np.int32(5), np.int32(columns))
    launch(small("9_cluster_ring.cu", blocks), 2 * blocks, 64, args, 16 * 64 * 5)
    agree(y, softmax(x))


@pytest.mark.costly
@pytest.mark.parametrize(("lag", "columns", "offset"), [(0, 9, 0), (1, 501, 1), (2, 1003, 3)])
def test_the_whole_gpu_takes_one_row_after_the_other(lag, columns, offset):
    rows = 11  # more than twice around the messages, and not a whole number of times
    x = placed(rows_of(rows, columns), offset)
    y = placed(np.full((rows, columns), 9, np.float32), offset)
    messages = np.zeros((2, 2 * lag + 2, 4), np.uint64)
    args = (x, y, messages, np.int32(rows), np.int32(columns))
    launch(small("9_whole_gpu.cu", lag, True), 4, 64 + 64 + 32 * lag, args, 16 * 64 * 5)
    agree(y, softmax(x))
    assert not messages.any()  # ready for the next launch


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("n", [1, 3, 1000, 200_001])
def test_one_vector_is_left_as_it_was_for_the_next_launch(n, offset):
    blocks, shared = 2, 196_608
    x, y = placed(rows_of(2, n), offset), placed(np.full((2, n), 9, np.float32), offset)
    pairs = np.full(2 * blocks, -1, np.int32)
    finished = np.zeros(1, np.uint32)
    for row in (0, 1):
        args = (x, y, pairs.view(np.float32), finished, np.uint64(n), np.int32(row))
        launch(kernel("9_one_vector.cu", "one_vector", True), blocks, 1024, args, shared)
    agree(y, softmax(x))
    assert (pairs == -1).all() and not finished.any()


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("n", [0, 1, 5, 4_099, 70_001])
def test_sum_and_dot_take_vectors_side_by_side_or_not(n, offset):
    file, rng = "02_tree_reduction/9_loads_in_flight.cu", np.random.default_rng(n)
    x, y = (placed(rng.random(n, np.float32), at) for at in (offset, 1))
    partial, total = np.full(3, -1, np.int32), np.empty(1, np.float32)
    launch(kernel(file, "fast_sum"), 3, 256, (x, partial.view(np.float32), total, np.uint64(n)))
    np.testing.assert_allclose(total, x.sum(dtype=np.float64), rtol=1e-5)
    args = (x, y, partial.view(np.float32), total, np.uint64(n))
    launch(kernel(file, "fast_dot"), 3, 256, args)
    np.testing.assert_allclose(total, x.astype(np.float64) @ y, rtol=1e-5)
    assert (partial == -1).all()


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize(
    ("name", "threads", "rows_a_block", "columns"),
    [("sums_of_64", 512, 64, 64), ("sums_of_64", 512, 64, 67), ("sums_of_1024", 128, 4, 1027)],
)
def test_row_sums_take_any_length(name, threads, rows_a_block, columns, offset):
    rows = 70
    x = placed(np.random.default_rng(0).random((rows, columns), np.float32), offset)
    total = np.empty(rows, np.float32)
    launch(
        kernel("03_shuffle_reduction/9_rows_in_flight.cu", name),
        -(-rows // rows_a_block),
        threads,
        (x, total, np.int32(rows), np.int32(columns)),
    )
    np.testing.assert_allclose(total, x.sum(axis=1, dtype=np.float64), rtol=1e-6)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize(
    ("name", "rows_a_block", "columns"),
    [("scale_128", 8, 128), ("scale_128", 8, 5), ("scale_1024", 4, 1023)],
)
def test_rows_over_their_largest_magnitude_take_any_length(name, rows_a_block, columns, offset):
    x = placed(rows_of(4, columns), offset)
    x[1] = 0
    y = placed(np.full((4, columns), 9, np.float32), offset)
    launch(
        kernel("06_pack_vectorization/9_rows_in_flight.cu", name),
        -(-4 // rows_a_block),
        128,
        (x, y, np.int32(4), np.int32(columns)),
    )
    largest = np.abs(x).max(axis=1, keepdims=True).astype(np.float64)
    agree(y, x / np.where(largest == 0, 1, largest), 1e-6)


@pytest.mark.parametrize("shape", [(2, 1024, 16), (1, 1000, 36), (3, 7, 4)])
def test_an_inner_axis_of_up_to_1024_is_read_once(shape):
    outer, length, inner = shape
    x = rows_of(outer * length, inner).reshape(shape)
    x, y = placed(x, 0), placed(np.full(shape, 9, np.float32), 0)
    launch(
        kernel("9_inner_axis.cu", "axis_1024"),
        outer * -(-inner // 16),
        256,
        (x, y, np.int32(length), np.int32(inner)),
    )
    agree(y, softmax(x, axis=1))


def test_where_takes_any_number_of_lines():
    a, b, c, d = 2, 3, 33, 132
    rng = np.random.default_rng(0)
    chosen = (rng.random((a, 1, c, d)) < 0.5).astype(np.uint8)
    x, y = rng.random((1, b, c, 1), np.float32), rng.random((a, b, 1, d), np.float32)
    out = simulator.empty((a, b, c, d), np.float32)
    launch(
        kernel("01_expand_where/9_lines_in_flight.cu", "where_lines_4"),
        (-(-c // 8), b, a),
        (32, 2),
        (chosen, x, y, out, np.int32(c), np.int32(d)),
    )
    np.testing.assert_array_equal(out, np.where(chosen, x, y))


@pytest.mark.parametrize(
    ("n", "blocks"), [(1, 1), (8_192, 3), (50_003, 3), (8_192 * 15 + 4_097, 2)]
)
def test_a_scan_in_a_ring_takes_any_number_of_elements_and_rounds(n, blocks):
    file, tiles = "09_scan_histogram/9_scan_ring.cu", -(-n // 8_192)
    x, y = np.random.default_rng(n).random(n, np.float32), np.full(n + 4, 9, np.float32)
    states = np.full(tiles, 7, np.uint64)
    launch(kernel(file, "clear_states"), 1, 32, (states, np.int32(tiles)))
    args = (x, y, states, np.uint64(n))
    launch(kernel(file, "scan_ring", True), blocks, 352, args, 196_608)
    np.testing.assert_allclose(y[:n], x.cumsum(dtype=np.float64), rtol=1e-5)
    assert (y[n:] == 9).all()


@pytest.mark.parametrize("n", [3, 5, 70_001])
def test_bins_of_lanes_count_only_what_has_a_bin(n):
    file, bins = "09_scan_histogram/9_lane_bins.cu", np.full(256, 3, np.int32)
    values = np.random.default_rng(n).integers(-9, 270, n, dtype=np.int32)
    launch(kernel(file, "clear_bins"), 1, 256, (bins,))
    launch(kernel(file, "lane_bins"), 2, 1024, (values, bins, np.uint64(n)))
    counted = values[(values >= 0) & (values < 256)]
    np.testing.assert_array_equal(bins, np.bincount(counted, minlength=256))


@pytest.mark.parametrize(("rows", "cols"), [(4, 4), (64, 128), (68, 132), (132, 36)])
def test_a_transpose_by_packs_takes_all_multiples_of_four(rows, cols):
    x = np.random.default_rng(0).random((rows, cols), np.float32)
    y = np.full((cols, rows), 9, np.float32)
    grid = (-(-rows // 64), -(-cols // 64))
    args = (x, y, np.int32(rows), np.int32(cols))
    launch(kernel("10_tiles/9_fast_transpose.cu", "fast_transpose"), grid, 256, args)
    np.testing.assert_array_equal(y, x.T)


@pytest.mark.parametrize(("m", "n", "k"), [(128, 128, 32), (256, 128, 64), (128, 256, 160)])
def test_a_product_of_128_sums_per_thread(m, n, k):
    rng = np.random.default_rng(0)
    a, b = rng.random((m, k), np.float32), rng.random((k, n), np.float32)
    c = np.full((m, n), 9, np.float32)
    args = (a, b, c, np.int32(m), np.int32(n), np.int32(k))
    fast = kernel("10_tiles/9_fast_product.cu", "fast_product")
    launch(fast, (n // 128, m // 128), 128, args, 65_536)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-5)


# --- bfloat16 on tensor cores ---------------------------------------------------------------------


def bfloats(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """The bits of bfloat16 numbers: uint16[shape]."""
    return (rng.standard_normal(shape, np.float32).view(np.uint32) >> 16).astype(np.uint16)


@pytest.mark.costly
@pytest.mark.parametrize(("m", "n", "k"), [(256, 256, 320), (72, 520, 72)])
def test_a_product_on_tensor_cores_takes_tile_after_tile(m, n, k):
    rng, rows = np.random.default_rng(0), (128, 64)
    a, b, c = bfloats(rng, (m, k)), bfloats(rng, (n, k)), np.full((m, n), 0x7FC0, np.uint16)
    maps = tuple(cuda.tensor_map(*one, 128) for one in ((a, rows), (b, rows), (c, (64, 64))))
    numbers = tuple(map(np.int32, (m, n, k)))
    launch(
        kernel("11_async_copies/9_bf16_product.cu", "bf16_product"), 2, 384, maps + numbers, 230_400
    )
    a, b, c = (leaderboard.floats(one).astype(np.float64) for one in (a, b, c))
    np.testing.assert_allclose(c, a @ b.T, rtol=2**-8, atol=1e-4)


@pytest.mark.costly
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize(
    ("name", "dim", "most", "queries", "keys"),
    [
        ("attention_128", 128, 128, 70, 300),
        ("attention_128", 128, 128, 140, 60),
        ("attention_64", 64, 192, 200, 260),
    ],
)
def test_attention_on_tensor_cores_takes_any_number_of_queries_and_keys(
    name, dim, most, queries, keys, causal
):
    rng = np.random.default_rng(0)
    q, k, v = (bfloats(rng, (1, rows, dim)) for rows in (queries, keys, keys))
    y, scale = np.full((1, queries, dim), 0x7FC0, np.uint16), np.float32(dim**-0.5 * np.log2(np.e))
    boxes = ((q, most), (k, 128), (v, 128))
    maps = tuple(cuda.tensor_map(one, (1, rows, 64), 128) for one, rows in boxes)
    args = (*maps, y, scale, np.int32(queries), np.int32(keys), np.int32(causal))
    shared = 2 * dim * (most + 4 * 128) + 72
    attend = kernel("12_attention/9_bf16_attention.cu", name)
    launch(attend, (-(-queries // most), 1), 128 + 2 * most, args, shared)
    q, k, v, y = (leaderboard.floats(one[0]).astype(np.float64) for one in (q, k, v, y))
    scores = q @ k.T * dim**-0.5
    if causal:
        scores[np.triu(np.ones_like(scores, bool), 1)] = -np.inf
    np.testing.assert_allclose(y, softmax(scores) @ v, rtol=0, atol=1e-2)


# --- layer normalisation that reads its row once --------------------------------------------------


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
