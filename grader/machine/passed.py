"""What a launch passes: checked against the kernel's parameters, and as it lies in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compilers.declared import Parameter, check_arguments
from ..counted import counted
from ..cuda.errors import LaunchError
from ..ptx.naming import Argument
from ..ptx.ptx import Variable
from .memory.allocations import address_of, allocation_of, bytes_of, owner_of, reachable
from .memory.spaces import Store

Arguments = tuple[Any, ...]  # NumPy arrays and scalars, and None for a null pointer
_PARAMETERS_AT = 0x6000_0000_0000


@dataclass(frozen=True)
class Passed:
    """The arguments of a launch of `kernel`, with its `parameters` as PTX has them and, where that
    is known, as the source `declared` them."""

    kernel: str
    parameters: tuple[Variable, ...]
    declared: tuple[Parameter, ...] | None
    args: Arguments

    def check(self) -> None:
        """LaunchError unless there are as many as the kernel has parameters, of their sizes."""
        args, expected = self.args, self.parameters
        if self.declared is not None:
            check_arguments(self.kernel, self.declared, args)
        if len(args) != len(expected):
            raise LaunchError(
                f"{self.kernel} takes {counted(len(expected), 'argument')}, not {len(args)}.",
                kernel=self.kernel,
            )
        for number, (parameter, value) in enumerate(zip(expected, args, strict=True), start=1):
            size = 8 if value is None or isinstance(value, np.ndarray) else _scalar_size(value)
            if size != parameter.size:
                raise LaunchError(
                    f"parameter {number} of {self.kernel} has {counted(parameter.size, 'byte')} "
                    f"({parameter.type}), the argument {value!r} has {size or 'no fixed size'}.",
                    kernel=self.kernel,
                )

    def stores(self) -> tuple[list[Store], dict[str, int]]:
        """The buffers behind the arguments, and one more that holds the parameters."""
        stores: dict[int, Store] = {}
        symbols, packed = {}, bytearray()
        for number, (parameter, value) in enumerate(zip(self.parameters, self.args, strict=True)):
            packed += bytes(-len(packed) % parameter.align)
            symbols[parameter.name] = _PARAMETERS_AT + len(packed)
            if isinstance(value, np.ndarray):
                store = self._store(value, number)
                stores.setdefault(store.address, store).names.add(parameter.name)
                packed += address_of(value).to_bytes(8, "little")
            else:
                packed += bytes(8) if value is None else value.tobytes()
        structs = {parameter.name for parameter in self.parameters if parameter.size > 8}
        for array in reachable():
            store = self._store(array, None)
            stores.setdefault(store.address, store).names.update(structs)
        parameters = np.frombuffer(bytes(packed) + bytes(16), np.uint8)
        return [
            *stores.values(),
            Store("the parameters", parameters, writable=False, address=_PARAMETERS_AT),
        ], symbols

    def buffers(self) -> tuple[Argument, ...]:
        """What the buffers that are passed are called, by the source or by their number."""
        named: Sequence[Parameter | None] = self.declared or [None] * len(self.args)
        return tuple(
            Argument(
                one.name if one else f"argument {number}",
                one.type.removesuffix("*").rstrip() if one else "",
                address_of(value),
                value.dtype.itemsize,
                value.size,
            )
            for number, (one, value) in enumerate(zip(named, self.args, strict=True), start=1)
            if isinstance(value, np.ndarray)
        )

    def integers(self) -> dict[str, int]:
        """The whole numbers that are passed, by parameter."""
        pairs = zip(self.declared or (), self.args, strict=False)
        return {one.name: int(value) for one, value in pairs if isinstance(value, np.integer)}

    def _store(self, array: np.ndarray, number: int | None) -> Store:
        """The buffer of `array`: argument `number`, or None where only its address is passed."""
        owner = owner_of(array)
        name = "an array" if number is None else f"argument {number + 1}"
        if array.dtype.hasobject:
            raise LaunchError(f"{name} of {self.kernel} holds Python objects.")
        if not (owner.flags.c_contiguous or owner.flags.f_contiguous):
            raise LaunchError(f"{name} of {self.kernel} is not contiguous in memory.")
        allocation = allocation_of(array)
        if self.declared and number is not None:
            name = self.declared[number].name
        return Store(
            name,
            bytes_of(owner),
            allocation.written,
            owner.flags.writeable,
            number,
            allocation.address,
        )


def _scalar_size(value: object) -> int:
    return value.nbytes if isinstance(value, np.generic) else 0
