"""CUDA's vector types (float4 and its like), dim3, and the functions that make them."""

from __future__ import annotations

from collections.abc import Iterator

# C++'s type: CUDA's name for vectors of it, its size in bytes.
_ELEMENTS = {
    "signed char": ("char", 1),
    "unsigned char": ("uchar", 1),
    "short": ("short", 2),
    "unsigned short": ("ushort", 2),
    "int": ("int", 4),
    "unsigned int": ("uint", 4),
    "long": ("long", 8),
    "unsigned long": ("ulong", 8),
    "long long": ("longlong", 8),
    "unsigned long long": ("ulonglong", 8),
    "float": ("float", 4),
    "double": ("double", 8),
}
_WIDEST = 16  # bytes that one access moves
_DIM3 = """struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
      : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
"""


def vectors() -> str:
    """The text that defines them all."""
    return "\n".join(_types()) + "\n" + _DIM3


def _types() -> Iterator[str]:
    for element, (name, size) in _ELEMENTS.items():
        for count in (1, 2, 3, 4):
            members = "xyzw"[:count]
            # A vector of three is three elements, to memory as well.
            align = size if count == 3 else min(_WIDEST, size * count)
            yield f"struct __align__({align}) {name}{count} {{ {element} {', '.join(members)}; }};"
            taken = ", ".join(f"{element} {one}" for one in members)
            yield (
                f"static __host__ __device__ __forceinline__ constexpr {name}{count} "
                f"make_{name}{count}({taken}) {{ return {{{', '.join(members)}}}; }}"
            )
