"""A notebook as slides: nbconvert's, for reveal.js, cut to the size of a screen and in one file
that loads nothing, so that they can be shown where there is no network.

A cell's metadata may have `notes`, Markdown for whoever presents, and `live`, an object with an
`exercise` and a `source`: a kernel that can be edited on its slide where `lecture` serves the page.

A `##` heading begins a slide to the right, everything else goes on below it, and each slide holds
as much as fits. Heights are estimated here, in pixels of the 1280 x 720 that template/slides.css
sets; the little that is still too tall is shown smaller by template/fit.js.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from latex2mathml.converter import convert
from nbconvert import SlidesExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode, v4

from ...course.weave import CUDA
from ...learner.recall import prediction
from ...notebook.cards import paragraph
from ...notebook.player import PLAYER
from ...say.questions import Prediction

ROOM = 670  # what a slide holds
LINES = 31  # of code on a slide
_LINES_OF_FENCE = 24  # which is shown larger, below a heading
_TEXT, _CODE, _ROW = 34, 24, 36  # the height of a line of prose, of code, of a table's row
_FIGURE, _FIGURE_WITH_CODE = 620, 460


def slides(notebook: NotebookNode, title: str) -> str:
    """The HTML page that shows `notebook`, with its outputs, slide by slide."""
    # The pieces as cells of their own, with the slide_type by which nbconvert makes slides of them.
    pages: NotebookNode = v4.new_notebook(metadata=notebook.metadata)
    used = 0
    for piece in _pieces(notebook):
        too_much = piece.height and used + piece.height > ROOM  # notes take no room
        used = piece.height + (0 if "slide" in piece.kind or too_much else used)
        piece.cell.metadata.slideshow = {
            "slide_type": "subslide" if too_much and "slide" not in piece.kind else piece.kind
        }
        pages.cells.append(piece.cell)
    pages.metadata.title = title
    pages.metadata.kernels = json.dumps(
        [cell.metadata.live for cell in notebook.cells if "live" in cell.metadata]
    ).replace("<", "\\u003c")  # nothing in it ends the script
    return SlidesExporter(
        extra_template_basedirs=[str(Path(__file__).parent)],
        template_name="template",
        filters={
            "markdown2html": lambda source: MarkdownWithMath(
                renderer=_Renderer(escape=False)
            ).render(source)
        },
    ).from_notebook_node(pages)[0]


class _Renderer(IPythonRenderer):
    """Formulas become MathML, which browsers show without the help of a script."""

    def block_math(self, body: str) -> str:
        return convert(body, display="block")

    def multiline_math(self, text: str) -> str:
        return convert(text.strip("$"), display="block")

    def inline_math(self, body: str) -> str:
        return convert(body)


# --- pieces --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Piece:
    """A piece of a cell that stays together on a slide."""

    cell: NotebookNode
    height: int  # pixels
    # nbconvert's slide_type: "slide" or "subslide" if it has to come first on one, "fragment" if
    # it waits for a key, "notes" if it is not shown to the class.
    kind: str = "-"


def _pieces(notebook: NotebookNode) -> Iterator[Piece]:
    kernels = 0
    for cell in (
        cell
        for cell in notebook.cells
        if cell.metadata.get("slideshow", {}).get("slide_type") != "skip"
    ):
        pieces = list(
            _prose(cell.source)
            if cell.cell_type == "markdown"
            else _question(cell, asked)
            if (asked := prediction(cell.source))
            else _code(cell)
        )
        yield from pieces[:1]
        if pieces and (said := cell.metadata.get("notes")):
            yield Piece(v4.new_markdown_cell(said), 0, "notes")
        yield from pieces[1:]
        if pieces and "live" in cell.metadata:
            for piece in pieces:
                piece.cell.metadata.tags = [
                    *piece.cell.metadata.get("tags", ()),
                    f"live-kernel-{kernels}",  # by which template/live.js finds what can be edited
                ]
            kernels += 1


# --- prose ---------------------------------------------------------------------------------------


def _prose(source: str) -> Iterator[Piece]:
    for block in itertools.chain.from_iterable(map(_fence_parts, _blocks(source))):
        kind = {"#": "slide", "##": "slide", "###": "subslide"}.get(block.partition(" ")[0], "-")
        yield Piece(v4.new_markdown_cell(block), _prose_height(block), kind)


def _blocks(source: str) -> list[str]:
    """Paragraphs, lists, tables, fences. A heading stays with what follows it."""
    fences = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[`~]* *$|^\$\$.*?\$\$$", re.M | re.S)
    whole = fences.sub(lambda found: re.sub(r"\n(?=\n)", "\n\0", found[0]), source)
    blocks: list[str] = []
    for block in re.split(r"\n{2,}", whole):
        block = block.replace("\0", "")
        if blocks and blocks[-1].startswith("#") and "\n" not in blocks[-1]:
            blocks[-1] += "\n\n" + block
        else:
            blocks.append(block)
    return blocks


def _fence_parts(block: str) -> list[str]:
    """A fence that is too long for a slide as several, cut between the pieces of a diff if that
    leaves none of them too long; a heading stays with the first."""
    fence = re.fullmatch(r"(.*?)^(```[^\n]*)\n(.*)\n```\s*", block, re.M | re.S)
    if not fence:
        return [block]
    head, opening, body = fence.groups()
    parts = ["\n".join([opening, *lines, "```"]) for lines in _portions(body.split("\n"))]
    return [head + parts[0], *parts[1:]]


def _between_pieces(lines: list[str]) -> int:
    """Where to cut what is too long: between the pieces of a diff, or into parts of one length."""
    even = -(-len(lines) // -(-len(lines) // _LINES_OF_FENCE))
    gaps = [at for at in range(even // 2, _LINES_OF_FENCE) if lines[at] == "⋮"]
    return min(gaps, key=lambda at: abs(at - even), default=even)


def _above_a_gap(lines: list[str]) -> int:
    """Where to cut code that is too long: at the empty line, or else the line that begins at the
    margin, nearest to where the slide is full."""
    cuts = range(LINES // 2, LINES + 1)
    empty = [at for at in cuts if not lines[at - 1].strip()]
    return max(empty or [at for at in cuts if lines[at][:1].strip(" }")] or [LINES])


def _portions(
    lines: list[str],
    most: int = _LINES_OF_FENCE,
    cut: Callable[[list[str]], int] = _between_pieces,
) -> Iterator[list[str]]:
    """The lines in portions of at most so many, where a slide holds no more."""
    while len(lines) > most:
        at = cut(lines)
        yield lines[:at]
        lines = lines[at:]
    yield lines


def _prose_height(block: str) -> int:
    height, in_code = 0, False
    for line in block.split("\n\n" if "```" not in block else "\n"):
        in_code ^= line.startswith("```")
        if line.startswith("# "):
            height += ROOM
        elif line.startswith("#"):
            height += 60
        elif in_code:
            height += _CODE
        elif line.startswith("|"):
            height += _ROW * (line.count("\n") + 1)
        else:
            items = re.split(r"\n(?=[-*\d])", line)  # in lines of 100 characters
            height += _TEXT * sum(1 + len(item) // 100 for item in items) + 20
    return height


# --- code and what came of it --------------------------------------------------------------------


def _code(cell: NotebookNode) -> Iterator[Piece]:
    hidden = cell.metadata.get("jupyter", {}).get("source_hidden", False)
    portions = _portions(cell.source.splitlines(), LINES, _above_a_gap)
    parts = [] if hidden else ["\n".join(lines).rstrip() for lines in portions]
    yield from (
        Piece(
            v4.new_code_cell(
                part, metadata=dict(CUDA) if cell.metadata.get("magics_language") else {}
            ),
            _CODE * (part.count("\n") + 1) + 24,
            "subslide" if number or cell.source.startswith("%%cuda") else "-",
        )
        for number, part in enumerate(parts)
    )
    yield from _outputs(cell, beside_code=bool(parts) and len(parts[-1].splitlines()) <= 6)


def _outputs(cell: NotebookNode, beside_code: bool) -> Iterator[Piece]:
    """All that the cell put out, in one piece if a slide holds it, else output by output; a figure
    beside little code is made to fit there."""
    # But for the line by which `%%cuda` says that there is nothing to say.
    outputs = [
        output
        for output in cell.outputs
        if not output.get("data", {}).get("text/plain", "").startswith("Compiled: ")
    ]
    if not outputs:
        return
    shown = (
        [[part] for output in outputs for part in _output_parts(output)]
        if sum(_output_height(output, beside_code) for output in outputs) > ROOM
        else [outputs]
    )
    about = {"tags": ["with-code"] * beside_code, "transient": {"remove_source": True}}
    yield from (
        Piece(
            v4.new_code_cell(outputs=parts, metadata=dict(about)),
            sum(_output_height(part, beside_code) for part in parts),
            "fragment",
        )
        for parts in shown
    )


def _output_parts(output: NotebookNode) -> Iterator[NotebookNode]:
    """Lines of HTML alone, as diff() shows, in portions that a slide holds."""
    lines = re.fullmatch(
        r"(<pre[^>]*>)(.*)</pre>", output.get("data", {}).get("text/html", ""), re.S
    )
    if not lines:
        yield output
        return
    yield from (
        v4.new_output(
            "display_data",
            data={
                "text/html": f"{lines[1]}{chr(10).join(portion)}</pre>",
                "text/plain": re.sub(r"<[^>]*>", "", "\n".join(portion)),
            },
        )
        for portion in _portions(lines[2].split("\n"))
    )


def _output_height(output: NotebookNode, beside_code: bool) -> int:
    if output.output_type == "stream":
        return _CODE * (str(output.text).count("\n") + 1)
    if PLAYER in output.data.get("text/html", ""):
        return ROOM
    if "image/png" in output.data:
        return _FIGURE_WITH_CODE if beside_code else _FIGURE
    return 30 + _TEXT * len(output.data.get("text/plain", "").splitlines())


# --- questions -----------------------------------------------------------------------------------


def _question(cell: NotebookNode, asked: Prediction) -> Iterator[Piece]:
    """A prediction without its buttons: the class raises hands, and a key shows the answer."""
    (shown,) = _outputs(cell, beside_code=False)
    yield from (
        Piece(shown.cell, shown.height, "subslide"),
        Piece(v4.new_markdown_cell(paragraph(f"{asked.answer}. {asked.because}")), 120, "fragment"),
    )
