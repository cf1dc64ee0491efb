"""Threads that do not meet, and what does not wait: barriers that not every thread comes to, and
shuffles from lanes that take no part.

Then what asynchronous operations need, and no barrier between threads gives: a proxy fence between
ordinary stores and a copy engine or a tensor core that reads them; a wait for bulk copies to global
memory; for `wgmma` a fence before it, a commit after it, and a wait before its registers are used;
and for what a warpgroup does, that all its warps do it.

Hardware shows such a mistake seldom, as a wrong value now and then.
"""

from typing import Any

import numpy as np

from ..cuda.errors import BarrierDivergence
from ..machine.events import Observer
from ..machine.lanes import WARP, Groups, Lanes, Step, fill, first_of, lane_index
from ..machine.memory.access import Access, Accessed, Hit, Values
from ..machine.memory.spaces import Store
from ..machine.wave import FULL, MISSED_BARRIER, whole_warps
from ..ptx.flow import spread
from ..ptx.instructions.asynchronous_copies import TOLD
from ..ptx.instructions.matrices import GROUP, OF_GROUPS
from ..ptx.program import (
    Carries,
    Instruction,
    Operand,
    Register,
    Vector,
    immediate_of,
    registers,
)
from .findings import (
    AbsentSource,
    Bytes,
    DifferentMasks,
    EarlyUse,
    FindingReport,
    Location,
    MachineFault,
    NoRegisterFence,
    PartOfGroup,
    TwoBarriers,
    UnfencedRead,
    UnnamedLane,
    UnwaitedCopy,
)


