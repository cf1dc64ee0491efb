"""Atomics, and loads and stores with a hint to the caches, of every type that CUDA has them for."""

from __future__ import annotations

from collections.abc import Iterator

_SCOPES = {"": "DEVICE", "_block": "WRKGRP", "_system": "SYSTEM"}
_PTX_SCOPES = {"": "gpu", "_block": "cta", "_system": "sys"}
_INTEGERS = ("int", "unsigned", "unsigned long long")
_WITH_LONG = (*_INTEGERS, "long long", "unsigned long", "long")
# CUDA's name, clang's name, types.
_FETCHING = (
    ("Add", "add", (*_INTEGERS, "float", "double")),
    ("Sub", "sub", ("int", "unsigned")),
    ("Min", "min", (*_INTEGERS, "long long")),
    ("Max", "max", (*_INTEGERS, "long long")),
    ("And", "and", _INTEGERS),
    ("Or", "or", _INTEGERS),
    ("Xor", "xor", _INTEGERS),
)
_WRAPPING = (("Inc", "uinc"), ("Dec", "udec"))
_EXCHANGED = ("int", "unsigned", "unsigned long long", "float")
_COMPARED = ("int", "unsigned", "unsigned long long", "unsigned short")

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
    return "\n".join([*_atomics(), *_loads_and_stores()]) + "\n"


def _atomics() -> Iterator[str]:
    for suffix, scope in _SCOPES.items():
        where = f"__ATOMIC_RELAXED, __MEMORY_SCOPE_{scope}"
        for name, clangs, types in _FETCHING:
            for kind in types:
                called = f"__scoped_atomic_fetch_{clangs}(p, v, {where})"
                yield _defined(f"{kind} atomic{name}{suffix}({kind}* p, {kind} v)", called)
        for name, clangs in _WRAPPING:
            called = f"__scoped_atomic_fetch_{clangs}(p, v, {where})"
            yield _defined(f"unsigned atomic{name}{suffix}(unsigned* p, unsigned v)", called)
        for kind in _EXCHANGED:
            head = f"{kind} atomicExch{suffix}({kind}* p, {kind} v)"
            yield _function(
                head, f"{kind} out; __scoped_atomic_exchange(p, &v, &out, {where}); return out;"
            )
        for kind in _COMPARED:
            head = f"{kind} atomicCAS{suffix}({kind}* p, {kind} expected, {kind} v)"
            called = f"p, &expected, v, false, __ATOMIC_RELAXED, {where}"
            yield _function(head, f"__scoped_atomic_compare_exchange_n({called}); return expected;")
    for suffix, scope in _PTX_SCOPES.items():
        for count in (2, 4):
            yield _added_vector(suffix, scope, count)


def _added_vector(suffix: str, scope: str, count: int) -> str:
    """`atomicAdd` of several floats, each of which is added by itself."""
    members, vector = "xyzw"[:count], f"float{count}"
    outs = ", ".join(f'"=f"(was.{one})' for one in members)
    ins = ", ".join(f'"f"(v.{one})' for one in members)
    taken, given = (
        "{" + ", ".join(f"%{n}" for n in numbers) + "}"
        for numbers in (range(count), range(count + 1, 2 * count + 1))
    )
    opcode = f"atom.relaxed.{scope}.global.add.v{count}.f32"
    text = f'asm volatile("{opcode} {taken}, [%{count}], {given};" : {outs} : "l"(p), {ins}'
    head = f"{vector} atomicAdd{suffix}({vector}* p, {vector} v)"
    return _function(head, f'{vector} was; {text} : "memory"); return was;')


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


def _defined(head: str, value: str) -> str:
    return _function(head, f"return {value};")


def _function(head: str, body: str) -> str:
    return f"static __device__ __forceinline__ {head} {{ {body} }}"
