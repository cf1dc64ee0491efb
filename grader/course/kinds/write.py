"""Write it: the body of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from .kind import Kind

YOURS = "// YOUR CODE HERE"


@dataclass(frozen=True)
class Write(Kind):
    """The answer is left out."""

    name = "write"
    title = "write it"
    to_do = "Fill in the part marked for you"
    fault_leaves = 0.4

    def stub(self, indent: str, answer: str) -> str:
        return f"{indent}{YOURS}\n"
