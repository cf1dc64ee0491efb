"""The judge's worker, `python -m grader.judge.sandbox.main`: compiles and runs learners' kernels.

Reads one protocol.Request from stdin. Writes one Reply about the compilation and one for each
case, in order, to what was stdout; a process that is killed loses only the case it was in. It is
told inputs and launches, never what is expected. With the argument "serve" it forks workers (see
`forkserver`). Whatever compiles has given up every file but CUDA's own and Python's (see
`landlock`).
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
import textwrap
import traceback
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ... import disk_cache
from ...cuda.errors import (
    CompileError,
    CompilerFailure,
    CudaError,
    DataRace,
    LaunchError,
    OutOfTime,
    StepLimit,
)
from ...status import Status
from .. import protocol
from ..protocol import Arrays, CaseRequest, Failed, Ran, Reply, Request, Scene
from . import landlock, rlimits

if sys.platform == "linux":
    from . import forkserver

if TYPE_CHECKING:
    from ...compilers import Compiler

_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/dev/urandom")

RunCase = Callable[[str, CaseRequest, Arrays], Ran]


def main() -> None:
    if sys.platform == "linux" and forkserver.SERVE in sys.argv[1:]:
        forkserver.serve(_warm_up, _work)
    else:
        _work()


def _warm_up() -> None:
    """Import and look up what every worker needs; nothing here depends on what it is asked."""
    from . import reasoning, simulated  # noqa: F401, imported for the workers

    reasoning.reasoners()
    with suppress(Exception):  # each worker then finds it missing, and says so
        _readable()


def _work() -> NoReturn:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a kernel prints on the hardware must not look like an answer
    with open(0, "rb", closefd=False) as stdin:
        request = protocol.read_request(stdin)
    work = {
        "simulator": _simulate,
        "compiler": _compile_only,
        "gpu": _run_on_gpu,
        "reasoning": _reason,
    }
    rlimits.limit(request)
    for reply in work[request.device](request):
        answers.write(protocol.encode(reply))
        answers.flush()
    os._exit(0)  # a CUDA context that an error has broken can crash in the tear-down


def _simulate(request: Request) -> Iterator[Reply]:
    from ... import compilers
    from .simulated import run_case

    _withdraw(compilers.chosen())
    rlimits.end_at_the_latest(request.compile_seconds, request.cpu_seconds)
    action = partial(_compile, request.source, request.cases)
    compiled = _attempt(action, request.memory_bytes, request.compile_seconds)
    rlimits.start_no_process()
    yield compiled
    if isinstance(compiled, Ran):
        yield from _each_case(run_case, request)


def _compile_only(request: Request) -> Iterator[Reply]:
    from ... import compilers

    _withdraw(compilers.COMPILERS["nvrtc"])
    action = partial(_compile_cubin, request.source, request.architecture)
    yield _attempt(action, request.memory_bytes, request.compile_seconds)


def _reason(request: Request) -> Iterator[Reply]:
    """Nothing of a learner's runs here but on the simulated device; Z3 is given formulas alone."""
    from ... import compilers

    _withdraw(compilers.chosen())
    rlimits.raise_when_time_is_up()
    rlimits.end_at_the_latest(request.compile_seconds, request.cpu_seconds)
    action = partial(_examined, request)
    yield _attempt(action, request.memory_bytes, request.compile_seconds)


def _run_on_gpu(request: Request) -> Iterator[Reply]:
    from .hardware import run_case

    cubin = Path("kernel.cubin").absolute()  # in this process's own folder
    cubin.write_bytes(request.arrays["cubin"].tobytes())
    yield Ran()
    yield from _each_case(partial(run_case, cubin=cubin), request)


def _each_case(run_case: RunCase, request: Request) -> Iterator[Reply]:
    """After a case that took too long no other is run."""
    if request.device == "simulator":
        rlimits.raise_when_time_is_up()
    for case in request.cases:
        inputs = {name: request.arrays[f"{case.position}/{name}"] for name in case.inputs}
        rlimits.end_at_the_latest(request.case_seconds, request.cpu_seconds)
        action = partial(run_case, request.source, case, inputs)
        reply = _attempt(action, request.memory_bytes, request.case_seconds)
        yield reply
        if isinstance(reply, Failed) and reply.status == Status.TIMEOUT:
            return


def _withdraw(compiler: Compiler) -> None:
    """Give up every file that compiling and simulating can do without, and other processes, but
    for the one that a compiler may be."""

    readable = _readable()
    cache = disk_cache.of_user().folder
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
    landlock.keep_only(readable, [cache, Path.cwd()])
    compiler.shut()
    tempfile.tempdir = str(Path.cwd())
    if not compiler.starts_programs:
        rlimits.start_no_process()


@cache
def _readable() -> tuple[Path, ...]:
    """Where Python, CUDA and their libraries lie, and the packages in use: NumPy may have been
    installed elsewhere, and parts of it are read only when first needed."""
    from ... import compilers

    cuda = compilers.chosen().folders()
    own = (Path(__file__).parents[2], Path(sys.prefix), Path(sys.base_prefix))
    used = [one for name, one in sys.modules.items() if "." not in name]
    packages = (Path(file).parent for one in used if (file := _file_of_package(one)))
    elsewhere = [path for path in packages if not any(map(path.is_relative_to, own))]
    return tuple(dict.fromkeys((*own, *elsewhere, *cuda, *map(Path, _LIBRARIES))))


def _file_of_package(module: types.ModuleType) -> str | None:
    return getattr(module, "__file__", None) if hasattr(module, "__path__") else None


