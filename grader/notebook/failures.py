"""A learner's mistake ends its cell with a card instead of a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from grader import cuda
from grader.cuda.errors import CudaError

from . import about as told
from . import cards
from .html import Page


class Notice(Exception):
    """A sentence that tells the learner what to do next."""


def install(shell: InteractiveShell) -> None:
    """From now on a cell that ends in a CudaError or a Notice, or in an error that a real GPU
    reports, shows its card.

    The cell still counts as failed: "Run All" stops there, and nbclient and nbconvert raise."""
    kinds = (CudaError, Notice)
    if cuda.device == "gpu":
        gpu = cuda.xp.cuda
        kinds += (gpu.runtime.CUDARuntimeError, gpu.driver.CUDADriverError)
    shell.set_custom_exc(kinds, _show)


@contextmanager
def about(source: str, cell: str = "") -> Iterator[None]:
    """Give a CudaError raised inside the text it is about, that of `%%cuda cell`, so that its card
    can show the line, and the editor too."""
    try:
        yield
    except CudaError as error:
        error.source, error.cell = source, cell
        raise


def _page(error: Exception) -> Page:
    if isinstance(error, Notice):
        return cards.notice(str(error))
    return cards.failure(error) if isinstance(error, CudaError) else cards.crash(error)


def _show(shell, kind, error, traceback, tb_offset=None) -> list[str]:
    page = _page(error)
    display(page, metadata=told.error(error) if isinstance(error, CudaError) else {})
    shell._last_traceback = page.text.splitlines()  # what ipykernel tells nbclient of the failure
    return shell._last_traceback
