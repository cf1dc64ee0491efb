"""warmup(): a few short pieces of passed lessons, so that they are not forgotten."""

from IPython.display import display

from grader.counted import counted
from grader.learner import progress, recall
from grader.learner.pieces import Piece, Prediction

from . import cards, failures, session
from .failures import Notice
from .prediction import ask_again

_NOTHING = "Pieces come back some days after you did them, from lessons whose exercises all pass."


def warmup() -> None:
    """Show three to five short pieces of passed lessons, for at most ten minutes: questions, and
    an exercise, whose cell is put below this one."""
    shell = failures.shell()
    failures.install(shell)
    root = progress.folder()
    if root is None:
        raise Notice("This is no learner's folder: `grader lab FOLDER` makes one.")
    pieces = recall.warm_up(root)
    if not pieces:
        display(cards.line("success", "Nothing is due", _NOTHING))
        return
    minutes = counted(sum(piece.minutes for piece in pieces), "minute")
    display(cards.line("note", "Warm-up", f"{counted(len(pieces), 'piece')}, {minutes}"))
    for piece in pieces:
        if isinstance(piece.task, Prediction):
            ask_again(piece.task, piece.lesson)
        else:
            session.add(f"{piece.lesson}/{piece.name}")
            _show(f"**In the new cell below:** `{piece.name}`\n\n{piece.asked}")
            shell.set_next_input(piece.task)
        _show(_lesson_before(piece))


def _lesson_before(piece: Piece) -> str:
    """The lesson's section up to the piece, for a learner who has to look it up."""
    summary = f"<summary>Read again: {piece.section} ({piece.lesson})</summary>"
    return f"<details>{summary}\n\n{piece.above}\n\n</details>"


def _show(markdown: str) -> None:
    display({"text/markdown": markdown, "text/plain": markdown}, raw=True)
