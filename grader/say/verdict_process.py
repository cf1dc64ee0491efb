"""The sentences about the process that compiles and runs a kernel: what it lacked or used up, and
how it ended."""

import re
import textwrap

from ..compilers.compiler import TOO_MUCH
from ..cuda.errors import Message, in_parts

STOPPED_BEFORE = Message("Not run: the case before this one took too long and was stopped.")
_ALONE = (
    "This process does not use PYTHONPATH, or packages of `pip install --user`: there a file of a "
    "learner could replace a module. Install the course into its own environment, by `make lab` or "
    "by pip in a virtual environment"
)


def no_time(seconds: float) -> Message:
    """A case came too late."""
    return in_parts(
        f"Not run: the cases before this one used all of the {seconds:g} s that one verdict may "
        "take."
    )


def too_slow(compiles: bool, seconds: float) -> Message:
    """A process that ran for too long was ended."""
    return (
        Message(f"The compiler was still busy after {seconds:g} s.", remedy=TOO_MUCH)
        if compiles
        else Message(
            f"The kernel was still running after {seconds:g} s. The grader stopped it.",
            remedy="Look for a loop whose condition never becomes false.",
        )
    )


def still_busy(seconds: float) -> Message:
    """The simulated GPU stopped by itself."""
    return Message(
        f"The simulated GPU was still busy with this kernel after {seconds:g} s of processor "
        "time. It stopped the kernel.",
        "Kernels of this course need much less.",
        "Look for huge arrays, unrolled loops, and more threads than the kernel needs.",
    )


def ended(by: str, compiles: bool, memory_bytes: int) -> Message:
    """A process was ended by a signal, or by the judge."""
    who, look = (
        ("compiler", "unrolled loops and templates without an end")
        if compiles
        else ("process that ran your kernel", "recursion without an end")
    )
    return Message(
        f"The {who} was ended by {by}.",
        f"Most likely it needed more than the {memory_bytes / 2**30:.3g} GiB that it may use.",
        f"Look for huge arrays and for {look}.",
    )


def failed(complaint: str) -> Message:
    """A process ended by itself, with a last line on its stderr."""
    if "No module named" in complaint:
        complaint += f". {_ALONE}"
    return in_parts(f"The grader's sandbox failed ({complaint}); tell your instructor.")


def no_reply(why: str) -> Message:
    """A process answered with something else than what was asked for."""
    return in_parts(
        "The process that ran your kernel sent an answer that the grader cannot read. Please show "
        f"it to your instructor ({why})."
    )


def too_much(message: str, memory_bytes: int) -> Message:
    """`message` is NumPy's, such as "Unable to allocate 9.31 GiB for an array with ..."."""
    asked = re.search(r"Unable to allocate ([\d.]+) (\w+)", message)
    amount = f"{float(asked[1]):g} {asked[2]}" if asked else "more memory"
    return Message(
        f"The run asked for {amount}, and a run may use {memory_bytes / 2**30:.3g} GiB in all.",
        "A __device__ array counts once, a __shared__ array once per block, a local array once per "
        "thread.",
        "Look at the sizes of your arrays.",
    )


def our_fault(error: Exception, place: str, traceback_file: str) -> Message:
    """An error that only the grader's authors can mend; the file ("": none) has what they need."""
    return in_parts(
        f"The grader itself failed on this kernel ({type(error).__name__}: "
        f"{textwrap.shorten(str(error), 200)}; {place}). "
        "That is not your mistake; please send your instructor the kernel and "
        f"{traceback_file or 'this sentence'}."
    )


def out_of_reach(folders: str, compiler: str, there: str) -> str:
    """A compiler cannot read its own files."""
    return (
        "That is not your mistake. Please show it to your instructor: this process "
        f"may read only {folders}, but {compiler} is in {there}. Its files must be in one of those "
        "folders; `grader doctor` checks it."
    )


def strange_file(name: str) -> str:
    """A source includes a file that is not CUDA's."""
    return (
        f'"{name}" cannot be included: only CUDA\'s own headers are here, such as '
        "cub/cub.cuh, cooperative_groups.h and cuda_fp16.h."
    )


def no_such_kernel(expected: str, names: list[str], source: str) -> Message:
    """A source that defines kernels of these `names` lacks the exercise's."""
    if expected in names:
        return Message(
            f'The kernel {expected} lacks extern "C".',
            "Without it, C++ adds the parameter types to the name, and the launch does not find "
            "the kernel.",
            f'Write: extern "C" __global__ void {expected}(...)',
        )
    if re.search(rf"\b__device__\b[^;{{}}()]*\b{expected}\s*\(", source):
        return Message(
            f"{expected} is a __device__ function, which only kernels can call.",
            "A kernel is __global__.",
            f'Write: extern "C" __global__ void {expected}(...)',
        )
    found = f"defines {', '.join(names)}" if names else "defines no kernel at all"
    return Message(
        f"This exercise calls the kernel {expected}, but the source {found}.",
        "The name must be exact.",
        f'Write: extern "C" __global__ void {expected}(...)',
    )
