"""The real device, through CuPy: the same calls as the simulator's, the same checks before them."""

import atexit
import ctypes
import hashlib
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from cupy.cuda import driver

from .. import compilers
from ..compilers.parameters import check_arguments, parameters
from ..errors import unless
from .errors import LaunchError
from .limits import (
    ARCHITECTURES,
    DEFAULT,
    PORTABLE_CLUSTER,
    Architecture,
    Dim,
    check_launch,
    check_shared,
    dimensions,
)
from .tensor_maps import SIZE, Encoding

_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14  # CU_FUNC_ATTRIBUTE_..., which CuPy has no name for


def real_architecture() -> str:
    """That of this machine's GPU, e.g. "sm_80", with all that is its own: "sm_90a"."""
    capability = cupy.cuda.Device().compute_capability
    return f"sm_{capability}{'a' if int(capability) >= 90 else ''}"


@cache
def _folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="warpwise-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


class RawModule(cupy.RawModule):
    """A `cupy.RawModule` compiled by the same compiler as the simulator's, prelude included, so
    that one source has one meaning and one set of errors. `cubin` is the path of what
    `compile_cubin` has made of it, where that was done before. Raises CompileError."""

    def __init__(
        self,
        code: str,
        *,
        options: Iterable[str] = (),
        name_expressions: Iterable[str] | None = None,
        enable_cooperative_groups: bool = False,
        cubin: Path | None = None,
    ):
        self._source, self._mangled, path = code, {}, cubin
        if path is None:
            program = compilers.compile_cubin(
                code, tuple(options), tuple(name_expressions or ()), real_architecture()
            )
            # CuPy remembers a module by its path.
            path = _folder() / f"{hashlib.sha256(program.code).hexdigest()}.cubin"
            path.write_bytes(program.code)
            self._mangled = program.names
        super().__init__(path=str(path), enable_cooperative_groups=enable_cooperative_groups)

    def get_function(self, name: str) -> "RawKernel":
        """The kernel called `name` (or the name expression); LaunchError if there is none."""
        try:
            kernel = super().get_function(self._mangled.get(name, name))
            pointer = kernel.kernel.ptr  # looks the name up
            if _device().cluster > PORTABLE_CLUSTER:  # as many as the device can run together
                driver.funcSetAttribute(pointer, _NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)
        except cupy.cuda.driver.CUDADriverError as error:
            raise LaunchError(f"there is no kernel called {name!r} in the source") from error
        return RawKernel(kernel, name, self._source)


def _device() -> Architecture:
    return ARCHITECTURES.get(real_architecture().rstrip("a"), ARCHITECTURES[DEFAULT])


class RawKernel:
    """A `cupy.RawKernel` whose arguments are checked against the source's signature: CuPy passes
    the bytes of a wrong type on, and the kernel reads nonsense."""

    def __init__(self, kernel: cupy.RawKernel, name: str, source: str):
        self.name, self._kernel = name, kernel
        self._declared = parameters(source, name.partition("<")[0])

    def __call__(
        self, grid: Dim, block: Dim, args: tuple[object, ...], *, shared_mem: int = 0
    ) -> None:
        grid, block = dimensions(self.name, "grid", grid), dimensions(self.name, "block", block)
        if self._declared is not None:
            check_arguments(self.name, self._declared, args)
        check_launch(
            self.name, grid, block, self._kernel.max_threads_per_block, self._kernel.num_regs
        )
        check_shared(
            self.name,
            _device(),
            self._kernel.shared_size_bytes,
            shared_mem,
            self._kernel.max_dynamic_shared_size_bytes,
        )
        self._kernel(grid, block, args, shared_mem=shared_mem)

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        return int(self._kernel.max_dynamic_shared_size_bytes)

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, size: int) -> None:
        self._kernel.max_dynamic_shared_size_bytes = size

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)


def cuTensorMapEncodeTiled(*arguments: Any) -> np.void:
    """A tensor map (128 bytes) from the driver, to be passed to a launch; the arguments are those
    of `Encoding`. Raises LaunchError, with the reasons."""
    given = Encoding(*arguments)
    pointer = given.globalAddress.data.ptr
    given.map(pointer)
    room = ctypes.create_string_buffer(SIZE + 64)  # the driver wants a multiple of 64
    start = -ctypes.addressof(room) % 64
    lists = [
        (kind * 5)(*numbers)
        for kind, numbers in (
            (ctypes.c_uint64, given.globalDim),
            (ctypes.c_uint64, given.globalStrides),
            (ctypes.c_uint32, given.boxDim),
            (ctypes.c_uint32, given.elementStrides),
        )
    ]
    failed = ctypes.CDLL(
        "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    ).cuTensorMapEncodeTiled(
        ctypes.c_void_p(ctypes.addressof(room) + start),
        ctypes.c_int(given.tensorDataType),
        ctypes.c_uint32(given.tensorRank),
        ctypes.c_void_p(pointer),
        *lists,
        *map(ctypes.c_int, (given.interleave, given.swizzle, given.l2Promotion, given.oobFill)),
    )
    unless(
        not failed,
        LaunchError(f"cuTensorMapEncodeTiled: the driver refuses it with error {failed}."),
    )
    return np.void(room.raw[start : start + SIZE])