def _attempt(action: Callable[[], Ran], memory_bytes: int, seconds: float) -> Reply:
    """What `action` returns; what it raises as a failure that teaches. SIGPROF stops it after so
    many `seconds` of the CPU's time, whatever else the machine is doing; `memory_bytes` is what it
    may use."""
    try:
        with rlimits.time_for(seconds):
            return action()
    except CompilerFailure as error:
        return Failed(error.status, f"{error} {_out_of_reach()}")
    except CompileError as error:
        return Failed(error.status, str(error), error.line, error.diagnostics)
    except CudaError as error:
        return _failed(error)
    except OutOfTime:
        return Failed(Status.TIMEOUT, _still_busy(seconds))
    except MemoryError as error:
        return Failed(Status.LAUNCH_ERROR, _too_much(str(error), memory_bytes))
    except Exception as error:
        return Failed(Status.UNSUPPORTED, _our_fault(error))


def _failed(error: CudaError) -> Failed:
    return Failed(
        error.status,
        str(error),
        error.line,
        counters=dict(error.counters) if isinstance(error, StepLimit) else {},
        other_line=error.other_line if isinstance(error, DataRace) else None,
        where=Scene(error.launch, error.block, error.order) if error.launch else None,
    )


def _our_fault(error: Exception) -> str:
    """What to say of an error that only the grader's authors can fix, and what they need for it.
    The same error is kept in the same file, so that a verdict is the same each time."""

    said = "".join(traceback.format_exception(error))
    send = "the kernel and this sentence"
    with suppress(OSError):
        digest = hashlib.sha256(said.encode()).hexdigest()[:8]
        kept = disk_cache.of_user().folder / f"stumbled-{digest}.traceback.txt"
        kept.write_text(said, encoding="utf-8")
        send = f"the kernel and {kept}"
    last = traceback.extract_tb(error.__traceback__)[-1]
    return (
        f"The grader itself stumbled over this kernel ({type(error).__name__}: "
        f"{textwrap.shorten(str(error), 200)}; {Path(last.filename).name}, line {last.lineno}). "
        f"That is not your mistake; please send your instructor {send}."
    )


def _still_busy(seconds: float) -> str:
    return (
        f"After {seconds:g} s of the processor's time the simulated GPU was still busy with this "
        "kernel, and stopped. Kernels of this course need a fraction of that: look for huge "
        "arrays, unrolled loops, and more threads than there is work for."
    )


def _out_of_reach() -> str:
    from ... import compilers

    name = compilers.chosen_name()
    return (
        "That is not your mistake; please show it to your instructor: the judge's process may "
        f"read only what is under {', '.join(map(str, _readable()))}, and {name} was found in "
        f"{compilers.COMPILERS[name].folders()[0]}. What it needs beside it must lie there too; "
        "`grader doctor` tries it."
    )


def _too_much(message: str, memory_bytes: int) -> str:
    """`message` is NumPy's, such as "Unable to allocate 9.31 GiB for an array with ..."."""
    asked = re.search(r"Unable to allocate ([\d.]+) (\w+)", message)
    amount = f"{float(asked[1]):g} {asked[2]}" if asked else "more memory"
    return (
        f"The run asked for {amount}, and a run may use {memory_bytes / 2**30:.3g} GiB in all. "
        "Look at the sizes of your arrays: __device__ arrays count once, __shared__ arrays once "
        "a block, local arrays once a thread."
    )


def _compile(source: str, cases: tuple[CaseRequest, ...]) -> Ran:
    from ... import compilers

    ptx = compilers.compile_ptx(source)
    _refuse_strange_files(ptx.files)
    defined = re.findall(r"\.entry\s+([\w$]+)", ptx.text)
    for launch in (launch for case in cases for launch in case.launches):
        if launch.kernel not in defined:
            raise LaunchError(_no_such_kernel(launch.kernel, defined, source))
    return Ran(warnings=ptx.warnings)


def _examined(request: Request) -> Ran:
    from .reasoning import examined

    found = examined(request.source, request.rules, request.solution, request.effort)
    return Ran(examined=found)


def _compile_cubin(source: str, architecture: str) -> Ran:
    import numpy as np

    from ... import compilers

    program = compilers.compile_cubin(source, (), (), architecture)
    return Ran(arrays={"cubin": np.frombuffer(program.code, np.uint8)})


def _refuse_strange_files(files: tuple[str, ...]) -> None:
    """Where there is no Landlock, this still keeps code from being made of other files."""
    for file in files:
        raise CompileError(
            f'"{Path(file).name}" cannot be included: only CUDA\'s own headers are here, such as '
            "cub/cub.cuh, cooperative_groups.h and cuda_fp16.h."
        )


def _no_such_kernel(expected: str, defined: list[str], source: str) -> str:
    from ...cuda.simulator import plain

    names = dict.fromkeys(map(plain, defined))
    if expected in names:
        return (
            f'The kernel {expected} lacks extern "C": without it C++ adds the parameter types to '
            f'the name and nobody finds it. Write: extern "C" __global__ void {expected}(...)'
        )
    if re.search(rf"\b__device__\b[^;{{}}()]*\b{expected}\s*\(", source):
        return (
            f"{expected} is a __device__ function, which only kernels can call. What is launched "
            f'is __global__: extern "C" __global__ void {expected}(...)'
        )
    found = f"defines {', '.join(names)}" if names else "defines no kernel at all"
    return (
        f"This exercise calls the kernel {expected}, but the source {found}. "
        f'The name must be exact: extern "C" __global__ void {expected}(...)'
    )


if __name__ == "__main__":
    main()
