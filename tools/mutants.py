"""Small mistakes put into a solution, one at a time: what the cases of an exercise must notice.

Mutation testing (R. DeMillo, R. Lipton, F. Sayward, "Hints on test data selection", Computer 11,
1978). The mistakes are those that people make in kernels: a barrier forgotten, a comparison off by
one, an operator taken for another, a term of an index left out, a mask or an identity wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_BARRIERS = ("__syncthreads", "__syncwarp", "__threadfence", "__threadfence_block")
_COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_OPERATORS = {
    **{"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&": "|", "|": "&"},
    **{"&&": "||", "||": "&&", "<<": ">>", ">>": "<<", "+=": "-=", "-=": "+=", "*=": "/="},
}
_FUNCTIONS = {
    **{"fmaxf": "fminf", "fminf": "fmaxf", "max": "min", "min": "max"},
    **{"__shfl_xor_sync": "__shfl_down_sync", "__shfl_down_sync": "__shfl_up_sync"},
}
_IDENTITIES = {"-INFINITY": "0.0f", "INFINITY": "0.0f", "0.0f": "1.0f", "1.0f": "0.0f"}
_FULL_MASKS = {"0xffffffff", "0xffffffffu", "~0u"}
_INDEX_TYPES = ("int", "unsigned", "unsigned int", "long long", "size_t")


@dataclass(frozen=True)
class Mutant:
    """A solution with one mistake in it: `kind` in words, and the line (counted from 1) that
    changed, without white space around it, `before` and `after`."""

    kind: str
    line: int
    before: str
    after: str
    source: str


@dataclass(frozen=True)
class _Edit:
    """Bytes `start` to `end` of the source replaced by `text`."""

    kind: str
    start: int
    end: int
    text: str


def mutants(source: str) -> tuple[Mutant, ...]:
    """Every mutant of what stands between BEGIN SOLUTION and END SOLUTION in `source`."""
    code = source.encode()
    regions = solution_regions(code)
    edits = dict.fromkeys(
        edit
        for node in nodes(parser().parse(code).root_node)
        if any(first <= node.start_byte and node.end_byte <= last for first, last in regions)
        for edit in _edits(node)
    )
    return tuple(_mutant(code, edit) for edit in edits)


@cache
def parser() -> Parser:
    import tree_sitter
    import tree_sitter_cuda

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


def solution_regions(code: bytes) -> list[tuple[int, int]]:
    regions, at = [], 0
    while (begin := code.find(b"BEGIN SOLUTION", at)) >= 0:
        at = code.index(b"END SOLUTION", begin)
        regions.append((begin, at))
    return regions


def nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from nodes(child)


def _edits(node: Node) -> Iterator[_Edit]:
    if node.type == "expression_statement":
        yield from _without_barrier(node)
    elif node.type in ("binary_expression", "assignment_expression"):
        yield from _other_operator(node)
        yield from _without_term(node)
    elif node.type == "for_statement":
        yield from _other_bound(node)
    elif node.type in ("number_literal", "identifier", "unary_expression"):
        yield from _other_word(node)


def _without_barrier(node: Node) -> Iterator[_Edit]:
    call = node.named_children[0] if node.named_children else node
    name = text_of(call.child_by_field_name("function"))
    if call.type == "call_expression" and name in _BARRIERS:
        yield _Edit("barrier removed", node.start_byte, node.end_byte, "")


def _other_operator(node: Node) -> Iterator[_Edit]:
    operator = node.child_by_field_name("operator")
    for kind, others in (("comparison shifted", _COMPARISONS), ("operator swapped", _OPERATORS)):
        if operator is not None and operator.type in others:
            yield _replaced(kind, operator, others[operator.type])


def _without_term(node: Node) -> Iterator[_Edit]:
    """`a + b` and `a * b` without one of the two, where they make an index."""
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type in ("+", "-", "*") and _makes_an_index(node):
        yield _replaced("index term dropped", node, text_of(node.child_by_field_name("left")))
        if operator.type != "-":
            yield _replaced("index term dropped", node, text_of(node.child_by_field_name("right")))


def _makes_an_index(inner: Node) -> bool:
    node: Node | None = inner
    while node is not None and node.type not in ("compound_statement", "condition_clause"):
        if node.type == "subscript_argument_list":
            return True
        if node.type == "declaration":
            return text_of(node.child_by_field_name("type")) in _INDEX_TYPES
        node = node.parent
    return False


def _other_bound(node: Node) -> Iterator[_Edit]:
    condition = node.child_by_field_name("condition")
    if condition is not None and condition.type == "binary_expression":
        bound = condition.child_by_field_name("right")
        if bound is None:
            return
        for change in ("- 1", "+ 1"):
            yield _replaced("loop bound changed", bound, f"(({text_of(bound)}) {change})")


def _other_word(node: Node) -> Iterator[_Edit]:
    word = text_of(node)
    if word in _FULL_MASKS:
        yield _replaced("mask changed", node, "0x0000ffffu")
    elif word in _IDENTITIES and not text_of(node.parent).startswith("-INF"):
        yield _replaced("identity changed", node, _IDENTITIES[word])
    elif word in _FUNCTIONS:
        yield _replaced("operator swapped", node, _FUNCTIONS[word])
    elif word.isdecimal():
        yield _replaced("constant changed", node, str(int(word) + 1))


def _replaced(kind: str, node: Node, text: str) -> _Edit:
    return _Edit(kind, node.start_byte, node.end_byte, text)


def text_of(node: Node | None) -> str:
    return (node.text or b"").decode() if node is not None else ""


def _mutant(code: bytes, edit: _Edit) -> Mutant:
    changed = code[: edit.start] + edit.text.encode() + code[edit.end :]
    line = code[: edit.start].count(b"\n")
    before, after = (text.decode().splitlines()[line].strip() for text in (code, changed))
    return Mutant(edit.kind, line + 1, before, after, changed.decode())
