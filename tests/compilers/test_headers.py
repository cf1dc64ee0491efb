"""What teaching code includes, and what of CUDA is refused by its name."""

import re

import numpy as np
import pytest

import tools.headers
from grader import cuda
from grader.cuda import simulator


def run(source, *arguments, block=1):
    simulator.RawModule(code=source).get_function("k")(1, block, arguments)


HOST = (
    *("bits/stdc++.h", "complex", "curand_kernel.h", "cusparse.h", "exception", "filesystem"),
    *("helper_timer.h", "inttypes.h", "iostream", "list", "mutex", "new", "queue", "stack"),
    *("unordered_set", "variant"),
)


def test_headers_of_the_host_half_are_found():
    includes = "".join(f"#include <{name}>\n" for name in HOST)
    x = np.zeros(1, np.int32)
    run(includes + 'using namespace std;\nextern "C" __global__ void k(int* x) { *x = 1; }', x)
    assert x == 1


def test_tuples_and_optionals_work_on_the_device():
    source = """#include <tuple>
#include <optional>
__device__ std::optional<int> halved(int n) { if (n % 2) return std::nullopt; return n / 2; }
extern "C" __global__ void k(int* x) {
  auto [a, b] = std::make_tuple(x[0], halved(x[0]).value_or(-1));
  x[0] = a, x[1] = b, x[2] = halved(3).value_or(-1); }"""
    x = np.array([8, 0, 0], np.int32)
    run(source, x)
    assert x.tolist() == [8, 4, -1]


def of_vectors(expressions, size=3):
    """What `helper_math.h` makes of x = (1.5, -2.25, 4), y = (0.5, 8, -3) and so on."""
    first, second = (
        np.array([1.5, -2.25, 4, 7], "f4")[:size],
        np.array([0.5, 8, -3, 1], "f4")[:size],
    )
    lines = "".join(f"  out[{n}] = {one};\n" for n, one in enumerate(expressions))
    source = f"""#include <helper_math.h>
extern "C" __global__ void k(float{size} x, float{size} y, float{size}* out) {{
{lines}}}"""
    kind = np.dtype([(c, "f4") for c in "xyzw"[:size]])
    out = np.zeros((len(expressions), size), np.float32)
    given = [np.array([tuple(v)], kind)[0] for v in (first, second)]
    run(source, *given, out)
    return first, second, out


def test_helper_math_is_arithmetic_by_components():
    x, y, out = of_vectors(
        ["x + y", "x - 2.0f", "3.0f * y", "x / y", "-x", "fabs(x)", "floorf(x)", "fracf(x)"]
    )
    expected = [x + y, x - 2, 3 * y, x / y, -x, abs(x), np.floor(x), x - np.floor(x)]
    assert np.allclose(out, expected)


def test_helper_math_knows_geometry():
    x, y, out = of_vectors(
        [
            *("make_float3(dot(x, y))", "cross(x, y)", "normalize(x)", "reflect(x, y)"),
            *("lerp(x, y, 0.25f)", "clamp(x, -1.0f, 2.0f)", "make_float3(length(x))"),
            *("fminf(x, y)", "fmaxf(x, y)", "make_float3(make_float2(x))"),
        ]
    )
    expected = [
        *([x @ y] * 3, np.cross(x, y), x / np.linalg.norm(x), x - 2 * y * (x @ y)),
        *(x + 0.25 * (y - x), np.clip(x, -1, 2), [np.linalg.norm(x)] * 3),
        *(np.minimum(x, y), np.maximum(x, y), [x[0], x[1], 0]),
    ]
    assert np.allclose(out, expected)


def test_helper_math_knows_pairs_fours_and_whole_numbers():
    source = """#include <helper_math.h>
extern "C" __global__ void k(int4* a, uint2* b, float4* c) {
  a[0] = max(a[0], make_int4(2)) - a[0] * 3; a[0] += 1;
  b[0] = clamp(b[0], 3u, 5u) + make_uint2(make_int2(10, 20));
  c[0] *= make_float4(make_float3(c[0]), 0.5f); c[0] /= 2.0f; }"""
    a, b = np.array([1, -2, 3, 4], np.int32), np.array([1, 9], np.uint32)
    c = np.array([1, 2, 3, 4], np.float32)
    run(source, a, b, c)
    assert a.tolist() == [0, 9, -5, -7] and b.tolist() == [13, 25]
    assert c.tolist() == [0.5, 2, 4.5, 1]


REFUSED = {
    "Thrust": """#include <thrust/device_vector.h>
extern "C" __global__ void k(float* x) { x[0] = 1; }""",
    "cuRAND": """#include <curand_kernel.h>
extern "C" __global__ void k(float* x) {
  curandState s;
  curand_init(1, 0, 0, &s);
  x[0] = curand_uniform(&s); }""",
    "dynamic parallelism": """__global__ void child(float* x) { x[0] = 1; }
extern "C" __global__ void k(float* x) {
  child<<<1, 1>>>(x); }""",
    "textures": """texture<float, 2> image;
extern "C" __global__ void k(float* x) { x[0] = tex2D(image, 1, 2); }""",
}
LINES = {"Thrust": 1, "cuRAND": 3, "dynamic parallelism": 3, "textures": 1}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_here_is_refused_by_its_name_and_line(name):
    with pytest.raises(cuda.CompileError, match=name) as caught:
        run(REFUSED[name], np.zeros(4, np.float32))
    assert caught.value.line == LINES[name]
    assert re.search("(is|are) not available", str(caught.value))


@pytest.mark.parametrize(
    "kind, call",
    [
        ("cudaTextureObject_t", "tex2D<float>(t, 1, 2)"),
        ("cudaTextureObject_t", "tex1Dfetch<float>(t, 1)"),
        ("cudaSurfaceObject_t", "surf2Dread<float>(t, 1, 2)"),
    ],
)
def test_texture_and_surface_objects_are_refused_by_their_names_and_line(kind, call):
    source = f'extern "C" __global__ void k({kind} t, float* x) {{\n  x[0] = {call}; }}'
    with pytest.raises(cuda.UnsupportedInstruction, match="extures and surfaces") as caught:
        run(source, np.uint64(1), np.zeros(4, np.float32))
    assert caught.value.line == 2


def test_headers_of_many_types_are_what_their_tool_writes():
    for path, text in tools.headers.headers().items():
        assert path.read_text(encoding="utf-8") == text, path
