"""Stores that change nothing, because the place holds the value already. Nsight Compute has no such
counter; they cost what other stores cost."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ..machine.events import Observer
from ..machine.lanes import count
from ..machine.memory.access import Access, Hit, Values, bits_of
from .whereabouts import FindingReport


class SilentStores(Observer):
    """By source line, how many stores of a lane left memory as it was (`silent`), and how many
    there were (`stores`). The first store to a place that nobody has written is never silent."""

    def __init__(self, report: FindingReport):
        self.code = report.wave.kernel.instructions
        self.silent: Counter[int] = Counter()
        self.stores: Counter[int] = Counter()

    def write(self, access: Access, hit: Hit, values: Values) -> None:
        same = np.ones(count(hit.lanes), bool)
        for component, value in enumerate(values):
            same &= bits_of(access.read(hit, component, value.dtype)) == bits_of(value)
            if (unwritten := access.unwritten(hit, component)) is not None:
                same &= ~unwritten
        line = self.code[access.at].line or 0
        self.stores[line] += len(same)
        self.silent[line] += int(np.count_nonzero(same))
