"""Where the threads of one block may notice what those of another do."""

from __future__ import annotations

from collections.abc import Collection

from ..ptx.dataflow import ANYWHERE
from ..ptx.forms.form import Flow
from ..ptx.ptx import Instruction
from .job import Job


def noticed(job: Job) -> frozenset[int]:
    """The instructions that touch memory which the launch changes and others may use: global
    memory (in a cluster shared memory, too), and whatever is atomic or volatile. What a call does
    is taken to be noticed."""
    use = job.program.memory_use
    stores = [one for one in job.flat.stores if one.writable]
    changed = [one for one in stores if use.touches(one.names, ("writes", "atomics"))]
    names = {ANYWHERE}.union(*(store.names for store in changed))

    def is_noticed(at: int, one: Instruction) -> bool:
        clustered = job.geometry.cluster_blocks > 1
        others = [t for _, t in one.form.transfers if t.strong or clustered]
        far = not use.touched.get(at, frozenset()).isdisjoint(names)
        return far or bool(others) or one.form.flow is Flow.CALL

    code = job.program.linked.function.instructions
    return frozenset(at for at, one in enumerate(code) if is_noticed(at, one))


def ends_before(noticed: Collection[int], block_end: list[int]) -> list[int]:
    """The ends of straight runs (see `block_ends`) if a new one begins at each of `noticed`."""
    ends = list(block_end)
    for at in reversed(range(len(ends) - 1)):
        if ends[at] > at:
            ends[at] = at if at + 1 in noticed else ends[at + 1]
    return ends
