"""How fast: the simulated GPU, the grading of a class, the lessons' kernels on a real GPU."""

from collections.abc import Iterable, Sequence


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown; a heading with a colon at its end stands over numbers."""
    names = [name.removesuffix(":") for name in head]
    rules = ["---:" if name.endswith(":") else "---" for name in head]
    return [f"| {' | '.join(cells)} |" for cells in (names, rules, *rows)]
