"""Where a kernel reaches for its arrays, found in its text, and the same text with other accesses.

`x[e]` is an access; so is what stands for it: an element of `const float* row = x + first;`, of
`reinterpret_cast<const float4*>(x)`, or `*x`. An array that is passed on, or pointed into, is
`Refused`: then its text does not tell what happens to it. But where it is known to be passed on in
parts of so many elements, as to an asynchronous copy, `x + e` begins such a part. A kernel may also
pass on all that it gets, as to a template: then the body of that function is its own.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from grader.course.variants import GROUPS, SINGLE, Layout, Refused, named

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_KERNEL = re.compile(r"__global__\s+void\s+(?:__\w+__\s*\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)\s*\{")
_CALL = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*;\s*")  # all of a body
_TYPE = r"(?:const\s+)?\w+(?:\s*<[^<>]*>)?"
_CAST = (
    rf"reinterpret_cast\s*<\s*(?P<t>{_TYPE})\s*\*\s*>\s*\(\s*(?P<p>\w+)\b"
    rf"|\(\s*(?P<u>{_TYPE})\s*\*\s*\)\s*\(\s*(?P<q>\w+)\b"
)
CAST = re.compile(_CAST)
_NAME_OR_CAST = re.compile(rf"{_CAST}|(?<!\.)(?<!->)(?<!::)\b\w+")
_ALIAS = re.compile(
    rf"^[ \t]*{_TYPE}\s*\*\s*(?:__restrict__\s+)?(?:const\s+)?(?P<name>\w+)\s*=\s*(?P<is>[^;]*);"
    r"[ \t]*(?://[^\n]*)?\n?",
    re.MULTILINE,
)
_SIDE_EFFECT = re.compile(r"\+\+|--|[^=!<>]=[^=]|atomic")
_WIDTHS = {"float2": 2, "float4": 4, "int4": 4, "uint4": 4, "double2": 2}

Writer = Callable[[str], str]  # an access to the element of that index, as text


def needs(layout: Layout) -> set[str]:
    """The names in a layout that have to be known."""
    return set(re.findall(r"\b[LRCrc]\b", f"{layout.place} {layout.second}"))


def masked(source: str) -> str:
    """The source with blanks in place of comments and texts, each character where it was."""
    return COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)


@dataclass(frozen=True)
class KernelText:
    """A kernel of a source: the types of its `parameters` by name; its body, or the body of the
    function that it passes all of them on to, is from character `begin` to `end`."""

    name: str
    parameters: Mapping[str, str]
    begin: int
    end: int


def kernels(source: str) -> list[KernelText]:
    """The kernels of a source, in order."""
    mask = masked(source)
    found = list(_KERNEL.finditer(mask))
    ends = [*(one.start() for one in found[1:]), len(mask)]
    return [
        KernelText(one[1], names, *_body(mask, one.end(), mask.rindex("}", one.end(), end), names))
        for one, end in zip(found, ends, strict=True)
        for names in [_parameters(one[2])]
    ]


def _parameters(declared: str) -> dict[str, str]:
    """The types of parameters by name."""
    return {name: kind for kind, name in re.findall(r"([^,]*?)(\w+)\s*(?:,|$)", declared)}


def _body(mask: str, begin: int, end: int, names: Iterable[str]) -> tuple[int, int]:
    """From where to where the own lines are of a kernel with parameters of these names, whose text
    is from `begin` to `end`."""
    call = _CALL.fullmatch(mask, begin, end)
    if call and re.split(r"\s*,\s*", call[2]) == list(names):
        function = re.search(rf"\b{call[1]}\s*\(([^()]*)\)\s*\{{", mask)
        if function and list(_parameters(function[1])) == list(names):
            return function.end(), closing(mask, function.end() - 1)
    return begin, end


def closing(text: str, begin: int) -> int:
    """Where the bracket closes that opens at `begin`."""
    depth = 0
    for at, sign in enumerate(text[begin:], begin):
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0:
            return at
    raise Refused("a bracket is not closed")


def inside(text: str) -> str:
    """The text as a part of a product."""
    one = r"[\w.]+(?:<\w+>)?(?:\((?:[^()]|\([^()]*\))*\))?|\((?:[^()]|\([^()]*\))*\)"
    return text if re.fullmatch(one, text) else f"({text})"


def width(kind: str, source: str, unknown: int = 0) -> int:
    """How many elements of an array one of another type has; `unknown` where nothing says it."""
    name = re.sub(r"\b(const|__restrict__)\b|\*", "", kind).strip()
    packed = re.fullmatch(r"\w+\s*<\s*\w+\s*,\s*(\w+)\s*>", name)
    says = rf"\bstruct\s+(?:alignas|__align__)\s*\(\s*(\d+)\s*\)\s*{re.escape(name)}\b"
    aligned = re.search(says, source)
    said = _number(packed[1], source) if packed else int(aligned[1]) // 4 if aligned else unknown
    if found := _WIDTHS.get(name, said):
        return found
    raise Refused(f"nothing says how many elements a {name} has")


def _number(text: str, source: str) -> int:
    """A number, or one that has a name; 0 where nothing says it. So many bytes over the size of a
    type are as many elements as they have halves."""
    named = re.search(rf"\bconstexpr int {text} = (\d+)( / sizeof\b)?", source)
    if named:
        return int(named[1]) // (2 if named[2] else 1)
    return int(text) if text.isdigit() else 0


@dataclass(frozen=True)
class _Pointer:
    """Something that points to a parameter's array: to elements of the type `cast`, `width` of the
    array's own each, from the array's element `offset` on."""

    parameter: str
    cast: str = ""
    width: int = 1
    offset: str = ""

    def element(self, index: str) -> str:
        """The index in the array of the element `index`."""
        packed = re.search(r",\s*(\w+)\s*>", self.cast)  # its length may have a name
        times = packed[1] if packed else self.width
        own = index if self.width == 1 or index == "0" else f"{times} * {inside(index)}"
        parts = [one for one in (self.offset, own) if one and one != "0"]
        return " + ".join(parts) or "0"


class _Body:
    """The text of a kernel's body, and all that points to the arrays of `writers`, of which those
    `passed` may be passed on in parts."""

    def __init__(
        self, text: str, source: str, writers: Mapping[str, Writer], passed: Collection[str]
    ):
        self.source, self.writers, self.passed = source, writers, passed
        self.pointers = {name: _Pointer(name) for name in writers}
        self.text = _ALIAS.sub(self._declared, text)
        self.mask = masked(self.text)

    def _declared(self, found: re.Match[str]) -> str:
        """Nothing in place of a declaration whose name is known from now on."""
        several = re.search(r",\s*\*", found["is"])  # names in one declaration
        pointer = None if several else self._pointer(found["is"].strip())
        if pointer:
            self.pointers[found["name"]] = pointer
        return "" if pointer else found[0]

    def _pointer(self, text: str) -> _Pointer | None:
        """Of `x + first`, `&x[first]`, `reinterpret_cast<const float4*>(x) + first`."""
        if cast := CAST.match(text):
            begin = cast.start("p" if cast["p"] else "q")
            end = closing(text, text.rindex("(", 0, begin))
            base, kind = self._pointer(text[begin:end]), cast["t"] or cast["u"]
            known = base and replace(base, cast=kind, width=width(kind, self.source))
            offset = text[end + 1 :].strip(" +\n")
        else:
            plain = re.fullmatch(r"&?\s*(\w+)\s*(?:\+(.*)|\[(.*)\])?", text, re.DOTALL)
            known = self.pointers.get(plain[1]) if plain else None
            offset = (plain[2] or plain[3] or "").strip() if plain else ""
        return replace(known, offset=known.element(offset)) if known and offset else known

    def between(self, begin: int, end: int) -> str:
        """The text from `begin` to `end`, with other accesses."""
        out, at = "", begin
        for found in _NAME_OR_CAST.finditer(self.mask, begin, end):
            if found.start() >= at and (made := self._access(found)):
                text, first, last = made
                out, at = out + self.text[at:first] + text, last
        return out + self.text[at:end]

    def _access(self, found: re.Match[str]) -> tuple[str, int, int] | None:
        """The other access, and from where to where the one is that begins here."""
        name, start, end = found["p"] or found["q"], found.start(), found.end()
        pointer = self.pointers.get(name or found[0])
        if pointer is None:
            return None
        if name:
            end = closing(self.mask, self.mask.rindex("(", 0, end - len(name) + 1)) + 1
            pointer = self._pointer(self.text[start:end]) or pointer
            outer = bool(found["q"]) and self.mask[start - 1] == "(" and self.mask[end] == ")"
            start, end = start - outer, end + outer
        if bracket := re.compile(r"\s*\[").match(self.mask, end):
            last = closing(self.mask, bracket.end() - 1)
            return self._other(pointer, self.between(bracket.end(), last), start, last + 1)
        if star := re.search(r"(?<![\w)\]])\s*(\*)\s*$", self.mask[:start]):
            return self._other(pointer, "0", star.start(1), end)
        rest = re.compile(r"\s*(\+?)").match(self.mask, end)
        last = self._argument(end)
        if pointer.parameter in self.passed and rest and (rest[1] or last == end):
            index = self.between(rest.end(), last).strip() or "0"
            made, _, _ = self._other(pointer, index, start, last)
            return f"&{made}", start, last
        raise Refused(f"the array {pointer.parameter} is passed on, or pointed into")

    def _argument(self, begin: int) -> int:
        """Where the argument of a call ends that goes on at `begin`."""
        at = begin
        while self.mask[at] not in ",);":
            at = closing(self.mask, at) + 1 if self.mask[at] in "([{" else at + 1
        return at

    def _other(self, pointer: _Pointer, index: str, start: int, end: int) -> tuple[str, int, int]:
        if _SIDE_EFFECT.search(index):
            raise Refused("an index has a side effect")
        made = self.writers[pointer.parameter](pointer.element(index))
        written = re.match(r"\s*([-+*/&|^]?=(?!=)|\+\+|--)", self.mask[end:])
        if made.startswith("(") and (written or self.mask[:start].rstrip().endswith("&")):
            raise Refused("an array of two parts is written to")
        if pointer.cast:
            made = f"reinterpret_cast<{pointer.cast}*>(&{made})[0]"
        return made, start, end


def rewritten(
    source: str, writers: Mapping[tuple[str, str], Writer], passed: Collection[str] = ()
) -> str:
    """The source with other accesses to the arrays of `writers`, by kernel and parameter, of which
    those `passed` may be passed on in parts."""
    out, at = "", 0
    own: dict[tuple[int, int], dict[str, Writer]] = {}  # by body, which several kernels may have
    for kernel in kernels(source):
        known = {name: writer for (of, name), writer in writers.items() if of == kernel.name}
        own.setdefault((kernel.begin, kernel.end), {}).update(known)
    for (begin, end), some in sorted(own.items(), key=lambda one: one[0]):
        body = _Body(source[begin:end], source, some, passed)
        out += source[at:begin] + body.between(0, len(body.text))
        at = end
    return out + source[at:]


def widest(source: str, kernel: KernelText, parameter: str, part: int = 0) -> int:
    """How many elements of a parameter's array the kernel moves at once; `part`: it passes on so
    many. Refused where its text does not tell what happens to the array."""
    writers, passed = {parameter: lambda index: "x[0]"}, {parameter} if part else set()
    body = _Body(source[kernel.begin : kernel.end], source, writers, passed)
    body.between(0, len(body.text))
    casts = [one for one in CAST.finditer(body.mask) if (one["p"] or one["q"]) == parameter]
    wide = [width(one["t"] or one["u"], source) for one in casts]
    return max([1, part, *wide, *(one.width for one in body.pointers.values())])


# ---- layouts ----


def of_width(width: int) -> dict[str, Layout]:
    """The layouts for kernels that move so many elements at once, by name."""
    every = SINGLE if width == 1 else {f"{one}, {width} at once": one for one in GROUPS}
    return {name: named(name) for name in every}


_LOW = re.compile(r"[?<>&|^=,]")


def writer(parameter: str, length: str, layout: Layout) -> Writer:
    """Writes what is the parameter's element of an index without the layout; `length` is the
    array's, "rows * columns" where it has these."""
    length = length.replace("//", "/")
    rows, _, columns = length.rpartition(" * ")

    def written(index: str) -> str:
        names = {"i": index, "L": length, "R": rows, "C": columns}
        if {"r", "c"} & needs(layout):
            names |= dict(zip("rc", _row_and_column(index, columns), strict=True))
        first, second = (
            f"{parameter}[{_substituted(one, names)}]" for one in (layout.place, layout.second)
        )
        made = f"({first} {layout.sign} {second})" if layout.sign else first
        return made.replace(" + 0]", "]")

    return written


