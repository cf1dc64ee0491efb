"""Find the bug: the kernel that is handed out has one."""

from __future__ import annotations

from dataclasses import dataclass

from .kind import Given


@dataclass(frozen=True)
class Bug(Given):
    """`given` are the faulty lines in place of the answer."""

    name = "bug"
    title = "find the bug"
    to_do = "Something in this kernel is wrong: find it, and mend it"
    solved = "Found and mended."
