"""Stores into the shared memory of another block of the cluster that tell an mbarrier there (PTX
ISA, "Data Movement and Conversion Instructions: st.async").

Nobody can rely on such a store before the barrier that it tells is asked, so it appears then. That
orders what the sender did before it before whatever the one who asks does next.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...machine.events import Step
from ...machine.lanes import Lanes
from ...machine.memory.addressing import access_at
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.accesses import used
from ..forms.table import effect
from ..ptx import Instruction, several


@effect(
    "st",
    "async weak? shared::cluster? mbarrier::complete_tx::bytes v2|v4? "
    "b32|b64|u32|u64|s32|s64|f32|f64 : writes[a], b, updates.b64[barrier]",
)
def send(instruction: Instruction, at: int, wave: Wave) -> Step:
    """[to], value, [barrier]: the barrier, in the same block as `to`, is told of its bytes."""
    to, value, barrier = instruction.operands
    transfer = replace(instruction.form.transfer(0), asynchronous=True)
    target = access_at(transfer, to, at, wave)
    counted = replace(instruction.form.transfer(2), components=1, asynchronous=True, bulk=True)
    told = access_at(counted, barrier, at, wave)
    items = several(value, transfer.components)
    sources = [read(item, instruction.form.type, wave) for item in items]

    def step(lanes: Lanes) -> None:
        (places,), (hit,) = told.hits(lanes), target.hits(lanes)
        used(told, places)
        words = [source[lanes] for source in sources]
        for tell in wave.events.copy:
            tell(target, hit, words)
        for place in np.unique(places.element):
            own = places.element == place
            values = [word[own] for word in words]
            landing = wave.copies.announce(target, hit.part(own), values, places.part(own))
            for tell_sent in wave.events.sent:
                tell_sent(at, landing)

    return step
