"""Make it cheaper: the kernel that is handed out is right, and over its budget."""

from __future__ import annotations

from dataclasses import dataclass

from .kind import Given


@dataclass(frozen=True)
class Cheaper(Given):
    """`given` are the dear lines in place of the answer. Which line costs most is the learner's to
    find, so no verdict names it."""

    name = "cheaper"
    title = "make it cheaper"
    to_do = "The kernel is right and costs too much: find the line, and change it"
    solved = "As right as before, and within its budget."
    names_the_dearest_line = False
