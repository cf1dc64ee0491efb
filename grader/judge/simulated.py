"""One case on the simulated device."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from ..cuda import simulator
from ..cuda.errors import StepLimit
from .wire import Arrays


def run_case(source: str, case: dict, inputs: Arrays, steps: int) -> tuple[dict, Arrays]:
    """Run the case's launches. What was counted: "counters" (totals), "opcodes" (PTX opcode ->
    warp instructions), "steps" (instruction steps, of which it may take `steps` a wave). Arrays
    by name: "input/x" (what is in x now), "output/y", and "written/y" (bool, which elements of y
    a kernel wrote). Raises CudaError."""
    with simulator.options(step_limit=steps), simulator.observe() as run:
        buffers, depends_on_order = _launch(source, case, inputs)
    for order in ("forwards", "backwards") if depends_on_order else ():
        _look_for_races(source, case, inputs, steps, order)
    results = {f"input/{name}": buffers[name] for name in case["inputs"]}
    for name in case["outputs"]:
        results[f"output/{name}"] = np.asarray(buffers[name])
        results[f"written/{name}"] = simulator.written(buffers[name])
    counters = run.counters
    counted = {"counters": counters.total, "opcodes": dict(counters.opcodes), "steps": run.steps}
    return counted, results


def _launch(source: str, case: dict, inputs: Arrays) -> tuple[Arrays, bool]:
    """The buffers after a case's launches, and whether another order may show another race."""
    module = simulator.RawModule(code=source)  # a fresh one: __device__ variables start anew
    made = {**case["outputs"], **case["scratch"]}
    buffers = {name: value.copy() for name, value in inputs.items()}
    buffers |= {name: simulator.empty(tuple(shape), dtype) for name, (shape, dtype) in made.items()}
    depends_on_order = False
    for launch in case["launches"]:
        kernel = module.get_function(launch["kernel"])
        args = tuple(argument(arg, buffers) for arg in launch["args"])
        grid, block = tuple(launch["grid"]), tuple(launch["block"])
        kernel(grid, block, args, shared_mem=launch["shared_mem"])
        depends_on_order |= kernel.depends_on_order
    return buffers, depends_on_order


def _look_for_races(source: str, case: dict, inputs: Arrays, steps: int, order: str) -> None:
    """Once more in another order, for races that the first one does not show. Threads meet less
    often this way, so running out of steps means nothing; and what they print is not shown."""
    options = simulator.options(step_limit=steps, order=order)
    with options, simulator.observe(), suppress(StepLimit):
        _launch(source, case, inputs)


def argument(value: dict, buffers: dict):
    """A launch argument from its JSON form: a buffer by name, or a NumPy scalar."""
    if "buffer" in value:
        return buffers[value["buffer"]]
    return np.dtype(value["dtype"]).type(value["value"])