def _substituted(text: str, names: Mapping[str, str]) -> str:
    """An expression in C++, with texts in place of its names, and as few brackets as are safe."""

    def put(found: re.Match[str]) -> str:
        made, before = names[found[0]], text[: found.start()].rstrip()[-1:]
        after = text[found.end() :].lstrip()[:1]
        summand = before in ("", "+", "(") and after in ("", "+", "-", ")")
        factor = before in ("", "(", "+", "*") and not re.search(r"[^\w.* ]", made)
        return made if factor or (summand and not _LOW.search(made)) else inside(made)

    return re.sub(r"\b[A-Za-z]\b", put, text).replace("//", "/")


def _row_and_column(index: str, columns: str) -> tuple[str, str]:
    """The two of a linear index, read from it where it is `row * columns + column`."""
    flat = index
    for _ in range(4):  # so deep are brackets in each other
        flat = re.sub(r"\([^()]*\)|<\w+>", lambda found: "_" * len(found[0]), flat)
    cuts = [-1, *(one.start() for one in re.finditer(r"\+", flat)), len(index)]
    terms = [index[a + 1 : b].strip() for a, b in pairwise(cuts)]
    for term in terms if not re.search(r"[-?]", flat) else ():
        product = re.fullmatch(rf"(.+) \* {re.escape(columns)}|{re.escape(columns)} \* (.+)", term)
        rest = " + ".join(one for one in terms if one is not term)
        if product and not re.search(rf"(?<![\w.]){re.escape(columns)}(?![\w.])", rest):
            return product[1] or product[2], rest or "0"
    return f"{inside(index)} / {inside(columns)}", f"{inside(index)} % {inside(columns)}"
