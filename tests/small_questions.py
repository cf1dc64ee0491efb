"""Questions of each kind, beside the kernels of the small class's lesson."""

import small_class
from small_class import LESSON, cell_of, hand_in

MARKDOWN = """
```{exercise} how_many
```

```{exercise} share
```

```{exercise} waits
```

```{exercise} steps
```

```{exercise} why
```
"""
ASKED = """
from grader.course import Choose, Exercise, Explain, Number

how_many = Exercise(
    name="how_many",
    title="Sectors of a warp",
    kind=Number(
        asks="How many sectors does a warp load?",
        units={"sectors": 1, "bytes": 1 / 32},
        feedback=True,
    ),
)
share = Exercise(
    name="share",
    title="Occupancy",
    kind=Number(asks="Which occupancy is it?", units={"": 1, "%": 0.01}, atol=0.02, points=2),
)
waits = Exercise(
    name="waits",
    title="Who waits",
    kind=Choose(
        asks="Which threads wait?",
        options={"warp": "those of the warp", "block": "those of the block", "grid": "all"},
        shuffled=True,
    ),
)
steps = Exercise(
    name="steps",
    title="In order",
    kind=Choose(
        asks="What comes first?",
        options={"add": "add", "load": "load", "wait": "wait"},
        choose="order",
        feedback=True,
    ),
)
why = Exercise(name="why", title="Explain", kind=Explain(asks="Why is there a barrier?", points=3))
"""
KEYS = """
[how_many]
right = "4 sectors"
because = "32 floats have 128 bytes."

[how_many.wrong]
"32" = "Neighbouring threads share a sector."

[share]
right = "50 %"

[waits]
right = "block"

[waits.wrong]
grid = "Blocks do not wait for each other."

[steps]
right = "load wait add"
"""
RIGHT = {
    "how_many": "128 bytes",
    "share": "0.5",
    "waits": "block",
    "steps": "load\nwait\nadd",
    "why": "A thread could read too early.",
}
WRONG = {"how_many": "32", "share": "0.5", "waits": "grid", "steps": "load, wait, add"}


def write_lesson(kernels):
    """The small class's lesson, with the questions after its kernels."""
    lesson = small_class.write_lesson(kernels) / LESSON
    (lesson / "exercises_questions.py").write_text(ASKED)
    (lesson / "answers.toml").write_text(KEYS)
    (lesson / "lesson.md").write_text(small_class.MARKDOWN + MARKDOWN)
    return kernels


def written(notebook, answers):
    """The notebook with `answers` to the questions."""
    for name, text in answers.items():
        cell_of(notebook, name).source = f"%%answer {name}\n{text}"
    return notebook


def answer(here, learner, answers, **kernels):
    """Hand in `answers` to the questions, and `kernels`, as the learner."""
    hand_in(here, learner, lambda notebook: written(notebook, answers), **kernels)
