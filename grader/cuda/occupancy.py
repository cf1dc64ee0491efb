"""How many blocks of a kernel a multiprocessor holds at once, and what keeps it from more.

The rules are those of NVIDIA's occupancy calculator (CUDA C++ Best Practices Guide, "Occupancy";
figures in the CUDA C++ Programming Guide, "Technical specifications per compute capability"):
registers are given to warps as `limits` says, and shared memory to blocks in units of 128 bytes,
with 1 KB more for the system.
"""

from dataclasses import dataclass

from .limits import DEFAULT, MOST_REGISTERS, MOST_THREADS, WARP, architecture, warps_for

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
    if not 1 <= threads <= MOST_THREADS or not 1 <= registers <= MOST_REGISTERS or shared < 0:
        raise ValueError(
            f"a block has 1 to {MOST_THREADS} threads, of 1 to {MOST_REGISTERS} registers each, "
            f"and 0 or more bytes of shared memory; not {threads}, {registers} and {shared}"
        )
    device, warps = architecture(arch), -(-threads // WARP)
    most_warps = device.threads // WARP
    recent = int(arch.removeprefix("sm_")) >= 80
    reserved, unit = (RESERVED, SHARED_UNIT) if recent else (0, 2 * SHARED_UNIT)
    of_block = -(-(shared + reserved) // unit) * unit
    limits = {
        "warps": most_warps // warps,
        "blocks": device.blocks,
        "registers": warps_for(registers) // warps,
        "shared memory": (device.shared + reserved) // of_block if of_block else device.blocks,
    }
    blocks = min(limits.values())
    return Occupancy(blocks, blocks * warps, most_warps, limits)
