"""What is said of a value that nobody gave."""

from __future__ import annotations

from ...cuda.errors import CudaError, UninitializedRead
from ...machine.memory.access import Access, Hit
from .reporter import Reporter, wide


def unwritten(report: Reporter, access: Access, hit: Hit, lane: int, address: int) -> CudaError:
    """A thread reads, at `address`, what nobody has written."""
    place = report.here.place(hit.space, hit.store, address, access.size, access.at)
    text = f"{access.verb} {wide(place, access.size)}, which nobody has written yet. "
    if hit.space == "shared":
        text += (
            "Shared memory holds whatever lay there before: give it a value first. If another "
            "thread does so on a line before this one, a barrier is missing between the two."
        )
    elif hit.space == "local":
        text += "Which elements of the array have got a value by then, and which not?"
    else:
        text += (
            "What lies there is left over from something else: it must be written before it is "
            "read, here or before the launch."
        )
    return report.error(UninitializedRead, access.at, lane, text)


def never_set(report: Reporter, at: int, lane: int, needed: int | None) -> CudaError:
    """A thread computes at `at` with what never got a value, and line `needed` matters."""
    declared, line = report.wave.names.declared, report.here.line(at)
    name = declared.without_value(line)
    text = f"uses {f'`{name}`, which' if name else 'a variable that'} never got a value"
    text += f", and line {needed} needs the result. " if needed not in (None, line) else ". "
    text += (
        "A variable holds whatever its register held before: give it a value where you declare "
        "it, or find the path to this line on which it gets none."
    )
    if declared.local_arrays(line):
        text += " (An element past the end of a thread's own array never gets one.)"
    return report.error(UninitializedRead, at, lane, text)
