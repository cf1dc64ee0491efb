"""What pictures say of arguments that they cannot draw."""

from __future__ import annotations

from grader.cuda.simulator.watching.observe import Run

from ..failures import Notice


def require_run(run, what: str) -> None:
    """A Notice unless `run` is what watch() returned. `what`: the function that was called."""
    if not isinstance(run, Run):
        raise Notice(f"`{what}` draws what `watch(...)` returned: `run = watch(...)` first.")
