"""The judge's child process, `python -m grader.judge.sandbox`: compiles and runs learners' kernels.

Reads one request from stdin (see cases.request). Writes one answer about the compilation and one
for each case, in order, to what was stdout; a process that is killed loses only the case it was
in. It is told inputs and launches, never what is expected.

`request["device"]` says what for: "simulator" compiles and runs the cases, "compiler" compiles
for hardware and sends what came out, "gpu" runs a case of what was compiled before. Whatever
compiles has given up every file but CUDA's own and Python's (see `landlock`).
"""

from __future__ import annotations

import os
import re
import resource
import signal
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path

from ..cuda.errors import CompileError, CompilerFailure, CudaError, LaunchError
from . import landlock, wire

OPEN_FILES = 64
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/dev/urandom")


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a kernel prints on the hardware must not look like an answer
    request, arrays = wire.read(sys.stdin.buffer)
    work = {"simulator": _simulate, "compiler": _compile_only, "gpu": _run_on_gpu}
    _limit(request)
    for answer, results in work[request["device"]](request, arrays):
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
    if request["device"] != "gpu":  # CUDA's driver reserves hundreds of GB, and needs threads
        limits[resource.RLIMIT_AS] = request["memory_bytes"]
        limits[resource.RLIMIT_NOFILE] = OPEN_FILES
    for limit, value in limits.items():
        _, hard = resource.getrlimit(limit)
        with suppress(ValueError):  # the machine's own limit is tighter already
            resource.setrlimit(limit, (value, hard))


def _simulate(request: dict, arrays: wire.Arrays) -> Iterator[wire.Message]:
    from .simulated import run_case

    _withdraw()
    source = request["source"]
    answer, _ = _attempt(partial(_compile, source, request["cases"]), request)
    yield answer, {}
    if answer["status"] == "ran":
        yield from _each_case(run_case, request, arrays)


def _compile_only(request: dict, arrays: wire.Arrays) -> Iterator[wire.Message]:
    _withdraw()
    yield _attempt(partial(_compile_cubin, request["source"], request["architecture"]), request)


def _run_on_gpu(request: dict, arrays: wire.Arrays) -> Iterator[wire.Message]:
    from .hardware import run_case

    cubin = Path("kernel.cubin").absolute()  # in this process's own folder
    cubin.write_bytes(arrays["cubin"].tobytes())
    yield {"status": "ran"}, {}
    yield from _each_case(partial(run_case, cubin=cubin), request, arrays)


def _each_case(run_case: Callable, request: dict, arrays: wire.Arrays) -> Iterator[wire.Message]:
    for case in request["cases"]:
        inputs = {name: arrays[f"{case['position']}/{name}"] for name in case["inputs"]}
        yield _attempt(
            partial(run_case, request["source"], case, inputs, request["steps"]), request
        )


def _withdraw() -> None:
    """Give up every file that compiling and simulating can do without, and other processes."""
    from ..cuda import compilers

    readable = _readable()
    cache = compilers.cache.folder()
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
    landlock.keep_only(readable, [cache, Path.cwd()])
    with suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


@cache
def _readable() -> tuple[Path, ...]:
    """Where Python, CUDA and their libraries lie."""
    from ..cuda import compilers

    cuda = compilers.chosen().folders()
    own = (Path(__file__).parents[1], Path(sys.prefix), Path(sys.base_prefix))
    return tuple(dict.fromkeys((*own, *cuda, *map(Path, _LIBRARIES))))


def _attempt(action: Callable, request: dict) -> wire.Message:
    """What `action` returns as a message; what it raises as an answer that teaches. SIGPROF ends
    the process when that takes too much of the CPU's time, whatever else the machine is doing."""
    signal.setitimer(signal.ITIMER_PROF, request["case_seconds"])
    try:
        counted, arrays = action()
        return {"status": "ran", **counted}, arrays
    except CompilerFailure as error:
        return _failure(error.status, f"{error} {_out_of_reach()}"), {}
    except CompileError as error:
        told = [asdict(one) for one in error.diagnostics]
        return {**_failure(error.status, str(error), error.line), "diagnostics": told}, {}
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
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _out_of_reach() -> str:
    from ..cuda import compilers

    return (
        "That is not your mistake; please show it to your instructor: the judge's process may "
        f"read only what is under {', '.join(map(str, _readable()))}, and NVRTC was found in "
        f"{compilers.chosen().folders()[0]}. What it needs beside it must lie there too; "
        "`grader doctor` tries it."
    )


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


def _compile(source: str, cases: list[dict]) -> wire.Message:
    from ..cuda import compilers

    ptx = compilers.compile_ptx(source)
    _refuse_strange_files(ptx.files)
    defined = re.findall(r"\.entry\s+([\w$]+)", ptx.text)
    for launch in (launch for case in cases for launch in case["launches"]):
        if launch["kernel"] not in defined:
            raise LaunchError(_no_such_kernel(launch["kernel"], defined))
    return {}, {}


def _compile_cubin(source: str, architecture: str) -> wire.Message:
    import numpy as np

    from ..cuda import compilers

    program = compilers.compile_cubin(source, (), (), architecture)
    return {}, {"cubin": np.frombuffer(program.code, np.uint8)}


def _refuse_strange_files(files: tuple[str, ...]) -> None:
    """Where there is no Landlock, this still keeps code from being made of other files."""
    for file in files:
        raise CompileError(
            f'"{Path(file).name}" cannot be included: only CUDA\'s own headers are here, such as '
            "cub/cub.cuh, cooperative_groups.h and cuda_fp16.h."
        )


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
