"""The judge's child process, `python -m grader.judge.sandbox`: runs a learner's kernels.

Reads one request from stdin (see cases.request). Writes one answer about the compilation and one
for each case, in order, to what was stdout; a process that is killed loses only the case it was
in. It is told inputs and launches, never what is expected.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import textwrap
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from ..cuda.errors import CudaError, LaunchError
from . import wire


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a kernel prints on the hardware must not look like an answer
    request, arrays = wire.read(sys.stdin.buffer)
    _limit(request)
    for answer, results in _answers(request, arrays):
        answers.write(wire.pack(answer, results))
        answers.flush()
    os._exit(0)  # a CUDA context that an error has broken can crash in the tear-down


def _limit(request: dict) -> None:
    """Limits on this process; the judge also watches the clock."""
    limits = {
        resource.RLIMIT_CPU: request["cpu_seconds"],
        resource.RLIMIT_FSIZE: request["file_bytes"],
        resource.RLIMIT_CORE: 0,
    }
    if request["device"] == "simulator":  # CUDA's driver reserves hundreds of GB of addresses
        limits[resource.RLIMIT_AS] = request["memory_bytes"]
    for limit, value in limits.items():
        _, hard = resource.getrlimit(limit)
        with suppress(ValueError):  # the machine's own limit is tighter already
            resource.setrlimit(limit, (value, hard))


def _answers(request: dict, arrays: wire.Arrays):
    """(answer, arrays) for the compilation, then for each case until one ends the process."""
    run_case = _device(request["device"])
    source = request["source"]
    answer, _ = _attempt(partial(_compile, source, request["cases"]), request)
    yield answer, {}
    if answer["status"] != "ran":
        return
    for case in request["cases"]:
        inputs = {name: arrays[f"{case['position']}/{name}"] for name in case["inputs"]}
        answer, results = _attempt(
            partial(run_case, source, case, inputs, request["steps"]), request
        )
        yield answer, results
        if request["device"] == "gpu" and answer["status"] != "ran":
            return  # a CUDA error sticks to its process: the judge starts another for the rest


def _device(name: str) -> Callable:
    if name == "gpu":
        from .hardware import run_case
    else:
        from .simulated import run_case
    return run_case


def _attempt(action: Callable, request: dict) -> wire.Message:
    """What `action` returns as a message; what it raises as an answer that teaches."""
    try:
        counted, arrays = action()
        return {"status": "ran", **counted}, arrays
    except CudaError as error:
        return _failure(error.status, str(error), error.line), {}
    except MemoryError as error:
        return _failure("launch_error", _too_much(str(error), request["memory_bytes"])), {}
    except Exception as error:
        return _failure(
            "unsupported",
            f"The grader itself stumbled over this kernel ({type(error).__name__}: "
            f"{textwrap.shorten(str(error), 200)}). "
            "That is not your mistake; please show it to your instructor.",
        ), {}


def _failure(status: str, message: str, line: int | None = None) -> dict:
    return {"status": status, "message": message, "line": line}


def _too_much(message: str, memory_bytes: int) -> str:
    """`message` is NumPy's, such as "Unable to allocate 9.31 GiB for an array with ..."."""
    asked = re.search(r"Unable to allocate ([\d.]+) (\w+)", message)
    amount = f"{float(asked[1]):g} {asked[2]}" if asked else "more memory"
    return (
        f"The run asked for {amount}, and a run may use {memory_bytes / 2**30:.3g} GiB in all. "
        "Look at the sizes of your arrays: __device__ arrays count once, __shared__ arrays once "
        "a block, local arrays once a thread."
    )


def _compile(source: str, cases: list[dict]):
    from ..cuda import compiler

    ptx = compiler.compile_ptx(source)
    defined = re.findall(r"\.entry\s+([\w$]+)", ptx.text)
    for launch in (launch for case in cases for launch in case["launches"]):
        if launch["kernel"] not in defined:
            raise LaunchError(_no_such_kernel(launch["kernel"], defined))
    return {}, {}


def _no_such_kernel(expected: str, defined: list[str]) -> str:
    if any(name.startswith(f"_Z{len(expected)}{expected}") for name in defined):
        return (
            f'The kernel {expected} lacks extern "C": without it C++ adds the parameter types to '
            f'the name and nobody finds it. Write: extern "C" __global__ void {expected}(...)'
        )
    found = f"defines {', '.join(defined)}" if defined else "defines no kernel at all"
    return (
        f"This exercise calls the kernel {expected}, but the source {found}. "
        f'The name must be exact: extern "C" __global__ void {expected}(...)'
    )


if __name__ == "__main__":
    main()
