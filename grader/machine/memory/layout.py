"""Where variables lie: a module's in global memory, a kernel's in shared and local memory."""

from dataclasses import dataclass

import numpy as np

from ...ptx.program import Function, LinkedProgram, PtxModule, Variable, function_addresses
from .spaces import Store

_VARIABLES_AT = 0x5000_0000_0000
LEAST_FRAME = 16  # bytes of stack that a call costs at least: a return address and its padding
RED_ZONE = 128  # bytes: a multiple of what one round of the 32 banks holds
# What CUDA sets aside in each block for cooperative groups of several warps.
_RESERVED = Variable("%reserved_smem_offset_1", "shared", "b8", 288, 16)
STACK_SIZE = 1024  # bytes a thread has for recursion: CUDA's default cudaLimitStackSize


@dataclass(frozen=True, eq=False)
class SharedLayout:
    """`size` bytes per block, red zones included; `static` bytes declared; where each variable
    starts; for each byte the number of the variable it belongs to, -1 in a red zone (None where
    there is but one variable); `cleared`: the bytes that are zero when a block begins."""

    size: int
    static: int
    symbols: dict[str, int]
    owner: np.ndarray | None
    cleared: slice


@dataclass(frozen=True)
class LocalLayout:
    """`size` bytes per thread; `symbols` the fixed addresses; the stack starts at `stack`;
    `frame_sizes` and `frame_offsets` (function, offset) are for functions that recurse."""

    size: int
    symbols: dict[str, int]
    stack: int
    frame_sizes: dict[str, int]
    frame_offsets: dict[str, tuple[str, int]]


def module_variables(program: PtxModule) -> dict[str, Store]:
    """The module's `__device__` and `__constant__` variables that some kernel mentions. They
    keep their values from launch to launch."""
    mentioned = {
        *(name for function in program.functions.values() for name in function.symbols),
        *(name for variable in program.variables.values() for _, name in variable.pointers),
    }
    stores: dict[str, Store] = {}
    address = _VARIABLES_AT
    global_ones = (v for v in program.variables.values() if v.space in ("global", "const"))
    for variable in (v for v in global_ones if v.name in mentioned):
        data = np.zeros(max(variable.size, len(variable.initial)), np.uint8)
        data[: len(variable.initial)] = np.frombuffer(variable.initial, np.uint8)
        stores[variable.name] = Store(
            variable.name,
            data,
            writable=variable.space == "global",
            address=address,
            names={variable.name},
        )
        address += -(-(len(data) + 4096) // 512) * 512
    addresses = function_addresses(program) | {n: store.address for n, store in stores.items()}
    for variable in program.variables.values():
        for offset, pointed in variable.pointers:
            if variable.name in stores and pointed in addresses:
                stores[variable.name].data[offset : offset + 8] = np.frombuffer(
                    addresses[pointed].to_bytes(8, "little"), np.uint8
                )
    return stores


def shared_layout(kernel: Function, program: PtxModule, dynamic: int) -> SharedLayout:
    """Where each shared variable of a block starts; dynamic shared memory comes last. A red zone
    of whole rounds of the banks lies between neighbours, so that running over the end of one is
    noticed and every address keeps its bank."""
    others = (v for v in (*program.variables.values(), _RESERVED) if v.name in kernel.symbols)
    shared = [v for v in (*kernel.variables, *others) if v.space == "shared"]
    fixed = [v for v in shared if v.size]
    flexible = [v for v in shared if not v.size]
    static, natural = _lay_out(fixed)
    pieces = [(natural[v.name], v.size) for v in fixed]
    if flexible or dynamic:
        start = static + (-static % max(16, *(v.align for v in flexible)) if flexible else 0)
        natural |= {v.name: start for v in flexible}
        pieces.append((start, dynamic))
    zone = max([RED_ZONE, *(v.align for v in shared)])  # every address keeps its alignment
    moved = {start: start + zone * number for number, (start, _) in enumerate(pieces)}
    size = max((moved[start] + length for start, length in pieces), default=0)
    owner = np.full(size, -1, np.int16)
    for number, (start, length) in enumerate(pieces):
        owner[moved[start] : moved[start] + length] = number
    symbols = {name: moved[start] for name, start in natural.items()}
    start = symbols.get(_RESERVED.name, 0)
    cleared = slice(start, start + _RESERVED.size if _RESERVED.name in symbols else 0)
    return SharedLayout(size, static, symbols, owner if len(pieces) > 1 else None, cleared)


def local_layout(linked: LinkedProgram) -> LocalLayout:
    """Where each local variable of a thread lies. Functions that call themselves have theirs in
    frames on a stack, which comes after those of all the others."""
    recursive = {name for name, part in linked.parts.items() if part.recursive}
    local = [v for v in linked.function.variables if v.space == "local"]
    size, symbols = _lay_out([v for v in local if v.name.partition("::")[0] not in recursive])
    stack = size + -size % 16
    frame_sizes: dict[str, int] = {}
    frame_offsets: dict[str, tuple[str, int]] = {}
    for name in recursive:
        bytes_needed, offsets = _lay_out([v for v in local if v.name.startswith(f"{name}::")])
        frame_sizes[name] = LEAST_FRAME + -(-bytes_needed // 16) * 16
        frame_offsets |= {symbol: (name, offset) for symbol, offset in offsets.items()}
    return LocalLayout(
        stack + STACK_SIZE if recursive else size, symbols, stack, frame_sizes, frame_offsets
    )


def _lay_out(variables: list[Variable]) -> tuple[int, dict[str, int]]:
    size, symbols = 0, {}
    for variable in variables:
        size += -size % variable.align
        symbols[variable.name] = size
        size += variable.size
    return size, symbols
