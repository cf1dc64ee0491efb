"""What one launch leaves for the next: counters and tickets that are not put back.

A kernel that counts in memory must leave the count as it found it, or its next launch begins with a
wrong one. What a case's first launch changed is noted before the second begins: the inputs, and the
module's `__device__` variables.
"""

from __future__ import annotations

import numpy as np

from ..cuda import simulator
from ..cuda.declared import Declarations
from ..cuda.signature import DTYPES, parameters
from .protocol import LaunchRequest

_MOST = 1 << 20  # bytes of a variable worth copying: counters are small


class Leftovers:
    """What a launch is about to begin with: `inputs` by name, and the variables of `module`."""

    def __init__(self, source: str, module: simulator.RawModule, inputs: dict[str, np.ndarray]):
        self.source = source
        self.module = module
        self.inputs = inputs
        self.before = {name: array.copy() for name, array in self._state().items()}

    def sentence(self, launch: LaunchRequest, done: int, of: int) -> str:
        """What the first `done` of the case's launches, the last of them `launch`, have left
        changed; "" if it is nothing."""
        for name, now in self._state().items():
            before = self.before[name]
            changed = np.flatnonzero(before != now)
            if len(changed):
                at = int(changed[0])
                place = f"{self._called(name, launch)}[{at}]" if now.size > 1 else None
                place = place or self._called(name, launch)
                return (
                    f"This is launch {done + 1} of {of}, and what went before has left `{place}` "
                    f"at {now[at]:.9g}, where it began with {before[at]:.9g}. What a kernel counts "
                    "in memory it must put back before it ends, or the next launch counts on from "
                    "there."
                )
        return ""

    def _state(self) -> dict[str, np.ndarray]:
        """Flat arrays by name, a variable's name with "&" before it."""
        state = {name: np.asarray(array).ravel() for name, array in self.inputs.items()}
        declared = None
        for name, store in self.module.variables.items():
            if store.writable and len(store.data) <= _MOST:
                declared = declared or Declarations(self.source)
                one = declared.find(simulator.plain(name), "device")
                dtype = np.dtype(DTYPES.get(one.type, np.uint32) if one else np.uint32)
                if len(store.data) % dtype.itemsize == 0:
                    state[f"&{simulator.plain(name)}"] = store.data.view(dtype)
        return state

    def _called(self, name: str, launch: LaunchRequest) -> str:
        """The learner's name for an input, or a variable's own."""
        if name.startswith("&"):
            return name[1:]
        declared = parameters(self.source, launch.kernel) or ()
        for one, passed in zip(declared, launch.args, strict=False):
            if passed.buffer == name:
                return one.name
        return name
