"""What one launch leaves for the next: counters and tickets that are not put back.

A kernel that counts in memory must leave the count as it found it, or its next launch begins with a
wrong one. So what a kernel finds at its first launch is noted, and compared with what it finds when
it is launched again: the case's inputs, which nobody may change, and whole numbers, which may be
counters, in other buffers and in the module's `__device__` variables. Partial results are no
counters: nobody has written them before the first launch, or they are no whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ...compilers.declared import DTYPES, Declarations, parameters
from ...cuda import simulator
from ..protocol import LaunchRequest

Place = tuple[str, str, np.ndarray, np.ndarray]
_MOST = 1 << 20  # bytes of an array worth copying: counters are small


class Leftovers:
    """What the kernels of `module` find, launch by launch; `inputs` are the names of the case's
    inputs."""

    def __init__(self, source: str, module: simulator.RawModule, inputs: tuple[str, ...]):
        self.source = source
        self.module = module
        self.inputs = inputs
        self._begun: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]] = {}

    def found_by(self, launch: LaunchRequest, buffers: Mapping[str, np.ndarray]) -> str:
        """What `launch`, which is about to begin, finds otherwise than the first launch of its
        kernel; "" if it is nothing, or if this is the first. `buffers` are the case's, by name."""
        for name, called, array, written in (*self._passed(launch, buffers), *self._variables()):
            key = launch.kernel, name
            if key not in self._begun:
                self._begun[key] = array.copy(), written
                continue
            before, known = self._begun[key]
            changed = np.flatnonzero(known & _differ(before, array))
            if len(changed):
                at = int(changed[0])
                place = f"{called}[{at}]" if array.size > 1 else called
                return (
                    f"An earlier launch has left `{place}` at {array[at]:.9g}, where it began with "
                    f"{before[at]:.9g}: what a kernel counts in memory it must put back before it "
                    "ends, or its next launch counts on from there."
                )
        return ""

    def _passed(self, launch: LaunchRequest, buffers: Mapping[str, np.ndarray]) -> Iterator[Place]:
        """The buffers of a launch that matter: the exercise's name for each and the learner's,
        what it holds, and which elements somebody has written."""
        declared = parameters(self.source, launch.kernel) or ()
        for position, passed in enumerate(launch.args):
            array = buffers.get(passed.buffer)
            if array is None or array.dtype.kind not in "biuf" or array.nbytes > _MOST:
                continue
            called = declared[position].name if position < len(declared) else ""
            called = called or passed.buffer
            flat = np.asarray(array).ravel()
            if passed.buffer in self.inputs:
                yield passed.buffer, called, flat, np.ones(flat.size, bool)
            elif array.dtype.kind != "f":
                yield passed.buffer, called, flat, simulator.written(array).ravel()

    def _variables(self) -> Iterator[Place]:
        """The module's variables that matter; all of them begin with a value."""
        declared = None
        for mangled, store in self.module.variables.items():
            if not store.writable or len(store.data) > _MOST:
                continue
            declared = declared or Declarations(self.source)
            name = simulator.plain(mangled)
            one = declared.find(name, "device")
            dtype = np.dtype(DTYPES.get(one.type, np.uint32) if one else np.uint32)
            if dtype.kind in "biu" and len(store.data) % dtype.itemsize == 0:
                values = store.data.view(dtype)
                yield f"&{name}", name, values, np.ones(values.size, bool)


def _differ(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Which elements are not the same, bit for bit: NaN is NaN."""
    bits = np.dtype(f"u{one.itemsize}")
    mine, others = (np.ascontiguousarray(array).view(bits) for array in (one, other))
    unlike: np.ndarray = mine != others
    return unlike
