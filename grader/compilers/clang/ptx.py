"""clang's PTX in NVRTC's form: how it names lines and calls, and the order of its blocks."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from ...graphs import postorder
from ...grouped import grouped
from .source import NAME_VARIABLE

_PLACE = re.compile(r"(?P<path>.*?):(?P<line>\d+)(?::(?P<column>\d+))?(?: \])*\s*")
# A function's first row, that of its signature, and what comes before the next one.
_PROLOGUE = re.compile(
    r"^(?P<head>\$L__func_begin\d+:\n(?P<row>\s*\.loc\s+(?P<file>\d+) \d+ 0\b.*\n))"
    r"(?P<code>(?:(?!\s*\.loc\b|\$L__|\}).*\n)*)",
    re.MULTILINE,
)
_TAKEN = re.compile(r"^(?:\s*ld\.param\b.*\n)+", re.MULTILINE)
_NO_NAME = "$L__warpwise_no_name"
_NAMES = f"\n\t.section\t.debug_str\n\t{{\n{_NO_NAME}:\n.b8 0\n\t}}\n"
_NAME = re.compile(
    rf"^.*\b{NAME_VARIABLE}(?P<number>\d+)(?:\[\d*\])? = "
    r"\{?(?:generic\()?(?P<name>[\w$]+)\)?\}?;\n",
    re.MULTILINE,
)

Place = tuple[int, int, int]  # file, line, column


def like_nvrtc(ptx: str, *, debug: bool = False) -> str:
    """`ptx` in that form; `debug`: it says that it is a debug build."""
    ptx = re.sub(r"^\.target \w+", r"\g<0>, debug", ptx, flags=re.M) if debug else ptx
    return _with_calls(
        _PROLOGUE.sub(_where_known, re.sub(r"^\$L__tmp\d+:\n", "", ptx, flags=re.MULTILINE))
    )


def _where_known(found: re.Match[str]) -> str:
    """Only what takes the parameters stands on the line of the signature; of the rest, which was
    moved there, clang knows no line."""
    unknown = f"\t.loc\t{found['file']} 0 0\n"
    code = _TAKEN.sub(lambda taken: f"{found['row']}{taken[0]}{unknown}", found["code"])
    return f"{found['head']}{unknown}{code}"


def _with_calls(ptx: str) -> str:
    """`ptx` with `inlined_at` in the rows of code that was inlined: clang tells the calls that it
    was inlined through in a comment."""
    files = {
        path: int(number)
        for number, path in re.findall(r'^\s*\.file\s+(\d+)\s+"([^"\n]*)"', ptx, re.MULTILINE)
    }
    known = dict(files)

    def place(text: str) -> Place | None:
        if (found := _PLACE.fullmatch(text)) is None:
            return None
        return (
            files.setdefault(found["path"], len(files) + 1),
            int(found["line"]),
            int(found["column"] or 0),
        )

    def rows(match: re.Match[str]) -> str:
        here = (int(match[2]), int(match[3]), int(match[4]))
        calls = [place(text) for text in match[5].split(" @[ ")[1:]]
        return "\n".join(_rows(match[1], [here, *filter(None, calls)]))

    # .loc 1 6 12        // kernel.cu:6:12 @[ kernel.cu:9:9 @[ kernel.cu:16:12 ] ]
    text = re.sub(
        r"^(\s*\.loc\s+)(\d+) (\d+) (\d+)[^\n]*?//([^\n]* @\[ [^\n]*)$",
        rows,
        ptx,
        flags=re.MULTILINE,
    )
    if text == ptx:
        return ptx
    more = (f'\t.file\t{n} "{path}"' for path, n in files.items() if path not in known)
    return "\n".join([text.rstrip("\n"), *more]) + _NAMES


def _rows(start: str, chain: list[Place]) -> Iterator[str]:
    """A row for each call, outermost first, then the code's own: so NVRTC tells of calls in
    calls."""
    for here, above in reversed(list(pairwise(chain))):
        at, there = (" ".join(map(str, one)) for one in (here, above))
        yield f"{start}{at}, function_name {_NO_NAME}, inlined_at {there}"


def named(ptx: str, expressions: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """`ptx` without the variables of `source.name_variables`, and the mangled name of each
    expression."""
    found = {int(one["number"]): one["name"] for one in _NAME.finditer(ptx)}
    return _NAME.sub("", re.sub(rf"^.*// @{NAME_VARIABLE}\d+\n", "", ptx, flags=re.MULTILINE)), {
        text: found[n] for n, text in enumerate(expressions) if n in found
    }


# ---- basic blocks ----

_LABEL = re.compile(r"(\$L__BB\w+):")
_BRANCH = re.compile(r"\s*(?:@(?P<guard>!?%\w+)\s+)?bra(?:\.uni)?\s+(?P<to>\$L__BB\w+);")
_DEEPEST = 100  # loops in loops
_ASM = "// begin inline asm", "// end inline asm"


@dataclass
class _Block:
    """Lines without the branches at their end; `otherwise` is where lanes go that do not take the
    branch `to` under `guard`; None: it ends for them here. `place` is the `.loc` row in force."""

    label: str
    place: str
    lines: list[str] = field(default_factory=list)
    guard: str = ""
    to: str | None = None
    otherwise: str | None = None


def laid_out(ptx: str) -> str:
    """`ptx` with the blocks of each function in that order."""
    rows: list[str] = []
    body: list[str] | None = None  # of the function that is being read
    asm = False
    for line in ptx.splitlines():
        asm = _in_assembly(line, asm)
        if body is not None and line == "}" and not asm:
            rows += _rewritten(body)
            body = None
        (rows if body is None else body).append(line)
        if body is None and line == "{":
            body = []
    return "\n".join([*rows, *(body or ())]) + "\n"


def _in_assembly(line: str, before: bool) -> bool:
    """Whether a line is one of inline assembly, where braces and labels are a learner's own."""
    return (before or _ASM[0] in line) and _ASM[1] not in line


