"""Loads and stores with a hint to the caches, of every type that CUDA has them for."""

from __future__ import annotations

from collections.abc import Iterator

_HINTS = {  # CUDA's name: PTX's modifiers
    "ldg": ".global.nc",
    "ldcg": ".global.cg",
    "ldca": ".global.ca",
    "ldcs": ".global.cs",
    "ldlu": ".global.lu",
    "ldcv": ".global.cv",
}
_STORE_HINTS = {"stwb": "wb", "stcg": "cg", "stcs": "cs", "stwt": "wt"}
_SCALARS = {  # by C++'s type PTX's
    "char": "s8",
    "signed char": "s8",
    "unsigned char": "u8",
    "short": "s16",
    "unsigned short": "u16",
    "int": "s32",
    "unsigned": "u32",
    "long": "s64",
    "unsigned long": "u64",
    "long long": "s64",
    "unsigned long long": "u64",
    "float": "f32",
    "double": "f64",
}
_CONSTRAINTS = {"f32": "f", "f64": "d", "8": "h", "16": "h", "32": "r", "64": "l"}
_VECTORS = {
    "char": "char",
    "unsigned char": "uchar",
    "short": "short",
    "unsigned short": "ushort",
    "int": "int",
    "unsigned": "uint",
    "long long": "longlong",
    "unsigned long long": "ulonglong",
    "float": "float",
    "double": "double",
}


def accesses() -> str:
    """The text that defines them all."""
    return "\n".join(_loads_and_stores()) + "\n"


def _loads_and_stores() -> Iterator[str]:
    for kind, ptx in _SCALARS.items():
        constraint = _CONSTRAINTS.get(ptx) or _CONSTRAINTS[ptx[1:]]
        passed = "short" if constraint == "h" else kind  # asm takes no char
        for name, hint in _HINTS.items():
            volatile = "" if name == "ldg" else " volatile"
            text = f'asm{volatile}("ld{hint}.{ptx} %0, [%1];" : "={constraint}"(v) : "l"(p));'
            yield _function(
                f"{kind} __{name}(const {kind}* p)", f"{passed} v; {text} return ({kind})v;"
            )
        for name, hint in _STORE_HINTS.items():
            text = (
                f'asm volatile("st.global.{hint}.{ptx} [%0], %1;" :: "l"(p), '
                f'"{constraint}"(({passed})v) : "memory");'
            )
            yield _function(f"void __{name}({kind}* p, {kind} v)", text)
        for count in (2, 4) if kind in _VECTORS else ():
            if count == 4 and ptx[1:] == "64":
                continue
            yield from _of_vectors(_VECTORS[kind] + str(count), count, ptx, constraint, passed)


def _of_vectors(vector: str, count: int, ptx: str, constraint: str, passed: str) -> Iterator[str]:
    members = "xyzw"[:count]
    holes = "{" + ", ".join(f"%{n}" for n in range(count)) + "}"
    variables = ", ".join(members)
    outs = ", ".join(f'"={constraint}"({one})' for one in members)
    made = f"make_{vector}({variables})"
    for name, hint in _HINTS.items():
        volatile = "" if name == "ldg" else " volatile"
        text = f'asm{volatile}("ld{hint}.v{count}.{ptx} {holes}, [%{count}];" : {outs} : "l"(p));'
        head = f"{vector} __{name}(const {vector}* p)"
        yield _function(head, f"{passed} {variables}; {text} return {made};")
    ins = ", ".join(f'"{constraint}"(({passed})v.{one})' for one in members)
    holes = "{" + ", ".join(f"%{n}" for n in range(1, count + 1)) + "}"
    for name, hint in _STORE_HINTS.items():
        opcode = f"st.global.{hint}.v{count}.{ptx}"
        text = f'asm volatile("{opcode} [%0], {holes};" :: "l"(p), {ins} : "memory");'
        yield _function(f"void __{name}({vector}* p, {vector} v)", text)


def _function(head: str, body: str) -> str:
    return f"static __device__ __forceinline__ {head} {{ {body} }}"
