"""Errors and hazards as sentences, with kernel, line, block and thread."""

from __future__ import annotations

import numpy as np

from ...errors import CudaError, DataRace
from ..lanes import WARP
from ..memory.access import Access, Hit
from ..memory.spaces import AccessFault, counted_bytes
from .detector import Clash
from .hazards import Hazard
from .ordering import lane_of, step_of

_ADVICE = {
    "out_of_bounds": "Guard the access, for example with `if (i < n)`. "
    "If there is a guard, look at how the index is worked out.",
}

_ALONE = "let one thread alone write there, give each a place of its own, or use an atomic"
_AT_ONCE = f"Whose value stays is chance; {_ALONE}."  # a barrier cannot come between them


class Reporter:
    """Turns what a machine finds into exceptions and `Hazard` records."""

    def __init__(self, machine):
        self.machine = machine
        self.found: list[Hazard] = []
        self._seen: set = set()

    def error(self, kind: type[CudaError], at: int, lane: int, predicate: str) -> CudaError:
        """An exception about the thread in `lane` at instruction `at`: "thread 3 of block 0
        {predicate}"."""
        message = f"{self._where(at)}: {self._who(lane)} {predicate}"
        hazard = Hazard(kind.status, message, **self._place(at, lane))
        self.machine.run_log.hazards.append(hazard)
        return kind(message, **self._place(at, lane))

    def access_error(self, fault: AccessFault, at: int, lane: np.ndarray, verb: str, size: int):
        fault = fault.fault
        advice = _ADVICE.get(fault.kind.status, "")
        predicate = f"{verb} {counted_bytes(size)} at {fault.reason}. {advice}".rstrip()
        return self.error(fault.kind, at, int(lane[fault.position]), predicate)

    def race(self, clash: Clash, access: Access, hit: Hit, lane: np.ndarray, wrote: bool) -> None:
        """Two threads, one place, no order. Reported once per pair of lines."""
        machine, at = self.machine, access.at
        other_line = machine.step_line(step_of(clash.other))
        key = (self._line(at), other_line, wrote, clash.other_wrote, clash.benign)
        if key in self._seen:
            return
        self._seen.add(key)
        me = int(lane[clash.position])
        hazard = Hazard(
            "data_race",
            self._race_sentence(clash, at, hit, me, wrote),
            **self._place(at, me),
            other_line=other_line,
            other_thread=machine.geometry.thread(lane_of(clash.other)),
            warning=clash.benign,
        )
        self.found.append(hazard)
        machine.run_log.hazards.append(hazard)

    def visit(self, at: int, lane: int, host: int) -> None:
        """A thread uses the shared memory of block number `host`, which does not wait for it."""
        self._visit(
            at,
            lane,
            host,
            "may have left the kernel by then, and its shared memory with it. Put a "
            "`cluster.sync()` between the last such access and the end of the kernel.",
        )

    def visit_before_start(self, at: int, lane: int, host: int) -> None:
        """A thread uses the shared memory of block number `host`, for which it has not waited."""
        self._visit(
            at,
            lane,
            host,
            "may not have started yet: the blocks of a cluster run together, but do not begin at "
            "the same moment. Put a `cluster.sync()` before the first such access.",
        )

    def _visit(self, at: int, lane: int, host: int, why: str) -> None:
        machine = self.machine
        if (self._line(at), "visit") in self._seen:
            return
        self._seen.add((self._line(at), "visit"))
        block = _short(machine.geometry.block_coordinates(host))
        what = f"{self._who(lane)} uses the shared memory of block {block}, which {why}"
        hazard = Hazard("data_race", f"{self._where(at)}: {what}", **self._place(at, lane))
        self.found.append(hazard)
        machine.run_log.hazards.append(hazard)

    def raise_first_hazard(self) -> None:
        for hazard in self.found:
            if not hazard.warning:
                raise DataRace(
                    hazard.message,
                    kernel=hazard.kernel,
                    line=hazard.line,
                    block=hazard.block,
                    thread=hazard.thread,
                    other_line=hazard.other_line,
                    other_thread=hazard.other_thread,
                )

    def _line(self, at: int) -> int | None:
        return self.machine.kernel.instructions[at].line

    def _where(self, at: int) -> str:
        line = self._line(at)
        return f"{self.machine.kernel.name}, line {line}" if line else self.machine.kernel.name

    def _who(self, lane: int) -> str:
        geometry = self.machine.geometry
        block = geometry.block_index(lane, self.machine.first_block)
        return f"thread {_short(geometry.thread(lane))} of block {_short(block)}"

    def _race_sentence(self, clash: Clash, at: int, hit: Hit, me: int, wrote: bool) -> str:
        machine = self.machine
        mine = machine.first_block + me // machine.geometry.stride
        theirs = machine.races.ordering.block_of(clash.other)
        other = int(lane_of(clash.other))
        who = f"thread {_short(machine.geometry.thread(other))}"
        if theirs != mine:
            who += f" of block {_short(machine.geometry.block_coordinates(theirs))}"
        line = machine.step_line(step_of(clash.other))
        memory = "shared memory" if hit.space == "shared" else f"a place in {hit.store.name}"
        verb, did = "writes" if wrote else "reads", "wrote" if clash.other_wrote else "read"
        text = f"{self._where(at)}: {self._who(me)} {verb} {memory} that {who} "
        if clash.benign:
            return (
                f"{text}wrote too, the same value in the same instruction: harmless, but wasteful."
            )
        on_line = f" on line {line}" if line else ""
        if theirs != mine and hit.space != "shared":
            return (
                f"{text}{did}{on_line}, and nothing orders the two blocks. Blocks run in any "
                "order: use an atomic, give each block a place of its own, or launch twice."
            )
        if theirs != mine:
            barrier = "`cluster.sync()`"
        elif me // WARP == other // WARP:
            barrier = "`__syncwarp()` or `__syncthreads()`"
        else:
            barrier = "`__syncthreads()`"
        if step_of(clash.other) == machine.now:
            advice = _AT_ONCE
        else:
            advice = _between(barrier, wrote, clash.other_wrote, line == self._line(at))
        return f"{text}{did}{on_line}, and no barrier lies between the two. {advice}"

    def _place(self, at: int, lane: int) -> dict:
        machine = self.machine
        return {
            "kernel": machine.kernel.name,
            "line": machine.kernel.instructions[at].line,
            "block": machine.geometry.block_index(lane, machine.first_block),
            "thread": machine.geometry.thread(lane),
        }


def _between(barrier: str, wrote: bool, other_wrote: bool, same_line: bool) -> str:
    """What to do about two accesses that `barrier` would order."""
    if same_line and wrote and other_wrote:  # perhaps in a loop's next round
        return f"Whose value stays is chance; {_ALONE}. Between rounds of a loop, {barrier} helps."
    advice = f"Which comes first is chance; put a {barrier} between them."
    if same_line and wrote:  # as in `sum += x`
        advice += " Where several threads update one place, use an atomic instead."
    return advice


def _short(index: tuple[int, int, int]) -> str:
    """(5, 0, 0) as "5", the way one-dimensional kernels speak of it."""
    x, y, z = (int(i) for i in index)
    return str(x) if not (y or z) else f"({x}, {y}, {z})"
