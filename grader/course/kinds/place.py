"""Place it: a barrier, a fence or a guard is missing, and nothing says where; or whether at all."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from .kind import Kind


@dataclass(frozen=True)
class Place(Kind):
    """The lines to be placed are left out without a trace. One too many is told by a budget on what
    it costs."""

    name = "place"
    title = "place it"
    to_do = "Put what is missing where it belongs, and nowhere else"
    allowed = (
        "**What may be changed**: all that is given stays as it was. Add only conditions (`if`, "
        "`while`, `return`), barriers and fences: no assignment, no macro, no function of your "
        "own. Comments and white space do not count."
    )
    called = MappingProxyType({"over_budget": "not as asked"})
    keeps_what_is_given = True

    def stub(self, indent: str, answer: str) -> str:
        return ""
