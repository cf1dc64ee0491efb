"""A learner's mistake ends its cell with a card instead of a traceback."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from IPython.core.getipython import get_ipython
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from grader import cuda
from grader.cuda.errors import CudaError

from ..errors import CourseError, unless
from . import cards


class Notice(CourseError):
    """A sentence that tells the learner what to do next; `button` is the HTML of one that does."""

    def __init__(self, text: str, button: str = ""):
        super().__init__(text)
        self.button = button


def shell() -> InteractiveShell:
    """The notebook's; a Notice where there is none."""
    return unless(get_ipython(), Notice("This works in a notebook, or in IPython."))


def install(shell: InteractiveShell) -> None:
    """From now on a cell that ends in a CudaError or a CourseError, or in an error that a real GPU
    reports, shows its card.

    The cell still counts as failed: "Run All" stops there, and nbclient and nbconvert raise."""
    kinds: tuple[type[Exception], ...] = (CudaError, CourseError)
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


def _show(
    shell: Any,  # ipykernel's, of which it keeps `_last_traceback`
    kind: type[Exception],
    error: Exception,
    traceback: TracebackType,
    tb_offset: int | None = None,
) -> list[str]:
    page = (
        cards.notice(str(error), getattr(error, "button", ""))
        if isinstance(error, CourseError)
        else cards.failure(error)
        if isinstance(error, CudaError)
        else cards.crash(error)
    )
    display(page)
    rows = page.text.splitlines()
    shell._last_traceback = rows  # what ipykernel tells nbclient of the failure
    return rows
