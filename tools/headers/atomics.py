"""Atomics of every type that CUDA has them for, and of each scope."""

from __future__ import annotations

from collections.abc import Iterator

_SCOPES = {"": "gpu", "_block": "cta", "_system": "sys"}
_INTEGERS = ("int", "unsigned", "unsigned long long")
_WITH_LONG = (*_INTEGERS, "long long")
_OPERATIONS = {  # CUDA's name: types
    "Add": (*_INTEGERS, "float", "double"),
    **dict.fromkeys(("Min", "Max", "And", "Or", "Xor"), _WITH_LONG),
    **dict.fromkeys(("Inc", "Dec"), ("unsigned",)),
    "Exch": (*_INTEGERS, "float"),
}
_CLANGS = {"Inc": "uinc", "Dec": "udec"}  # names, where they are not CUDA's
_BITWISE = ("and", "or", "xor", "exch")
_PTX = {  # by C++'s type: PTX's, and the constraint of assembly
    "int": ("s32", "r"),
    "unsigned": ("u32", "r"),
    "long long": ("s64", "l"),
    "unsigned long long": ("u64", "l"),
    "float": ("f32", "f"),
    "double": ("f64", "d"),
    "unsigned short": ("b16", "h"),
}


def atomics() -> str:
    """The text that defines them all."""
    return "\n".join(_atomics()) + "\n"


def _atomics() -> Iterator[str]:
    for suffix, scope in _SCOPES.items():
        for name, types in _OPERATIONS.items():
            for kind in types:
                made = _in_assembly(name, kind, scope) if suffix else _by_clang(name, kind)
                yield _function(f"{kind} atomic{name}{suffix}({kind}* p, {kind} v)", made)
        for kind in ("int", "unsigned"):
            less = f"return atomicAdd{suffix}(p, ({kind})(0u - v));"
            yield _function(f"{kind} atomicSub{suffix}({kind}* p, {kind} v)", less)
        for kind in _INTEGERS if suffix else (*_INTEGERS, "unsigned short"):
            head = f"{kind} atomicCAS{suffix}({kind}* p, {kind} expected, {kind} v)"
            yield _function(head, _compared(kind, scope))
        for count in (2, 4):
            head = f"float{count} atomicAdd{suffix}(float{count}* p, float{count} v)"
            yield _function(head, _added_vector(scope, count))


def _by_clang(name: str, kind: str) -> str:
    """That of the device's scope, which PTX means without a word."""
    how = "__ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE"
    if name == "Exch":
        return f"{kind} was; __scoped_atomic_exchange(p, &v, &was, {how}); return was;"
    return f"return __scoped_atomic_fetch_{_CLANGS.get(name, name.lower())}(p, v, {how});"


def _in_assembly(name: str, kind: str, scope: str) -> str:
    """That of another scope, which clang forgets on its way to PTX."""
    operation, (ptx, letter) = name.lower(), _PTX[kind]
    ptx = f"b{ptx[1:]}" if operation in _BITWISE else ptx
    text = f'"atom.{scope}.{operation}.{ptx} %0, [%1], %2;" : "={letter}"(was)'
    return f'{kind} was; asm volatile({text} : "l"(p), "{letter}"(v) : "memory"); return was;'


def _compared(kind: str, scope: str) -> str:
    """In assembly, too: clang's would be of the system's scope, and of 16 bits a loop."""
    ptx, letter = _PTX[kind]
    text = f'"atom.{scope}.cas.b{ptx[1:]} %0, [%1], %2, %3;" : "={letter}"(was)'
    taken = f'"l"(p), "{letter}"(expected), "{letter}"(v)'
    return f'{kind} was; asm volatile({text} : {taken} : "memory"); return was;'


def _added_vector(scope: str, count: int) -> str:
    """Several floats, each of which is added by itself."""
    members, vector = "xyzw"[:count], f"float{count}"
    outs = ", ".join(f'"=f"(was.{one})' for one in members)
    ins = ", ".join(f'"f"(v.{one})' for one in members)
    taken, given = (
        "{" + ", ".join(f"%{n}" for n in numbers) + "}"
        for numbers in (range(count), range(count + 1, 2 * count + 1))
    )
    opcode = f"atom.relaxed.{scope}.global.add.v{count}.f32"
    text = f'"{opcode} {taken}, [%{count}], {given};" : {outs} : "l"(p), {ins}'
    return f'{vector} was; asm volatile({text} : "memory"); return was;'


def _function(head: str, body: str) -> str:
    return f"static __device__ __forceinline__ {head} {{ {body} }}"
