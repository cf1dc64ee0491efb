"""What a launch cost: counts per PTX instruction, reported per source line and in all.

The names stand for Nsight Compute's metrics (`METRICS`). Requests, sectors and wavefronts follow
the hardware's rules, which are at the end of this file. Instructions and branches are PTX's, not
the machine's own: the assembler turns one into several (a division) and a short branch into
predicated instructions. Atomics, shuffles, barriers: warp instructions, in Nsight Compute those of
some opcodes. "Ideal" is what the same bytes would cost at least. `global_sectors` are those of
everything that touches global memory, also of atomics and of bulk copies, which Nsight Compute
leaves out.

`Paths`: how the work is shared among threads, the way of the busiest one, and its warp's. It is
counted in PTX instructions, a thread's those that it comes to, a warp's those that any of its lanes
does, so that both sides of a divergent branch count. Nsight Compute has no such counters.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..machine.events import Observer
from ..machine.lanes import WARP, Lanes, count, fill, lane_index, select, warps
from ..machine.memory.access import Access, Accessed, Hit
from ..machine.wave import Wave
from .findings import FindingReport

TOGETHER = 1 << 16  # addresses whose traffic is counted at once

METRICS = {
    "inst_executed": "smsp__inst_executed.sum",
    "thread_inst_executed": "smsp__thread_inst_executed.sum",
    "branches": "smsp__sass_branch_targets.sum",
    "divergent_branches": "smsp__sass_branch_targets_threads_divergent.sum",
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors_ideal": "memory_l2_theoretical_sectors_global_ideal",
    "global_load_bytes": "smsp__sass_data_bytes_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors_ideal": "memory_l2_theoretical_sectors_global_ideal",
    "global_store_bytes": "smsp__sass_data_bytes_mem_global_op_st.sum",
    "global_sectors": "memory_l2_theoretical_sectors_global",
    "shared_load_requests": "smsp__inst_executed_op_shared_ld.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_load_wavefronts_ideal": "memory_l1_wavefronts_shared_ideal",
    "shared_load_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_requests": "smsp__inst_executed_op_shared_st.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_store_wavefronts_ideal": "memory_l1_wavefronts_shared_ideal",
    "shared_store_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "local_load_requests": "smsp__inst_executed_op_local_ld.sum",
    "local_store_requests": "smsp__inst_executed_op_local_st.sum",
    "atomics": "sass__inst_executed_per_opcode (ATOM, ATOMG, ATOMS, RED)",
    "shuffles": "sass__inst_executed_per_opcode (SHFL)",
    "barriers": "sass__inst_executed_per_opcode (BAR)",
}


@dataclass(eq=False)
class Counters:
    """`total`: counter -> int. `lines`: source line -> counter -> int; code of no known line is
    under line 0. `opcodes`: PTX opcode -> warp instructions that some lane took part in; those
    that a guard keeps from every lane are in `inst_executed`, as in Nsight Compute's, but not here.
    Counts of several launches add up."""

    opcodes: Counter[str] = field(default_factory=Counter)
    lines: dict[int, dict[str, int]] = field(
        default_factory=lambda: defaultdict(lambda: dict.fromkeys(METRICS, 0))
    )

    @property
    def total(self) -> dict[str, int]:
        return {name: sum(line[name] for line in self.lines.values()) for name in METRICS}

    def add(self, line: int | None, name: str, amount: int) -> None:
        self.lines[line or 0][name] += int(amount)


class Counting(Observer):
    """Adds to the counters of a run."""

    def __init__(self, wave: Wave, counters: Counters):
        self.wave, self.counters = wave, counters
        self._lines = [one.line for one in wave.kernel.instructions]
        # By the first and the last instruction of a straight run, the warps and threads in it.
        self._runs: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
        self._idle = np.zeros(len(self._lines), np.int64)  # warps whose guard held in no lane
        # By space, kind and width, the accesses whose traffic is not counted yet: lines, lanes,
        # addresses; and how many of these.
        self._noted: dict[tuple[str, str, int], list[tuple[int, Lanes, np.ndarray]]]
        self._noted, self._many_noted = defaultdict(list), 0

    def run(self, first: int, last: int, lanes: Lanes) -> None:
        number = self._runs[first, last]
        number[0] += warps(lanes)
        number[1] += count(lanes)

    def guard(self, at: int, lanes: Lanes, chosen: np.ndarray) -> None:
        self._idle[at] += warps(lanes) - warps(select(lanes, chosen))

    def complete(self) -> None:
        per_warp, per_thread = np.zeros((2, len(self._lines)), np.int64)
        for (first, last), (warps_in_it, threads) in self._runs.items():
            per_warp[first : last + 1] += warps_in_it
            per_thread[first : last + 1] += threads
        for instruction, number in zip(
            self.wave.kernel.instructions, (per_warp - self._idle).tolist(), strict=True
        ):
            self.counters.opcodes[instruction.form.opcode] += number
        lines = np.array([line or 0 for line in self._lines])
        self._by_line("inst_executed", lines, per_warp)
        self._by_line("thread_inst_executed", lines, per_thread)

    def _by_line(self, name: str, lines: np.ndarray, counts: np.ndarray) -> None:
        """Add counts, each to its line's."""
        sums = np.bincount(lines, counts)
        for line in np.flatnonzero(sums).tolist():
            self.counters.add(line, name, int(sums[line]))

    def branch(self, at: int, lanes: Lanes, taken: np.ndarray) -> None:
        line, lane = self._lines[at], lane_index(lanes)
        self.counters.add(line, "branches", warps(lanes))
        if taken.any() and not taken.all():
            one, other = (self.wave.present(lane[some]) != 0 for some in (taken, ~taken))
            self.counters.add(line, "divergent_branches", int(np.count_nonzero(one & other)))

    def shuffled(self, at: int, lanes: Lanes, source: np.ndarray) -> None:
        self.counters.add(self._lines[at], "shuffles", warps(lanes))

    def arrive(self, at: int, lanes: np.ndarray, barrier: int) -> None:
        self.counters.add(self._lines[at], "barriers", warps(lanes))

    def barrier(self, at: int, lanes: Lanes, part: int | None) -> None:
        if part is None:  # a barrier for some warps has been counted as they came
            self.counters.add(self._lines[at], "barriers", warps(lanes))

    def access(self, done: Accessed) -> None:
        """What a copy engine moves, an asynchronous copy's way into shared memory, and what is done
        to an mbarrier, no load, store or atomic instruction does: Nsight Compute does not count
        it."""
        access, hit, kind = done.access, done.hit, done.kind
        if access.bulk and access.asynchronous and hit.space == "global":  # else it was counted
            sectors = np.unique(hit.addresses >> SECTOR_SHIFT)  # one lane has asked for all
            self.counters.add(self._lines[access.at], "global_sectors", len(sectors))
        # Parameters and constants come from another cache.
        if hit.space not in ("global", "shared", "local") or access.bulk or access.mbarrier:
            return
        requests = warps(hit.lanes) - hit.again
        if kind == "atomic":
            self.counters.add(self._lines[access.at], "atomics", requests)
            if hit.space == "global":
                self._note(access, hit, kind)
        elif not (hit.space == "shared" and access.asynchronous):
            self.counters.add(self._lines[access.at], f"{hit.space}_{kind}_requests", requests)
            if hit.space != "local":
                self._note(access, hit, kind)

    def _note(self, access: Access, hit: Hit, kind: str) -> None:
        """Its traffic is counted with that of others."""
        where = access.offsets(hit) if hit.space == "shared" else hit.addresses.copy()
        self._noted[hit.space, kind, access.width].append(
            (self._lines[access.at] or 0, hit.lanes, where)
        )
        self._many_noted += len(where)
        if self._many_noted > TOGETHER:
            self.end()

    def end(self) -> None:
        """Count the traffic of what was noted."""
        for (space, kind, width), noted in self._noted.items():
            rows = rows_of([(lanes, where) for _, lanes, where in noted])
            if space == "global":
                # An aligned access never straddles two sectors.
                ordered = np.sort(rows.addresses, axis=1)
                sectors, ideal = (
                    _fewest(ordered >> SECTOR_SHIFT, 1, 1),
                    _fewest(ordered, width, SECTOR),
                )
                found = {"global_sectors": sectors}
                if kind != "atomic":
                    found |= {
                        f"global_{kind}_sectors": sectors,
                        f"global_{kind}_sectors_ideal": ideal,
                        f"global_{kind}_bytes": rows.active.sum(axis=1) * width,
                    }
            else:
                found = {
                    f"shared_{kind}_{name}": cost
                    for name, cost in shared_traffic(rows, width, store=kind == "store").items()
                }
            lines = np.array([line for line, _, _ in noted])[rows.access]
            for name, counts in found.items():
                self._by_line(name, lines, counts)
        self._noted.clear()
        self._many_noted = 0


