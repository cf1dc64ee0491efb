"""One case on the simulated device."""

from __future__ import annotations

import numpy as np

from ..cuda import simulator
from .protocol import Argument, Arrays, CaseRequest


def run_case(source: str, case: CaseRequest, inputs: Arrays) -> tuple[dict, Arrays]:
    """Run the case's launches. What was counted: "counters" (totals), "opcodes" (PTX opcode ->
    warp instructions), "steps" (of which it may take `case.steps` a wave of blocks). Arrays by
    name: "input/x" (what is in x now), "output/y", and "written/y" (bool, which elements of y a
    kernel wrote). Raises CudaError."""
    module = simulator.RawModule(code=source)  # a fresh one: __device__ variables start anew
    made = {**case.outputs, **case.scratch}
    buffers = dict(inputs)
    buffers |= {name: simulator.empty(one.shape, one.dtype) for name, one in made.items()}
    with simulator.options(step_limit=case.steps), simulator.observe() as run:
        for launch in case.launches:
            kernel = module.get_function(launch.kernel)
            args = tuple(argument(arg, buffers) for arg in launch.args)
            kernel(launch.grid, launch.block, args, shared_mem=launch.shared_mem)
    results = {f"input/{name}": buffers[name] for name in case.inputs}
    for name in case.outputs:
        results[f"output/{name}"] = np.asarray(buffers[name])
        results[f"written/{name}"] = simulator.written(buffers[name])
    counters = run.counters
    counted = {"counters": counters.total, "opcodes": dict(counters.opcodes), "steps": run.steps}
    return counted, results


def argument(value: Argument, buffers: dict):
    """What a launch is given: a buffer by name, or a NumPy scalar."""
    return buffers[value.buffer] if value.buffer else np.dtype(value.dtype).type(value.value)
