"""Where something happened: the thread, the line and the calls that lead there, the place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...machine.memory.spaces import Store
from ...machine.naming import ArrayPlace, PassedArray
from . import index_advice

if TYPE_CHECKING:
    from ...machine.wave import Wave

_COPY = re.compile(r"\bmem(set|cpy|move)\s*\(")


class Whereabouts:
    """Names a wave's lanes and instructions for people."""

    def __init__(self, wave: Wave):
        self.wave = wave

    def place(self, space: str, store: Store, address: int, width: int, at: int) -> ArrayPlace:
        """What a learner calls the place at an address of "global", "shared" or "local" memory."""
        names, line = self.wave.names, self.line(at)
        if space == "shared":
            memory = self.wave.shared
            return names.in_shared(memory.symbols, memory, address, width, line)
        if space == "local":
            return names.in_local(self.wave.local.size, address, width, line)
        return names.in_buffer(store, address, width, line)

    def meant(self, at: int, verb: str) -> Store | None:
        """The buffer that an access which lies in none means, where its line says so: the only one
        that is read there, or the only one that is given a value."""
        declared, line, named = self.wave.names.declared, self.line(at), self.named(at)
        given = [one for one in named if declared.only_assigned(line, one.name)]
        fitting = given if verb == "writes" else [one for one in named if one not in given]
        if verb not in ("reads", "writes") or len(fitting) != 1:
            return None
        return self.wave.flat.below(fitting[0].address)

    def named(self, at: int) -> list[PassedArray]:
        """The buffers whose names stand on the line of an instruction."""
        names, line = self.wave.names, self.line(at)
        return [one for one in names.arguments if names.declared.mentions(line, one.name)]

    def line(self, at: int) -> int | None:
        """The learner's line. A loop that NVRTC makes of a copy has none in its line table: then
        the only `memset`, `memcpy` or `memmove` that stands where it can be."""
        if line := self.wave.kernel.instructions[at].line:
            return line
        first, last = self._around(at)
        source = self.wave.names.source.splitlines()[first - 1 : last] if first else []
        copies = [number for number, text in enumerate(source, first) if _COPY.search(text)]
        return copies[0] if len(copies) == 1 else None

    def is_copy(self, at: int) -> bool:
        """Whether the compiler made a copy's loop of a call or of one assignment."""
        return not self.wave.kernel.instructions[at].line

    def _around(self, at: int) -> tuple[int, int]:
        """The lines of what comes before and after an instruction that has none; 0: there are
        none."""
        code, owner = self.wave.kernel.instructions, self.wave.linked.owner

        def nearest(places: Iterable[int]) -> int:
            lines = (code[place].line for place in places if owner[place] == owner[at])
            return next(filter(None, lines), 0)

        around = nearest(reversed(range(at))), nearest(range(at, len(code)))
        return min(around), max(around)

    def where(self, at: int, lane: int) -> str:
        """`softmax, line 12`; of a function that the kernel calls, also where it was called."""
        kernel, calls = self.wave.names.kernel, self.called_on(at, lane)
        if line := self.line(at):
            return f"{kernel}, line {line}{called(calls)}"
        first, last = self._around(at)
        return f"{kernel}, between lines {first} and {last}{called(calls)}" if first else kernel

    def called_on(self, at: int, lane: int | None) -> list[int]:
        """The lines of the calls that lead to an instruction, innermost first. What was not
        inlined is known for the thread in `lane`, now."""
        code, calls = self.wave.kernel.instructions, self.wave.calls
        lines = list(code[at].callers)
        depth = 0 if lane is None else int(calls.depth[lane])
        for level in reversed(range(depth)):
            site = code[int(calls.sites[level][lane])]
            lines += [line for line in (site.line, *site.callers) if line]
        return lines

    def who(self, lane: int) -> str:
        geometry = self.wave.geometry
        block = geometry.block_index(lane, self.wave.first_block)
        return f"thread {short(geometry.thread(lane))} of block {short(block)}"

    def thread(self, lane: int) -> index_advice.Thread:
        geometry = self.wave.geometry
        block = geometry.block_index(lane, self.wave.first_block)
        thread = geometry.thread(lane)
        names = self.wave.names
        arrays = {one.name: one.count for one in names.arguments}
        return index_advice.Thread(
            _numbers(thread), _numbers(block), geometry.block, geometry.grid, names.given, arrays
        )

    def in_kernel(self, at: int, lane: int) -> int:
        """Where the thread stands in the kernel itself: at the call, if it is in a function."""
        calls = self.wave.calls
        if self.wave.linked.owner[at] != self.wave.kernel.name and calls.depth[lane]:
            return int(calls.sites[0][lane])
        return at

    def fields(self, at: int, lane: int) -> dict[str, Any]:
        wave = self.wave
        return {
            "kernel": wave.names.kernel,
            "line": self.line(at),
            "block": wave.geometry.block_index(lane, wave.first_block),
            "thread": wave.geometry.thread(lane),
        }


def _numbers(index: tuple[int, int, int]) -> tuple[int, int, int]:
    x, y, z = map(int, index)
    return x, y, z


def called(lines: list[int]) -> str:
    """ " (called on line 40 by way of line 12)": from where a function is called."""
    if not lines:
        return ""
    *between, outermost = lines
    between = list(dict.fromkeys(reversed(between)))  # recursion comes by one line often
    ways = f" by way of {_lines(between)}" if between else ""
    return f" (called on line {outermost}{ways})"


def _lines(numbers: list[int]) -> str:
    """ "line 17", "lines 29 and 17"."""
    *most, last = map(str, numbers)
    return f"lines {', '.join(most)} and {last}" if most else f"line {last}"


def short(index: tuple[int, int, int]) -> str:
    """(5, 0, 0) as "5", the way one-dimensional kernels speak of it."""
    x, y, z = (int(i) for i in index)
    return str(x) if not (y or z) else f"({x}, {y}, {z})"
