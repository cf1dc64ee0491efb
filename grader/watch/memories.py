"""The memories that a recorded launch touches, and what lies where in them, by name."""

from __future__ import annotations

import numpy as np

from ..compilers.declared import DTYPES
from ..machine.memory.access import Hit
from ..machine.memory.spaces import Store
from ..machine.naming import plain
from ..machine.wave import Wave
from .recording import Memory, Part
from .traffic import SECTOR


class Memories:
    """Adds to `found` what a wave's accesses hit, each memory once."""

    def __init__(self, wave: Wave, found: list[Memory]):
        self.shared, self.names = wave.shared, wave.names
        self.found = found
        self._known: dict[Store, int] = {}

    def number(self, hit: Hit) -> int:
        """The position in `found` of the memory that an access hits."""
        if hit.store not in self._known:
            self._known[hit.store] = len(self.found)
            parts = self._variables() if hit.space == "shared" else self._arrays(hit)
            phase = hit.store.address % SECTOR
            self.found.append(Memory(hit.space, tuple(parts), phase))
        return self._known[hit.store]

    def _variables(self) -> list[Part]:
        """Of shared memory; of several at one place, the first."""
        memory, declared = self.shared, self.names.declared
        parts: dict[int, Part] = {}
        for symbol, start in memory.symbols.items():
            one = declared.find(plain(symbol), "shared")
            dtype = _dtype(one.type) if one else None
            declared_inner = one.dimensions[1:] if one else ()
            inner = tuple(n for n in declared_inner if n is not None)
            inner = inner if len(inner) == len(declared_inner) else ()
            at, size = int(memory.natural(start)), memory.extent(start)
            parts.setdefault(at, Part(plain(symbol), at, size, dtype, inner))
        return [parts[at] for at in sorted(parts) if parts[at].size]

    def _arrays(self, hit: Hit) -> list[Part]:
        """Of a buffer: the array arguments that lie in it, or the variable that it is."""
        store, size = hit.store, len(hit.store.data)
        if hit.space == "local":
            return [Part("its own memory", 0, size, None)]
        parts = []
        for one in self.names.arguments:
            if store.address <= one.address < store.address + max(size, 1):
                start = one.address - store.address
                dtype = _dtype(one.type.replace("const", "").strip())
                dtype = dtype if dtype and dtype.itemsize == one.size else None
                parts.append(Part(one.name, start, size - start, dtype))
        if parts:
            return parts
        declared = self.names.declared.find(plain(store.name), "device")
        return [Part(plain(store.name), 0, size, _dtype(declared.type) if declared else None)]


def _dtype(name: str) -> np.dtype | None:
    return np.dtype(DTYPES[name]) if name in DTYPES else None
