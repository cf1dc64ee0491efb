"""Tables in Markdown."""

from __future__ import annotations


def line(cells: list[str]) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |"
