"""From source text to Verdict, in a process of its own. Needs NumPy and CuPy alone."""

from .judging import judge
from .session import Limits
from .verdict import Verdict

__all__ = ["Limits", "Verdict", "judge"]
