"""predict(): a question to answer before the next cell is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets as widgets
from IPython.display import display

from .html import ACCENTS, BORDER, TEXT, card, heading, paragraph, prose


def predict(question: str, choices: Sequence[str], answer: str, because: str) -> None:
    """Ask `question`; the learner clicks on one of `choices`, and learns at once whether it is
    `answer` (one of them) and why. What stands between backticks is shown as code."""
    if answer not in choices:
        raise ValueError(f"predict: the answer {answer!r} is not one of the choices {choices!r}")
    display(_Question(question, tuple(choices), answer, because))


class _Question(widgets.VBox):
    """The question, a button for each choice and, once one was clicked, the reason. Until then
    nothing that is sent to the page, or saved with it, holds the answer."""

    def __init__(self, question: str, choices: tuple[str, ...], answer: str, because: str):
        self._question, self._choices = question, choices
        self._answer, self._because = answer, because
        self._buttons = [widgets.Button(description=choice, layout=_FITTING) for choice in choices]
        for button in self._buttons:
            button.on_click(self._reveal)
        self._reply = widgets.HTML(layout={"margin": "0", "display": "none"})
        row = widgets.HBox(self._buttons, layout={"flex_flow": "row wrap"})
        asked = widgets.HTML(_styled(heading("note", "Predict") + paragraph(question)))
        super().__init__([asked, row, self._reply], layout=_FRAME)

    def _reveal(self, clicked: widgets.Button) -> None:
        right = clicked.description == self._answer
        for button in self._buttons:
            button.on_click(self._reveal, remove=True)
            if button.description == self._answer:
                button.button_style = "success"
            elif button is clicked:
                button.button_style = "danger"
            else:
                button.disabled = True
        title = "✓ Right." if right else f"✗ It is not “{clicked.description}”."
        told = "" if right else f" The answer is “{prose(self._answer)}”."
        kind = "success" if right else "error"
        self._reply.value = _styled(heading(kind, prose(title), told) + paragraph(self._because))
        self._reply.layout.display = None

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The widget's own, with twins for pages that have no widgets."""
        choices = "".join(f"<li>{prose(choice)}</li>" for choice in self._choices)
        asked = heading("note", "Predict") + paragraph(self._question)
        listed = "\n".join(f"  - {choice}" for choice in self._choices)
        twins = {
            "text/html": card("note", asked, f'<ul style="margin: 0">{choices}</ul>'),
            "text/plain": f"Predict: {self._question}\n{listed}",
        }
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        return bundle | twins


_FITTING = {"width": "auto", "max_width": "100%", "margin": "2px 8px 2px 0"}
_FRAME = {
    **{f"border_{edge}": f"1px solid {BORDER}" for edge in ("top", "right", "bottom")},
    "border_left": f"4px solid {ACCENTS['note']}",
    "padding": "6px 14px",
    "margin": "4px 0",
    "max_width": "980px",
}


def _styled(html: str) -> str:
    font = "font-size: var(--jp-content-font-size1, 14px); line-height: 1.5; white-space: normal"
    return f'<div style="color: {TEXT}; {font}">{html}</div>'
