"""lesson(): the first thing a notebook calls."""

from __future__ import annotations

from IPython.display import display

from grader import course, cuda
from grader.errors import NotInCourse

from . import cards, failures, magic, session

_DEVICES = {
    "simulator": (
        "No GPU here: kernels run on the simulated GPU. NVIDIA's compiler, every memory access "
        "checked, true results; only the time it takes says nothing about a real GPU."
    ),
    "gpu": (
        "Kernels run on this machine's GPU; `check` and `watch` use the simulated GPU first, "
        "which sees every memory access."
    ),
}


def lesson(name: str) -> None:
    """Open the lesson `name`, e.g. "02_tree_reduction": teaches the notebook `%%cuda`, tells
    `check` and `hint` where the exercises are, and says which device kernels run on."""
    shell = failures.shell()
    failures.install(shell)
    magic.install(shell)
    try:
        found = course.lesson(name)
    except NotInCourse as error:
        raise failures.Notice(str(error)) from None
    session.begin(found)
    display(cards.line("note", found.title, _DEVICES[cuda.device]))
