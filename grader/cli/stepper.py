"""A lesson's typical mistakes one after the other in a terminal, in front of a class: what was
changed; on a key, what the judge says; on a key, the next one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import typer
from rich.console import Console
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from ..classroom.presentation import Mistake, changes
from ..course import Lesson
from . import terminal

_STYLES = {"-": "on #5c2e00", "+": "on #003a5c"}  # told apart by all eyes
STOP = ("q", "\x1b", "\x04", "")  # escape, Ctrl-D, the terminal is gone
# The arrows left and up, page up: as terminals send them, and as Windows' console does.
BACK = ("b", *("\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA", "\x1b[5~"), *("\xe0K", "\xe0H", "\xe0I"))
_KEYS = "space: go on    b: back    q: stop"


def step_through(
    lesson: Lesson, mistakes: Sequence[Mistake], console: Console, key: Callable[[], str]
) -> None:
    """Show two screens for each mistake, the change and the verdict; `key` waits for a key."""
    screens = [(mistake, verdict) for mistake in mistakes for verdict in (False, True)]
    at = 0
    while at < len(screens):
        mistake, verdict = screens[at]
        console.clear()
        console.print(_title(mistake, f"{at // 2 + 1} of {len(mistakes)}"))
        console.print(_change(changes(lesson, mistake)))
        if verdict:
            terminal.show_failures(console, mistake.verdict, mistake.source)
        console.print(Rule(_KEYS, style="dim"))
        pressed = key()
        if pressed in STOP:
            return
        at = max(0, at - 1) if pressed in BACK else at + 1


def pressed_key() -> str:
    """What the next key pressed in this terminal sends; "" when the terminal is gone."""
    try:
        return typer.getchar()
    except EOFError:
        return ""


def _title(mistake: Mistake, number: str) -> Panel:
    title = Text(mistake.title, "bold", justify="center")
    return Panel(title, title=mistake.wrong.exercise, subtitle=number, padding=1)


def _change(lines: list[str]) -> Text:
    text = Text(no_wrap=True, overflow="ellipsis")
    for line in lines:
        style = _STYLES.get(line[:1], "")
        text.append(f"  {line:<90}\n", f"bold white {style}" if style else "")
    return text
