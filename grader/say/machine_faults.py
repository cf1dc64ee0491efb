"""What the machine and the instructions find wrong, in words: by the name of the fault, with its
facts. Each is the rest of a sentence that begins with the thread.
"""

from collections.abc import Callable, Mapping

from ..cuda.errors import Message
from ..errors import counted
from ..machine.lanes import WARP
from ..machine.memory.spaces import Fault
from ..machine.wave import Wave

FAULTS: dict[str, Callable[..., str | Message]] = {
    "division_by_zero": lambda: "divides an integer by zero; the result is undefined.",
    "stack_overflow": lambda calls: (
        f"overflows its stack after {counted(calls, 'nested call')}. Recursion must end early: a "
        "thread's stack is small."
    ),
    "no_such_function": lambda: "calls a function by a pointer that points to none.",
    "failed_assert": lambda condition: f"fails its assert({condition}).",
    "wrong_free": lambda: "frees memory that is not in use: freed before, or not from `malloc`.",
    "trapped": lambda by_the_compiler: (
        "stops the kernel with a trap."
        + " The compiler puts a trap, without a line, where an operation is impossible, such as an "
        "atomic on a thread's own variable." * by_the_compiler
    ),
    "still_running": lambda steps, alone: Message(
        f"is still running {f'after {steps:,} instruction steps' if steps else 'at its time limit'}"
        ".",
        "No other thread still runs. Does this thread do all the work that the threads of the "
        "launch should share?" * alone,
        "Does the loop's condition ever become false? If it does, why does one thread need so many "
        "rounds? If the loop waits for a thread or block, does that end the wait?",
    ),
    "part_of_a_warp_at_a_barrier": lambda came: Message(
        f"waits at a barrier that counts whole warps, but only {came} threads of its warp reached "
        "it.",
        "The others took another branch. All threads of a warp must reach such a barrier together.",
        "Move the barrier out of the branch, or put a `__syncwarp()` before it.",
    ),
    "cluster_barrier": lambda: (
        "waits at a cluster barrier that some threads of its cluster never reach."
    ),
    "absent_lanes": lambda mask, missing: Message(
        f"waits here for {'lanes' if missing & missing - 1 else 'a lane'} of its warp that never "
        f"{'come' if missing & missing - 1 else 'comes'}. Its mask 0x{mask:08x} also names "
        f"{_lanes(missing)}.",
        remedy="Let all these lanes reach this line. No `if`, loop or `return` may keep them away. "
        "Or name only lanes that come here.",
    ),
    "matrix_of_a_part_of_a_warp": lambda absent: Message(
        f"takes part in a matrix operation of its warp, but {absent} of the warp's 32 lanes never "
        "come here.",
        remedy="Keep the operation out of branches, and give blocks a multiple of 32 threads.",
    ),
    "one_arrival_too_many": lambda: Message(
        "arrives once too often at an mbarrier: its phase already has all of its arrivals.",
        "The `init` of an mbarrier says how many arrivals each phase has. One arrival more has no "
        "defined result. A new phase begins when all arrivals and all expected bytes have come.",
        "Has this thread arrived in this phase before? If it has, the thread must wait before it "
        "arrives again: is there such a wait, with the right parity? If it has not, which other "
        "threads arrive, perhaps on this line?",
    ),
    "bulk_copy_beyond_a_buffer": lambda verb, size, name: (
        f"{verb} {counted(size, 'byte')} that {name} does not have all of."
    ),
    "size_of_a_bulk_copy": lambda size, unit: (
        f"copies {counted(size, 'byte')} at once; a bulk copy moves a multiple of {unit} bytes."
    ),
    "box_stored_at_a_negative_place": lambda: Message(
        "stores a box that begins at a negative coordinate.",
        "Only a load may begin there. A store leaves out places beyond the end of the tensor.",
    ),
    "no_such_tensor_map": lambda rank, dimensions: Message(
        f"copies a box of {counted(rank, 'dimension')}, but there is "
        + (f"a map of {counted(dimensions, 'dimension')}" if dimensions else "no map")
        + " at the address of the tensor map.",
        "A kernel gets a map as `const __grid_constant__ CUtensorMap map`, and passes its address "
        "on: `&map`.",
    ),
    "column_of_a_box": lambda column, size, unit, rank: Message(
        f"copies a box that begins at column {column}, which is byte {column * size} of a row.",
        f"A box must begin at a multiple of {unit} bytes."
        + " The first coordinate is the column, and the second is the row." * (rank > 1),
        "At which columns can a box begin?" + " Which coordinate is the column?" * (rank > 1),
    ),
    "box_at_a_misaligned_byte": lambda start, within: Message(
        f"copies a box at byte {start} of shared memory, which is no multiple of {within}.",
        "A box must begin at a multiple of 128 bytes; one with a swizzle of 128 bytes should begin "
        "at a multiple of 1,024.",
        "Declare the array `alignas(128)` or `alignas(1024)`.",
    ),
}

