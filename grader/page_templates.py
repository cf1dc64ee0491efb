"""Pages from templates; in HTML every text is escaped."""

from collections.abc import Callable
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template, select_autoescape

from .counted import counted


@cache
def page_template(package: str, name: str, **filters: Callable[..., object]) -> Template:
    """A template of the folder pages/ of a package, by the name of its file. It knows numbers of
    things and points in words (`counted`, `points`), and the filters that are given."""
    pages = Environment(
        loader=PackageLoader(package, "pages"),
        autoescape=select_autoescape(),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=name.endswith(".md"),
        undefined=StrictUndefined,
    )
    pages.filters |= {
        "counted": lambda value, noun: counted(round(value, 2), noun),
        "points": lambda value: "no mark" if value is None else f"{round(value, 2):g}",
        **filters,
    }
    return pages.get_template(name)
