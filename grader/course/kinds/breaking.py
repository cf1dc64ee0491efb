"""Break it: a right kernel is to go wrong in just one way, or to cost just so much."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from .kind import Given


@dataclass(frozen=True)
class Break(Given):
    """`given` are the right kernel's lines in place of the answer. A case's `Hazard` or `Exactly`
    says what must come about; hardware, which sees neither, is left out."""

    name = "break"
    title = "break it"
    to_do = "Change the kernel until it goes wrong in the way that the exercise asks for"
    solved = "It goes wrong, just as the exercise asks."
    called = MappingProxyType({"wrong_answer": "not as asked"})
    goes_wrong = True
    promise = "it is asked to go wrong in its own launches, and promises no others"