ABSENT: dict[str, Callable[[int], Message]] = {  # why a lane takes no part, by the mask
    "unnamed": lambda mask: Message(f"the mask 0x{mask:08x} does not name it."),
    "no_thread": lambda mask: Message(
        "the block has no thread there.",
        remedy="Give each block whole warps, or shuffle only from lanes that exist.",
    ),
    "left": lambda mask: Message(
        "it has left the kernel.",
        remedy="Let no lane return before the last shuffle. Guard only the loads and the stores of "
        "the lane.",
    ),
    "elsewhere": lambda mask: Message("it took another branch."),
}


def missed_barrier(lacks: Mapping[str, int | None], at: int, wave: Wave) -> Message:
    """Why a thread that waits at a barrier, at the instruction `at`, waits forever. What the
    barrier `lacks`: see `machine.wave.Barriers.lacks`."""
    declared, line = wave.names.declared, wave.kernel.instructions[at].line or 0
    asked, gone = lacks["asked"], lacks["gone"]
    leave = declared.leaving(line) if gone else ""
    if asked is not None:
        needed = counted(asked, "thread")
        return Message(
            "waits at barrier number {barrier}, which needs {needed}, but only {arrived} have "
            "reached it.".format(needed=needed, **lacks),
            "Such a barrier opens when exactly as many threads as its count have reached it."
            + leave,
            f"Should {needed} reach this barrier? If not, correct the count. If they should, do "
            "all of them come to this barrier, with the same number and the same count?",
        )
    number, what = (
        (gone, "left the kernel before it")
        if gone
        else (lacks["waiting"], "reached it, and the others wait at another one")
    )
    (head, at), (guard, there) = declared.loop(line), declared.guard(line)
    inside = f" This one is in the loop on line {at}: `{head}`." if head and not leave else ""
    if is_branch := bool(guard) and there > at * bool(head) and not leave:
        inside = f" This one is in the branch `{guard}` (line {there})."
    return Message(
        f"waits at a barrier, but {number} of the block's {lacks['threads']} threads "
        f"{'has' if number == 1 else 'have'} {what}.",
        f"All threads of the block must reach a `__syncthreads()`.{leave}{inside}",
        "Let these threads go on to the barrier, and guard only what they must not do."
        if leave
        else f"Is `{guard}` true for all threads? If not, put the barrier outside of this branch."
        if is_branch
        else "Do all threads execute as many rounds of this loop, and reach it in each? If not, "
        "move it out of the branch or loop."
        if inside
        else "Move it out of the branch. No thread may skip it by `return` or `continue`.",
    )


def outside_of_arrays(fault: Fault, wave: Wave) -> str:
    """Where an access goes that is near no array."""
    heap, blocks = wave.heap, counted(wave.geometry.cluster_blocks, "block")
    return {
        "outside": "an address outside of all its arrays",
        "null": "a null pointer"
        + " plus an index" * bool(fault.address)
        + f" (`malloc` returns it when all {heap.SIZE >> 20} MB are in use)" * heap.store.refused,
        "freed": "memory of the heap that was freed with `free`",
        "unallocated": "memory of the heap that was not allocated by `malloc`",
        "cluster": f"the shared memory of block {fault.block} of its cluster, which has {blocks}",
    }[fault.where]


def _lanes(mask: int) -> str:
    named = [lane for lane in range(WARP) if mask >> lane & 1]
    shown = (
        f"{named[0]} to {named[-1]}"
        if named[-1] - named[0] == len(named) - 1 > 1
        else ", ".join(map(str, named[:4]))
        + (f" and {len(named) - 4} others" if len(named) > 4 else "")
    )
    return f"lane{'s' if len(named) > 1 else ''} {shown}"
