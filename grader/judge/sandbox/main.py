"""The judge's worker, `python -m grader.judge.sandbox.main`: compiles and runs learners' kernels.

Reads a protocol.Opening from stdin and then Questions, and answers each with a Reply to what was
stdout. Between two questions it keeps the program and nothing else: one that is broken off in the
middle is the last. It is told inputs and launches, never what is expected. With the argument
"serve" it forks workers (see `forkserver`). Whatever compiles has given up every file but CUDA's
own and Python's (see `landlock`).
"""

import errno
import os
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import BinaryIO, NoReturn

from msgspec.structs import replace

from ... import compilers, disk_cache
from ...cuda.errors import (
    CompileError,
    CompilerFailure,
    CudaError,
    DataRace,
    LaunchError,
    OutOfTime,
    StepLimit,
    in_parts,
)
from ...machine.naming import plain
from ...say import verdict_process as say
from ...status import Status
from ..protocol import (
    Examine,
    Failed,
    Opening,
    Question,
    Ran,
    Reply,
    Scene,
    encode,
    read_opening,
    read_question,
)
from . import landlock, rlimits

if sys.platform == "linux":
    from . import forkserver

_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/dev/urandom")


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
    with open(0, "rb", closefd=False) as questions:
        opening = read_opening(questions)
        rlimits.limit(opening)
        goes_on = _tell(_opened(opening), answers)
        while goes_on and (question := read_question(questions)):
            rlimits.end_at_the_latest(question.seconds, question.latest)
            reply = _attempt(
                partial(_answer, opening, question), opening.memory_bytes, question.seconds
            )
            if opening.device == "gpu" and isinstance(reply, Failed):
                reply = replace(reply, broken_off=True)  # a CUDA error sticks to its process
            goes_on = _tell(reply, answers)
            del question, reply  # and all that came with it
    os._exit(0)  # a CUDA context that an error has broken can crash in the tear-down


def _tell(reply: Reply, answers: BinaryIO) -> bool:
    """Whether more can be asked after this reply."""
    answers.write(encode(reply))
    answers.flush()
    return isinstance(reply, Ran) or not reply.broken_off


def _opened(opening: Opening) -> Reply:
    """What compiling comes to."""
    if opening.device == "gpu":
        Path("kernel.cubin").write_bytes(opening.cubin)  # in this process's own folder
        return Ran()
    _withdraw(compilers.COMPILERS["nvrtc"] if opening.device == "compiler" else compilers.chosen())
    rlimits.end_at_the_latest(opening.seconds, opening.latest)
    compiled = _attempt(partial(_compile, opening), opening.memory_bytes, opening.seconds)
    rlimits.start_no_process()
    rlimits.raise_when_time_is_up()
    return compiled


def _answer(opening: Opening, question: Question) -> Ran:
    """What a question about the source comes to."""
    about = question.about
    if isinstance(about, Examine):  # Z3 is given formulas alone
        from .reasoning import examined

        return Ran(examined=examined(opening.source, about))
    if opening.device == "gpu":
        from . import hardware

        return hardware.run_case(opening.source, about, Path("kernel.cubin").absolute())
    from .simulated import run_case

    defined = re.findall(r"\.entry\s+([\w$]+)", compilers.compile_ptx(opening.source).text)
    for kernel in question.kernels:
        if kernel not in defined:
            there = list(dict.fromkeys(map(plain, defined)))
            raise LaunchError(say.no_such_kernel(kernel, there, opening.source))
    return run_case(opening.source, about, opening.options)


def _withdraw(compiler: compilers.Compiler) -> None:
    """Give up every file that compiling and simulating can do without, and other processes, but
    for the one that a compiler may be."""
    cache = disk_cache.of_user().folder
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
    landlock.keep_only(_readable(), [cache, Path.cwd()])
    compiler.shut()
    tempfile.tempdir = str(Path.cwd())
    if not compiler.starts_programs:
        rlimits.start_no_process()


@cache
def _readable() -> tuple[Path, ...]:
    """Where Python, CUDA and their libraries lie, and the packages in use: NumPy may have been
    installed elsewhere, and parts of it are read only when first needed."""
    cuda = compilers.chosen().folders()
    own = (Path(__file__).parents[2], Path(sys.prefix), Path(sys.base_prefix))
    used = [one for name, one in sys.modules.items() if "." not in name]
    files = (getattr(one, "__file__", None) for one in used if hasattr(one, "__path__"))
    packages = [Path(file).parent for file in files if file]
    elsewhere = [path for path in packages if not any(map(path.is_relative_to, own))]
    return tuple(dict.fromkeys((*own, *elsewhere, *cuda, *map(Path, _LIBRARIES))))


def _attempt(action: Callable[[], Ran], memory_bytes: int, seconds: float) -> Reply:
    """What `action` returns; what it raises as a failure that teaches. SIGPROF stops it after so
    many `seconds` of the CPU's time, whatever else the machine is doing; `memory_bytes` is what it
    may use."""
    try:
        with rlimits.time_for(seconds):
            return action()
    except CompilerFailure as error:
        advice = say.out_of_reach(
            ", ".join(map(str, _readable())),
            compilers.chosen_name(),
            str(compilers.chosen().folders()[0]),
        )
        return Failed(error.status, in_parts(f"{error} {advice}"))
    except CompileError as error:
        return Failed(error.status, error.parts, error.line, error.diagnostics)
    except CudaError as error:
        return Failed(
            error.status,
            error.parts,
            error.line,
            counters=dict(error.counters) if isinstance(error, StepLimit) else {},
            other_line=error.other_line if isinstance(error, DataRace) else None,
            where=Scene(error.launch, error.block, error.order, error.thread)
            if error.launch
            else None,
        )
    except OutOfTime:
        return Failed(Status.TIMEOUT, say.still_busy(seconds), broken_off=True)
    except Exception as error:
        return (
            Failed(Status.LAUNCH_ERROR, say.too_much(str(error), memory_bytes), broken_off=True)
            if isinstance(error, MemoryError) or getattr(error, "errno", 0) == errno.ENOMEM
            else Failed(
                Status.UNSUPPORTED, say.our_fault(error, *disk_cache.kept(error)), broken_off=True
            )
        )


def _compile(opening: Opening) -> Ran:
    if opening.device == "compiler":
        made = compilers.compile_cubin(opening.source, opening.options, (), opening.architecture)
        return Ran(cubin=made.code)
    ptx = compilers.compile_ptx(opening.source, opening.options)
    for file in ptx.files:  # where there is no Landlock, code is still not made of other files
        raise CompileError(say.strange_file(Path(file).name))
    for source in opening.more:
        compilers.compile_ptx(source)
    return Ran(warnings=ptx.warnings)


if __name__ == "__main__":
    main()
