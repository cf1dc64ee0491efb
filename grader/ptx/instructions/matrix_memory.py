"""Matrices of 8 x 8 halves between shared memory and a warp (PTX ISA, "Warp Level Matrix
Instructions: ldmatrix, stmatrix")."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...machine.events import Step
from ...machine.lanes import WARP, Lanes, compact
from ...machine.lanes import index as lane_index
from ...machine.memory.access import Access, Hit
from ...machine.memory.addressing import access_at
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.accesses import get, put
from ..forms.table import collective
from ..ptx import Instruction, Operand, several

_LINE = "sync aligned m8n8 x1|x2|x4 trans? shared|shared::cta? b16"
_SIZES = {"x1": 1, "x2": 2, "x4": 4}
_WORDS = 4  # of a row


@collective("ldmatrix", f"{_LINE} : d, reads.b32[a]", whole_warp=True)
def load_matrices(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Lanes 0 to 7 say where the rows of the first matrix lie, the next eight those of the second,
    ...; a lane gets two neighbours of a row, or with .trans of a column."""
    target, address = instruction.operands
    size = _SIZES[instruction.form.one_of(_SIZES) or "x1"]
    access = _access(instruction, address, at, wave)
    outs = [wave.registers.write(item, "b32") for item in several(target, size)]
    turned = instruction.form.has("trans")

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        words = np.zeros((len(index), _WORDS), np.uint32)
        for hit, rows in _hits(access, index, size):
            get(access, hit)
            for word in range(_WORDS):
                words[rows, word] = access.read(hit, word, words.dtype)
        matrices = words.view(np.uint16).reshape(-1, WARP // 8, 8, 8)
        pairs = _pairs(matrices.swapaxes(2, 3) if turned else matrices)
        for number, out in enumerate(outs):
            out[index] = pairs[:, number].reshape(-1)

    return combine


@collective("stmatrix", f"{_LINE} : writes.b32[a], b", whole_warp=True)
def store_matrices(instruction: Instruction, at: int, wave: Wave) -> Step:
    """The other way round."""
    address, source = instruction.operands
    size = _SIZES[instruction.form.one_of(_SIZES) or "x1"]
    access = _access(instruction, address, at, wave)
    sources = [read(item, "b32", wave) for item in several(source, size)]
    turned = instruction.form.has("trans")

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        pairs = np.stack([source[together].reshape(-1, WARP) for source in sources], axis=1)
        rows_of_words = np.ascontiguousarray(pairs).reshape(-1, size, 8, _WORDS)
        if turned:
            halves = rows_of_words.view(np.uint16).swapaxes(2, 3)
            rows_of_words = np.ascontiguousarray(halves).view(np.uint32)
        words = np.zeros((len(rows_of_words), WARP, _WORDS), np.uint32)
        words[:, : 8 * size] = rows_of_words.reshape(-1, 8 * size, _WORDS)
        words = words.reshape(-1, _WORDS)
        for hit, rows in _hits(access, index, size):
            put(access, hit, [words[rows, word] for word in range(_WORDS)])

    return combine


def _access(instruction: Instruction, address: Operand, at: int, wave: Wave) -> Access:
    ((_, transfer),) = instruction.form.transfers
    return access_at(replace(transfer, components=_WORDS), address, at, wave)


def _hits(access: Access, index: np.ndarray, size: int) -> list[tuple[Hit, np.ndarray]]:
    """Where the rows of `size` matrices lie, and the positions of their lanes in `index`."""
    telling = compact(index[index % WARP < 8 * size])
    return [(hit, np.searchsorted(index, lane_index(hit.lanes))) for hit in access.hits(telling)]


def _pairs(matrices: np.ndarray) -> np.ndarray:
    """Of matrices (warps, 4, 8, 8), what each lane gets: (warps, 4, 32) uint32."""
    return np.ascontiguousarray(matrices).view(np.uint32).reshape(-1, WARP // 8, WARP)
