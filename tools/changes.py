"""Mistakes of meaning, put into a kernel one at a time.

`tools.mutants` exchanges tokens. The changes here are mistakes that somebody makes who
has the right idea: a number that only happens to be right, an index in too small a type, an
identity that is none, an exponential as a quotient, a barrier one line too early, the first or the
last element forgotten or counted twice, work that one thread, one warp or one block does alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from tools.mutants import nodes, parser, solution_regions, text_of

IDENTITIES = (
    *("0.0f", "1e30f", "-1e30f", "3.402823466e+38f", "-3.402823466e+38f"),
    *("1.175494351e-38f", "INFINITY", "-INFINITY"),
)
IDENTITY = re.compile(r"-?(INFINITY|FLT_MAX|3\.4\d*e\+?38f?)|0\.0?f?|0")
NARROW = ("short", "unsigned char")
WHOLE = re.compile(r"(const |constexpr |unsigned |long |signed )*(int|unsigned|long|size_t|short)")
SHUFFLES = ("__shfl_xor_sync", "__shfl_down_sync", "__shfl_up_sync")
EXPONENTIAL = re.compile(r"(__)?expf?")
BARRIER = re.compile(
    r"(__sync\w+|__threadfence\w*|[\w.:]*\bsync|__pipeline_\w+|[\w.:]*barrier\w*)\(.*\);", re.S
)
COMPARISONS = {
    **{"<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<=")},
    **{"==": ("!=", "<=", ">="), "!=": ("==",)},
}
COORDINATE = re.compile(r"(threadIdx|blockIdx|blockDim|gridDim)\.([xyz])")
OTHER_COORDINATE = {
    "threadIdx": "blockIdx",
    "blockIdx": "threadIdx",
    "blockDim": "gridDim",
    "gridDim": "blockDim",
}
LEFT_OUT = {  # who does not take part in a statement
    "the first thread": "threadIdx.x != 0",
    "the last thread": "threadIdx.x != blockDim.x - 1",
    "lane 0": "threadIdx.x % 32 != 0",
    "lane 31": "threadIdx.x % 32 != 31",
    "the first warp": "threadIdx.x / 32 != 0",
    "the last warp": "threadIdx.x / 32 != (blockDim.x - 1) / 32",
    "other warps than the first": "threadIdx.x < 32",
    "the first block": "blockIdx.x != 0",
    "the last block": "blockIdx.x != gridDim.x - 1",
    "blocks from 32 on": "blockIdx.x < 32",
}
LEFT_OUT_BELOW = {  # the same in a grid or a block of two dimensions
    "the first row of threads": "threadIdx.y != 0",
    "the last row of threads": "threadIdx.y != blockDim.y - 1",
    "the first row of blocks": "blockIdx.y != 0",
    "the last row of blocks": "blockIdx.y != gridDim.y - 1",
    "rows of blocks from 32 on": "blockIdx.y < 32",
}
TWICE = {  # for whom a statement that adds something is executed once more
    "everybody": "true",
    "the first thread": "threadIdx.x == 0",
    "the last thread": "threadIdx.x == blockDim.x - 1",
    "lane 31": "threadIdx.x % 32 == 31",
    "the first block": "blockIdx.x == 0",
    "the last block": "blockIdx.x == gridDim.x - 1",
}
ALONE = {  # whose work a function does; ROUND is its body, as a function of (block, thread)
    "one block": "if (blockIdx.x == 0) for (unsigned b = 0; b < gridDim.x; b++) "
    "{ ROUND(b, threadIdx.x); __syncthreads(); }",
    "one warp": "if (threadIdx.x < 32) for (unsigned t = threadIdx.x; t < blockDim.x; t += 32) "
    "ROUND(blockIdx.x, t);",
    "one thread": "if (threadIdx.x == 0) for (unsigned t = 0; t < blockDim.x; t++) "
    "ROUND(blockIdx.x, t);",
    "everybody, twice": "for (int twice = 0; twice < 2; twice++) "
    "{ ROUND(blockIdx.x, threadIdx.x); __syncthreads(); }",
}
TAKEN_TWICE = "work: an exponential taken twice"
WORK = "work"  # the kind of a change that may leave every result as it was


@dataclass(frozen=True)
class Change:
    """A kernel with one thing changed: `kind` in words, `line` counted from 1, `before` and `after`
    the text that is replaced and what stands there now."""

    kind: str
    line: int
    before: str
    after: str
    source: str

    @property
    def of_work(self) -> bool:
        """Whether only who does the work, or how often, is changed."""
        return self.kind.startswith(WORK)

    @property
    def is_an_exponential(self) -> bool:
        """Whether an exponential is taken once more than it must be."""
        return self.kind == TAKEN_TWICE


Edit = tuple[str, int, int, str]  # kind, and the bytes that are replaced by the text


def changes(source: str) -> tuple[Change, ...]:
    """Every change of what stands between BEGIN SOLUTION and END SOLUTION in `source`."""
    code = source.encode()
    regions = solution_regions(code)
    inside = [
        node
        for node in nodes(parser().parse(code).root_node)
        if any(first <= node.start_byte and node.end_byte <= last for first, last in regions)
    ]
    made: dict[bytes, Change] = {}
    for kind, start, end, text in _edits(inside, regions):
        changed = code[:start] + text.encode() + code[end:]
        if changed != code:
            line = code[:start].count(b"\n") + 1
            both = code[start:end].decode(), text
            made.setdefault(changed, Change(kind, line, *both, changed.decode()))
    return tuple(made.values())


def _edits(inside: list[Node], regions: list[tuple[int, int]]) -> Iterator[Edit]:
    for node in inside:
        for makes in BY_TYPE.get(node.type, ()):
            yield from makes(node)
    functions = {found.id: found for node in inside if (found := _function(node))}
    for function in functions.values():
        yield from _done_alone(function)


def _put(kind: str, node: Node, text: str) -> Edit:
    return kind, node.start_byte, node.end_byte, text


def _field(node: Node, name: str) -> Node:
    """A child that the grammar promises; the node itself stands in where there is none."""
    return node.child_by_field_name(name) or node


def _function(inner: Node) -> Node | None:
    node: Node | None = inner
    while node is not None and node.type != "function_definition":
        node = node.parent
    return node


def _is_declared_here(node: Node) -> bool:
    parent = node.parent
    return parent is not None and (
        parent.type.endswith(("declarator", "parameter_declaration"))
        and parent.child_by_field_name("declarator") == node
    )


# --- numbers and bounds ------------------------------------------------------------------------


def _other_number(node: Node) -> Iterator[Edit]:
    """A whole number by those nearby; 32 also by the number of warps, threads and blocks."""
    text = text_of(node)
    if re.fullmatch(r"\d+\.\d*f?", text) and not IDENTITY.fullmatch(text):
        yield from (_put("another number", node, f"({how} {text})") for how in ("2.0f *", "1.0f +"))
    if not text.isdecimal():
        return
    number = int(text)
    near = {number - 1, number + 1, 2 * number, number // 2, 32} - {number, -1}
    yield from (_put("another number", node, str(one)) for one in sorted(near))
    if number in (31, 32):
        for bound in ("(blockDim.x / 32)", "blockDim.x", "gridDim.x"):
            yield _put("another bound", node, bound)


def _other_coordinate(node: Node) -> Iterator[Edit]:
    """`blockDim` for `gridDim`, x for y, a number for both."""
    text = text_of(node)
    if match := COORDINATE.fullmatch(text):
        name, axis = match.groups()
        others = [f"{OTHER_COORDINATE[name]}.{axis}"]
        others += [f"{name}.{other}" for other in "xyz" if other != axis]
        others += ["32", "256"] if name.endswith("Dim") else ["0"]
        yield from (_put("another bound", node, other) for other in others)
        # A short holds every thread's number, and more blocks' than a case can launch.
        yield _put("index narrowed", node, f"((unsigned char){text})")
    elif text_of(_field(node, "field")) in ("x", "y", "z", "w"):
        object_ = text_of(_field(node, "argument"))
        yield from (_put("x for y", node, f"{object_}.{other}") for other in "xyzw")


def _other_name(node: Node) -> Iterator[Edit]:
    """One whole number that a function knows by another, and by 32."""
    if _is_declared_here(node) or _is_target(node):
        return
    known = _whole_numbers(node)
    name = text_of(node)
    if name in known:
        others = [*(one for one in known if one != name), "32"]
        yield from (_put("another bound", node, other) for other in others)


def _is_target(node: Node) -> bool:
    parent = node.parent
    return parent is not None and (
        parent.type == "update_expression"
        or (parent.type == "assignment_expression" and _field(parent, "left") == node)
    )


def _whole_numbers(node: Node) -> list[str]:
    """Names of whole numbers that can be used at `node`: parameters, and constants before it."""
    function = _function(node)
    if function is None:
        return []
    found = []
    around = {one.id for one in _parents(node)}
    for one in nodes(function):
        if one.type == "parameter_declaration" or (
            one.type == "declaration"
            and one.end_byte <= node.start_byte
            and one.parent is not None
            and one.parent.id in around
        ):
            if not WHOLE.fullmatch(text_of(_field(one, "type"))):
                continue
            for name in one.children_by_field_name("declarator"):
                inner = _field(name, "declarator") if name.type == "init_declarator" else name
                if inner.type == "identifier":
                    found.append(text_of(inner))
    return found


def _parents(node: Node) -> Iterator[Node]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _other_comparison(node: Node) -> Iterator[Edit]:
    operator = _field(node, "operator")
    for other in COMPARISONS.get(operator.type, ()):
        yield _put("another comparison", operator, other)
    if operator.type in ("<", "<=", ">", ">="):
        right = _field(node, "right")
        for step in ("+ 1", "- 1"):
            yield _put("a bound moved by one", right, f"({text_of(right)} {step})")


# --- narrow indices ----------------------------------------------------------------------------


def _narrowed_declaration(node: Node) -> Iterator[Edit]:
    kind = text_of(_field(node, "type"))
    if WHOLE.fullmatch(kind):
        text = text_of(node)
        yield from (_put("index narrowed", node, text.replace(kind, one, 1)) for one in NARROW)


def _narrowed_index(node: Node) -> Iterator[Edit]:
    for index in node.named_children:
        if not text_of(index).isdecimal():
            text = text_of(index)
            yield from (_put("index narrowed", index, f"({one})({text})") for one in NARROW)


def _narrowed_product(node: Node) -> Iterator[Edit]:
    """A product is a place in an array also where it is added to a pointer."""
    text = text_of(node)
    if _field(node, "operator").type == "*" and "." not in COORDINATE.sub("", text):
        yield from (_put("index narrowed", node, f"({one})({text})") for one in NARROW)


# --- identities and exponentials ---------------------------------------------------------------


def _other_identity(node: Node) -> Iterator[Edit]:
    text = text_of(node)
    if not IDENTITY.fullmatch(text) or text_of(node.parent).startswith("-INF"):
        return
    if text == "0" and not _begins_a_float(node):
        return
    yield from (_put("another identity", node, other) for other in IDENTITIES if other != text)


def _identity_that_is_called(node: Node) -> Iterator[Edit]:
    """`Op::identity()` by each of the numbers."""
    if re.fullmatch(r"[\w:]*\bidentity\(\)", text_of(node)):
        yield from (_put("another identity", node, other) for other in IDENTITIES)


def _begins_a_float(node: Node) -> bool:
    declaration = next((one for one in _parents(node) if one.type == "declaration"), None)
    kind = text_of(_field(declaration, "type")) if declaration is not None else ""
    return bool(kind) and not WHOLE.fullmatch(kind) and kind not in ("bool", "auto")


def _exponential(node: Node) -> Iterator[Edit]:
    name, given = text_of(_field(node, "function")), _field(node, "arguments").named_children
    if not EXPONENTIAL.fullmatch(name) or len(given) != 1:
        return
    (power,) = given
    if power.type == "binary_expression" and _field(power, "operator").type == "-":
        left, right = text_of(_field(power, "left")), text_of(_field(power, "right"))
        yield _put("exponential as a quotient", node, f"({name}({left}) / {name}({right}))")
    again = (
        f"([&] {{ float power = {text_of(power)}; const float first = {name}(power); "
        f'asm volatile("" : "+f"(power)); return 0.5f * (first + {name}(power)); }}())'
    )
    yield _put(TAKEN_TWICE, node, again)


def _shuffled_otherwise(node: Node) -> Iterator[Edit]:
    if (name := text_of(node)) in SHUFFLES:
        yield from (_put("another shuffle", node, one) for one in SHUFFLES if one != name)


# --- loops -------------------------------------------------------------------------------------


def _loop(node: Node) -> Iterator[Edit]:
    body = _field(node, "body")
    text = text_of(body)
    yield _put("body executed once", body, f"{{ {text} break; }}")
    yield _put(f"{WORK}: a loop gone through twice", node, _twice(text_of(node)))
    if node.type != "for_statement":
        return
    update, condition = _field(node, "update"), _field(node, "condition")
    start = _field(node, "initializer")
    counter = re.search(r"(\w+)\s*=\s*([^;]*);?$", text_of(start))
    bound = text_of(_field(condition, "right"))
    if counter is None or condition.type != "binary_expression":
        return
    name, first = counter.groups()
    for step in ("+ 1", "- 1"):
        moved = text_of(start)[: counter.start(2)] + f"({first}) {step};"
        yield _put("a loop begun one off", start, moved)
    last = {"<": f"{bound} - 1", ">": f"{bound} + 1"}.get(_field(condition, "operator").type, bound)
    rounds = {
        "first round": f"{name} == {first}",
        "first element": f"{name} == 0",
        "last element": f"{name} == {last}",
    }
    for what, test in rounds.items():
        yield _put(f"the {what} left out", body, f"{{ if (!({test})) {text} }}")
        yield _put(f"the {what} taken twice", body, f"{{ if ({test}) {text} {text} }}")
    yield from _stride_dropped(update)
    yield from _loop_alone(node, name, first, update)


def _twice(text: str) -> str:
    return f"for (int twice = 0; twice < 2; twice++) {{ {text} }}"


def _stride_dropped(update: Node) -> Iterator[Edit]:
    """`i += gridDim.x * blockDim.x` by one of the two, and by 1."""
    step = _field(update, "right")
    if update.type == "assignment_expression" and "Dim" in text_of(step):
        yield _put("another stride", step, "1")
        if step.type == "binary_expression":
            for side in ("left", "right"):
                yield _put("another stride", step, text_of(_field(step, side)))


def _loop_alone(node: Node, name: str, first: str, update: Node) -> Iterator[Edit]:
    """A loop that threads share, gone through by the first of them alone."""
    step, text = text_of(_field(update, "right")), text_of(node)
    if "blockDim" not in step and "warps" not in step and "32" not in step:
        return
    who = {"one thread": ("0", "1", "threadIdx.x == 0")}
    if "gridDim" in step:
        who = {
            "one thread of each block": ("blockIdx.x", "gridDim.x", "threadIdx.x == 0"),
            "one block": ("threadIdx.x", "blockDim.x", "blockIdx.x == 0"),
            "one thread": ("0", "1", "blockIdx.x == 0 && threadIdx.x == 0"),
        }
    elif "blockDim" in step:
        who |= {"one warp": ("threadIdx.x", "32", "threadIdx.x < 32")}
    for whom, (begin, stride, test) in who.items():
        alone = text.replace(f"{name} = {first}", f"{name} = {_kept(first, begin)}", 1)
        alone = alone.replace(text_of(update), f"{name} += {stride}", 1)
        yield _put(f"{WORK}: a loop gone through by {whom}", node, f"if ({test}) {alone}")


def _kept(first: str, begin: str) -> str:
    """Where a loop begins for one thread: what else stands in `first` stays."""
    if re.fullmatch(r"threadIdx\.x|lane|thread|t|warp", first) or "blockIdx" in first:
        return begin
    return re.sub(r"\bthreadIdx\.x\b|\blane\b|\bthread\b", begin, first)


# --- statements --------------------------------------------------------------------------------


def _statement(node: Node) -> Iterator[Edit]:
    text = text_of(node)
    if BARRIER.fullmatch(text):
        yield from _barrier(node)
        return
    whole = text_of(_function(node))
    below = LEFT_OUT_BELOW if re.search(r"(threadIdx|blockIdx)\.y", whole) else {}
    for who, test in (LEFT_OUT | below).items():
        yield _put(f"{who} left out", node, f"if ({test}) {text}")
    if "=" not in text and "atomic" not in text:
        return
    kind = f"{WORK}: stored twice" if _can_be_repeated(node) else "twice"
    for who, test in TWICE.items():
        yield _put(f"{kind} for {who}", node, f"{{ {text} if ({test}) {text} }}")


def _can_be_repeated(statement: Node) -> bool:
    """Whether it is `a = b` where b says nothing of a, and calls nothing that changes anything."""
    assignment = statement.named_children[0] if statement.named_children else statement
    if assignment.type != "assignment_expression" or _field(assignment, "operator").type != "=":
        return False
    left, right = _field(assignment, "left"), text_of(_field(assignment, "right"))
    target = re.match(r"\W*(\w+)", text_of(left))
    return (
        target is not None
        and re.search(rf"\b{target[1]}\b", right) is None
        and re.search(r"=[^=]|atomic|_sync|\+\+|--", right) is None
    )


def _barrier(node: Node) -> Iterator[Edit]:
    text = text_of(node)
    yield _put("a barrier dropped", node, ";")
    before, after = _beside(node)
    if before is not None:
        moved = f"{text} {_between(before, node)}"
        yield "a barrier moved up", before.start_byte, node.end_byte, moved
    if after is not None:
        moved = f"{_between(node, after, False)} {text}"
        yield "a barrier moved down", node.start_byte, after.end_byte, moved


def _beside(node: Node) -> tuple[Node | None, Node | None]:
    """The statements before and behind a barrier."""
    parent = node.parent
    found = [one for one in parent.named_children if one.type != "comment"] if parent else []
    at = found.index(node) if node in found else 0
    if parent is None or parent.type != "compound_statement":
        return None, None
    before = found[at - 1] if at > 0 and found[at - 1].type != "declaration" else None
    after = found[at + 1] if at + 1 < len(found) else None
    return before, after


def _between(first: Node, last: Node, from_first: bool = True) -> str:
    """The text from one statement's start to where another begins; or behind the one, to the end of
    the other."""
    whole = first.parent.text or b"" if first.parent else b""
    offset = first.parent.start_byte if first.parent else 0
    start, end = (
        (first.start_byte, last.start_byte) if from_first else (first.end_byte, last.end_byte)
    )
    return whole[start - offset : end - offset].decode() + "\n"


def _condition(node: Node) -> Iterator[Edit]:
    """A decision that always falls the same way: what one thread or warp did, all do."""
    if any(one.type in ("if_statement",) for one in [node.parent] if one):
        yield _put("for everybody", node, "(true)")
        yield _put("for nobody", node, "(false)")


# --- a whole function --------------------------------------------------------------------------


def _done_alone(function: Node) -> Iterator[Edit]:
    body = _field(function, "body")
    if text_of(_field(function, "type")) != "void" or "extern __shared__" in text_of(body):
        return
    text = re.sub(r"\bblockIdx\.x\b", "block_", text_of(body))
    text = re.sub(r"\bthreadIdx\.x\b", "thread_", text)
    shared = re.findall(r"__shared__[^;]*;", text)
    for declaration in shared:
        text = text.replace(declaration, "", 1)
    whole = f"auto round_ = [&](unsigned block_, unsigned thread_) {text};"
    for who, loop in ALONE.items():
        alone = f"{{ {' '.join(shared)} {whole} {loop.replace('ROUND', 'round_')} }}"
        yield _put(f"{WORK}: done by {who}", body, alone)


def in_few_words(change: Change) -> str:
    """The lines that differ, as a diff of a line or two."""

    def short(text: str) -> str:
        text = " ".join(text.split())
        return text if len(text) <= 150 else f"{text[:75]} ... {text[-70:]}"

    return f"- {short(change.before)}\n+ {short(change.after)}"


Maker = Callable[[Node], Iterator[Edit]]
BY_TYPE: dict[str, tuple[Maker, ...]] = {
    "number_literal": (_other_number, _other_identity),
    "identifier": (_other_name, _shuffled_otherwise, _other_identity),
    "unary_expression": (_other_identity,),
    "field_expression": (_other_coordinate,),
    "binary_expression": (_other_comparison, _narrowed_product),
    "declaration": (_narrowed_declaration,),
    "subscript_argument_list": (_narrowed_index,),
    "call_expression": (_exponential, _identity_that_is_called),
    "for_statement": (_loop,),
    "for_range_loop": (_loop,),
    "while_statement": (_loop,),
    "expression_statement": (_statement,),
    "condition_clause": (_condition,),
}
__all__ = ["Change", "changes", "in_few_words"]
