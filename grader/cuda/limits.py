"""What a launch may ask for, on hardware of compute capability 9.0."""

from __future__ import annotations

from .errors import LaunchError

MOST_THREADS = 1024  # of a block
BLOCK_LIMITS = (1024, 1024, 64)
GRID_LIMITS = (2**31 - 1, 65535, 65535)
SHARED_DEFAULT = 48 * 1024  # bytes a block gets without asking for more
SHARED_OPT_IN = 227 * 1024
MOST_CLUSTER_BLOCKS = 8  # 16 with an attribute that CuPy does not set
SMS = 132
BLOCKS_PER_SM = 32
THREADS_PER_SM = 2048


def dimensions(kernel: str, what: str, given) -> tuple[int, int, int]:
    """A grid or block given as CuPy takes it, an int or up to three, as (x, y, z)."""
    dims = (given,) if isinstance(given, int) else tuple(given)
    if not 1 <= len(dims) <= 3:
        raise LaunchError(f"{kernel}: a {what} has 1 to 3 dimensions, not {len(dims)}.")
    x, y, z = (int(dim) for dim in (*dims, 1, 1)[:3])
    return x, y, z


def check_launch(kernel: str, grid, block, static_shared: int, dynamic_shared: int, opt_in: int):
    """Raises LaunchError for what CUDA would refuse."""
    for what, given, limits in (("grid", grid, GRID_LIMITS), ("block", block, BLOCK_LIMITS)):
        for axis, size, most in zip("xyz", given, limits, strict=True):
            if not 1 <= size <= most:
                raise _refused(kernel, f"the {what}'s {axis} is {size}; it must be 1 to {most:,}")
    threads = block[0] * block[1] * block[2]
    if threads > MOST_THREADS:
        raise _refused(kernel, f"a block of {threads} threads; the most is {MOST_THREADS}")
    if dynamic_shared < 0:
        raise _refused(kernel, f"shared_mem={dynamic_shared}; it must not be negative")
    total, most = static_shared + dynamic_shared, max(SHARED_DEFAULT, opt_in + static_shared)
    if total > min(most, SHARED_OPT_IN):
        raise _refused(
            kernel,
            f"{total:,} bytes of shared memory a block ({static_shared:,} declared, "
            f"{dynamic_shared:,} asked for); a block has {SHARED_DEFAULT:,}, or up to "
            f"{SHARED_OPT_IN:,} with max_dynamic_shared_size_bytes",
        )


def check_cluster(kernel: str, grid, cluster) -> None:
    """Raises LaunchError for clusters that CUDA would refuse."""
    blocks = cluster[0] * cluster[1] * cluster[2]
    if blocks > MOST_CLUSTER_BLOCKS:
        raise _refused(kernel, f"a cluster of {blocks} blocks; the most is {MOST_CLUSTER_BLOCKS}")
    for axis, size, part in zip("xyz", grid, cluster, strict=True):
        if size % part:
            raise _refused(
                kernel, f"the grid's {axis} is {size}, not a multiple of {part}, its cluster's"
            )


def check_cooperative(kernel: str, blocks: int, threads: int) -> None:
    """A grid barrier needs every block on the device at once."""
    most = SMS * min(BLOCKS_PER_SM, THREADS_PER_SM // (-(-threads // 32) * 32))
    if blocks > most:
        raise _refused(
            kernel,
            f"a cooperative launch of {blocks} blocks of {threads} threads; "
            f"at most {most} are on the device at once",
        )


def _refused(kernel: str, why: str) -> LaunchError:
    return LaunchError(f"{kernel} cannot be launched: {why}.", kernel=kernel)
