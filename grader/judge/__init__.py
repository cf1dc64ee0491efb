"""From source text to Verdict, in a process of its own. Needs no Jupyter.

The judge itself is imported when it is first asked for: a worker's process needs nothing of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .judging import judge
    from .session import Limits
    from .verdict import Verdict

__all__ = ["Limits", "Verdict", "judge"]
_FOUND_IN = {"Limits": "session", "Verdict": "verdict", "judge": "judging"}


def __getattr__(name: str) -> Any:
    if name not in _FOUND_IN:
        raise AttributeError(f"{__name__} has no {name}")
    return getattr(import_module(f".{_FOUND_IN[name]}", __name__), name)
