"""`crt/mma.h`, which CUDA's own mma.h includes and which its runtime wheel does not bring: the
interface of `nvcuda::wmma` (CUDA C++ Programming Guide, "Warp Matrix Functions"), of inline PTX.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

Extent = tuple[int, int, int]  # M, N, K

_SHAPES = ((16, 16, 16), (8, 32, 16), (32, 8, 16))
_LAYOUTS = ("row", "col")
_PER_REGISTER = {"f16": 2, "bf16": 2, "tf32": 1, "f32": 1, "s32": 1, "s8": 4, "u8": 4}
_SUM_TYPES = {"f32": "float", "f16": "__half", "s32": "int"}


@dataclass(frozen=True)
class _Factor:
    """A type of factors: PTX's name, C++'s name of the fragment's and of the element's type, the
    shapes, and the pairs of types that D and C may have."""

    ptx: str
    name: str
    element: str
    shapes: tuple[Extent, ...] = _SHAPES
    sums: tuple[tuple[str, str], ...] = (("f32", "f32"),)

    def registers(self, part: str, shape: Extent) -> int:
        m, n, k = shape
        elements = 16 if self.ptx == "f16" else (m * k if part == "a" else k * n) // 32
        return elements // _PER_REGISTER[self.ptx]


_FACTORS = (
    _Factor("f16", "__half", "__half", sums=tuple(product(("f32", "f16"), ("f32", "f16")))),
    _Factor("bf16", "__nv_bfloat16", "__nv_bfloat16"),
    _Factor("tf32", "precision::tf32", "float", shapes=((16, 16, 8),)),
    _Factor("s8", "signed char", "signed char", sums=(("s32", "s32"),)),
    _Factor("u8", "unsigned char", "unsigned char", sums=(("s32", "s32"),)),
)

_HEAD = r"""#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace nvcuda { namespace wmma {
struct row_major; struct col_major; struct matrix_a; struct matrix_b; struct accumulator;
namespace precision { struct tf32; struct u4; struct s4; struct b1; }
enum layout_t { mem_row_major, mem_col_major };
template <typename T, int count> struct __fragment {
  typedef T element_type;
  enum { num_elements = count, num_storage_elements = count };
  T x[count];
};
template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment;
template <typename Use, int m, int n, int k, typename T, typename Layout>
__device__ inline void fill_fragment(
    fragment<Use, m, n, k, T, Layout>& f,
    const typename fragment<Use, m, n, k, T, Layout>::element_type& value) {
#pragma unroll
  for (int i = 0; i < f.num_elements; i++) f.x[i] = value;
}
__device__ inline float __float_to_tf32(float in) {
  float out;
  asm("{ .reg .b32 t; cvt.rna.tf32.f32 t, %1; mov.b32 %0, t; }" : "=f"(out) : "f"(in));
  return out;
}
"""


def mma_header() -> str:
    """The text of the header."""
    functions = [*_of_factors(), *_of_sums(), *_products()]
    return _HEAD + "\n".join(functions) + "\n} }\n"


def _of_factors() -> Iterator[str]:
    """The fragments of A and B, and what loads them."""
    for factor in _FACTORS:
        for shape, part, layout in product(factor.shapes, ("a", "b"), _LAYOUTS):
            count = factor.registers(part, shape)
            yield _fragment(_factor(factor, part, shape, layout), factor, count)
            opcode = f"wmma.load.{part}.sync.aligned.{layout}.{_name(shape)}.{factor.ptx}"
            kind = _factor(factor, part, shape, layout)
            yield _load(kind, factor.element, "", opcode, count)


def _of_sums() -> Iterator[str]:
    """The fragments of C and D, what loads them and what stores them."""
    for shape in (*_SHAPES, (16, 16, 8)):
        for ptx, name in _SUM_TYPES.items() if shape[2] == 16 else [("f32", "float")]:
            count = 8 // _PER_REGISTER[ptx]
            kind = _sum(ptx, shape)
            yield (
                f"template <> class fragment<accumulator, {_numbers(shape)}, {name}>"
                f" : public __fragment<{name}, 8> {{}};"
            )
            end = f"{_name(shape)}.{ptx}"
            body = "".join(
                f"  if (layout == mem_{layout}_major) {{ "
                f"{_loading(f'wmma.load.c.sync.aligned.{layout}.{end}', count)} }}\n"
                for layout in _LAYOUTS
            )
            yield (
                f"__device__ inline void load_matrix_sync({kind}& f, const {name}* p, "
                f"unsigned stride, layout_t layout) {{\n  unsigned* r = (unsigned*)f.x;\n{body}}}"
            )
            body = "".join(
                f"  if (layout == mem_{layout}_major) {{ "
                f"{_storing(f'wmma.store.d.sync.aligned.{layout}.{end}', count)} }}\n"
                for layout in _LAYOUTS
            )
            yield (
                f"__device__ inline void store_matrix_sync({name}* p, const {kind}& f, "
                "unsigned stride, layout_t layout) {\n"
                f"  const unsigned* r = (const unsigned*)f.x;\n{body}}}"
            )


def _products() -> Iterator[str]:
    for factor in _FACTORS:
        for shape, sums in product(factor.shapes, factor.sums):
            for first, second in product(_LAYOUTS, repeat=2):
                yield _product(factor, shape, sums, (first, second))


def _product(
    factor: _Factor, shape: Extent, sums: tuple[str, str], layouts: tuple[str, str]
) -> str:
    d, c = sums
    types = f"{d}.{c}" if factor.ptx == "f16" else f"{d}.{factor.ptx}.{factor.ptx}.{c}"
    opcode = f"wmma.mma.sync.aligned.{layouts[0]}.{layouts[1]}.{_name(shape)}.{types}"
    counts = [8 // _PER_REGISTER[d]]
    counts += [factor.registers(part, shape) for part in "ab"] + [8 // _PER_REGISTER[c]]
    first = [sum(counts[:n]) for n in range(4)]
    lists = ", ".join(_registers(at, count) for at, count in zip(first, counts, strict=True))
    outs = _operands('"=r"(q', counts[0])
    ins = ", ".join(_operands(f'"r"({name}', n) for name, n in zip("rst", counts[1:], strict=True))
    a, b = (_factor(factor, part, shape, at) for part, at in zip("ab", layouts, strict=True))
    saturates = ", bool = false" if d != "s32" else ", bool saturates = false"
    plain = f'asm volatile("{opcode} {lists};" : {outs} : {ins});'
    if d == "s32":
        clamped = plain.replace(opcode, f"{opcode}.satfinite")
        plain = f"if (saturates) {{ {clamped} }} else {{ {plain} }}"
    return (
        f"__device__ inline void mma_sync({_sum(d, shape)}& d, const {a}& a, const {b}& b, "
        f"const {_sum(c, shape)}& c{saturates}) {{\n"
        "  unsigned* q = (unsigned*)d.x;\n"
        "  const unsigned *r = (const unsigned*)a.x, *s = (const unsigned*)b.x, "
        f"*t = (const unsigned*)c.x;\n  {plain}\n}}"
    )


def _fragment(kind: str, factor: _Factor, registers: int) -> str:
    elements = registers * _PER_REGISTER[factor.ptx]
    return f"template <> class {kind} : public __fragment<{factor.element}, {elements}> {{}};"


def _load(kind: str, element: str, more: str, opcode: str, count: int) -> str:
    return (
        f"__device__ inline void load_matrix_sync({kind}& f, const {element}* p, "
        f"unsigned stride{more}) {{\n  unsigned* r = (unsigned*)f.x; {_loading(opcode, count)}\n}}"
    )


def _loading(opcode: str, count: int) -> str:
    outs = _operands('"=r"(r', count)
    text = f"{opcode} {_registers(0, count)}, [%{count}], %{count + 1};"
    return f'asm volatile("{text}" : {outs} : "l"(p), "r"(stride) : "memory");'


def _storing(opcode: str, count: int) -> str:
    text = f"{opcode} [%0], {_registers(2, count)}, %1;"
    ins = _operands('"r"(r', count)
    return f'asm volatile("{text}" :: "l"(p), "r"(stride), {ins} : "memory");'


def _operands(start: str, count: int) -> str:
    return ", ".join(f"{start}[{n}])" for n in range(count))


def _registers(first: int, count: int) -> str:
    return "{" + ", ".join(f"%{n}" for n in range(first, first + count)) + "}"


def _factor(factor: _Factor, part: str, shape: Extent, layout: str) -> str:
    return f"fragment<matrix_{part}, {_numbers(shape)}, {factor.name}, {layout}_major>"


def _sum(ptx: str, shape: Extent) -> str:
    return f"fragment<accumulator, {_numbers(shape)}, {_SUM_TYPES[ptx]}>"


def _numbers(shape: Extent) -> str:
    return ", ".join(map(str, shape))


def _name(shape: Extent) -> str:
    return "m{}n{}k{}".format(*shape)
