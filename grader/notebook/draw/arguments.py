"""What pictures say of arguments that they cannot draw."""

from __future__ import annotations

from grader.cuda.simulator.observers.arrays import Array
from grader.cuda.simulator.observers.observe import Run

from ..failures import Notice


def require_run(run: Run, what: str) -> None:
    """A Notice unless `run` is what watch() returned. `what`: the function that was called."""
    if not isinstance(run, Run):
        raise Notice(f"`{what}` draws what `watch(...)` returned: `run = watch(...)` first.")


def array_argument(run: Run, argument: int) -> Array:
    """Argument number `argument` of the launch, from 0; a Notice if that is no array."""
    arrays = {number: array for number, array in enumerate(run.arrays) if array is not None}
    if not isinstance(argument, int) or argument not in arrays:
        known = ", ".join(map(str, arrays)) or "none"
        raise Notice(f"Argument {argument!r} of this launch is no array; arrays are: {known}.")
    return arrays[argument]


def named(run: Run, argument: int) -> str:
    """ "x", as the kernel calls an array argument, or "argument 0" where that is not known."""
    array = dict(enumerate(run.arrays)).get(argument)
    return array.name if array and array.name else f"argument {argument}"
