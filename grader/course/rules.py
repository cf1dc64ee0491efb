"""What an exercise's `Rule` says of numbers: its expressions, and whether a launch keeps to it."""

import ast
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

import numpy as np

from ..errors import counted, unless
from .inputs import VALUES
from .model import Boxes, Dim, Exercise, Launch, Problem, Rule

AXES = "xyz"
DTYPES = {
    "float": np.float32,
    "double": np.float64,
    "half": np.float16,
    "bool": np.bool_,
    "int": np.int32,
    "unsigned": np.uint32,
    "unsigned char": np.uint8,
}

_PARAMETER = re.compile(
    rf"(?P<out>out )?(?P<type>{'|'.join(DTYPES)}) (?P<name>\w+)"
    r"(?:\[(?P<length>[^]]*)\](?P<zero> = 0)?)?"
)

_ALLOWED = (
    *(ast.Expression, ast.Name, ast.Attribute, ast.Load, ast.BinOp, ast.Compare),
    *(ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod),
    *(ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq),
)


class RuleError(ValueError):
    """A rule says what cannot be, or a launch does not keep to it; the sentence says what."""


def value(expression: str, names: Mapping[str, Any]) -> Any:
    """What an expression comes to: + - * // % and one comparison, over whole numbers and
    `names`. The names may stand for anything that has these operators. Raises RuleError."""
    try:
        return eval(_compiled(expression), {"__builtins__": {}, "names": names})
    except (SyntaxError, KeyError) as error:
        raise RuleError(f"the rule's {expression!r} is not understood: {error}") from error


@cache
def _compiled(expression: str) -> CodeType:
    """The expression as Python's byte code, in which `n` is looked up as `names["n"]`, and
    `gridDim.x` as `names["gridDim.x"]`."""
    tree = ast.parse(expression, mode="eval")
    for node in ast.walk(tree):
        number = isinstance(node, ast.Constant) and isinstance(node.value, int)
        chained = isinstance(node, ast.Compare) and len(node.ops) > 1
        unless(not chained and (number or isinstance(node, _ALLOWED)), KeyError(ast.unparse(node)))
    return compile(
        re.sub(r"\b[A-Za-z_][\w.]*", r'names["\g<0>"]', ast.unparse(tree)), "rule", "eval"
    )


@dataclass(frozen=True)
class RuleParameter:
    """`float x[n]`: its `dtype`, and `length`, the expression for its elements ("": only its
    contents would say; None: it is no array); `zero`: they are all 0 before the launch, `out`: they
    are only written."""

    name: str
    dtype: np.dtype
    length: str | None
    zero: bool = False
    out: bool = False


@cache
def parameters(rule: Rule) -> tuple[RuleParameter, ...]:
    """The parameters of a rule's kernel; RuleError where one is not understood."""
    return tuple(map(_parameter, rule.parameters))


def _parameter(text: str) -> RuleParameter:
    """`float x[n]`, `out int y[n]`, `int count[1] = 0`."""
    match = unless(
        _PARAMETER.fullmatch(text),
        RuleError(f"{text!r} is no parameter such as 'float x[n]' or 'int n'"),
    )
    return RuleParameter(
        match["name"],
        np.dtype(DTYPES[match["type"]]),
        match["length"],
        zero=bool(match["zero"]),
        out=bool(match["out"]),
    )


def dimensions(given: Dim) -> tuple[int, int, int]:
    """A grid or block as three numbers."""
    x, y, z, *_ = (*map(int, (given,) if isinstance(given, int | np.integer) else given), 1, 1)
    return x, y, z


def blocks_and_threads(launches: Iterable[Launch]) -> list[tuple[int, int]]:
    """How many blocks each launch has, and threads per block."""
    return [(math.prod(dimensions(one.grid)), math.prod(dimensions(one.block))) for one in launches]


def launch_names(grid: Dim, block: Dim) -> dict[str, int]:
    """gridDim.x and the others."""
    return {
        f"{name}.{axis}": number
        for name, shape in (("gridDim", grid), ("blockDim", block))
        for axis, number in zip(AXES, dimensions(shape), strict=True)
    }


def numbers(rule: Rule, launch: Launch) -> dict[str, int]:
    """A launch's whole-number parameters, gridDim.x and the others."""
    return launch_names(launch.grid, launch.block) | {
        one.name: int(arg)
        for one, arg in zip(parameters(rule), launch.args, strict=True)
        if is_whole(one)
    }


def any_numbers_will_do(rule: Rule) -> bool:
    """Whether a launch can be made up: whatever stands in its arrays says nothing about where to
    look, and how long they are follows from the sizes."""
    arrays = [one for one in parameters(rule) if one.length is not None]
    return all(one.length and (one.zero or one.out or one.dtype.kind in "fb") for one in arrays)


def departures(exercise: Exercise) -> Iterator[str]:
    """Where a case of an exercise does not keep to its rules, in sentences."""
    known = {rule.kernel: rule for rule in exercise.rules}
    for case in exercise.cases if known else ():
        problem = case.problem(np.random.default_rng(0))
        for launch in problem.launches:
            rule = known.get(launch.kernel)
            said = broken(rule, problem, launch) if rule else (f"no rule for {launch.kernel}",)
            yield from (f"{exercise.id}, case {case.name!r}: {one}." for one in said)


MOST_BLOCKS = 2**31  # of a grid


