"""What a launch cost: counts per PTX instruction, reported per source line and in all.

The names stand for Nsight Compute's metrics (`METRICS`). Requests, sectors and wavefronts follow
the hardware's rules (`traffic`). Instructions and branches are PTX's, not the machine's own: the
assembler turns one into several (a division) and a short branch into predicated instructions.
Atomics, shuffles, barriers: warp instructions, in Nsight Compute those of some opcodes.
"Ideal" is what the same bytes would cost at least.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from .paths import BETWEEN, PATHS

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


class Counters:
    """`total`: counter -> int. `lines`: source line -> counter -> int; code of no known line is
    under line 0. `opcodes`: PTX opcode -> warp instructions that some lane took part in; those
    that a guard keeps from every lane are in `inst_executed`, as in Nsight Compute's, but not here.
    `paths`: how the work is shared (`paths.PATHS`). Counts of several launches add up, but for the
    most between two barriers."""

    def __init__(self):
        self.opcodes: Counter[str] = Counter()
        self.paths: dict[str, int] = dict.fromkeys(PATHS, 0)
        self.lines: dict[int, dict[str, int]] = defaultdict(lambda: dict.fromkeys(METRICS, 0))

    @property
    def total(self) -> dict[str, int]:
        return {name: sum(line[name] for line in self.lines.values()) for name in METRICS}

    def add_paths(self, counted: dict[str, int]) -> None:
        """Those of one more launch."""
        longest = max(counted[BETWEEN], self.paths[BETWEEN])
        self.paths = {name: self.paths[name] + count for name, count in counted.items()}
        self.paths[BETWEEN] = longest

    def add(self, line: int | None, name: str, amount: int) -> None:
        self.lines[line or 0][name] += int(amount)
