"""CUDA's functions on words of two halfwords or four bytes (`__vadd2` and its like), and the
minima and maxima of three (`__vimax3_s32`), in plain C++.

The meaning of each is in the CUDA Math API, "SIMD Intrinsics" and "DPX".
"""

from __future__ import annotations

from collections.abc import Iterator

# Of one lane's values a and b, which are ints: the result, cut to the lane's bits. S clamps to
# what is signed, U to what is not.
_BINARY = {
    "add": ("", "a + b"),
    "addss": ("s", "S(a + b)"),
    "addus": ("u", "U(a + b)"),
    "sub": ("", "a - b"),
    "subss": ("s", "S(a - b)"),
    "subus": ("u", "U(a - b)"),
    "avgs": ("s", "(a + b + (a + b >= 0)) >> 1"),
    "avgu": ("u", "(a + b + 1) >> 1"),
    "haddu": ("u", "(a + b) >> 1"),
    "absdiffs": ("s", "a > b ? a - b : b - a"),
    "absdiffu": ("u", "a > b ? a - b : b - a"),
    "maxs": ("s", "a > b ? a : b"),
    "maxu": ("u", "a > b ? a : b"),
    "mins": ("s", "a < b ? a : b"),
    "minu": ("u", "a < b ? a : b"),
}
_UNARY = {"abs": "a < 0 ? -a : a", "absss": "S(a < 0 ? -a : a)", "neg": "-a", "negss": "S(-a)"}
_COMPARED = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
_LANES = """
template <int bits, bool is_signed> struct __cuda_lanes {
  __device__ __forceinline__ static int at(unsigned word, int n) {
    unsigned value = word << (32 - bits * (n + 1));
    return is_signed ? (int)value >> (32 - bits) : (int)(value >> (32 - bits));
  }
  __device__ __forceinline__ static int S(int v) {
    const int most = (1 << (bits - 1)) - 1;
    return v > most ? most : v < -most - 1 ? -most - 1 : v;
  }
  __device__ __forceinline__ static int U(int v) {
    const int most = (1 << bits) - 1;
    return v > most ? most : v < 0 ? 0 : v;
  }
  template <typename F> __device__ __forceinline__ static unsigned each(F f) {
    unsigned out = 0;
#pragma unroll
    for (int n = 0; n < 32 / bits; n++)
      out |= ((unsigned)f(n) & ((1u << bits) - 1)) << (bits * n);
    return out;
  }
};
"""


def simd() -> str:
    """The text that defines them all."""
    functions = [*_of_lanes(2), *_of_lanes(4), *_of_three()]
    return _LANES + "\n".join(functions) + "\n"


def _of_lanes(count: int) -> Iterator[str]:
    for name, (kind, value) in _BINARY.items():
        yield _lanewise(f"__v{name}{count}", count, kind == "s", value)
    for name, value in _UNARY.items():
        yield _lanewise(f"__v{name}{count}", count, True, value, "unsigned a_")
    for name, sign, kind in _comparisons():
        yield _lanewise(f"__vcmp{name}{count}", count, kind == "s", f"a {sign} b ? -1 : 0")
        yield _lanewise(f"__vset{name}{count}", count, kind == "s", f"a {sign} b")
    for kind in "su":
        lanes = _lanes(count, kind == "s")
        sums = " + ".join(f"::abs({lanes}::at(a, {n}) - {lanes}::at(b, {n}))" for n in range(count))
        yield _function(f"__vsad{kind}{count}", "unsigned a, unsigned b", f"return {sums};")


def _comparisons() -> Iterator[tuple[str, str, str]]:
    yield from (("eq", "==", "u"), ("ne", "!=", "u"))
    for name, sign in _COMPARED.items():
        yield from ((name + kind, sign, kind) for kind in "su")


def _lanewise(
    name: str, count: int, is_signed: bool, value: str, taken: str = "unsigned a_, unsigned b_"
) -> str:
    lanes = _lanes(count, is_signed)
    values = f"int a = L::at(a_, n);{' int b = L::at(b_, n);' if 'b_' in taken else ''}"
    value = value.replace("S(", "L::S(").replace("U(", "L::U(")
    body = f"typedef {lanes} L; return L::each([=](int n) {{ {values} return int({value}); }});"
    return _function(name, taken, body)


def _lanes(count: int, is_signed: bool) -> str:
    return f"__cuda_lanes<{32 // count}, {str(is_signed).lower()}>"


def _of_three() -> Iterator[str]:
    """Of words, and of two halfwords: max(a, b, c), max(a + b, c), each also not below 0."""
    for most in ("max", "min"):
        for kind, ctype in (("s32", "int"), ("u32", "unsigned")):
            yield from _of_words(most, kind, ctype)
        for kind in "su":
            yield from _of_halfwords(most, kind)


def _of_words(most: str, kind: str, ctype: str) -> Iterator[str]:
    three, two = (", ".join(f"{ctype} {one}" for one in names) for names in ("abc", "ab"))
    for relu in ("", "_relu") if kind == "s32" else ("",):
        floor = "::max({}, 0)" if relu else "{}"
        values = {
            f"__vi{most}3_{kind}{relu}": (three, f"::{most}(::{most}(a, b), c)"),
            f"__viadd{most}_{kind}{relu}": (three, f"::{most}({ctype}(a + b), c)"),
        }
        if relu:
            values[f"__vi{most}_{kind}{relu}"] = (two, f"::{most}(a, b)")
        for name, (taken, value) in values.items():
            yield _function(name, taken, f"return {floor.format(value)};", ctype)
    sign = ">=" if most == "max" else "<="
    yield _function(
        f"__vib{most}_{kind}",
        f"{two}, bool* which",
        f"*which = a {sign} b; return *which ? a : b;",
        ctype,
    )


def _of_halfwords(most: str, kind: str) -> Iterator[str]:
    end = f"{kind}16x2"
    whole = f"__v{most}{kind}2"
    three = "unsigned a, unsigned b, unsigned c"
    for relu in ("", "_relu") if kind == "s" else ("",):
        floor = "__vmaxs2({}, 0)" if relu else "{}"
        yield _function(
            f"__vi{most}3_{end}{relu}",
            three,
            f"return {floor.format(f'{whole}({whole}(a, b), c)')};",
        )
        yield _function(
            f"__viadd{most}_{end}{relu}",
            three,
            f"return {floor.format(f'{whole}(__vadd2(a, b), c)')};",
        )
        if relu:
            yield _function(
                f"__vi{most}_{end}{relu}",
                "unsigned a, unsigned b",
                f"return {floor.format(f'{whole}(a, b)')};",
            )
    sign = "ge" if most == "max" else "le"
    body = (
        f"unsigned which = __vset{sign}{kind}2(a, b); *high = which >> 16; *low = which & 1; "
        f"return {whole}(a, b);"
    )
    yield _function(f"__vib{most}_{end}", "unsigned a, unsigned b, bool* high, bool* low", body)


def _function(name: str, taken: str, body: str, result: str = "unsigned") -> str:
    return f"static __device__ __forceinline__ {result} {name}({taken}) {{ {body} }}"
