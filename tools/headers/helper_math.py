"""`helper_math.h`: arithmetic on CUDA's vector types, under the names by which teaching code knows
it. CUDA itself only declares the types; what is here is written from the names alone."""

from __future__ import annotations

from collections.abc import Iterator

_HEAD = "#pragma once\n"
_PLACE = "__host__ __device__ inline"
_SCALARS = {"float": "float", "int": "int", "uint": "unsigned int"}
_OF_FLOATS = {  # by name, what it makes of the same component of its arguments
    "fabs": ("v", "fabsf({v})"),
    "floorf": ("v", "floorf({v})"),
    "fracf": ("v", "({v} - floorf({v}))"),
    "fmodf": ("vw", "fmodf({v}, {w})"),
    "fminf": ("vw", "fminf({v}, {w})"),
    "fmaxf": ("vw", "fmaxf({v}, {w})"),
}
_SINGLE = """
{place} float fracf(float v) {{ return v - floorf(v); }}
{place} float lerp(float a, float b, float t) {{ return a + t * (b - a); }}
{place} float clamp(float v, float a, float b) {{ return fmaxf(a, fminf(v, b)); }}
{place} int clamp(int v, int a, int b) {{ return max(a, min(v, b)); }}
{place} unsigned int clamp(unsigned int v, unsigned int a, unsigned int b)
{{ return max(a, min(v, b)); }}
{place} float smoothstep(float a, float b, float x)
{{ const float y = clamp((x - a) / (b - a), 0.0f, 1.0f); return y * y * (3.0f - 2.0f * y); }}
{place} float3 cross(float3 a, float3 b)
{{ return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }}
"""
_OF_VECTORS = """
{place} float length({v} a) {{ return sqrtf(dot(a, a)); }}
{place} {v} normalize({v} a) {{ return a * rsqrtf(dot(a, a)); }}
{place} {v} reflect({v} i, {v} n) {{ return i - 2.0f * n * dot(n, i); }}
{place} {v} lerp({v} a, {v} b, float t) {{ return a + t * (b - a); }}
{place} {v} smoothstep({v} a, {v} b, {v} x)
{{ const {v} y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (make_{v}(3.0f) - make_{v}(2.0f) * y); }}
"""


def helper_math() -> str:
    """The text of the header."""
    parts = [_HEAD, "typedef unsigned int uint;\n", _SINGLE.format(place=_PLACE)]
    for kind in _SCALARS:
        for size in (2, 3, 4):
            parts += _composed(kind, size)
        for size in (2, 3, 4):
            parts += _arithmetic(kind, size)
    for size in (2, 3, 4):
        parts += _of_floats(size)
    return "".join(parts)


def _composed(kind: str, size: int) -> Iterator[str]:
    """make_float4(1.0f), make_float4(a3, w), make_float2(a3), make_float3(an int3) ..."""
    vector, scalar = f"{kind}{size}", _SCALARS[kind]
    yield _function(vector, f"make_{vector}", [(scalar, "s")], size, "s")
    for other in _SCALARS:
        if other != kind:
            yield _function(vector, f"make_{vector}", [(f"{other}{size}", "a")], size, "a.{c}")
    if size < 4:
        for longer in range(size + 1, 5):
            yield _function(vector, f"make_{vector}", [(f"{kind}{longer}", "a")], size, "a.{c}")
    if size > 2:
        shorter = "xyzw"[: size - 1]
        parts = ", ".join([*(f"a.{c}" for c in shorter), "s"])
        given = f"{kind}{size - 1} a, {scalar} s"
        yield f"{_PLACE} {vector} make_{vector}({given}) {{ return make_{vector}({parts}); }}\n"
        parts = ", ".join([*(f"a.{c}" for c in shorter), "0"])
        given = f"{kind}{size - 1} a"
        yield f"{_PLACE} {vector} make_{vector}({given}) {{ return make_{vector}({parts}); }}\n"


def _arithmetic(kind: str, size: int) -> Iterator[str]:
    vector, scalar = f"{kind}{size}", _SCALARS[kind]
    both, right, left = (
        [(vector, "a"), (vector, "b")],
        [(vector, "a"), (scalar, "b")],
        [(scalar, "a"), (vector, "b")],
    )
    for sign in "+-*" if kind != "float" else "+-*/":
        name = f"operator{sign}"
        yield _function(vector, name, both, size, f"a.{{c}} {sign} b.{{c}}")
        yield _function(vector, name, right, size, f"a.{{c}} {sign} b")
        yield _function(vector, name, left, size, f"a {sign} b.{{c}}")
        for other in (vector, scalar):
            yield f"{_PLACE} void {name}=({vector}& a, {other} b) {{ a = a {sign} b; }}\n"
    if kind != "uint":
        yield _function(vector, "operator-", both[:1], size, "-a.{c}")
    low, high = ("fminf", "fmaxf") if kind == "float" else ("min", "max")
    if kind != "float":
        for name in (low, high):
            yield _function(vector, name, both, size, f"{name}(a.{{c}}, b.{{c}})")
    ends = [(vector, "v"), (vector, "a"), (vector, "b")]
    yield _function(vector, "clamp", ends, size, f"{high}(a.{{c}}, {low}(v.{{c}}, b.{{c}}))")
    ends = [(vector, "v"), (scalar, "a"), (scalar, "b")]
    yield _function(vector, "clamp", ends, size, f"{high}(a, {low}(v.{{c}}, b))")
    dot = " + ".join(f"a.{c} * b.{c}" for c in "xyzw"[:size])
    yield f"{_PLACE} {scalar} dot({vector} a, {vector} b) {{ return {dot}; }}\n"


def _of_floats(size: int) -> Iterator[str]:
    vector = f"float{size}"
    for name, (given, made) in _OF_FLOATS.items():
        components = made.format(**{one: f"{one}.{{c}}" for one in given})
        yield _function(vector, name, [(vector, one) for one in given], size, components)
    yield _OF_VECTORS.format(place=_PLACE, v=vector)


def _function(
    vector: str, name: str, given: list[tuple[str, str]], size: int, component: str
) -> str:
    """A function that makes each component {c} of its result in the same way."""
    parts = ", ".join(component.format(c=c) for c in "xyzw"[:size])
    parameters = ", ".join(map(" ".join, given))
    return f"{_PLACE} {vector} {name}({parameters}) {{ return make_{vector}({parts}); }}\n"