class Divergence(Observer):
    """A barrier for the whole block must be met by every thread, and at one place; who shuffles
    must be named by the mask, and so must who is read from."""

    def __init__(self, report: FindingReport):
        self.report, self.wave = report, report.wave
        self._takes_part = np.zeros(self.wave.geometry.lanes, bool)

    def opening(self, barrier: int, groups: Groups) -> None:
        if self.wave.barriers.asked[barrier] is not None:
            return
        wave, geometry = self.wave, self.wave.geometry
        for at, index in groups:
            short = wave.live[geometry.block_of_lane[index]] < geometry.threads
            if (lane := first_of(index, short)) is not None:
                self.report.stop(
                    MachineFault(
                        self.report.here.location(at, lane),
                        BarrierDivergence,
                        MISSED_BARRIER,
                        wave.barriers.lacks(barrier, lane),
                    )
                )
        by_block: dict[int, int] = {}
        for at, index in groups if len(groups) > 1 else ():
            for block in np.unique(geometry.block_of_lane[index]):
                first = by_block.setdefault(int(block), at)
                if first != at:
                    self.report.stop(
                        TwoBarriers(
                            self.report.here.location(at, int(index[0])),
                            wave.kernel.instructions[first].line,
                        )
                    )

    def gather(self, at: int, lanes: np.ndarray, masks: np.ndarray) -> None:
        unnamed = (masks[lanes] & np.left_shift(1, lanes & WARP - 1).astype(np.uint32)) == 0
        if (lane := first_of(lanes, unnamed)) is not None:
            self.report.stop(UnnamedLane(self.report.here.location(at, lane), int(masks[lane])))

    def collective(self, at: int, lanes: Lanes, masks: np.ndarray) -> None:
        """Lanes that name each other must pass the same mask; else the result is undefined."""
        given = masks[lanes]
        if masks.strides == (0,) or (given == given[0]).all():  # one mask for all lanes
            return
        index = lane_index(lanes)
        present = self.wave.present(index)
        for mask in np.unique(masks[index]):
            agreeing = index[masks[index] == mask]
            others = np.where(own := self.wave.present(agreeing), mask & present & ~own, 0)
            if others.any():
                warp = int(np.flatnonzero(others)[0])
                lane = int(agreeing[agreeing // WARP == warp][0])
                other = (int(others[warp]) & -int(others[warp])).bit_length() - 1
                numbers = int(mask), other, int(masks[warp * WARP + other])
                self.report.stop(DifferentMasks(self.report.here.location(at, lane), *numbers))

    def shuffle(self, at: int, lanes: Lanes, source: np.ndarray) -> None:
        """Reading a lane that does not take part gives an undefined value."""
        mask = self.wave.read(self.wave.kernel.instructions[at].operands[-1], "b32")
        if whole_warps(lanes) and (mask[lanes] == FULL).all():
            return
        lane, takes_part = lane_index(lanes), self._takes_part
        masks = mask[lane]
        takes_part[lane] = True
        absent = ~takes_part[source] | ((masks >> (source & WARP - 1).astype(np.uint32) & 1) == 0)
        takes_part[lane] = False
        if absent.any():
            position = int(np.argmax(absent))
            me, other = int(lane[position]), int(source[position])
            named = int(masks[position])
            why = self.wave.collectives.why_absent(other, named)
            alive = int(self.wave.collectives.alive[other // WARP]) >> other % WARP & 1
            self.report.stop(
                AbsentSource(
                    self.report.here.location(at, me), other % WARP, why, named, left=not alive
                )
            )


_CELL = 4  # bytes


class ProxyOrder(Observer):
    """By cell of shared memory: the lane, plus one, that wrote it by an ordinary store and has
    passed no proxy fence since; with the instruction, and how often the block had met by then. A
    fence of a thread counts for its own stores and for those before its block's last meeting."""

    def __init__(self, report: FindingReport):
        self.report, self.wave, self.code = report, report.wave, report.wave.kernel.instructions
        self._watches = any(
            one.form.has("mma_async")
            or any(t.verb == "reads" and t.space == "shared" for _, t in one.form.transfers)
            for one in self.code
            if one.form.has("bulk", "mma_async")
        )

    def begin_wave(self, first_block: int) -> None:
        cells = len(self.wave.shared.store.data) // _CELL if self._watches else 0
        self._writer, self._at, self._when = np.zeros((3, cells), np.int32)
        self._meetings = np.zeros(self.wave.geometry.wave_blocks, np.int32)

    def access(self, done: Accessed) -> None:
        access, hit, kind = done.access, done.hit, done.kind
        if not self._watches or hit.space != "shared" or access.mbarrier:
            return
        lane, cells = lane_index(hit.lanes), _cells(access, hit)
        if kind != "load":
            self._writer[cells] = 0 if access.asynchronous else lane[:, None] + 1
            self._at[cells] = access.at
            self._when[cells] = self._meetings[self.wave.geometry.block_of_lane[lane]][:, None]
        elif access.bulk and access.asynchronous and self._writer[cells].any():
            position, part = np.argwhere(self._writer[cells])[0].tolist()
            cell, here = int(cells[position, part]), self.report.here
            writer = here.location(int(self._at[cell]), int(self._writer[cell]) - 1)
            touched = here.bytes(
                "shared", hit.store, cell * _CELL % self.wave.shared.pitch, _CELL, writer.at
            )
            self.report.stop(
                UnfencedRead(here.location(access.at, int(lane[position])), touched, writer)
            )

    def fence(self, at: int, lanes: Lanes, wide: bool) -> None:
        if self._watches and self.code[at].form.has("proxy"):
            index, geometry = lane_index(lanes), self.wave.geometry
            blocks = np.arange(len(self._writer)) * _CELL // self.wave.shared.pitch
            older = self._when < self._meetings[blocks]
            older &= np.isin(blocks, geometry.block_of_lane[index])
            self._writer[older | np.isin(self._writer, index + 1)] = 0

    def _meet(self, at: int, lanes: Lanes, *others: Any, **more: Any) -> None:
        self._meetings[np.unique(self.wave.geometry.block_of_lane[lanes])] += 1

    barrier = warp_barrier = cluster_barrier = phase_over = _meet


class Unfinished(Observer):
    """By cell of a memory: how many copies and products that nobody has waited for read it (shared
    memory) or write it (global memory), the lane, plus one, of the last, and its instruction. Who
    writes, or uses, such a cell does so too early, however threads have met. A thread may also
    leave too early: its block's shared memory is another block's then."""

    def __init__(self, report: FindingReport):
        self.report, self.wave, self.code = report, report.wave, report.wave.kernel.instructions

    def begin_wave(self, first_block: int) -> None:
        self._marks: dict[Store, np.ndarray] = {}

    def copy(self, access: Access, hit: Hit, values: Values) -> None:
        if hit.space == "global":
            self._mark(access, hit, 1)
        else:
            self._refuse(access, hit)

    def access(self, done: Accessed) -> None:
        access, hit, loads = done.access, done.hit, done.kind == "load"
        if not access.bulk:
            if hit.space == "global" or not loads:
                self._refuse(access, hit)
        elif hit.space == "shared" and loads:
            self._mark(access, hit, 1 if access.asynchronous else -1)
        elif hit.space == "global" and not loads:
            self._mark(access, hit, -1)

    def _mark(self, access: Access, hit: Hit, more: int) -> None:
        if hit.store not in self._marks:
            self._marks[hit.store] = np.zeros((3, -(-len(hit.store.data) // _CELL)), np.int32)
        marks, cells = self._marks[hit.store], _cells(access, hit)
        np.add.at(marks[0], cells, more)
        marks[1, cells] = lane_index(hit.lanes)[:, None] + 1
        marks[2, cells] = access.at

    def _refuse(self, access: Access, hit: Hit) -> None:
        marks = self._marks.get(hit.store)
        if marks is None or not marks[0].any():
            return
        cells = _cells(access, hit)
        if (busy := marks[0, cells] > 0).any():
            position, part = np.argwhere(busy)[0].tolist()
            _, lane, at = marks[:, cells[position, part]].tolist()
            if access.strong and self.code[at].form.has("reduce"):
                return  # two atomic updates
            here, address = self.report.here, int(hit.addresses[position])
            self.report.stop(
                self._unwaited(
                    here.location(access.at, int(lane_index(hit.lanes)[position])),
                    at,
                    lane - 1,
                    here.bytes(hit.space, hit.store, address, access.size, access.at),
                    access.verb,
                )
            )

    def exit(self, lanes: Lanes) -> None:
        left, here = lane_index(lanes), self.report.here
        for copy, _ in self.wave.outgoing[0].pending:
            at, lane = copy.access.at, int(lane_index(copy.hit.lanes)[0])
            if lane in left:
                self.report.add(self._unwaited(here.location(at, lane), at, lane, None, ""))
                break

    def _unwaited(
        self, where: Location, at: int, lane: int, touched: Bytes | None, verb: str
    ) -> UnwaitedCopy:
        form, writer = self.code[at].form, self.report.here.location(at, lane)
        kind = "product" if form.has("mma_async") else "counted" if form.has(TOLD) else "grouped"
        return UnwaitedCopy(where, writer, touched, verb, kind)


class Products(Observer):
    """By register of a `wgmma` and what is only copied from it: in which lanes a product that is
    on its way still writes it, or reads it (A). By lane: whether a `wgmma.fence` has been passed
    since its registers were last used, and since the last wait."""

    def __init__(self, report: FindingReport):
        self.report, self.wave, self.code = report, report.wave, report.wave.kernel.instructions
        lanes = self.wave.geometry.lanes
        self._products = {
            at for at, one in enumerate(self.code) if one.form.build and one.form.has("mma_async")
        }
        names = spread(
            [name for at in self._products for name in registers(*_held(self.code[at]))],
            [(one.read, one.written) for one in self.code if _copies(one)],
        )
        # By register: the instruction, plus one, and the group in which its warp will commit it.
        self._writes, self._reads = (
            {name: np.zeros((2, lanes), np.int64) for name in names} for _ in range(2)
        )
        self._fenced, self._since_wait = np.zeros((2, lanes), bool)
        # By name of what a warpgroup executes: how often, and where last, by warp.
        self._number = {name: np.zeros((2, lanes // WARP), np.int64) for name in OF_GROUPS}

    def begin_wave(self, first_block: int) -> None:
        fill((*self._writes.values(), *self._reads.values(), *self._number.values()), 0)
        self._fenced[:] = False

    def execute(self, at: int, step: Step) -> Step:
        one = self.code[at]
        # For products see `collective`; a compiler may keep registers in local memory meanwhile.
        if not self._writes or at in self._products or one.form.goes_to("local"):
            return step
        if one.form.has("fence", "commit_group", "wait_group") and one.form.has("aligned"):
            return self._ordering(one, step)
        if _copies(one) and one.written[0] in self._writes:
            source, target = one.read[0], one.written[0]

            def copying(lanes: Lanes) -> Any:
                for state in (self._writes, self._reads):
                    state[target][:, lanes] = state[source][:, lanes] if source in state else 0
                return step(lanes)

            return copying
        touched = {name for name in (*one.used, *one.written) if name in self._writes}
        written = touched.intersection(one.written)

        def using(lanes: Lanes) -> Any:
            for state, names in ((self._writes, touched), (self._reads, written)):
                for name in names:
                    self._refuse_early(at, lanes, state[name])
            self._fenced[lanes] &= self._since_wait[lanes]
            return step(lanes)

        return using if touched else step

    def collective(self, at: int, lanes: Lanes, masks: np.ndarray) -> None:
        index, name = lane_index(lanes), self.code[at].form.name
        if name in OF_GROUPS:
            self._number[name][0, np.unique(index // WARP)] += 1
            self._number[name][1, index // WARP] = at
        if at not in self._products:
            return
        if (lane := first_of(lanes, ~self._fenced[lanes])) is not None:
            self.report.stop(NoRegisterFence(self.report.here.location(at, lane)))
        for state, operand in zip((self._writes, self._reads), _held(self.code[at]), strict=False):
            for name in registers(operand):
                state[name][0, lanes] = at + 1
                state[name][1, lanes] = self.wave.products.committed[lanes]

    def exit(self, lanes: Lanes) -> None:
        if self.wave.geometry.warps % GROUP:
            return
        index = lane_index(lanes)
        for group in np.unique(index // WARP // GROUP):
            alive = self.wave.running[group * GROUP * WARP : (group + 1) * GROUP * WARP]
            for name, numbers in self._number.items():
                counts, sites = numbers[:, group * GROUP : (group + 1) * GROUP]
                if not alive.any() and counts.min() != counts.max():
                    lane = int(index[index // WARP // GROUP == group][0])
                    self.report.stop(
                        PartOfGroup(
                            self.report.here.location(int(sites.max()), lane),
                            name,
                            tuple(counts.tolist()),
                        )
                    )

    def _ordering(self, one: Instruction, step: Step) -> Step:
        """The step of a fence, a commit or a wait."""
        fence, wait = one.form.has("fence"), one.form.has("wait_group")

        def ordering(lanes: Lanes) -> Any:
            done = step(lanes)
            if fence:
                self._fenced[lanes] = self._since_wait[lanes] = True
            if wait:
                self._since_wait[lanes] = False
                newest = self.wave.products.committed[lanes] - immediate_of(one.operands[0])
                for state in (*self._writes.values(), *self._reads.values()):
                    state[0, lanes] *= state[1, lanes] >= newest
            return done

        return ordering

    def _refuse_early(self, at: int, lanes: Lanes, state: np.ndarray) -> None:
        if (lane := first_of(lanes, state[0, lanes] > 0)) is not None:
            product, group = state[:, lane].tolist()
            here = self.report.here
            self.report.stop(
                EarlyUse(
                    here.location(at, lane),
                    here.line(product - 1),
                    committed=group < int(self.wave.products.committed[lane]),
                )
            )


def _cells(access: Access, hit: Hit) -> np.ndarray:
    """What lanes touch: (lanes, cells)."""
    return (hit.element * access.size // _CELL)[:, None] + np.arange(max(access.width // _CELL, 1))


def _held(product: Instruction) -> tuple[Operand, ...]:
    """The result of a `wgmma`, and A if registers hold it; a descriptor is read at once."""
    return product.operands[: 2 if isinstance(product.operands[1], Vector) else 1]


def _copies(one: Instruction) -> bool:
    """A register is copied to another, as compilers do between the rounds of a loop."""
    return (
        one.form.carries is Carries.COPIED
        and len(one.operands) == 2
        and all(isinstance(operand, Register) for operand in one.operands)
    )
