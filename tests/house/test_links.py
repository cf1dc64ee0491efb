"""Every link from one page of the project to another leads somewhere, heading and all."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "kernels").rglob("*.md")]
)


def headings(page):
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    for heading in re.findall(r"^#+ (.+)$", text, re.M):
        yield re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_that_there_are(page):
    # A lesson's prose is read in its notebook.
    folder = ROOT / "notebooks" if page.name == "lesson.md" else page.parent
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    for link in re.findall(r"\]\(([^)\s]+)(?: \"[^\"]*\")?\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = folder / path if path else page
        assert target.exists(), link
        assert not anchor or target.suffix != ".md" or anchor in headings(target), link


def test_every_page_of_docs_is_in_the_table_of_contents():
    listed = (ROOT / "docs/index.md").read_text().split()
    committed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "docs/*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert {Path(page).stem for page in committed} - {"index"} <= set(listed)
