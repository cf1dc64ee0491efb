"""Where variables lie: a module's in global memory, a kernel's in shared and local memory."""

from __future__ import annotations

import numpy as np

from .memory import Store
from .ptx import Function, Program, Symbol, Variable

_VARIABLES_AT = 0x5000_0000_0000


def module_variables(program: Program) -> dict[str, Store]:
    """The module's `__device__` and `__constant__` variables that some kernel mentions. They
    keep their values from launch to launch."""
    mentioned = {name for f in program.functions.values() for name in _symbols(f)}
    stores: dict[str, Store] = {}
    address = _VARIABLES_AT
    for variable in program.variables.values():
        if variable.space not in ("global", "const") or variable.name not in mentioned:
            continue
        data = np.zeros(max(variable.size, len(variable.initial)), np.uint8)
        data[: len(variable.initial)] = np.frombuffer(variable.initial, np.uint8)
        writable = variable.space == "global"
        stores[variable.name] = Store(variable.name, data, None, writable, address=address)
        address += -(-(len(data) + 4096) // 512) * 512
    for variable in program.variables.values():
        for offset, pointed in variable.pointers:
            if variable.name in stores and pointed in stores:
                target = stores[pointed].address.to_bytes(8, "little")
                stores[variable.name].data[offset : offset + 8] = np.frombuffer(target, np.uint8)
    return stores


def _symbols(function: Function) -> set[str]:
    found: set[str] = set()
    for instruction in function.instructions:
        for operand in instruction.operands:
            base = getattr(operand, "base", operand)
            if isinstance(base, Symbol):
                found.add(base.name)
    return found


def shared_layout(kernel: Function, program: Program, dynamic: int) -> tuple[int, dict[str, int]]:
    """Where each shared variable of a block starts; dynamic shared memory comes last."""
    mentioned = _symbols(kernel)
    shared = [v for v in kernel.variables if v.space == "shared"] + [
        v for v in program.variables.values() if v.space == "shared" and v.name in mentioned
    ]
    size, symbols = _lay_out([v for v in shared if v.size])
    flexible = [v for v in shared if not v.size]
    if flexible:
        size += -size % max(16, *(v.align for v in flexible))
    symbols |= {v.name: size for v in flexible}
    return size + dynamic, symbols


def local_layout(kernel: Function) -> tuple[int, dict[str, int]]:
    return _lay_out([v for v in kernel.variables if v.space == "local"])


def _lay_out(variables: list[Variable]) -> tuple[int, dict[str, int]]:
    size, symbols = 0, {}
    for variable in variables:
        size += -size % variable.align
        symbols[variable.name] = size
        size += variable.size
    return size, symbols
