"""Learners' notebooks made safe to look at: nothing that they hold runs in the browser of whoever
opens a feedback page or formgrader.

nbconvert puts a learner's HTML into such a page as it is, and formgrader's page has an instructor's
rights. Two things stand against that. `sanitize` reduces a submitted notebook to text on its way
into autograded/: metadata, outputs, raw cells and odd attachments go, for templates print some of
them unescaped. `markdown_to_html` takes nbconvert's place when a page is made: what the Markdown,
all of it, has become is cleaned last of all, so that no way of writing it gets round the cleaning.
nbgrader_config.py puts it in place for feedback and formgrader alike.

What colours code, and what reads Markdown, can take a time that grows with the square of a text's
length, and nothing limits it: a long text is shown as it is, and of very much only the beginning.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from html import escape
from typing import Any

import nh3
from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import InvalidNotebook
from nbformat import NotebookNode, from_dict

from ..course.weave import CUDA, METADATA

LONGEST_COLOURED = 10_000  # characters of a cell
MOST_SHOWN = 200_000  # characters in all of a learner's own cells, and of one cell on a page
MOST_CELLS = 1000  # of a learner's own
MOST_OF_PICTURES = 4_000_000  # characters of base64 in all
Attachments = dict[str, dict[str, str]]  # name -> media type -> base64
CUT = "[Cut here: the notebook has more text of its own than is shown.]"

_TAGS = frozenset(
    re.findall(
        r"\w+",
        "a abbr b blockquote br caption center code col colgroup dd del details div dl dt em font "
        "h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strong sub "
        "summary sup table tbody td tfoot th thead tr tt u ul var",
    )
)
_ATTRIBUTES = {
    *("align", "alt", "colspan", "color", "height", "open", "rowspan", "scope", "start", "title"),
    "width",
}
# What stands where a tag could, and is none of _TAGS nor a comment. nh3 would drop it in silence;
# its learner meant it to be read: a < b, or <T>.
_NO_TAG = re.compile(rf"<(?!/?(?:{'|'.join(sorted(_TAGS))})(?=[\s/>])|!--)", re.IGNORECASE)
_exporter = cache(HTMLExporter)


def sanitize(notebook: NotebookNode) -> None:
    """Leave nothing in the notebook but text and pictures. Cells that carry nbgrader's mark were
    released so, and only their id is looked at."""
    notebook.metadata, notebook.nbformat_minor = from_dict(METADATA), 5
    left, pictures_left, own = MOST_SHOWN, MOST_OF_PICTURES, 0
    kept = []
    for index, cell in enumerate(notebook.cells):
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(cell.get("id", ""))):
            cell.id = f"cell-{index}"
        if "nbgrader" not in cell.metadata:
            own += 1
            if own > MOST_CELLS:
                continue
            cell.source = _cut(cell.source, left)
            left = max(0, left - len(cell.source))
            cell = _plain(cell, pictures_left)
            pictures_left -= _size(cell.get("attachments", {}))
        kept.append(cell)
    notebook.cells = kept


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}\n{CUT}"


def _size(pictures: Attachments) -> int:
    return sum(len(str(data)) for bundle in pictures.values() for data in bundle.values())


@pass_context
def markdown_to_html(context: Context | Mapping[str, Any], source: str) -> str:
    """nbconvert's filter `markdown2html`, with its result cleaned."""
    pictures = context.get("cell", {}).get("attachments")
    return _cleaned(source, pictures) if pictures else _shown(source)


def code_to_html(
    source: str, language: str | None = None, metadata: dict[str, object] | None = None
) -> str:
    """nbconvert's filter `highlight_code`, without colours for what is long."""
    return (
        _as_it_is(source)
        if len(source) > LONGEST_COLOURED
        else str(Highlight2HTML()(source, language=language, metadata=metadata))
    )


def _as_it_is(source: str) -> str:
    return f'<div class="highlight"><pre>{escape(_cut(source, MOST_SHOWN))}</pre></div>'


@lru_cache(maxsize=1024)
def _shown(source: str) -> str:
    """The lesson's own prose is in every learner's notebook."""
    return _cleaned(source, {})


def _cleaned(source: str, attachments: Attachments) -> str:
    if len(source) > LONGEST_COLOURED:
        return _as_it_is(source)
    try:
        html = _exporter().markdown2html({"cell": {"attachments": attachments}}, source)
    except (InvalidNotebook, RecursionError):  # a picture that is not there; quotes in quotes in...
        return _as_it_is(source)
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "?", _CLEANER.clean(_NO_TAG.sub("&lt;", html)))


def _plain(cell: NotebookNode, most: int) -> NotebookNode:
    """A learner's cell with its text and, if it is Markdown, its pictures of `most` characters."""
    plain = {"cell_type": cell.cell_type, "id": cell.id, "metadata": {}, "source": cell.source}
    if cell.cell_type == "code":
        plain |= {"outputs": [], "execution_count": None}
        plain["metadata"] = CUDA if cell.source.startswith("%%cuda") else {}
    elif cell.cell_type == "raw":  # a page would show it as if it were HTML
        # A Markdown code block, between fences longer than any run of backticks in it.
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", cell.source))])
        plain |= {"cell_type": "markdown", "source": f"{fence}text\n{cell.source}\n{fence}"}
    else:
        pictures = {  # not SVG, which is a program of its own
            name: shown
            for name, bundle in cell.get("attachments", {}).items()
            if (
                shown := {
                    kind: data
                    for kind, data in bundle.items()
                    if kind in ("image/png", "image/jpeg", "image/gif", "image/webp")
                }
            )
        }
        if pictures and _size(pictures) <= most:
            plain["attachments"] = pictures
    return NotebookNode(from_dict(plain))


def _kept(tag: str, name: str, value: str) -> str | None:
    """An attribute's value, which nh3 has unescaped, as it may stand on a tag; None where it may
    not."""
    if name == "style":
        # As Markdown aligns a table's columns.
        aligned = re.fullmatch(r"\s*text-align:\s*(left|right|center)\s*;?\s*", value)
        return f"text-align:{aligned[1]};" if aligned else None
    allowed = _SOME[name](tag, value) if name in _SOME else name in _ATTRIBUTES
    return value if allowed else None


def _scheme(link: str) -> str | None:
    """The scheme of a link as browsers read it; None of a relative one."""
    # Browsers overlook the others.
    found = re.match("([^/?#]*):", re.sub(r"[\x00-\x20\x7f-\xa0`]|[^\x00-\x7f]", "", link).lower())
    return found[1] if found else None


# The attributes that may have some values on some tags.
_SOME: dict[str, Callable[[str, str], bool]] = {
    # What Pygments and nbconvert set themselves: other classes could pose as the page's buttons.
    "class": lambda tag, value: (
        not re.sub(r"(highlight|hl-\w+|language-\w+|anchor-link|[a-z]{1,2}\d?)(\s+|$)", "", value)
    ),
    "src": lambda tag, value: (
        tag == "img"
        and re.fullmatch(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*", value)
        is not None
    ),
    "href": lambda tag, value: tag == "a" and _scheme(value) in (None, "http", "https", "mailto"),
    "id": lambda tag, value: re.fullmatch("h[1-6]", tag) is not None,
}


_CLEANER = nh3.Cleaner(
    tags=set(_TAGS),
    clean_content_tags=set(),
    attributes={"*": _ATTRIBUTES | {"class", "href", "id", "src", "style"}},
    attribute_filter=_kept,
    link_rel=None,
    url_schemes={"http", "https", "mailto", "data"},
)