def _rewritten(body: list[str]) -> list[str]:
    if any("brx.idx" in line for line in body) or not any(map(_LABEL.match, body)):
        return body  # of tables of labels the blocks stay as they are
    blocks = {block.label: block for block in _blocks(body)}
    edges = {k: [to for to in (one.otherwise, one.to) if to] for k, one in blocks.items()}
    order = _order(list(blocks), next(iter(blocks)), edges)
    return [
        row
        for label, following in zip(order, [*order[1:], None], strict=True)
        for row in _written(blocks[label], following)
    ]


def _blocks(lines: list[str]) -> Iterator[_Block]:
    block = _Block("$L__BBentry", "")
    place, asm, made = "", False, 0
    for line in lines:
        asm = _in_assembly(line, asm)
        place = line if line.lstrip().startswith(".loc") else place
        label = None if asm else _LABEL.match(line)
        branch = None if asm else _BRANCH.match(line)
        parted = block.guard and block.otherwise is None
        if label:
            code = "".join([line for line in block.lines if _is_code(line)][-1:])
            if parted or (block.to is None and not re.match(r"\s*(?:ret|exit|brx\.idx)\b", code)):
                block.otherwise = label[1]
            yield block
            block = _Block(label[1], place, [line])
            continue
        if branch and parted and not branch["guard"]:
            block.otherwise = branch["to"]
            continue
        if parted and _is_code(line):  # lanes that do not take the branch go on here
            made += 1
            block.otherwise = f"$L__BBmade_{made}"
            yield block
            block = _Block(block.otherwise, place, [f"{block.otherwise}:"])
        if branch and block.to is None:
            block.guard, block.to = branch["guard"] or "", branch["to"]
        elif not branch and (block.to is None or _is_code(line)):
            block.lines.append(line)  # a row behind the branch is about the next block
    yield block


def _is_code(line: str) -> bool:
    text = line.strip()
    return bool(text) and not text.startswith(("//", ".loc", "$L__tmp", "$L__func"))


def _written(block: _Block, following: str | None) -> Iterator[str]:
    head = 1 if block.lines and block.lines[0].startswith(block.label) else 0
    yield from block.lines[:head]
    if block.place and head:
        yield block.place
    yield from block.lines[head:]
    onward = block.otherwise if block.guard or block.to is None else block.to
    if block.guard and block.to == following and onward:
        guard = block.guard[1:] if block.guard.startswith("!") else f"!{block.guard}"
        yield f"\t@{guard} bra \t{onward};"
        return
    if block.guard:
        yield f"\t@{block.guard} bra \t{block.to};"
    if onward and onward != following:
        yield f"\tbra.uni \t{onward};"


def _order(nodes: list[str], entry: str, edges: dict[str, list[str]], depth: int = 0) -> list[str]:
    """`nodes` in topological order but for the edges back to a loop's first node; each loop (a
    strongly connected component) in one piece, ordered likewise inside, but for loops that are so
    deep in others as only an attack has them."""
    if depth == _DEEPEST:
        return nodes
    found: list[str] = []
    for part in _components([entry, *nodes], edges):
        if len(part) == 1:
            found += part
            continue
        whole = set(part)
        inside = [node for node in nodes if node in whole]
        outside = {to for node in nodes if node not in whole for to in edges[node]}
        first = (
            entry if entry in whole else ([node for node in inside if node in outside] or inside)[0]
        )
        within = {node: [to for to in edges[node] if to in whole and to != first] for node in part}
        found += _order(inside, first, within, depth + 1)
    return found


def _components(nodes: Iterable[str], edges: dict[str, list[str]]) -> list[list[str]]:
    """Strongly connected components in topological order (Kosaraju's two passes)."""
    backwards = grouped((to, node) for node, successors in edges.items() for to in successors)
    seen: set[str] = set()
    finished = [node for root in nodes for node in postorder(root, edges.__getitem__, seen)]
    seen = set()
    parts = (
        postorder(root, lambda node: backwards.get(node, []), seen) for root in reversed(finished)
    )
    return [part for part in parts if part]
