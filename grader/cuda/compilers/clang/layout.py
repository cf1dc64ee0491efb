"""Basic blocks in an order that lets lanes meet again: each after those that lead to it, and the
blocks of a loop side by side, before what follows the loop.

The simulated GPU runs the lanes at the lowest instruction first, which is where hardware
would join them if the text is in this order. NVRTC's is; clang puts a block where a branch is
saved, e.g. the end of a loop's body in front of its middle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_LABEL = re.compile(r"(\$L__BB\w+):")
_BRANCH = re.compile(r"\s*(?:@(?P<guard>!?%\w+)\s+)?bra(?:\.uni)?\s+(?P<to>\$L__BB\w+);")
_END = re.compile(r"\s*(?:ret|exit|brx\.idx)\b")
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

    @property
    def next(self) -> list[str]:
        return [label for label in (self.otherwise, self.to) if label]


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
    order = _order(list(blocks), next(iter(blocks)), {k: b.next for k, b in blocks.items()})
    rows: list[str] = []
    for label, following in zip(order, [*order[1:], None], strict=True):
        rows += _written(blocks[label], following)
    return rows


def _blocks(lines: list[str]) -> Iterator[_Block]:
    block = _Block("$L__BBentry", "")
    place, asm, made = "", False, 0
    for line in lines:
        asm = _in_assembly(line, asm)
        if line.lstrip().startswith(".loc"):
            place = line
        label = None if asm else _LABEL.match(line)
        branch = None if asm else _BRANCH.match(line)
        parted = block.guard and block.otherwise is None
        if label:
            if parted or (block.to is None and not _ends(block)):
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


def _ends(block: _Block) -> bool:
    code = [line for line in block.lines if _is_code(line)]
    return bool(code) and bool(_END.match(code[-1]))


def _written(block: _Block, following: str | None) -> Iterator[str]:
    head = 1 if block.lines and block.lines[0].startswith(block.label) else 0
    yield from block.lines[:head]
    if block.place and head:
        yield block.place
    yield from block.lines[head:]
    if block.to is None:
        if block.otherwise and block.otherwise != following:
            yield f"\tbra.uni \t{block.otherwise};"
    elif not block.guard:
        if block.to != following:
            yield f"\tbra.uni \t{block.to};"
    elif block.to == following and block.otherwise:
        guard = block.guard[1:] if block.guard.startswith("!") else f"!{block.guard}"
        yield f"\t@{guard} bra \t{block.otherwise};"
    else:
        yield f"\t@{block.guard} bra \t{block.to};"
        if block.otherwise and block.otherwise != following:
            yield f"\tbra.uni \t{block.otherwise};"


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
        inside = set(part)
        first = entry if entry in inside else _first(part, nodes, edges)
        within = {node: [to for to in edges[node] if to in inside and to != first] for node in part}
        found += _order([node for node in nodes if node in inside], first, within, depth + 1)
    return found


def _first(part: list[str], nodes: list[str], edges: dict[str, list[str]]) -> str:
    """The node of a loop that is come to from outside."""
    inside = set(part)
    entered = {to for node in nodes if node not in inside for to in edges[node] if to in inside}
    return next(node for node in nodes if node in (entered or inside))


def _components(nodes: Iterable[str], edges: dict[str, list[str]]) -> list[list[str]]:
    """Strongly connected components in topological order (Tarjan 1972, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []

    def enter(node: str) -> tuple[str, Iterator[str]]:
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        return node, iter(edges[node])

    for root in nodes:
        work = [enter(root)] if root not in index else []
        while work:
            node, successors = work[-1]
            for to in successors:
                if to not in index:
                    work.append(enter(to))
                    break
                if to in on_stack:
                    low[node] = min(low[node], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    found.append(stack[at:])
                    on_stack.difference_update(stack[at:])
                    del stack[at:]
    return found[::-1]