BETWEEN = "longest_between_barriers"
PATHS = (
    "longest_path",  # instructions of the busiest thread, launch after launch
    "busiest_warp",  # instructions of the busiest warp, launch after launch
    BETWEEN,  # the most instructions of a thread from one barrier to the next
)


class Paths(Observer):
    """What the threads of a launch, or of each of a batch, have executed: `counted`, by the names
    in `PATHS`, and by launch."""

    def __init__(self, report: FindingReport):
        self.geometry, self.dense = report.wave.geometry, report.wave.dense
        lanes = self.geometry.lanes
        # `at_barrier`: `of_thread` when a thread last was at one.
        self.of_thread, self.at_barrier, self._launch_of = np.zeros((3, lanes), np.int64)
        self.of_warp = np.zeros(lanes // WARP, np.int64)
        self.counted = {name: np.zeros(self.geometry.launches, np.int64) for name in PATHS}

    def begin_wave(self, first_block: int) -> None:
        self.end()
        fill((self.of_thread, self.of_warp, self.at_barrier), 0)
        self._launch_of = self.geometry.launch_of(first_block + self.geometry.block_of_lane)

    def run(self, first: int, last: int, lanes: Lanes) -> None:
        instructions = last + 1 - first
        part, chosen = self.dense.of(lanes)
        self.of_thread[part] += instructions * chosen
        if isinstance(lanes, slice):
            self.of_warp[lanes.start // WARP : -(-lanes.stop // WARP)] += instructions
        else:
            self.of_warp[lanes // WARP] += instructions  # once for each warp: NumPy does not add up

    def barrier(self, at: int, lanes: Lanes, part: int | None) -> None:
        self._most(BETWEEN, self.of_thread[lanes] - self.at_barrier[lanes], self._launch_of[lanes])
        self.at_barrier[lanes] = self.of_thread[lanes]

    def end(self) -> None:
        """The ways that the wave's threads have come, as far as they have."""
        self._most("longest_path", self.of_thread, self._launch_of)
        self._most("busiest_warp", self.of_warp, self._launch_of[::WARP])
        self._most(BETWEEN, self.of_thread - self.at_barrier, self._launch_of)

    def _most(self, name: str, counts: np.ndarray, launches: np.ndarray) -> None:
        known = self.counted[name]
        starts = np.flatnonzero(np.diff(launches, prepend=-1)) if len(known) > 1 else [0]
        of = launches[starts]
        known[of] = np.maximum(known[of], np.maximum.reduceat(counts, starts))


def in_all(observers: Iterable[Observer]) -> dict[str, int]:
    """The paths of launches that come one after the other, by the names in `PATHS`."""
    launches = [one.counted for one in observers if isinstance(one, Paths)]
    return {name: sum(int(counted[name].sum()) for counted in launches) for name in PATHS} | {
        BETWEEN: max((int(counted[BETWEEN].max()) for counted in launches), default=0)
    }


# ---- sectors and wavefronts ----
#
# What accesses of sets of lanes move: sectors of global memory, passes of shared memory. The rules
# are those of NVIDIA's compute capability 7.0 and later, as the CUDA C++ Programming Guide gives
# them for 4-byte accesses. For 8 and 16 bytes they are what Nsight Compute shows and NVIDIA's
# engineers have said in public (forums.developer.nvidia.com, "Unexpected shared memory bank
# conflict", 2019).

SECTOR_SHIFT = 5  # a sector has 32 bytes
SECTOR = 1 << SECTOR_SHIFT
BANKS = 32  # of 4 bytes each
PASS = 4 * BANKS  # bytes that shared memory can serve at once


@dataclass(frozen=True, eq=False)
class Rows:
    """What the warps of some accesses ask for, a row for each warp: `addresses` int64 (rows, 32),
    of lanes that do not take part (`active` is false) that of one that does; `access`: which of
    the accesses a row belongs to."""

    addresses: np.ndarray
    active: np.ndarray
    access: np.ndarray


def rows_of(accesses: Sequence[tuple[Lanes, np.ndarray]]) -> Rows:
    """The rows of accesses that are each given by their lanes and an address for each."""
    lane = np.concatenate([lane_index(lanes) for lanes, _ in accesses])
    values = np.concatenate([addresses for _, addresses in accesses])
    access = np.repeat(np.arange(len(accesses)), [len(addresses) for _, addresses in accesses])
    warp = access << 32 | lane // WARP
    first = np.flatnonzero(np.diff(warp, prepend=-1))
    row = np.repeat(np.arange(len(first)), np.diff(first, append=len(warp)))
    rows = np.repeat(values[first][:, None], WARP, axis=1)
    active = np.zeros(rows.shape, bool)
    rows[row, lane & WARP - 1], active[row, lane & WARP - 1] = values, True
    return Rows(rows, active, access[first])


def shared_traffic(rows: Rows, width: int, store: bool = False) -> dict[str, np.ndarray]:
    """By row, "wavefronts": passes needed; "bank_conflicts": those of them that conflict-free banks
    would have spared; "wavefronts_ideal": fewest passes that could bring the bytes.

    In each pass a bank serves one 4-byte word, to any number of lanes. Lanes with 8 bytes are
    served half a warp at a time, with 16 bytes a quarter; twice as many if all neighbouring pairs
    (lanes 0 and 1, 2 and 3, ..., or 0 and 2, 1 and 3, ...) share an address. For a store, an H200
    then counts no conflict where it would not have counted one without the sharing."""
    places, active = rows.addresses, rows.active
    ideal = {"wavefronts_ideal": _fewest(np.sort(places, axis=1), width, PASS)}
    if width <= 4:
        passes = worst_bank(places >> 2)
        return ideal | {"wavefronts": passes, "bank_conflicts": passes - 1}
    paired = np.zeros(len(places), bool)  # whether lanes that take part share addresses pairwise
    for distance in (1, 2):
        other = np.arange(WARP) ^ distance
        paired |= ((places == places[:, other]) | ~active | ~active[:, other]).all(axis=1)
    wavefronts, conflicts = np.zeros((2, len(places)), np.int64)
    for which, times in ((~paired, 1), (paired, 2)):
        if which.any():
            # A row of words for each group of lanes that a wavefront serves together; the words of
            # lanes that take no part are negative.
            words = np.where(active[which], places[which] >> 2, -width // 4)[:, :, None]
            groups = (words + np.arange(width // 4)).reshape(-1, times * PASS // 4)
            passes = worst_bank(groups).reshape(np.count_nonzero(which), -1)
            spared = (
                active[which].reshape(len(passes), -1, PASS // width).any(axis=2)
                if store
                else passes > 0
            )
            wavefronts[which] = passes.sum(axis=1)
            conflicts[which] = wavefronts[which] - np.count_nonzero(spared, axis=1)
    return ideal | {"wavefronts": wavefronts, "bank_conflicts": conflicts}


def worst_bank(words: np.ndarray) -> np.ndarray:
    """For each row of word indices, the most distinct words that fall into one bank: (rows,).
    Negative words are nobody's."""
    ordered = np.sort(words, axis=1)
    fresh = ordered >= 0
    fresh[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
    cell = (np.arange(len(words))[:, None] * BANKS + ordered % BANKS)[fresh]
    return np.bincount(cell, minlength=len(words) * BANKS).reshape(-1, BANKS).max(axis=1)


def _fewest(ordered: np.ndarray, width: int, unit: int) -> np.ndarray:
    """The fewest units of `unit` bytes that hold what each row of sorted addresses names."""
    fresh = np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1) + 1
    return np.asarray(-(-fresh * width // unit))
