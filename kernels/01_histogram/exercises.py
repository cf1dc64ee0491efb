"""What the exercises of this lesson ask. Delete what you do not need; docs/authoring.md has every
field."""

from __future__ import annotations

import numpy as np

from grader.course import (
    Budget,
    Case,
    Exercise,
    Expected,
    Launch,
    Problem,
    hidden,
    work_is_shared,
)

BLOCK = 256  # threads of a block


def doubled(rng: np.random.Generator, n: int) -> Problem:
    """One launch over n elements: the inputs by the parameters' names, what the outputs must hold (in
    float64, for the reference must be better than the kernel), and how the kernel is launched."""
    x = rng.standard_normal(n, dtype=np.float32)
    return Problem(
        inputs={"x": x},
        outputs={"out": Expected(2 * x.astype(np.float64), np.float32)},
        launches=(Launch("histogram", -(-n // BLOCK), BLOCK, ("x", "out", np.int32(n))),),
    )


# Each object of this kind is an exercise; its name is the fence's in lesson.md and the kernel's.
exercise = Exercise(
    name="histogram",
    title="Histogram",
    source="1_histogram.cu",
    cases=(
        # A visible case is shown with its numbers. A budget says what is enough; half of the points
        # are for what the exercise teaches, in cases that have one.
        Case(
            "four full blocks",
            lambda rng: doubled(rng, 4 * BLOCK),
            points=2,
            budgets=(
                Budget(
                    "global_load_sectors",
                    4 * BLOCK // 8,
                    "neighbouring threads should read neighbouring floats: 8 of them lie in a sector",
                ),
                *work_is_shared(),
            ),
        ),
        Case("a last block that is not full", lambda rng: doubled(rng, 3 * BLOCK + 77), points=1),
        # Of a hidden case a learner is told this name alone: make it a category, not an answer.
        hidden("one element", lambda rng: doubled(rng, 1)),
    ),
    hints=(
        "Which element belongs to the thread whose index is `i`?",
        "The last block has threads that own no element: what must they not do?",
    ),
    # Shown first while the last check ended so.
    hints_on={"out_of_bounds": "Which threads of the last block may not read or write?"},
    minutes=2,  # for who has read the page up to there; of a lesson's first exercise at most that
    teaches="one thread an element, and a guard",
)
