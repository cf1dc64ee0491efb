"""What launches pass: checked against the kernel's parameters, and laid out in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compilers.declared import Parameter, check_arguments
from ..counted import counted
from ..machine.memory.allocations import address_of, allocation_of, bytes_of, owner_of, reachable
from ..machine.memory.spaces import PAGE, BatchSpace, Pieces, Store
from ..machine.naming import PassedArray
from ..ptx.program import Variable
from .errors import LaunchError

Arguments = tuple[Any, ...]  # NumPy arrays and scalars, and None for a null pointer
_PARAMETERS_AT = 0x6000_0000_0000
_BATCH_AT, _APART = 0x5000_0000_0000, 1 << 32  # the first store of a batch; to the next one


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
            of_scalar = value.nbytes if isinstance(value, np.generic) else 0
            size = 8 if value is None or isinstance(value, np.ndarray) else of_scalar
            if size != parameter.size:
                raise LaunchError(
                    f"parameter {number} of {self.kernel} has {counted(parameter.size, 'byte')} "
                    f"({parameter.type}), the argument {value!r} has {size or 'no fixed size'}.",
                    kernel=self.kernel,
                )

    def stores(self) -> tuple[list[Store], dict[str, int]]:
        """The buffers behind the arguments, and one more that holds the parameters."""
        stores: dict[int, Store] = {}
        for number, (parameter, value) in enumerate(zip(self.parameters, self.args, strict=True)):
            if isinstance(value, np.ndarray):
                store = self.store(value, number)
                stores.setdefault(store.address, store).names.add(parameter.name)
        packed, symbols = self.packed({name: address_of(one) for name, one in self.arrays.items()})
        structs = {parameter.name for parameter in self.parameters if parameter.size > 8}
        for array in reachable():
            store = self.store(array, None)
            stores.setdefault(store.address, store).names.update(structs)
        return [*stores.values(), parameters_store(packed)], symbols

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arguments that are arrays, by parameter."""
        pairs = zip(self.parameters, self.args, strict=True)
        return {one.name: value for one, value in pairs if isinstance(value, np.ndarray)}

    def packed(self, addresses: Mapping[str, int]) -> tuple[bytes, dict[str, int]]:
        """The bytes of the parameters, where the arrays lie at these `addresses`, and where each
        parameter lies."""
        symbols, packed = {}, bytearray()
        for parameter, value in zip(self.parameters, self.args, strict=True):
            packed += bytes(-len(packed) % parameter.align)
            symbols[parameter.name] = _PARAMETERS_AT + len(packed)
            if isinstance(value, np.ndarray):
                packed += addresses[parameter.name].to_bytes(8, "little")
            else:
                packed += bytes(8) if value is None else value.tobytes()
        return bytes(packed) + bytes(-len(packed) % 16 + 16), symbols

    def buffers(self) -> tuple[PassedArray, ...]:
        """What the buffers that are passed are called, by the source or by their number."""
        named: Sequence[Parameter | None] = self.declared or [None] * len(self.args)
        return tuple(
            PassedArray(
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

    def store(self, array: np.ndarray, number: int | None) -> Store:
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


def parameters_store(packed: bytes) -> Store:
    """The memory that holds the parameters of a launch, or of one launch after the other."""
    data = np.frombuffer(packed, np.uint8)
    return Store("the parameters", data, writable=False, address=_PARAMETERS_AT)


class Batch:
    """The memory of launches that run at the same time, with what each has `passed`. The arrays of
    one parameter become pieces of one store, and are `copy_back`ed from it at the end."""

    def __init__(self, passed: Sequence[Passed]):
        self._copies: list[tuple[Store, Store, slice]] = []  # of an array, where it is copied to
        self._pieces: dict[Store, Pieces] = {}
        arrays = [one.arrays for one in passed]
        addresses = [
            {name: address_of(array) - allocation_of(array).address for name, array in one.items()}
            for one in arrays
        ]
        for number, name in enumerate(arrays[0]):
            own = [one.store(of[name], None) for one, of in zip(passed, arrays, strict=True)]
            store, begins = self._joined(name, own, _BATCH_AT + number * _APART)
            for one, begin in zip(addresses, begins, strict=False):
                one[name] += store.address + begin
        packed = [one.packed(at)[0] for one, at in zip(passed, addresses, strict=True)]
        self._pitch = len(packed[0])
        self._stores = [*self._pieces, parameters_store(b"".join(packed))]

    def space(self, others: list[Store], parameters: Iterable[str], lanes: int) -> BatchSpace:
        """Global memory, with `others` that all launches share."""
        stores = [*self._stores, *others]
        return BatchSpace(stores, self._pieces, parameters, self._pitch, lanes)

    def copy_back(self) -> None:
        """The arrays hold what the launches have left."""
        for own, store, piece in self._copies:
            if own.writable:
                own.data[:] = store.data[piece]
            if own.written is not None and store.written is not None:
                own.written[:] = store.written[piece]

    def _joined(self, name: str, own: list[Store], address: int) -> tuple[Store, list[int]]:
        """The store that holds copies of these, and where in it each begins."""
        pages = [-(-len(one.data) // PAGE) for one in own]
        begins = (np.cumsum([0, *pages]) * PAGE).tolist()
        ends = [begin + len(one.data) for begin, one in zip(begins, own, strict=False)]
        data, written = np.zeros((2, begins[-1]), np.uint8)
        some = any(one.written is not None for one in own)
        writable = all(one.writable for one in own)
        store = Store(name, data, written if some else None, writable, None, address, {name})
        for one, begin, end in zip(own, begins, ends, strict=False):
            self._copies.append((one, store, slice(begin, end)))
            data[begin:end] = one.data
            written[begin:end] = 255 if one.written is None else one.written
        launches = np.repeat(np.arange(len(own)), pages)
        self._pieces[store] = Pieces(launches, np.array(ends)[launches])
        return store, begins
