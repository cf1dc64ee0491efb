"""`grader vary`: exercises drawn anew."""

from typing import Annotated

import typer

from .. import course
from ..counted import counted
from ..course import variants
from .terminal import say


def vary(
    what: Annotated[str, typer.Argument(help="LESSON, for a list, or LESSON/NAME.")],
    seed: Annotated[int, typer.Option(help="Which variant; each number is one.")] = 0,
    every: Annotated[bool, typer.Option("--list", help="List them.")] = False,
    solved: Annotated[bool, typer.Option("--solution", help="Show its solution.")] = False,
) -> None:
    """Show an exercise drawn anew, its arrays in other layouts."""
    name, _, exercise = what.partition("/")
    lesson = course.lesson(course.full_name(name))
    for one in [lesson.exercise(exercise)] if exercise else lesson.exercises:
        if exercise and not every:
            drawn = variants.vary(one, seed)
            say(f"%%cuda {drawn.name}", drawn.solution if solved else lesson.handed_out(drawn))
        else:
            known = variants.variants(one)
            say(f"{one.id}: {counted(len(known), 'variant')}", *(f"  {each}" for each in known))
