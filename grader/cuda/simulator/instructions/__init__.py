"""PTX's instructions, by family. Importing a family registers its definitions."""

from . import (  # noqa: F401
    arithmetic,
    async_copy,
    atomics,
    bits,
    calls,
    carry,
    cluster,
    compare,
    control,
    convert,
    hints,
    logic,
    match,
    mbarrier,
    memory,
    moves,
    simd,
    special,
    warp,
)
from .registry import bind, ends_block

__all__ = ["bind", "ends_block"]
