"""%%cuda NAME: a notebook cell of CUDA C++."""

from __future__ import annotations

import re
from contextlib import suppress

from IPython.core.completer import CompletionContext, SimpleMatcherResult, context_matcher
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from grader import compilers
from grader.cuda import simulator
from grader.cuda.errors import CudaError
from grader.submissions import cells

from . import cards, failures, session
from .html import Page
from .kernel import Kernel

_ENTRY = re.compile(r"\.entry\s+([\w$]+)")


def install(shell: InteractiveShell) -> None:
    shell.magics_manager.register_function(_cuda, "cell", "cuda")
    if _no_python not in shell.Completer.custom_matchers:
        shell.Completer.custom_matchers.append(_no_python)


@context_matcher(identifier="warpwise.cuda", priority=1000)
def _no_python(context: CompletionContext) -> SimpleMatcherResult:
    """In a CUDA cell no names of Python are offered; the editor offers CUDA's."""
    return {"completions": [], "suppress": context.full_text.lstrip().startswith("%%cuda")}


def _cuda(line: str, cell: str) -> None:
    """%%cuda NAME: compile the cell, and make a variable of each of its kernels.

    NAME is what check(), hint() and the grader call this cell. Lines are counted as JupyterLab
    does, with `%%cuda NAME` the first."""
    name = _name(line)
    lesson = session.current()
    source = lesson.sources[name] = _source(cell)
    # What the cell defined before has this text now: a launch says what is wrong with it, and no
    # old kernel runs in its place.
    failures.shell().push({entry: Kernel(entry, source, name) for entry in lesson.kernels[name]})
    with failures.about(source, name):
        ptx = compilers.compile_ptx(source)
    entries = _ENTRY.findall(ptx.text)
    plain = [entry for entry in entries if not entry.startswith("_Z")]
    kernels = {entry: Kernel(entry, source, name) for entry in plain}
    failures.shell().push(kernels)
    lesson.kernels[name] |= kernels.keys()
    exercises = {exercise.name for exercise in lesson.lesson.exercises}
    if name not in exercises and (meant := sorted(exercises & kernels.keys())):
        display(_misnamed(name, meant[0]))
    else:
        display(_compiled(name, kernels, mangled=len(kernels) < len(entries)))
    if name in exercises:
        with suppress(CudaError):  # a launch will tell
            simulator.prepare(source)  # for the check() that comes next


def _source(body: str) -> str:
    """The source of the cell that runs now, of which IPython hands on the `body`: without the
    magic's line, and without blank ones before it."""
    history = failures.shell().history_manager
    typed = history.input_hist_raw[-1:] if history else []
    source = cells.cuda_source(typed[0]) if typed else ""
    return source if source.strip() == body.strip() else cells.below_magic(body)


def _name(line: str) -> str:
    name = line.strip()
    if not name:
        raise failures.Notice(
            "This cell needs a name: write `%%cuda NAME` in its first line, for example "
            "`%%cuda my_kernel`."
        )
    if not (name.isidentifier() and name.isascii()):
        raise failures.Notice(
            f"`{name}` cannot name a cell: after `%%cuda` comes one word of letters, digits and "
            "underscores, for example `%%cuda my_kernel`."
        )
    return name


def _misnamed(name: str, meant: str) -> Page:
    said = (
        f'but `check("{meant}")` does not see it: that judges the cell whose first line is '
        f"`%%cuda {meant}`, and here it is `%%cuda {name}`."
    )
    return cards.line("warning", "Compiled", said)


def _compiled(name: str, kernels: dict[str, Kernel], mangled: bool) -> Page:
    if kernels:
        named = ", ".join(f"`{kernel}`" for kernel in kernels)
        return cards.line("success", "Compiled", named)
    why = (
        'write `extern "C"` before `__global__`, or C++ adds the parameter types to its name'
        if mangled
        else 'a kernel starts with `extern "C" __global__ void`'
    )
    return cards.line("warning", f"`{name}` compiles, but has no kernel to call", f"{why}.")
