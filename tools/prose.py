"""The linter of prose: pages, lessons and messages, by the rules of docs/style.md.

    python -m tools.prose            the files that must pass: [tool.prose] in pyproject.toml
    python -m tools.prose --later    those that do not pass yet, with the number of places in each
    python -m tools.prose FILE ...   any page (.md) or module (.py)

proselint runs the rules, its own and ours. It needs no network.
"""

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import proselint.checks
from markdown_it import MarkdownIt
from markdown_it.token import Token
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check, Padding
from proselint.registry.checks.engine import Fancy, RegexOptions
from proselint.registry.checks.types import Existence, PreferredFormsSimple

ROOT = Path(__file__).parents[1]
STYLE = ROOT / "docs" / "style.md"
MARKDOWN = MarkdownIt("commonmark").enable("table")
CODE = "`x`"  # stands for a piece of code in a sentence
SENTENCE = 3  # a text of fewer words is no sentence


class Block(NamedTuple):
    """A paragraph, a heading, a cell of a table, or a message."""

    line: int  # where it begins, from 1
    text: str
    heading: bool = False


class Finding(NamedTuple):
    line: int
    rule: str  # the heading of the rule in docs/style.md, or the name of proselint's
    words: str
    message: str


class Rule(NamedTuple):
    """A section of docs/style.md under "Rules"."""

    name: str  # its heading
    says: str  # its first paragraph
    pairs: tuple[tuple[str, str], ...]  # the rows of its table: before, after
    patterns: tuple[str, ...]  # what is searched for; without any, the left column is

    def checks(self) -> Iterator[Check]:
        exact = Fancy(RegexOptions(case_insensitive=False))
        for pattern in self.patterns:
            yield Check(Existence((pattern,), Padding.RAW), exact, self.name, self.says)
        if not self.patterns:
            words = {before.lower(): after for before, after in self.pairs}
            forms = PreferredFormsSimple(words, Padding.WORDS_IN_TEXT)
            yield Check(forms, Fancy(), self.name, "Write “{}”.")


def settings() -> dict[str, list[str]]:
    """[tool.prose] of pyproject.toml."""
    prose: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"][
        "prose"
    ]
    return prose


def _words(token: Token) -> str:
    """The words of a paragraph as a reader sees them; code is `x`."""
    parts = []
    for child in token.children or []:
        if child.type == "text":
            parts.append(child.content)
        elif child.type == "code_inline":
            parts.append(CODE)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
    return re.sub(r"\$[^$\n]+\$", CODE, "".join(parts))


def blocks_of_page(text: str) -> Iterator[Block]:
    """The prose of a Markdown page: no code, no HTML, no directive."""
    line, heading = 1, False
    for token in MARKDOWN.parse(text):
        if token.type in ("heading_open", "heading_close"):
            heading = token.type == "heading_open"
        if token.map:
            line = token.map[0] + 1
        if token.type == "inline" and not token.content.startswith((":::", "<")):
            yield Block(line, _words(token), heading)


def blocks_of_module(text: str) -> Iterator[Block]:
    """The messages of a Python module: its texts of several words, without docstrings."""
    tree = ast.parse(text)
    passed = {
        id(part)
        for node in ast.walk(tree)
        for part in (
            node.values if isinstance(node, ast.JoinedStr) else [getattr(node, "value", None)]
        )
        if isinstance(node, ast.JoinedStr | ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [str(v.value) if isinstance(v, ast.Constant) else CODE for v in node.values]
            said = "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            said = "" if id(node) in passed else node.value
        else:
            continue
        if len(said.split()) >= SENTENCE:
            yield Block(node.lineno, re.sub(r"`[^`]*`", CODE, said))


@cache
def rules() -> tuple[Rule, ...]:
    """The sections of docs/style.md under "Rules"."""
    made = []
    sections = STYLE.read_text().partition("\n## Rules\n")[2].partition("\n## ")[0]
    for section in sections.split("\n### ")[1:]:
        name, _, body = section.partition("\n")
        rows = re.findall(r"^\| (.+?) \| (.+?) \|$", body, re.M)
        pairs = tuple(row for row in rows if not row[0].startswith("---"))[1:]
        searched = re.search(r"^```text\n(.*?)^```", body, re.M | re.S)
        patterns = tuple(searched[1].splitlines()) if searched else ()
        says = " ".join(body.strip().partition("\n\n")[0].split())
        made.append(Rule(name, says.replace("{", "").replace("}", ""), pairs, patterns))
    return tuple(made)


@cache
def checks() -> tuple[Check, ...]:
    """Our rules, and those of proselint's that pyproject.toml names."""
    registry = CheckRegistry()
    if not registry.checks:
        registry.register_many(proselint.checks.__register__)
    theirs = registry.get_all_enabled(dict.fromkeys(settings()["proselint"], True))
    return (*(check for rule in rules() for check in rule.checks()), *theirs)


def lint(blocks: Iterator[Block]) -> Iterator[Finding]:
    """Each place that breaks a rule. A heading need not be a sentence."""
    sentences = {rule.name for rule in rules() if "sentence" in rule.name.lower()}
    for block in blocks:
        text = block.text.replace("\n", " ")
        for check in checks():
            if block.heading and check.path in sentences:
                continue
            for found in check.check_with_flags(text):
                start, end = found.span
                line = block.line + block.text[:start].count("\n")
                yield Finding(line, check.path, text[start:end].strip(), found.message)


def lint_file(path: Path) -> list[Finding]:
    text = path.read_text(encoding="utf-8")
    if path.resolve() == STYLE:  # its tables show what breaks the rules
        text = re.sub(r"^\|.*", "", text, flags=re.M)
    blocks = blocks_of_module(text) if path.suffix == ".py" else blocks_of_page(text)
    return sorted(lint(blocks))


def files(patterns: list[str]) -> list[Path]:
    """The files that a list of [tool.prose] names, without those that it names after a "!"."""
    without = {path for name in patterns if name[0] == "!" for path in ROOT.glob(name[1:])}
    named = {path for name in patterns if name[0] != "!" for path in ROOT.glob(name)}
    return sorted(named - without)


def main(arguments: list[str]) -> int:
    if arguments == ["--later"]:
        for path in files(settings()["later"]):
            count = Counter(finding.rule for finding in lint_file(path))
            by_rule = ", ".join(f"{rule} {number}" for rule, number in count.most_common())
            print(f"{path.relative_to(ROOT)}: {count.total()} ({by_rule})")
        return 0
    paths = [Path(name) for name in arguments] or files(settings()["files"])
    broken = 0
    for path in paths:
        for finding in lint_file(path):
            broken += 1
            print(f"{path}:{finding.line}: {finding.rule}: “{finding.words}” {finding.message}")
    if broken:
        print(f"{broken} places break a rule of docs/style.md.", file=sys.stderr)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