def compared(exercise: Exercise) -> dict[str, dict[str, int]]:
    """By kernel and parameter, the arrays whose values the cases compare, and in launches of at
    most how many blocks: in larger ones an array is scratch, which a right kernel may fill
    otherwise."""
    known = {rule.kernel: parameters(rule) for rule in exercise.rules}
    found: dict[str, dict[str, int]] = {kernel: {} for kernel in known}
    for problem in (case.problem(np.random.default_rng(0)) for case in exercise.cases):
        for launch, (blocks, _) in zip(
            problem.launches, blocks_and_threads(problem.launches), strict=True
        ):
            most = found.get(launch.kernel, {})
            for one, arg in zip(known.get(launch.kernel, ()), launch.args, strict=False):
                if one.length is not None and arg in problem.outputs:
                    most.setdefault(one.name, MOST_BLOCKS)
                elif one.length is not None and arg in problem.scratch:
                    most[one.name] = min(most.get(one.name, MOST_BLOCKS), blocks - 1)
    return found


def passed(rule: Rule, given: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a launch passes for each parameter: the name of an array, or of its tensor map, or the
    scalar that is given."""
    boxes = {one.name: Boxes(one.name, one.box, one.swizzle) for one in rule.maps}
    return tuple(
        boxes.get(name, name) if isinstance(value, np.ndarray) else value
        for name, value in given.items()
    )


def broken(rule: Rule, problem: Problem, launch: Launch) -> Iterator[str]:
    """What of a launch is not as its rule says, in sentences."""
    declared = parameters(rule)
    if len(declared) != len(launch.args):
        yield f"{counted(len(declared), 'parameter')}, and the launch passes {len(launch.args)}"
        return
    names = numbers(rule, launch)
    if dimensions(launch.block) not in map(dimensions, rule.blocks):
        yield f"blocks of {launch.block} are none of the rule's"
    if any(size > 1 for size in dimensions(launch.grid)[rule.grid :]):
        yield f"a grid of {launch.grid} has more than {counted(rule.grid, 'dimension')}"
    yield from (f"{one} does not hold" for one in rule.where if not value(one, names))
    if (needed := value(rule.shared_mem, names)) != launch.shared_mem:
        yield (
            f"it gets {counted(launch.shared_mem, 'byte')} of shared memory, the rule says {needed}"
        )
    maps = {one.name: (one.box, one.swizzle) for one in rule.maps}
    sizes = {  # the elements of every buffer, and their type
        **{name: (array.size, array.dtype) for name, array in problem.inputs.items()},
        **{name: (one.value.size, np.dtype(one.dtype)) for name, one in problem.outputs.items()},
        **{
            name: (math.prod(shape), np.dtype(kind))
            for name, (shape, kind) in problem.scratch.items()
        },
    }
    for one, arg in (
        (one, arg) for one, arg in zip(declared, launch.args, strict=True) if isinstance(arg, str)
    ):
        size, dtype = sizes[arg]
        if maps.get(one.name) != ((arg.box, arg.swizzle) if isinstance(arg, Boxes) else None):
            yield f"{one.name} has another tensor map"
        if one.zero and (arg not in problem.inputs or problem.inputs[arg].any()):
            yield f"{one.name} is not 0 before the launch"
        if one.out and arg in problem.inputs:
            yield f"{one.name} is not only written"
        if dtype != one.dtype or (one.length and size < value(one.length, names)):
            yield (
                f"{one.name} has {counted(size, 'element')} of {dtype}, and the rule wants "
                f"{one.length}"
            )


def sentence(rule: Rule, code: str = "") -> str:
    """The rule in words: "float x[n], int n with n >= 1; blocks of 256 threads"; whatever is code
    stands between two of `code`, and divides whole numbers as C++ does."""
    mapped = {one.name for one in rule.maps}
    given = ", ".join(
        f"{code}{text.removeprefix('out ').replace('//', '/')}{code}{' (only written)' * one.out}"
        f"{' (by a tensor map)' * (one.name in mapped)}"
        for text, one in zip(rule.parameters, parameters(rule), strict=True)
    )
    where = ", ".join(f"{code}{one.replace('//', '/')}{code}" for one in rule.where)
    parts = (
        f"{given}{f' with {where}' if where else ''}",
        rule.contents.replace("`", code),
        f"blocks of {_blocks(rule)}",
        f"at most {counted(rule.most, 'element')} per array, and {rule.most:,} threads per grid",
        "values: " + ", ".join(VALUES[name].said for name in rule.values) if rule.values else "",
        f"arrays {'begin' if rule.aligned else 'need not begin'} at a multiple of 16 bytes",
    )
    return "; ".join(filter(None, parts))


def _blocks(rule: Rule) -> str:
    """The shapes of a rule's blocks: "1 thread", "64, 256 threads", "32 to 1,024 threads, a
    multiple of 32"."""
    sizes = [dimensions(one)[0] for one in rule.blocks]
    if len(sizes) >= 10:
        multiple = f", a multiple of {sizes[0]}" if sizes[0] > 1 else ""
        return f"{sizes[0]} to {sizes[-1]:,} threads{multiple}"
    blocks = ", ".join(" x ".join(map(str, without_ones(dimensions(one)))) for one in rule.blocks)
    return f"{blocks} thread{'' if blocks == '1' else 's'}"


def in_threads(block: Dim) -> str:
    """A block in words: "1 thread", "16 x 16 threads", "1,024 threads"."""
    threads = " x ".join(f"{size:,}" for size in without_ones(dimensions(block)))
    return f"{threads} thread{'' if threads == '1' else 's'}"


def without_ones(shape: tuple[int, int, int]) -> tuple[int, ...]:
    """A shape as people write it, its last dimensions left out where they are 1."""
    x, y, z = shape
    return shape if z > 1 else (x, y) if y > 1 else (x,)


def is_whole(parameter: RuleParameter) -> bool:
    """Whether it is a whole number."""
    return parameter.length is None and parameter.dtype.kind in "iu"
