"""Which kernel for which problem on an H200, and the measured reason: the tables to choose by.

A figure is the fraction of a large copy (4,283 GB/s) that least bytes over time come to, as in
measured.json; `copy` is what a copy of as many bytes as the problem moves reaches in the same run.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """Up to `columns`: `kernel` of `file`, in blocks of `threads` (those that calculate and the
    others), `blocks` of them to a row, or `rows` rows to a block; and why not the one before."""

    columns: int
    file: str
    kernel: str
    threads: int
    why: str
    blocks: int = 1
    rows: int = 1
    shared: int = 0  # bytes of dynamic shared memory a block


REGISTERS = "07_fused_softmax/a_rows_in_registers.cu"
BLOCK = "07_fused_softmax/b_block_or_cluster.cu"
RING = "07_fused_softmax/c_cluster_ring.cu"
GPU = "07_fused_softmax/d_whole_gpu.cu"
VECTOR = "07_fused_softmax/e_one_vector.cu"
EVERY = 132  # blocks: one for each multiprocessor, launched cooperatively
RING_BYTES = 16 * 384 * 36

MANY_ROWS = (
    Choice(128, REGISTERS, "rows_of_128", 128, "8 rows a block .965; 8 lanes a row .958", rows=8),
    Choice(256, REGISTERS, "rows_of_256", 128, ".947; two rows a warp .936", rows=4),
    Choice(512, REGISTERS, "rows_of_512", 64, ".935 to .932; two warps a row .928", rows=2),
    Choice(1_024, BLOCK, "block_1024", 64, "two warps a row .945; one .940 and more registers"),
    Choice(2_048, BLOCK, "block_2048", 64, "8 packs a thread .950; 4 packs .951, 2 packs .947"),
    Choice(4_099, BLOCK, "block_4096", 256, "odd lengths .903, else .960; 512 threads .881, .967"),
    Choice(8_192, BLOCK, "block_8192", 1_024, "2 packs a thread .973; 4 packs .961"),
    Choice(16_384, BLOCK, "block_16384", 512, ".972; 256 threads of 16 packs .968"),
    Choice(32_768, BLOCK, "block_32768", 1_024, "all of a multiprocessor .981; cluster of 2 .956"),
    Choice(53_248, BLOCK, "odd_53248", 128, "50,257: many small blocks .885; 256 threads .876", 8),
    Choice(65_536, BLOCK, "cluster_65536", 1_024, ".956; 4 blocks .933; the ring .923", 2),
    Choice(131_072, BLOCK, "cluster_131072", 512, ".903; 4 blocks .895; the ring .891", 8),
    Choice(262_144, RING, "ring_262144", 384, ".891; without a ring .854", 8, shared=RING_BYTES),
    Choice(524_288, RING, "ring_524288", 384, ".791; 512 threads .773", 16, shared=RING_BYTES),
    Choice(1_064_448, GPU, "gpu_1m", 832, ".778; 3 packs of 4 rows", EVERY, shared=215_040),
    Choice(2_162_688, GPU, "gpu_2m", 608, ".828; without a lag .594", EVERY, shared=212_992),
    Choice(4_325_376, GPU, "gpu_4m", 576, ".677; no room for a lag", EVERY, shared=212_992),
    Choice(2**62, VECTOR, "one_vector", 1_024, "2^26: .642; .75 possible", EVERY, shared=196_608),
)

# Fewer rows than a wave: more and smaller blocks a row, so that every multiprocessor has some.
FEW_ROWS = (
    Choice(2_048, BLOCK, "few_2048", 256, "launch-bound: .099, copy .111"),
    Choice(8_192, BLOCK, "block_8192", 1_024, "launch-bound: .286, copy .335"),
    Choice(32_768, BLOCK, "few_32768", 512, ".602; one block a row .569; copy .653", 2),
    Choice(65_536, BLOCK, "few_65536", 128, ".717; 512 threads in 4 blocks .677; copy .787", 8),
    *(choice for choice in MANY_ROWS if choice.columns > 65_536),
)

MANY_ROWS_HALF = (
    Choice(128, REGISTERS, "half_rows_of_128", 64, ".942; 16 lanes a row .831", rows=8),
    Choice(1_024, BLOCK, "half_1024", 64, ".898; a warp a row .868"),
    Choice(4_096, BLOCK, "half_4096", 256, ".959"),
    Choice(16_384, BLOCK, "half_16384", 512, ".972"),
    Choice(32_768, BLOCK, "half_32768", 1_024, ".892 (QuACK .975): the floats fill the registers"),
    Choice(65_536, BLOCK, "half_65536", 512, ".793 (QuACK .975), for the same reason", 4),
    Choice(262_144, BLOCK, "half_262144", 512, ".685 (QuACK .955), for the same reason", 16),
)

MULTIPROCESSORS = 132


def choose(rows: int, columns: int, itemsize: int = 4) -> Choice:
    """The kernel for the softmax of `rows` rows of so many floats, or halves (itemsize 2).
    ValueError for halves beyond 262,144."""
    table = FEW_ROWS if rows <= MULTIPROCESSORS else MANY_ROWS
    if itemsize == 2:
        table = MANY_ROWS_HALF
    for choice in table:
        if columns <= choice.columns:
            return choice
    raise ValueError(f"no kernel here takes rows of {columns:,} elements of {itemsize} bytes")


def grid(choice: Choice, rows: int, clusters: int) -> int:
    """Blocks to launch; `clusters`: how many of the ring's the device holds at once."""
    if choice.blocks == EVERY:
        return EVERY
    if choice.file == RING:
        return choice.blocks * min(clusters, rows)
    return -(-rows // choice.rows) * choice.blocks
