"""What `grader check --json` prints, of a .cu file and of a notebook: one versioned shape.

Its fields are told in docs/verdict.md and in docs/verdict.schema.json, which
`tools.schema_page` makes of the annotations here and in `verdict`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from .verdict import Verdict

VERSION = 2  # raised when a field goes or changes its meaning; new ones may come without


@dataclass(frozen=True)
class Checked:
    """One exercise that was asked for, and what became of it."""

    exercise: Annotated[str, Meta(description='Which exercise, "LESSON/NAME".')]
    problem: Annotated[
        str,
        Meta(description="What is wrong with the notebook or its cell, in sentences; or empty."),
    ]
    verdict: Annotated[
        Verdict | None, Meta(description="The judgement; null where there was nothing to judge.")
    ]


@dataclass(frozen=True)
class Report:
    """All that was found in a file."""

    checked: Annotated[
        tuple[Checked, ...],
        Meta(description="The exercise of a .cu file, or all of a notebook's lesson."),
    ]
    version: Annotated[int, Meta(description=f"Of this shape: {VERSION}.")] = VERSION

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        return {
            "version": self.version,
            "checked": [
                {
                    "exercise": one.exercise,
                    "problem": one.problem,
                    "verdict": one.verdict and one.verdict.to_dict(),
                }
                for one in self.checked
            ],
        }
