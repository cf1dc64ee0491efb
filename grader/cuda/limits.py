"""What kernels are on either device, as CuPy has them, and what a launch of one may ask for by the
architecture of the device.

The figures are those of the CUDA C++ Programming Guide, "Technical specifications per compute
capability". Registers are given to whole warps, in units of 256, and a multiprocessor has four
parts, each with a quarter of the registers and of a block's warps (NVIDIA's occupancy calculator).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ..errors import counted, unless
from .errors import LaunchError

Dim = int | Sequence[int]  # a grid or a block as it is given: x, or up to x, y, z
Extent = tuple[int, int, int]  # x, y, z


class DeviceKernel(Protocol):
    """`max_dynamic_shared_size_bytes` may be set, to opt in to more than every block has."""

    max_dynamic_shared_size_bytes: int

    def __call__(
        self, grid: Dim, block: Dim, args: tuple[object, ...], *, shared_mem: int = 0
    ) -> None:
        """Launch it."""


class Module(Protocol):
    """A source, compiled."""

    def get_function(self, name: str) -> DeviceKernel:
        """The kernel of that name."""


class MakeModule(Protocol):
    """What compiles a source for a device."""

    def __call__(self, *, code: str, enable_cooperative_groups: bool = False) -> Module:
        """The source, compiled."""


AnyKernel = TypeVar("AnyKernel", bound=DeviceKernel)

MOST_THREADS = 1024  # of a block
WARP = 32  # threads
MOST_REGISTERS = 255  # of a thread
REGISTERS = 64 * 1024  # of a multiprocessor and of a block, since compute capability 5.0
PARTS, REGISTER_UNIT = 4, 256
BLOCK_LIMITS = (1024, 1024, 64)
GRID_LIMITS = (2**31 - 1, 65535, 65535)
SHARED_DEFAULT = 48 * 1024  # bytes a block gets without asking for more
PORTABLE_CLUSTER = 8  # blocks; more with an attribute of the kernel that not every device heeds


@dataclass(frozen=True)
class Architecture:
    """`shared`: bytes of shared memory a block may opt in to; per multiprocessor: most threads
    and blocks; `sms`: multiprocessors of a well-known device; `cluster`: most blocks of one."""

    shared: int
    threads: int
    blocks: int
    sms: int
    cluster: int = 1


ARCHITECTURES = {
    "sm_70": Architecture(96 * 1024, 2048, 32, 80),  # V100
    "sm_75": Architecture(64 * 1024, 1024, 16, 40),  # T4
    "sm_80": Architecture(163 * 1024, 2048, 32, 108),  # A100
    "sm_86": Architecture(99 * 1024, 1536, 16, 84),  # A10
    "sm_89": Architecture(99 * 1024, 1536, 24, 24),  # RTX 4060
    "sm_90": Architecture(227 * 1024, 2048, 32, 132, cluster=16),  # H100, H200
    "sm_100": Architecture(227 * 1024, 2048, 32, 148, cluster=16),  # B200
    "sm_120": Architecture(99 * 1024, 1536, 24, 170, cluster=8),  # RTX 5090
}
DEFAULT = "sm_90"


def architecture(name: str) -> Architecture:
    """The architecture called e.g. "sm_80"; ValueError with those there are."""
    return unless(
        ARCHITECTURES.get(name),
        ValueError(
            f"there is no architecture {name!r} here; there are: {', '.join(ARCHITECTURES)}"
        ),
    )


def dimensions(kernel: str, what: str, given: Dim) -> Extent:
    """A grid or block given as CuPy takes it, an int or up to three, as (x, y, z)."""
    dims = (given,) if isinstance(given, int) else tuple(given)
    unless(
        1 <= len(dims) <= 3,
        LaunchError(f"{kernel}: a {what} has 1 to 3 dimensions, not {len(dims)}."),
    )
    x, y, z = (int(dim) for dim in (*dims, 1, 1)[:3])
    return x, y, z


def warps_for(registers: int) -> int:
    """How many warps of so many registers per thread a multiprocessor holds at once."""
    of_warp = -(-registers * WARP // REGISTER_UNIT) * REGISTER_UNIT
    return PARTS * (REGISTERS // PARTS // of_warp)


def registers_for(threads: int) -> int:
    """The most registers that a thread may use in a block of so many threads."""
    warps = -(-threads // WARP)
    of_warp = REGISTERS // PARTS // -(-warps // PARTS) // REGISTER_UNIT * REGISTER_UNIT
    return min(MOST_REGISTERS, of_warp // WARP)


def check_launch(
    kernel: str,
    grid: Extent,
    block: Extent,
    most_threads: int = MOST_THREADS,
    registers: int = 0,
) -> None:
    """Raises LaunchError for a grid or block that CUDA would refuse; `most_threads` is what the
    kernel's `__launch_bounds__` promises or, on a real GPU, the `registers` of a thread leave room
    for."""
    _refuse(
        kernel,
        {
            f"the {what}'s {axis} is {size}, and must be 1 to {most:,}": not 1 <= size <= most
            for what, given, limits in (("grid", grid, GRID_LIMITS), ("block", block, BLOCK_LIMITS))
            for axis, size, most in zip("xyz", given, limits, strict=True)
        },
    )
    threads = block[0] * block[1] * block[2]
    _refuse(
        kernel,
        {
            f"its block has {threads} threads, and may have at most {MOST_THREADS}": threads
            > MOST_THREADS,
            f"its block has {threads:,} threads, and each uses {registers} registers. A block has "
            f"{REGISTERS:,} registers. Write __launch_bounds__({threads}) before the kernel's "
            "name: then the compiler uses fewer": registers > registers_for(threads),
            f"its block has {threads:,} threads, and its __launch_bounds__ allows at most "
            f"{most_threads:,}": threads > most_threads,
        },
    )


def check_shared(kernel: str, device: Architecture, static: int, dynamic: int, opt_in: int) -> None:
    """Raises LaunchError for more shared memory (bytes per block) than there is, or than was opted
    in to."""
    _refuse(
        kernel,
        {
            f"shared_mem is {dynamic}, and must not be negative": dynamic < 0,
            f"it needs {static + dynamic:,} bytes of shared memory per block ({static:,} declared, "
            f"{dynamic:,} by the launch). A block may use {SHARED_DEFAULT:,} bytes. If the "
            "kernel's attribute max_dynamic_shared_size_bytes is set before the launch, a block "
            f"may use up to {device.shared:,} bytes": static > SHARED_DEFAULT
            or static + dynamic > min(max(SHARED_DEFAULT, static + opt_in), device.shared),
        },
    )


def opted_in(kernel: AnyKernel, shared_mem: int) -> AnyKernel:
    """The kernel, of either device, allowed so many bytes of dynamic shared memory per block."""
    if shared_mem > SHARED_DEFAULT:
        kernel.max_dynamic_shared_size_bytes = shared_mem
    return kernel


def check_cluster(kernel: str, device: Architecture, grid: Extent, cluster: Extent) -> None:
    """Raises LaunchError for clusters that CUDA would refuse."""
    blocks, most = cluster[0] * cluster[1] * cluster[2], device.cluster
    _refuse(
        kernel,
        {
            "this architecture has no thread-block clusters": blocks > most == 1,
            f"its cluster has {blocks} blocks, and may have at most {most}": blocks > most,
        }
        | {
            f"the grid's {axis} is {size}, not a multiple of its cluster's, {part}": size % part > 0
            for axis, size, part in zip("xyz", grid, cluster, strict=True)
        },
    )


def check_cooperative(kernel: str, device: Architecture, blocks: int, threads: int) -> None:
    """A grid barrier needs every block on the device at once."""
    most = device.sms * min(device.blocks, device.threads // (-(-threads // WARP) * WARP))
    _refuse(
        kernel,
        {
            f"a cooperative launch has {counted(blocks, 'block')} of {counted(threads, 'thread')} "
            f"each, but the device holds at most {most} of these at once": blocks > most
        },
    )


def _refuse(kernel: str, reasons: Mapping[str, bool]) -> None:
    """Raises LaunchError for the first of these reasons that holds."""
    if why := next((why for why, holds in reasons.items() if holds), ""):
        raise LaunchError(f"{kernel} cannot be launched: {why}.", kernel=kernel)


# ---- occupancy ----
#
# How many blocks of a kernel a multiprocessor holds at once, and what keeps it from more. The rules
# are those of NVIDIA's occupancy calculator (CUDA C++ Best Practices Guide, "Occupancy"; figures in
# the CUDA C++ Programming Guide, "Technical specifications per compute capability"): registers are
# given to warps as `warps_for` says, and shared memory to blocks in units of 128 bytes, with 1 KB
# more for the system.

SHARED_UNIT = 128  # bytes, given to a block at a time, since 8.0; before that 256
RESERVED = 1024  # bytes of each block's shared memory that CUDA takes, since 8.0


@dataclass(frozen=True)
class Occupancy:
    """`blocks` and `warps` that a multiprocessor holds at once, of at most `most_warps`; `limits`:
    how many blocks each resource would have room for."""

    blocks: int
    warps: int
    most_warps: int
    limits: dict[str, int]

    @property
    def share(self) -> float:
        return self.warps / self.most_warps

    @property
    def limited_by(self) -> list[str]:
        """The resources that are used up first."""
        return [name for name, blocks in self.limits.items() if blocks == self.blocks]


def occupancy(threads: int, registers: int, shared: int = 0, arch: str = DEFAULT) -> Occupancy:
    """Of blocks of so many threads, registers per thread, and bytes of shared memory per block. No
    block at all fits where one asks for more than there is. ValueError: no such block."""
    unless(
        1 <= threads <= MOST_THREADS and 1 <= registers <= MOST_REGISTERS and shared >= 0,
        ValueError(
            f"a block has 1 to {MOST_THREADS} threads, of 1 to {MOST_REGISTERS} registers each, "
            f"and 0 or more bytes of shared memory; not {threads}, {registers} and {shared}"
        ),
    )
    device, warps = architecture(arch), -(-threads // WARP)
    most_warps = device.threads // WARP
    reserved, unit = (
        (RESERVED, SHARED_UNIT) if int(arch.removeprefix("sm_")) >= 80 else (0, 2 * SHARED_UNIT)
    )
    of_block = -(-(shared + reserved) // unit) * unit
    limits = {
        "warps": most_warps // warps,
        "blocks": device.blocks,
        "registers": warps_for(registers) // warps,
        "shared memory": (device.shared + reserved) // of_block if of_block else device.blocks,
    }
    blocks = min(limits.values())
    return Occupancy(blocks, blocks * warps, most_warps, limits)
