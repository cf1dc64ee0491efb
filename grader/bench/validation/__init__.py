"""Whether the simulated GPU may be trusted: it beside real hardware, on pages in Markdown."""


def line(cells: list[str]) -> str:
    """A row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"
