"""Results that are undefined, such as that of a division by zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..machine.events import Observer, Undefined

if TYPE_CHECKING:
    from ..say.reporting.reporter import Reporter


class UndefinedResults(Observer):
    """Raises what the table says of them."""

    def __init__(self, report: Reporter):
        self.report = report

    def undefined(self, at: int, lane: int, what: Undefined) -> None:
        raise self.report.error(what.error, at, lane, what.predicate)
