"""A function with one thing about it changed, each in turn: for tests that must notice."""

from __future__ import annotations

import ast
import difflib
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
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.BitAnd: (ast.BitOr,),
    ast.RShift: (ast.LShift,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
NAMES = {"any": "all", "all": "any", "min": "max", "max": "min", "And": "Or", "Or": "And"}


def mutants(function: Callable) -> Iterator[tuple[str, Callable]]:
    """Its text and itself with a comparison, an operation, a sign, a number, a parameter, a
    condition, a connective, a call that says something, or the last element of a list changed."""
    text = _text(function)
    tree = ast.parse(text)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    names = [one.arg for one in definition.args.args]
    unsaid = _annotations(tree)
    for at, node in enumerate(ast.walk(tree)):
        if node in unsaid:
            continue
        for change in _changes(node, names):
            changed = ast.parse(text)
            change(list(ast.walk(changed))[at])
            if (after := ast.unparse(changed)) != ast.unparse(tree):
                yield after, _made(function, changed)


def difference(function: Callable, text: str) -> tuple[str, str]:
    """What a mutant has in place of what, without white space around it."""
    whole = ast.unparse(ast.parse(_text(function)))
    lines = [*difflib.ndiff(whole.splitlines(), text.splitlines())]
    before, after = (
        " ".join(one[2:].strip() for one in lines if one.startswith(mark)) for mark in ("- ", "+ ")
    )
    return before, after


def _text(function: Callable) -> str:
    """A function's definition; one is made of a lambda, which is the only one that begins there."""
    if function.__name__ != "<lambda>":
        return textwrap.dedent(inspect.getsource(function))
    module = ast.parse(inspect.getsource(inspect.getmodule(function)))
    (found,) = (
        node
        for node in ast.walk(module)
        if isinstance(node, ast.Lambda) and node.lineno == function.__code__.co_firstlineno
    )
    return f"def lemma({ast.unparse(found.args)}):\n    return {ast.unparse(found.body)}\n"


def _annotations(tree: ast.AST) -> set[ast.AST]:
    """All that stands in annotations, which say nothing when a function is called."""
    found = [
        getattr(node, place, None) for node in ast.walk(tree) for place in ("annotation", "returns")
    ]
    return {node for one in found if one is not None for node in ast.walk(one)}


def _made(function: Callable, tree: ast.Module) -> Callable:
    space = dict(vars(inspect.getmodule(function)))
    tree.body[0].decorator_list = []  # type: ignore[attr-defined]
    exec(compile(ast.fix_missing_locations(tree), "mutant", "exec"), space)
    return space[tree.body[0].name]


def _changes(node: ast.AST, names: list[str]) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        for place, operation in enumerate(node.ops):
            for swap in _swaps(operation, node.comparators[place]):
                yield lambda one, at=place, swap=swap: one.ops.__setitem__(at, swap())
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        for swap in SWAPS.get(type(node.op), ()):
            yield lambda one, swap=swap: setattr(one, "op", swap())
    if isinstance(node, ast.BoolOp):
        for place in range(len(node.values)):
            yield lambda one, at=place: _left_out(one, at)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield lambda one: setattr(one, "value", one.value + 1)
    if isinstance(node, ast.UnaryOp):
        yield _unsigned
    if isinstance(node, ast.If | ast.IfExp):
        for always in (True, False):
            yield lambda one, value=always: setattr(one, "test", ast.Constant(value))
    if isinstance(node, ast.comprehension) and node.ifs:
        yield lambda one: one.ifs.clear()
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield lambda one: setattr(one, "value", ast.Constant(None))
    if isinstance(node, ast.Name) and node.id in NAMES:
        yield lambda one: setattr(one, "id", NAMES[one.id])
    if isinstance(node, ast.Attribute) and node.attr in ("And", "Or"):
        yield lambda one: setattr(one, "attr", NAMES[one.attr])
    if isinstance(node, ast.Name) and node.id in names:
        for name in names:
            yield lambda one, name=name: setattr(one, "id", name)
    if isinstance(node, ast.List) and node.elts:
        yield lambda one: one.elts.pop()


def _swaps(operation: ast.cmpop, other: ast.AST) -> tuple[type, ...]:
    """What a comparison becomes; one with a word can only become its opposite."""
    if isinstance(operation, ast.Eq) and isinstance(getattr(other, "value", None), str):
        return (ast.NotEq,)
    return SWAPS.get(type(operation), ())


def _left_out(node: ast.AST, place: int) -> None:
    """One of several that are joined by `and` or `or` no longer counts."""
    assert isinstance(node, ast.BoolOp)
    node.values[place] = ast.Constant(isinstance(node.op, ast.And))


def _unsigned(node: ast.AST) -> None:
    """-x becomes x, and `not x` the truth of x."""
    assert isinstance(node, ast.UnaryOp)
    if isinstance(node.op, ast.Not):
        node.operand = ast.UnaryOp(ast.Not(), node.operand)
    else:
        node.op = ast.UAdd()
