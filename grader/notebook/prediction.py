"""predict(): a question to answer before the next cell is run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import ipywidgets as widgets
from IPython.display import display, update_display

from grader.learner import progress
from grader.learner.recall import Prediction

from . import session
from .cards import ACCENTS, BORDER, OURS, RAISED, TEXT, Page, card, heading, paragraph, prose
from .failures import Notice

# What our labextension shows before all else that an output has: HTML whose links answer. Where
# there is no such extension, the widget does the same.
ANSWERABLE = "application/vnd.warpwise.html"


@dataclass(frozen=True)
class _Asked:
    """A question that the page shows."""

    prediction: Prediction
    lesson: str  # the name of the one that it is from
    name: str  # by which its answer is remembered
    again: bool = False  # in a warm-up: a wrong choice gets a second try


_asked: dict[str, _Asked] = {}  # by the key of the output


def predict(question: str, choices: Sequence[str], answer: str, because: str) -> None:
    """Ask `question`; the learner clicks on one of `choices`, and learns at once whether it is
    `answer` (one of them) and why. What stands between backticks is shown as code. A question
    that was answered before is shown with what was answered."""
    if answer not in choices:
        raise ValueError(f"predict: the answer {answer!r} is not one of the choices {choices!r}")
    prediction = Prediction(question, tuple(choices), answer, because)
    lesson, key = session.current().lesson.name, prediction.key
    _asked[key] = _Asked(prediction, lesson, key)
    given = progress.answer(lesson, key)
    if given in prediction.choices:
        display(_answered(prediction, given))
    else:
        unanswered = {OURS: {"prediction": key, "answered": False}}
        display(_Buttons(prediction, key), display_id=key, metadata=unanswered)


def ask_again(prediction: Prediction, lesson: str) -> None:
    """Ask a question of a lesson again, with whatever was answered before."""
    key = f"again_{prediction.key}"
    _asked[key] = _Asked(prediction, lesson, prediction.key, again=True)
    display(_Buttons(prediction, key), display_id=key)


def answer(key: str, number: int) -> None:
    """The learner chose number `number`, from 0, of the question `key`, in the page."""
    if key not in _asked:
        raise Notice("Run the question's cell first.")
    asked = _asked[key]
    prediction, choice = asked.prediction, asked.prediction.choices[number]
    right = choice == prediction.answer
    progress.predicted(asked.lesson, asked.name, choice, right)
    left = tuple(other for other in prediction.choices if other != choice)
    if right or not asked.again or len(left) == 1:  # one alone needs no thought
        update_display(_answered(prediction, choice), display_id=key)
    else:
        said = f"It is not “{choice}”. Read that part of the lesson again. Then choose again."
        second = replace(prediction, text=f"{prediction.text}\n{said}", choices=left)
        _asked[key] = replace(asked, prediction=second, again=False)
        update_display(_Buttons(second, key), display_id=key)


class _Buttons(widgets.VBox):
    """The question and a button for each choice. Nothing that is sent to the page, or saved with
    it, holds the answer; once there is one, a page without widgets stands in its place."""

    def __init__(self, prediction: Prediction, key: str):
        self._prediction, self._key = prediction, key
        buttons = [
            widgets.Button(
                description=text,
                layout={"width": "auto", "max_width": "100%", "margin": "2px 8px 2px 0"},
            )
            for text in prediction.choices
        ]
        for number, button in enumerate(buttons):
            button.on_click(lambda _, number=number: answer(key, number))
        head = widgets.HTML(
            f'<div style="color: {TEXT}; font-size: var(--jp-content-font-size1, 14px); '
            f'line-height: 1.5; white-space: normal">{_head(prediction)}</div>'
        )
        super().__init__(
            [head, widgets.HBox(buttons, layout={"flex_flow": "row wrap"})], layout=_FRAME
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The widget's own, with twins for pages that have no widgets."""
        prediction = self._prediction
        head, choices = _head(prediction), [prose(choice) for choice in prediction.choices]
        items = "".join(f"<li>{choice}</li>" for choice in choices)
        links = "".join(  # that our labextension follows
            f'<a href="#predict={self._key}:{number}" style="{_CHOICE}">{choice}</a>'
            for number, choice in enumerate(choices)
        )
        listed = "\n".join(f"  - {choice}" for choice in prediction.choices)
        twins = {
            ANSWERABLE: card("note", head, links),
            "text/html": card("note", head, f'<ul style="margin: 0">{items}</ul>'),
            "text/plain": f"Predict: {prediction.text}\n{listed}",
        }
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        return bundle | twins


def _head(prediction: Prediction) -> str:
    return heading("note", "Predict") + paragraph(prediction.text)


def _answered(prediction: Prediction, choice: str) -> Page:
    """The question, all choices with what was chosen and what is right, and the reason."""
    right = choice == prediction.answer
    title = "✓ Right." if right else f"✗ It is not “{choice}”."
    correct = "" if right else f" The answer is “{prediction.answer}”."
    because = heading("success" if right else "error", prose(title), prose(correct))
    signs = {choice: "✗", prediction.answer: "✓"}
    rows = [f"{signs.get(one, '·')} {one}" for one in prediction.choices]
    items = "".join(f"<div>{prose(row)}</div>" for row in rows)
    texts = [f"Predict: {prediction.text}", *(f"  {row}" for row in rows), title + correct]
    return Page(
        card("note", _head(prediction), items, because + paragraph(prediction.because)),
        "\n".join([*texts, prediction.because]),
        {"prediction": prediction.key, "answered": True},
    )


_CHOICE = (
    f"display: inline-block; padding: 3px 12px; margin: 2px 8px 2px 0; color: {TEXT}; "
    f"border: 1px solid {BORDER}; border-radius: 3px; "
    f"background: {RAISED}; text-decoration: none;"
)
_FRAME = {
    **{f"border_{edge}": f"1px solid {BORDER}" for edge in ("top", "right", "bottom")},
    "border_left": f"4px solid {ACCENTS['note']}",
    "padding": "6px 14px",
    "margin": "4px 0",
    "max_width": "980px",
}
