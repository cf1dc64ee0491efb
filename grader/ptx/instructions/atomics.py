"""Atomic read-modify-write operations (PTX ISA, "Parallel Synchronization and Communication
Instructions: atom, red")."""

from __future__ import annotations

import numpy as np

from ...machine.events import Step
from ...machine.lanes import Lanes
from ...machine.memory.addressing import access_at
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.accesses import update
from ..forms.form import Form
from ..forms.steps import Compute
from ..forms.table import effect
from ..forms.turns import compare_and_swap
from ..numeric.extrema import fmax, fmin
from ..numeric.numbers import flush
from ..ptx import Instruction, Malformed, is_sink, several
from .floating import KINDS, on_registers


def _increment(old: np.ndarray, limit: np.ndarray) -> np.ndarray:
    return np.where(old >= limit, old.dtype.type(0), old + old.dtype.type(1))


def _decrement(old: np.ndarray, limit: np.ndarray) -> np.ndarray:
    return np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1))


_OPERATIONS: dict[str, Compute] = {
    "add": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "min": np.minimum,
    "max": np.maximum,
    "exch": lambda old, new: new,
    "inc": _increment,
    "dec": _decrement,
    "cas": compare_and_swap,
}
_ON_FLOATS: dict[str, Compute] = {"add": np.add, "min": fmin, "max": fmax}

_WHERE = "SEM? SCOPE? SPACE?"
_REDUCTIONS = [  # what red knows as well
    f"{_WHERE} {{0}} L2::cache_hint? {{1}}".format(*pair)
    for pair in (
        ("add", "u32|s32|u64|f32|f64"),
        ("min|max", "u32|s32|u64|s64"),
        ("and|or|xor", "b32|b64"),
        ("inc|dec", "u32"),
        ("add noftz", "HALF"),
        ("add|min|max noftz", "v2|v4|v8 HALF"),
        ("add", "v2|v4 f32"),
    )
]


@effect("red", *[f"{line} : updates[a], b, policy?" for line in _REDUCTIONS], atomic=True)
@effect(
    "atom",
    *[f"{line} : d, updates[a], b, policy?" for line in _REDUCTIONS],
    f"{_WHERE} exch L2::cache_hint? b32|b64 : d, updates[a], b, policy?",
    f"{_WHERE} cas L2::cache_hint? b16|b32|b64 : d, updates[a], b, c, policy?",
    atomic=True,
)
def atomic(instruction: Instruction, at: int, wave: Wave) -> Step:
    """On global memory, adding float32 flushes subnormal numbers."""
    form, operands = instruction.form, list(instruction.operands)
    if form.has("L2::cache_hint"):
        operands.pop()
    target = operands.pop(0) if form.name == "atom" else None
    address, *sources = operands
    if len(sources) != (2 if form.compares else 1):
        raise Malformed("a value or the cache policy is missing among its operands")
    kind, operation = form.type, _operation(form)
    ((_, transfer),) = form.transfers
    access = access_at(transfer, address, at, wave, "atomically updates")
    number = transfer.components
    values_of = [[read(item, kind, wave) for item in several(one, number)] for one in sources]
    outs = [
        wave.registers.write(item, kind) if not is_sink(item) else None
        for item in (several(target, number) if target else ())
    ]

    def step(lanes: Lanes) -> None:
        wave.schedule.spins += 1
        for hit in access.hits(lanes):
            cleaned: Compute = flush if kind == "f32" and hit.space == "global" else np.asarray
            values = [[cleaned(item[hit.lanes]) for item in source] for source in values_of]
            found = update(access, hit, operation, values, cleaned)
            for out, old in zip(outs, found, strict=False):
                if out is not None:
                    out[hit.lanes] = old

    return step


def _operation(form: Form) -> Compute:
    name = form.one_of(_OPERATIONS) or ""
    if form.type in KINDS:
        return on_registers(_ON_FLOATS[name], form.type)
    return _OPERATIONS[name]
