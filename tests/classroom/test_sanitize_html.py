"""What a hostile notebook can do to whoever opens its feedback, or its page in formgrader."""

import base64
import json
import re
from html.parser import HTMLParser

import nbformat
import pytest
import small_class
from nbconvert.exporters import HTMLExporter
from nbformat import v4
from nbgrader.server_extensions.formgrader import handlers
from small_class import LESSON, SCALED
from small_lesson import SOLUTION

from grader import course
from grader.classroom import batch, sanitize_html
from grader.classroom.folder import new_course
from grader.classroom.handing_out import release

PIXEL = base64.b64encode(b"\x89PNG a picture").decode()
SVG = base64.b64encode(b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>').decode()
HOSTILE = (
    "<script>alert(1)</script>",
    "<script src=https://evil.example/x.js>",
    "<img src=x onerror=alert(1)>",
    "<img src='data:image/svg+xml;base64," + SVG + "' onload=alert(1)>",
    "[click](javascript:alert(1))",
    "[click](JaVa&#x0A;Script&colon;alert(1))",
    "<a href='\x01javascript:alert(1)'>click</a>",
    "<a href='data:text/html;base64,PHNjcmlwdD4='>click</a>",
    "[click](vbscript:alert(1))",
    '<iframe src="https://evil.example"></iframe>',
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<svg><script>alert(1)</script></svg>",
    "<svg onload=alert(1)>",
    "<svg><animate onbegin=alert(1) attributeName=x></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table>",
    "<style>@import 'https://evil.example/x.css';</style>",
    "<div style='background: url(javascript:alert(1)); position: fixed'>over everything</div>",
    "<form action=https://evil.example><input name=q><button>Resolve</button></form>",
    '<button class="btn btn-success full-credit">Full credit</button>',
    '<span class="full-credit">Full credit</span>',
    "<object data=x.swf></object><embed src=x.swf>",
    "<meta http-equiv=refresh content='0; url=https://evil.example'>",
    "<base href=https://evil.example/>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<details open ontoggle=alert(1)>x</details>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<div title='",
    "' onmouseover=alert(1) x='",
    "<textarea>",
    "<plaintext>",
    "`<script>alert(1)</script>` and ``<img src=x onerror=alert(1)>``",
    "```html\n<script>alert(1)</script>\n```",
    "```mermaid\ngraph TD; A[<img src=x onerror=alert(1)>]\n```",
    '```"><script>alert(1)</script>\nx\n```',
    "$<img src=x onerror=alert(1)>$",
    "$$\\href{javascript:alert(1)}{click}$$",
    "![a picture](https://evil.example/who-looks.png)",
    "![a picture](/hub/logout)",
    "![missing](attachment:not-there.png)",
    ">" * 3000 + "deep",
    "<script" + "\n" * 3 + ">alert(1)</script>",
    "# <img src=x onerror=alert(1)>",
    '| a |\n|---|\n| <img src=x onerror="alert(1)"> |',
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    "\x1b]8;;javascript:alert(1)\x1b\\click\x1b]8;;\x1b\\",
)
INNOCENT = """\
# Sums

> quoted: `a < b && c > d`, **bold**, <kbd>Ctrl</kbd>, <https://docs.nvidia.com/cuda/>

Inline $a < b$ and

$$\\sum_{i<n} x_i \\quad \\begin{aligned} a &= b \\\\ c &= d \\end{aligned}$$

| threads | time |
|:--------|-----:|
| 256     | 1 ms |

<details><summary>More</summary>

- [CUDA](https://docs.nvidia.com "the guide"), [above](#Sums)

</details>

```python
x = "<b>" if a < b else None
```

![a picture](attachment:picture.png)
"""
MAKERS = ("formgrader", "feedback")
RUNS = ("script", "iframe", "object", "embed", "base", "form", "input", "textarea", "button", "svg")
RUNS += ("meta", "link", "style", "math", "plaintext", "applet", "frame", "frameset")
PICTURE = re.compile("(data:image/png.*)?$")


class Dangers(HTMLParser):
    """What in a page could run, load or pose as a part of the page."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = {name: (value or "").strip().lower() for name, value in attributes}
        handlers = [name for name in values if name.startswith("on")]
        links = [values[name] for name in ("href", "src", "srcdoc", "action") if name in values]
        odd = [link for link in links if link.startswith(("javascript", "vbscript", "data:text"))]
        loads = [src for src in [values.get("src", "")] if tag == "img" and not PICTURE.match(src)]
        posing = [values["class"]] if "credit" in values.get("class", "") else []
        if tag in RUNS or handlers or odd or loads or posing:
            self.found.append((tag, *handlers, *odd, *loads, *posing, values.get("id", "")))

    handle_startendtag = handle_starttag


@pytest.fixture(scope="module")
def here(tmp_path_factory, grading):
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    release(here, course.lesson(LESSON, kernels))
    small_class.hand_in(here, "ada", innocent, add=SOLUTION, scale=SCALED)
    hostile_code = f"{SOLUTION}\n// </pre><script>alert(1)</script>\n#error <img src=x onerror=a()>"
    small_class.hand_in(here, "mallory", hostile, add=hostile_code, scale=SCALED)
    old_format(here.notebook("submitted", LESSON, "mallory"))
    extra = here.path("submitted", LESSON, "mallory") / "<img src=x onerror=alert(1)>.html"
    extra.write_text("<script>alert(1)</script>")
    batch.autograde(here, LESSON, ["ada", "mallory"])
    return here


def innocent(notebook):
    cell = v4.new_markdown_cell(INNOCENT)
    cell["attachments"] = {"picture.png": {"image/png": PIXEL}}
    notebook.cells.append(cell)


def hostile(notebook):
    """Every kind of cell, output, metadata and attachment, hostile."""
    notebook.cells += [kind(text) for text in HOSTILE for kind in (v4.new_markdown_cell, raw)]
    script = "<script>alert(1)</script>"
    output = v4.new_output("display_data", {"text/html": script, "image/svg+xml": f"<svg>{script}"})
    code = v4.new_code_cell(f"%%html\n{script}", outputs=[output])
    code.outputs.append(v4.new_output("stream", text=f"\x1b[8m{script}\x1b]0;owned\x07"))
    code.metadata["magics_language"] = code.metadata["tags"] = [f'"><img src=x onerror={script}>']
    picture = v4.new_markdown_cell("![x](attachment:a.svg) ![x](attachment:b.png)")
    odd = f'image/png" onerror="alert(1)"><{script}'
    picture["attachments"] = {"a.svg": {"image/svg+xml": SVG}, "b.png": {odd: PIXEL}}
    notebook.cells += [code, picture]
    notebook.metadata["title"] = script
    notebook.metadata["language_info"] = {"name": f'"><{script}', "pygments_lexer": f'"><{script}'}
    widgets = {"application/vnd.jupyter.widget-state+json": {"state": f"</script>{script}"}}
    notebook.metadata["widgets"] = widgets


def raw(text):
    return v4.new_raw_cell(text, metadata={"raw_mimetype": "text/html"})


def old_format(path):
    """Nobody checks the ids of cells in a notebook that says it is older than ids are."""
    content = json.loads(path.read_text())
    content["nbformat_minor"] = 4
    for number, cell in enumerate(content["cells"]):
        cell["id"] = f'{number}"><script>alert(1)</script>'
    path.write_text(json.dumps(content))


def formgrader_page(here, learner):
    """The page as formgrader's own handler makes it."""
    template = {"template_name": "formgrade"}
    template["extra_template_basedirs"] = [handlers.template_path]
    config = here.configured(HTMLExporter=template).config
    path = here.notebook("autograded", LESSON, learner)
    resources = {"base_url": "", "notebook_id": LESSON, "assignment_id": LESSON, "index": 0}
    resources |= {
        "submission_id": "1",
        "total": 2,
        "student": "x",
        "last_name": "",
        "first_name": "",
    }
    page, _ = HTMLExporter(config=config).from_filename(str(path), resources=resources)
    return page


def feedback_page(here, learner):
    return small_class.feedback_page(here, learner)


@pytest.fixture(scope="module")
def pages(here):
    """By maker and learner."""
    makers = {"formgrader": formgrader_page, "feedback": feedback_page}
    people = ("ada", "mallory")
    return {(name, who): make(here, who) for name, make in makers.items() for who in people}


@pytest.mark.parametrize("maker", MAKERS)
def test_a_hostile_notebook_makes_a_page_that_runs_no_more_than_any_other(pages, maker):
    ours, theirs = (Dangers(pages[maker, learner]).found for learner in ("ada", "mallory"))
    assert theirs == ours
    assert len(ours) > 3  # the page's own scripts


@pytest.mark.parametrize("maker", MAKERS)
def test_what_a_hostile_notebook_says_is_shown_as_text(pages, maker):
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in pages[maker, "mallory"]


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize(
    "kept",
    [
        "<blockquote>",
        "<code>a &lt; b &amp;&amp; c &gt; d</code>",
        "<kbd>Ctrl</kbd>",
        "$a &lt; b$",
        "\\begin{aligned} a &amp;= b \\\\ c &amp;= d \\end{aligned}",
        '<td style="text-align:right;">1 ms</td>',
        "<details><summary>More</summary>",
        '<a href="https://docs.nvidia.com" title="the guide">CUDA</a>',
        '<a href="https://docs.nvidia.com/cuda/">',
        '<h1 id="Sums">',
        '<span class="s2">"&lt;b&gt;"</span>',
        f'src="data:image/png;base64,{PIXEL}"',
    ],
)
def test_innocent_markdown_is_shown_as_it_was_meant(pages, maker, kept):
    assert kept in pages[maker, "ada"].replace("&quot;", '"')


@pytest.mark.parametrize("source", HOSTILE)
def test_markdown_alone_leaves_nothing_that_runs(source):
    assert Dangers(sanitize_html.markdown_to_html({"cell": {}}, source)).found == []


def test_what_is_no_tag_of_a_page_is_shown_as_it_was_written():
    html = sanitize_html.markdown_to_html(
        {"cell": {}}, "sum<T>, a<b, <custom>x</custom>, \x1b[8m, <b>c"
    )
    assert "sum&lt;T&gt;, a&lt;b, &lt;custom&gt;x&lt;/custom&gt;, ?[8m, <b>c</b>" in html


def test_other_files_of_a_learner_are_not_handed_on_with_the_feedback(here, pages):
    found = {path.name for path in here.path("feedback", LESSON, "mallory").iterdir()}
    assert found == {f"{LESSON}.html", "cache_key.txt", "shown.txt"}


def test_a_tag_that_never_closes_swallows_nothing_of_the_page():
    html = sanitize_html.markdown_to_html({"cell": {}}, "<div title='\n\n</div></div><b>x")
    assert html.count("<div") == html.count("</div>")
    assert html.count("<b>") == html.count("</b>")


def test_the_prose_of_every_lesson_is_shown_as_nbconvert_shows_it():
    plain = HTMLExporter().markdown2html
    for path in sorted((course.KERNELS.with_name("notebooks")).glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                ours = sanitize_html.markdown_to_html({"cell": cell}, cell.source)
                assert words(ours) == words(plain({"cell": cell}, cell.source)), cell.source


def words(html):
    """The tags and the text of some HTML."""
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.append((tag, sorted(attributes)))
    parser.handle_data = lambda text: found.extend(text.split())
    parser.feed(html.replace(';">', '">'))  # a style's last semicolon is as good as none
    parser.close()
    return found
