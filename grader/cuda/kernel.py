"""What modules and kernels are on either device, as CuPy has them."""

from collections.abc import Sequence
from typing import Protocol

Dim = int | Sequence[int]  # a grid or a block as it is given: x, or up to x, y, z
Extent = tuple[int, int, int]  # x, y, z


class DeviceKernel(Protocol):
    """`max_dynamic_shared_size_bytes` may be set, to opt in to more than every block has."""

    max_dynamic_shared_size_bytes: int

    def __call__(
        self, grid: Dim, block: Dim, args: tuple[object, ...], *, shared_mem: int = 0
    ) -> None: ...


class Module(Protocol):
    """A source, compiled."""

    def get_function(self, name: str) -> DeviceKernel: ...


class MakeModule(Protocol):
    """What compiles a source for a device."""

    def __call__(self, *, code: str, enable_cooperative_groups: bool = False) -> Module: ...
