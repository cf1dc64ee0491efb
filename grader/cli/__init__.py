"""`grader ...`: the commands, and what they show in a terminal."""

from .app import app

__all__ = ["app"]
