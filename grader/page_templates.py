"""Pages from templates; in HTML every text is escaped."""

from collections.abc import Callable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, select_autoescape

from .errors import counted

_PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=select_autoescape(),
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
    auto_reload=False,  # a template that was read once is not looked at again
)
_PAGES.filters |= {
    "counted": lambda value, noun: counted(round(value, 2), noun),
    "points": lambda value: "no mark" if value is None else f"{round(value, 2):g}",
}


def page_template(name: str, **filters: Callable[..., object]) -> Template:
    """The template in the file `name`, a path below this folder. It knows numbers of things and
    points in words (`counted`, `points`), and the filters that are given: one name is one filter
    for all templates."""
    _PAGES.filters |= filters
    return _PAGES.get_template(name)
