"""A function with one thing about it changed, each in turn: for tests that must notice."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator

Change = Callable[[ast.AST], None]

SWAPS: dict[type, tuple[type, ...]] = {
    ast.GtE: (ast.Gt, ast.LtE),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.Eq: (ast.GtE, ast.LtE),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.FloorDiv: (ast.Mult,),
}


def mutants(function: Callable) -> Iterator[tuple[str, Callable]]:
    """Its text and itself with a comparison, an operation, a sign, a number, a parameter or the
    last element of a list changed."""
    text = textwrap.dedent(inspect.getsource(function))
    tree = ast.parse(text)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    names = [one.arg for one in definition.args.args]
    for at, node in enumerate(ast.walk(tree)):
        for change in _changes(node, names):
            changed = ast.parse(text)
            change(list(ast.walk(changed))[at])
            if (after := ast.unparse(changed)) != ast.unparse(tree):
                yield after, _made(function, changed)


def _made(function: Callable, tree: ast.Module) -> Callable:
    space = dict(vars(inspect.getmodule(function)))
    tree.body[0].decorator_list = []  # type: ignore[attr-defined]
    exec(compile(ast.fix_missing_locations(tree), "mutant", "exec"), space)
    return space[function.__name__]


def _changes(node: ast.AST, names: list[str]) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        for swap in SWAPS.get(type(node.ops[0]), ()):
            yield lambda one, swap=swap: one.ops.__setitem__(0, swap())
    if isinstance(node, ast.BinOp):
        for swap in SWAPS.get(type(node.op), ()):
            yield lambda one, swap=swap: setattr(one, "op", swap())
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield lambda one: setattr(one, "value", one.value + 1)
    if isinstance(node, ast.UnaryOp):
        yield lambda one: setattr(one, "op", ast.UAdd())
    if isinstance(node, ast.Name) and node.id in names:
        for name in names:
            yield lambda one, name=name: setattr(one, "id", name)
    if isinstance(node, ast.List) and node.elts:
        yield lambda one: one.elts.pop()
