"""What is known of an answer while it is judged: `Judged`, which goes from stage to stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..course import Exercise, Lesson
from ..status import Status
from .cases import CaseInstance
from .compare import Words
from .protocol import Reply
from .session import Limits, Session
from .verdict import CaseResult, foremost


@dataclass(frozen=True)
class Judged:
    """An answer and all that is known of it so far. The first fields say what is judged and how far
    to go; the stages fill the others in (see `judging`). Rows of `instances`, `outcomes`, `results`
    and `words` belong together, one for each case that is run."""

    lesson: Lesson
    exercise: Exercise
    source: str
    seed: int
    hidden: bool  # whether hidden cases are run, too
    limits: Limits
    allowed: Mapping[str, int]  # steps of the solution, by case
    session: Session  # about the source
    ours: Session  # about the solution
    instances: tuple[CaseInstance, ...] = ()
    outcomes: tuple[Reply, ...] = ()
    words: tuple[Words, ...] = ()
    results: tuple[CaseResult, ...] = ()
    counters: dict[str, int] = field(default_factory=dict)
    device: str = "simulator"

    @property
    def told(self) -> int | None:
        """The place of the failed case whose message is the verdict's; None where all passed."""
        case = foremost(self.results)
        return next((at for at, one in enumerate(self.results) if one is case), None)

    def with_result(self, at: int, result: CaseResult) -> Judged:
        """The same with another result of the case at a place."""
        result = replace(result, step=self.instances[at].step if result.failed else 0)
        return replace(self, results=(*self.results[:at], result, *self.results[at + 1 :]))

    @property
    def passed(self) -> list[int]:
        """The places of the cases that passed."""
        return [at for at, one in enumerate(self.results) if one.status == Status.PASSED]
