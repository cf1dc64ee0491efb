"""predict(): a question to answer before the next cell is run."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets
from IPython.display import display
from IPython.display import update_display as show_instead

from grader.learner import progress

from . import session
from .failures import Notice
from .html import ACCENTS, BORDER, OURS, RAISED, TEXT, Page, card, heading, paragraph, prose

# What our labextension shows before all else that an output has: HTML whose links answer. Where
# there is no such extension, the widget does the same.
ANSWERABLE = "application/vnd.warpwise.html"


@dataclass(frozen=True)
class Prediction:
    """A question to answer before a cell is run."""

    text: str
    choices: tuple[str, ...]
    answer: str  # one of the choices
    because: str  # why it is right

    @property
    def key(self) -> str:
        """By which its answer is remembered: another wording is another question."""
        return hashlib.sha256("\n".join((self.text, *self.choices)).encode()).hexdigest()[:16]


_asked: dict[str, Prediction] = {}  # by key


def predict(question: str, choices: Sequence[str], answer: str, because: str) -> None:
    """Ask `question`; the learner clicks on one of `choices`, and learns at once whether it is
    `answer` (one of them) and why. What stands between backticks is shown as code. A question
    that was answered before is shown with what was answered."""
    if answer not in choices:
        raise ValueError(f"predict: the answer {answer!r} is not one of the choices {choices!r}")
    asked = Prediction(question, tuple(choices), answer, because)
    _asked[asked.key] = asked
    given = progress.answer(session.current().lesson.name, asked.key)
    if given in asked.choices:
        display(_answered(asked, given))
    else:
        unanswered = {OURS: {"prediction": asked.key, "answered": False}}
        display(_Buttons(asked), display_id=asked.key, metadata=unanswered)


def answer(key: str, number: int) -> None:
    """The learner chose number `number`, from 0, of the question `key`, in the page."""
    if key not in _asked:
        raise Notice("Run the question's cell first.")
    asked = _asked[key]
    choice = asked.choices[number]
    progress.predicted(session.current().lesson.name, key, choice, choice == asked.answer)
    show_instead(_answered(asked, choice), display_id=key)


class _Buttons(widgets.VBox):
    """The question and a button for each choice. Nothing that is sent to the page, or saved with
    it, holds the answer; once there is one, a page without widgets stands in its place."""

    def __init__(self, asked: Prediction):
        self._asked = asked
        buttons = [widgets.Button(description=text, layout=_FITTING) for text in asked.choices]
        for number, button in enumerate(buttons):
            button.on_click(lambda _, number=number: answer(asked.key, number))
        row = widgets.HBox(buttons, layout={"flex_flow": "row wrap"})
        font = (
            "font-size: var(--jp-content-font-size1, 14px); line-height: 1.5; white-space: normal"
        )
        head = widgets.HTML(f'<div style="color: {TEXT}; {font}">{_head(asked)}</div>')
        super().__init__([head, row], layout=_FRAME)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The widget's own, with twins for pages that have no widgets."""
        choices = "".join(f"<li>{prose(choice)}</li>" for choice in self._asked.choices)
        links = "".join(  # that our labextension follows
            f'<a href="#predict={self._asked.key}:{number}" style="{_CHOICE}">{prose(choice)}</a>'
            for number, choice in enumerate(self._asked.choices)
        )
        listed = "\n".join(f"  - {choice}" for choice in self._asked.choices)
        twins = {
            ANSWERABLE: card("note", _head(self._asked), links),
            "text/html": card("note", _head(self._asked), f'<ul style="margin: 0">{choices}</ul>'),
            "text/plain": f"Predict: {self._asked.text}\n{listed}",
        }
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        return bundle | twins


def _head(asked: Prediction) -> str:
    return heading("note", "Predict") + paragraph(asked.text)


def _answered(asked: Prediction, choice: str) -> Page:
    """The question, all choices with what was chosen and what is right, and the reason."""
    right = choice == asked.answer
    title = "✓ Right." if right else f"✗ It is not “{choice}”."
    correct = "" if right else f" The answer is “{asked.answer}”."
    because = heading("success" if right else "error", prose(title), prose(correct))
    signs = {choice: "✗", asked.answer: "✓"}
    rows = [f"{signs.get(one, '·')} {one}" for one in asked.choices]
    items = "".join(f"<div>{prose(row)}</div>" for row in rows)
    html = card("note", _head(asked), items, because + paragraph(asked.because))
    texts = [f"Predict: {asked.text}", *(f"  {row}" for row in rows), title + correct]
    text = "\n".join([*texts, asked.because])
    return Page(html, text, {"prediction": asked.key, "answered": True})


_CHOICE = (
    f"display: inline-block; padding: 3px 12px; margin: 2px 8px 2px 0; color: {TEXT}; "
    f"border: 1px solid {BORDER}; border-radius: 3px; "
    f"background: {RAISED}; text-decoration: none;"
)
_FITTING = {"width": "auto", "max_width": "100%", "margin": "2px 8px 2px 0"}
_FRAME = {
    **{f"border_{edge}": f"1px solid {BORDER}" for edge in ("top", "right", "bottom")},
    "border_left": f"4px solid {ACCENTS['note']}",
    "padding": "6px 14px",
    "margin": "4px 0",
    "max_width": "980px",
}
