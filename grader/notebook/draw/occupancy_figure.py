"""draw.occupancy: what a multiprocessor holds, with its resources to be dragged."""

from grader.cuda import limits
from grader.errors import counted

from ..cards import Notice, Page, filled, html_of

THREADS = (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
REGISTER_STEPS = range(16, 256, 8)
SHARED_STEP = 4  # KB
_DIGITS = "0123456789abcdefghijklmnopqrstuvw"  # a number of blocks, 0 to 32, each


def occupancy(threads: int = 256, registers: int = 32, shared: int = 0) -> Page:
    """The warps that a multiprocessor of an H200 holds at once, for blocks of so many threads,
    registers per thread, and bytes of shared memory per block; drag each of them. The steps nearest
    to the given numbers come first."""
    try:
        held = limits.occupancy(threads, registers, shared)
    except ValueError as error:
        raise Notice(f"There are no such blocks: {error}.") from None
    most = limits.architecture(limits.DEFAULT).shared // 1024
    kilobytes = [*range(0, most, SHARED_STEP), most]
    page = filled(
        "occupancy.html",
        # How many blocks there are, a digit each: threads, then registers, then shared memory.
        table="".join(
            _DIGITS[limits.occupancy(t, r, 1024 * s).blocks]
            for t in THREADS
            for r in REGISTER_STEPS
            for s in kilobytes
        ),
        threads=list(THREADS),
        registers=list(REGISTER_STEPS),
        warps=held.most_warps,
        rows=len(kilobytes),
        step=SHARED_STEP,
        most_shared=kilobytes[-1],
        most_t=len(THREADS) - 1,
        most_r=len(REGISTER_STEPS) - 1,
        most_s=len(kilobytes) - 1,
        t=_nearest(THREADS, threads),
        r=_nearest(REGISTER_STEPS, registers),
        s=_nearest(kilobytes, shared / 1024),
        all_registers=f"{limits.REGISTERS:,}",
        all_shared=most,
    )
    text = (
        f"Blocks of {counted(threads, 'thread')}, {counted(registers, 'register')} a thread, "
        f"{counted(shared, 'byte')} of shared memory per block: {counted(held.blocks, 'block')}, "
        f"{held.warps} of {counted(held.most_warps, 'warp')}, "
        f"limited by {' and '.join(held.limited_by)}."
    )
    return Page(html_of("occupancy", page, 200, text), text)  # 200 pixels high


def _nearest(steps: range | tuple[int, ...] | list[int], wanted: float) -> int:
    return min(range(len(steps)), key=lambda at: abs(steps[at] - wanted))
