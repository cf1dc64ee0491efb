"""What a source declares: arrays, variables and structs; and its loops and conditions, by line.

PTX knows a shared array by a mangled name and its bytes; the source says what its elements are and
how many there are along each dimension. Read by pattern, not by grammar (tree-sitter's loses
kernels of sources that compile): what a macro or a template hides stays unknown (None). Then only
sizes are checked, and memory is told by what the access itself shows.
"""

import ast
import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from math import fmod, isclose, prod

import numpy as np

from .lexer import without_comments
from .parameters import DTYPES

_SIZES = {
    **{name: np.dtype(kind).itemsize for name, kind in DTYPES.items()},
    **{"__nv_bfloat16": 2, "half2": 4, "__half2": 4, "__nv_bfloat162": 4, "dim3": 12},
}
_SCALARS = {
    **{"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "float": 4},
    **{"long": 8, "ulong": 8, "longlong": 8, "ulonglong": 8, "double": 8},
}


_DECLARED = re.compile(
    r"(?P<words>(?:\b(?:extern|static|constexpr|const|volatile|__shared__|__device__|__constant__"
    r"|__align__\s*\(\s*\d+\s*\)|alignas\s*\(\s*\d+\s*\)|__managed__|struct)\s+)*)"
    r"(?P<type>\b(?:unsigned\s+|signed\s+)?(?:long\s+long|[A-Za-z_][\w:]*(?:<[^;{}<>]*>)?)"
    r"(?:\s+int\b)?)\s+"
    r"(?P<names>[A-Za-z_]\w*\s*(?:\[[^\]]*\]\s*)*(?:,\s*[A-Za-z_]\w*\s*(?:\[[^\]]*\]\s*)*)*)"
    r"(?=[;={])"
)
_NAME = re.compile(r"([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)")
_INDEX = r"\s*\[(?:[^][]|\[[^][]*\])*\]"  # others may stand in it
_CONSTANT = re.compile(
    r"(?:^[ \t]*#[ \t]*define[ \t]+(?P<macro>\w+)[ \t]+(?P<as>[^\n]+)$)"
    r"|(?:\b(?:constexpr|const)\s+(?:static\s+)?(?:unsigned\s+)?(?:int|unsigned|size_t|long|short)"
    r"(?:\s+int)?\s+(?P<constants>\w+\s*=[^;]+;))",
    re.MULTILINE,
)
_OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: int(a / b),
    ast.Mod: lambda a, b: int(fmod(a, b)),
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_ADDS = re.compile(r"\(|(?<!\+)\+(?!\+)|(?<!-)-(?!-)")  # or calls
_TYPED = re.compile(
    r"\b(?!(?:return|else|const|case|goto)\b)([A-Za-z_]\w*(?:\s|\*|&|\bconst\b|__restrict__)+)"
    r"(\w+)(?=\s*[=,;):\[{])"
)
_NO_TYPES = {"return", "else", "new", "delete", "goto", "case", "typename", "class", "using"}


@dataclass(frozen=True)
class Declared:
    """`__shared__ float tile[32][33]`: `dimensions` are (32, 33), each None where it is not known;
    a variable that is no array has none. `memory` is "shared", "device" or "" (a local one);
    `given`: it gets a value where it is declared."""

    name: str
    type: str
    dimensions: tuple[int | None, ...]
    memory: str
    given: bool = False


_INSIDE = r"\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)"
SET = re.compile(r"(?<![<>=!])=(?!=)|\breturn\b")
_FUNCTION = re.compile(r"\b__(?:device|global)__\b[^;={]*?\b(\w+)\s*\((?![^()]*\)\s*\w+\()")
_IF = re.compile(rf"\bif{_INSIDE}")
LOOP = re.compile(rf"\b(?:for|while){_INSIDE}")
COMMA = re.compile(r",(?![^()\[\]]*[)\]])")  # of no inner brackets
_PRODUCT = re.compile(r"[\w)\]]\s*\*\s*[\w(]")
WORD = re.compile(r"\w+")
_SOURCE = re.compile(r"(?:threadIdx|blockIdx|blockDim|gridDim)\.\w|\w+")  # what is computed with
ASSIGNED = r"\b{0}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?:\+\+|--)\s*{0}\b|\b{0}\s*(?:\+\+|--)"
_NUMBER = r"(?<![\w.~])((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![xX])"  # not 0xff, not ~0
_NUMBERS = {"INFINITY": "1e999f", "FLT_MAX": "3.402823466e38f", "FLT_MIN": "1.175494351e-38f"}
_NAMED = re.compile("|".join(_NUMBERS))
_COMPARED = re.compile(r"[=!]= *\d+\b(?!\.)")
NEAR = 3  # lines


@dataclass(frozen=True)
class StructMember:
    """A member of a struct: where it begins, in bytes, and what it is."""

    name: str
    offset: int
    size: int
    dimensions: tuple[int | None, ...]


class Declarations:
    """What a source declares, by name; one name may stand for several variables."""

    def __init__(self, source: str):
        text = self._text = without_comments(source)
        self.lines = [line.partition("//")[0] for line in source.splitlines()]
        self.constants = _constants(text)
        text = re.sub(r"^[ \t]*#.*$", ";", text, flags=re.MULTILINE)
        self._structs = dict(
            re.findall(r"\bstruct\s+(?:__align__\s*\(\s*\d+\s*\)\s*)?(\w+)\s*{([^{}]*)}", text)
        )
        self.variables: defaultdict[str, list[Declared]] = defaultdict(list)
        for match in _DECLARED.finditer(text):
            words, kind = match["words"], " ".join(match["type"].split())
            of_module = "__device__" in words or "__constant__" in words
            memory = "device" if of_module else "shared" if "__shared__" in words else ""
            for name, brackets in _NAME.findall(match["names"]) if kind not in _NO_TYPES else ():
                self.variables[name].append(
                    Declared(
                        *(name, kind, self._dimensions(brackets), memory),
                        given=text[match.end()] != ";",
                    )
                )

    @property
    def types(self) -> dict[str, str]:
        """By name the types of variables and parameters, as they stand at the first ones: without
        blanks, and with stars."""
        return {name: "".join(kind.split()) for kind, name in reversed(_TYPED.findall(self._text))}

    def find(self, name: str, memory: str) -> Declared | None:
        """The variable of that name in that memory; None if there is none, or more than one that
        are not declared alike."""
        found = [one for one in self.variables.get(name, ()) if one.memory == memory]
        return found[0] if len({(one.type, one.dimensions) for one in found}) == 1 else None

    def exchanges(self, line: int) -> bool:
        """Whether threads exchange values on a source line: by a shuffle, or in shared memory."""
        return any(map(self._is_exchanged, WORD.findall(self.line(line))))

    def reads_others(self, line: int) -> bool:
        """Whether a source line brings other threads' values: by a shuffle, or out of shared
        memory."""
        return any(
            self._is_exchanged(word) and not self.only_assigned(line, word)
            for word in WORD.findall(self.line(line))
        )

    def _is_exchanged(self, word: str) -> bool:
        """Whether it is a shuffle, or a variable that threads share."""
        return word.startswith("__shfl") or any(one.memory for one in self.variables.get(word, ()))

    def without_value(self, line: int | None) -> str | None:
        """The variable on a source line that gets no value where it is declared; None if there is
        none, or more than one."""
        found = {one.name for one in self._mentioned(line) if not (one.given or one.dimensions)}
        return found.pop() if len(found) == 1 else None

    def local_arrays(self, line: int | None) -> list[Declared]:
        """The threads' own arrays that a source line mentions."""
        return [one for one in self._mentioned(line) if one.dimensions]

    def mentions(self, line: int | None, name: str) -> bool:
        """Whether a source line has a name in it."""
        return re.search(rf"\b{re.escape(name)}\b", self.line(line)) is not None

    def is_in(self, head: int, name: str) -> bool:
        """Whether a name is on a line of the loop that a source line begins."""
        return any(
            self.loop(at)[1] == head and self.mentions(at, name)
            for at in range(head, 1 + len(self.lines))
        )

    def only_assigned(self, line: int | None, name: str) -> bool:
        """Whether a source line gives an element of an array a value, and names it nowhere else."""
        text, word = self.line(line), rf"(?<!\.)(?<!->)\b{re.escape(name)}\b"
        element = rf"{word}(?:{_INDEX})+|^\s*\*[^=;]*{word}[^=;]*"
        return (
            re.search(rf"(?:{element})\s*=(?!=)", text) is not None
            and len(re.findall(word, text)) == 1
        )

    def condition(self, line: int) -> tuple[str, int]:
        """The condition of the loop that a source line begins, or else is in, and its line; "" if
        it names no variable, or is not the only one on its line."""
        loop, line = self.around(line, LOOP)
        parts = loop.split(";")
        condition = parts[len(parts) // 2].strip()
        return condition if re.search(r"\b(?!true|false)[A-Za-z_]", condition) else "", line

    def loop(self, line: int) -> tuple[str, int]:
        """The head of the loop that a source line begins, or else is in, and its line; "" if there
        is none, or more than one on its line."""
        inside, at = self.around(line, LOOP)
        word = "for" if re.search(";| : ", inside) else "while"
        return f"{word} ({inside})" if inside else "", at

    @cached_property
    def loops(self) -> dict[int, str]:
        """The heads of all loops, by line."""
        return {at: head for head, at in map(self.loop, range(1, 1 + len(self.lines))) if head}

    def around_it(self, line: int) -> list[int]:
        """The lines of the loops that a source line begins or is in, the outermost first."""
        return [at for at in self.loops if at <= line <= self.end(at)]

    def reads_in_function(self, name: str) -> int | None:
        """The first line of a function to which an array is passed that reads from it, by whatever
        name it has there; None if there is none."""
        text = "\n".join(self.lines)
        for function, inside in re.findall(
            rf"\b(\w+)(?:<[^<>;]*>)?\(([^;*]*\b{name}\b(?!\[)[^;*]*)\)[^;{{]*;", text
        ):
            head = re.search(rf"__device__[^;{{}}]*?\b{function}\(([^)]*)\)\s*{{", text)
            given = re.findall(r"(\w+)\s*(?:,|$)", head[1]) if head else []
            passed = dict(zip(map(str.strip, COMMA.split(inside)), given, strict=False))
            if head and name in passed:
                body = range(text[: head.end()].count("\n") + 1, 1 + len(self.lines))
                return next((at for at in body if self.index(at, passed[name])), None)
        return None

    def whole_division(self, line: int) -> str:
        """A division of two whole numbers on a source line that gives a float, outside of an
        index; "" if there is none."""
        text = re.sub(_INDEX, "", self.line(line))

        def is_whole(name: str) -> bool:
            declared = re.search(rf"\b(\w+)\s+(?:\w+ = [^;]*, )?{name}\b", "\n".join(self.lines))
            kind = DTYPES.get(declared[1] if declared else "", np.float32)
            return name.isdecimal() or np.dtype(kind).kind in "iu"

        if re.match(r"\s*(?:const |constexpr )*(?:int|unsigned|size_t|long|bool|for|if)\b", text):
            return ""
        divisions = re.finditer(r"(?<![\w.)\]] )(?<![\w.*/])(\w+) / (\w+)(?![\w.(\[])", text)
        return next((one[0] for one in divisions if is_whole(one[1]) and is_whole(one[2])), "")

    def continued(self, line: int) -> tuple[str, int]:
        """The variable that a source line in a loop adds to, if it is declared before the loop, and
        the loop's line; "" if there is none, or it is a line on which threads exchange values."""
        name, (head, at) = (
            re.findall(r"\b(\w+)\s*\+=", LOOP.sub("", self.line(line))),
            self.loop(line),
        )
        is_old = len(name) == 1 and bool(head) and at <= line and not self.exchanges(line)
        return (name[0], at) if is_old else ("", 0)

    def end(self, line: int) -> int:
        """The last line of the loop that a source line begins, or else is in."""
        return self._closes(self.loop(line)[1])

    def _closes(self, begin: int) -> int:
        """The last line of what the `if` or the loop on a source line holds, with its `else`."""
        depth = 0
        for at in range(begin, 1 + len(self.lines)):
            text = self.line(at).rstrip()
            depth += text.count("{") - text.count("}")
            if depth <= 0 and text.endswith((";", "}")):
                return at
        return len(self.lines)

    def index(self, line: int, name: str) -> str:
        """The only index with which an array's name stands on a source line; "" if it has none, or
        several."""
        found = {one[1:-1] for one in re.findall(rf"(?<![.\w]){name}({_INDEX})", self.line(line))}
        return found.pop() if len(found) == 1 else ""

    def made_of(self, words: str, of_indices: bool = True) -> set[str]:
        """The names in an expression, and those that its variables are computed from; those in
        indices of arrays, too, if `of_indices`. An axis belongs to its name: "threadIdx.x"."""
        kept = "\\g<0>" if of_indices else ""
        words, text = (re.sub(_INDEX, kept, one) for one in (words, "\n".join(self.lines)))
        given = re.findall(r"\b(\w+)(?:\[[^][]*\])*\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)([^;]*);", text)
        found, before = set(_SOURCE.findall(words)), 0
        while len(found) != before:
            before = len(found)
            found |= {one for name, of in given if name in found for one in _SOURCE.findall(of)}
        return found

    def computed_on(self, index: str, line: int, numbers: Mapping[str, int] | None = None) -> str:
        """ ": `row` is 7 (line 8) and `col` is 0 (line 9)": the names in an index on a source line
        that get their values on lines before it in its kernel. Their values follow from whole
        `numbers`, such as those of `n` and `threadIdx.x`; " (lines 8 and 9)" where one does not.
        "" where they get them on the line itself, or in a loop's head."""
        found = {
            name: one
            for name, one in self._values(line, numbers or {}).items()
            if name in WORD.findall(index)
        }
        said = [
            f"`{name}` is {value} (line {at}{', unsigned' * (value >= 1 << 31)})"
            for name, (value, at) in found.items()
            if value is not None
        ]
        if numbers and said:
            return f": {', '.join(said[:-1])}{' and ' * (len(said) > 1)}{said[-1]}"
        names = [ASSIGNED.format(name) for name in found]
        changed = {
            at for at in range(1, line) if any(re.search(one, self.line(at)) for one in names)
        }
        lines = sorted({*(at for _, at in found.values()), *changed} - self.loops.keys())
        *before, last = [*map(str, lines)][-3:] or [""]
        return (
            f" (lines {', '.join(before)} and {last})" if before else f" (line {last})" * bool(last)
        )

    def _values(self, line: int, numbers: Mapping[str, int]) -> dict[str, tuple[int | None, int]]:
        """By name the whole numbers, None where they are not known, that variables get on lines
        before a source line in its kernel, and these lines. They follow from `numbers`."""
        begin = max((at for at in range(1, line) if "__global__" in self.line(at)), default=0)
        known: dict[str, int | None] = {
            **self.constants,
            **{_plain(name): one for name, one in numbers.items()},
        }
        found, kernel = dict[str, tuple[int | None, int]](), "\n".join(self.lines[begin:])
        for at in sorted({*range(begin + 1, line)} - {*self.loops}):
            for name, text in given_on(self.line(at)):
                is_only = len(re.findall(ASSIGNED.format(name), kernel)) == 1
                value = self._held(name, _evaluate(_plain(text), known)) if is_only else None
                known[name] = value if abs(value or 0) < 1 << 31 else None
                found[name] = (value, at)
        return found

    def indices(
        self, line: int, name: str, numbers: Mapping[str, int]
    ) -> list[tuple[str, int | None, int | None]]:
        """The indices of a shared array where it stands first on a source line: each as it is
        written, its value as far as that follows from whole `numbers`, and the length of its
        dimension."""
        array = self.find(name, "shared")
        found = re.search(rf"\b{name}((?:{_INDEX})+)", self.line(line))
        written = [one.strip()[1:-1] for one in re.findall(_INDEX, found[1])] if found else []
        return [
            (text, self.value(text, line, numbers), length)
            for text, length in zip(written, array.dimensions if array else (), strict=False)
        ]

    def value(self, text: str, line: int, numbers: Mapping[str, int]) -> int | None:
        """The value of an expression on a source line, as far as it follows from whole
        `numbers`."""
        known = {
            **self.constants,
            **{_plain(one): value for one, value in numbers.items()},
            **{
                one: value
                for one, (value, _) in self._values(line, numbers).items()
                if value is not None
            },
        }
        return _evaluate(_plain(text), known)

    def given(self, name: str, line: int, value: str = "") -> tuple[str, int]:
        """What a variable gets last before a source line of its function, and where; "" if it gets
        nothing there. A number that is not its `value` was not given: `if (k < 0) k = 0;`."""
        begin = max((at for at in range(1, line) if _FUNCTION.search(self.line(at))), default=0)
        every = [
            (right.strip(), at)
            for at in range(begin + 1, line)
            for one, right in given_on(self.line(at))
            if one == name and not (value and right.strip().isdigit() and right.strip() != value)
        ]
        return every[-1] if every else ("", 0)

    def written(self, verb: str, line: int | None) -> int | None:
        """The line on which what a compiler gave a source line is written: a sum ("add") on an
        earlier line of its loop, if the statement there has none and calls nothing; a product
        ("mul") where the only variable on it that gets a product gets it; all else on the line."""
        text, before = SET.split(re.sub(_INDEX, "", self.line(line)))[-1], set[int]()
        if line and verb == "add":
            begin = self.loop(line)[1] or line
            end = self.end(line) + 1 if begin == line else line
            sums = [at for at in range(begin, end) if "+=" in self.line(at)]
            is_here = line in sums or (begin != line and _ADDS.search(self._statement(line)))
            return line if is_here else max(sums, default=line)
        for name in () if verb != "mul" or _PRODUCT.search(text) else WORD.findall(text):
            value, at = self.given(name, line or 0)
            before |= {at} if _PRODUCT.search(re.sub(_INDEX, "", value)) else set()
        return before.pop() if len(before) == 1 else line

    def _statement(self, line: int) -> str:
        """The statement that is, or begins, on a source line, or goes on there."""
        begun = re.split("[;{}]", "\n".join(self.lines[: line - 1]))[-1]
        text = begun + "\n".join(self.lines[line - 1 :])
        return next(filter(str.strip, re.split("[;{}]", text)), "")

    def read_line(self, line: int | None, name: str) -> int | None:
        """The line on which an element of an array is read that a compiler gave a source line: the
        last one before it with the array's name, if no element on this one can be the array's."""
        is_there = re.search(rf"\b{name}\b|\(|[=,]\s*\*", self.line(line))
        if not line or is_there or self.pointer(line, name):
            return line
        return max((at for at in range(1, line) if self.index(at, name)), default=line)

    def pointer(self, line: int, array: str) -> list[tuple[str, int]]:
        """The local pointers through which a source line reaches an array, and their lines."""
        words = dict.fromkeys(WORD.findall(self.line(line))) if array else ()
        found = {name: self.given(name, line)[1] for name in words}
        of_array = rf"(?<![.\w]){array}\b(?!\[)"
        return [one for one in found.items() if one[1] and re.search(of_array, self.line(one[1]))]

    def doubtful(self, words: str, line: int, usual: "Declarations") -> list[tuple[str, int]]:
        """The names in an expression on a source line that get values which `usual` does not have,
        on earlier lines of its function or of none, or are functions that it does not have; and
        these lines. With those that its variables are computed from, if that makes two at most, or
        it has no such name itself."""
        unusual = self.unusual(usual)
        heads = [at for at, one in enumerate(self.lines, 1) if _FUNCTION.search(one)]
        begin = max((at for at in heads if at < line), default=0)
        before = {*range(1, min(heads, default=1)), *range(begin + 1, line)} & unusual.keys()
        found = [(name, at) for at in sorted(before - self.loops.keys()) for name in unusual[at]]
        for at in heads:
            body = takewhile(
                lambda one: not self.line(one).startswith("}"), range(at + 1, 1 + len(self.lines))
            )
            if not unusual.keys().isdisjoint(body):
                found.append((_FUNCTION.findall(self.line(at))[0], at))
        direct, deep = (
            [one for one in found if one[0] in some]
            for some in (WORD.findall(words), self.made_of(words))
        )
        return deep if len(deep) < 3 else direct or deep

    def doubtful_here(self, words: str, line: int, usual: "Declarations") -> list[tuple[str, int]]:
        """As `doubtful`: those that stand in the expression itself."""
        return [one for one in self.doubtful(words, line, usual) if one[0] in WORD.findall(words)]

    def unusual(self, usual: "Declarations") -> dict[int, list[str]]:
        """The lines that `usual` has not alike, whatever their variables are called, and the names
        to which they give values that it does not."""
        shared = set.intersection(*({*WORD.findall("\n".join(one.lines))} for one in (self, usual)))

        def plain(text: str) -> str:
            text = re.sub(r"~0u?\b", "0xffffffff", text)
            alike = WORD.sub(lambda one: one[0] if one[0] in shared else "_", text)
            return "".join(re.sub(r"\bconst\b|[{}]\s*$|^\s*}", "", alike).split())

        known = {"", *map(plain, usual.lines)}
        given = {plain("=".join(one)) for text in usual.lines for one in given_on(text)}
        return {
            at: [one[0] for one in given_on(text) if plain("=".join(one)) not in given]
            for at, text in enumerate(self.lines, 1)
            if plain(text) not in known
        }

    def _held(self, name: str, value: int | None) -> int | None:
        """A whole number as a variable holds it; None if it is too large for an int."""
        types = {one.type for one in self.variables.get(name, ())}
        kind = np.dtype(DTYPES.get("".join(types), np.int32))
        held = value if abs(value or 0) < 1 << 31 else None
        return value % (1 << 8 * kind.itemsize) if value and kind.kind == "u" else held

    def in_kernel(self, line: int) -> bool:
        """Whether a source line is in a kernel, and not in a function that one calls."""
        return "__global__" in self.line(self.head(line))

    def head(self, line: int) -> int:
        """The line with the head of the function that a source line is in; 0 if it is in none."""
        return max(
            (at for at in range(line + 1) if re.search("__(?:global|device)__", self.line(at))),
            default=0,
        )

    def guard(self, line: int) -> tuple[str, int]:
        """The condition of the `if` that a source line is in, and its line; "" if there is none, or
        if the line is in its `else`."""
        condition, at = self.around(line, _IF)
        indent = re.match(" *", self.line(at))
        other = re.compile(rf"{indent and indent[0]}(?:}} )?else\b")
        return ("", 1) if any(map(other.match, self.lines[at:line])) else (condition, at)

    def choice(self, line: int) -> str:
        """The condition of the `?:` on a source line; "" if there is none, or several."""
        before, *after = self.line(line).split("?")
        asked = re.search(r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*$", SET.split(before)[-1])
        return COMMA.split(asked[0])[-1].strip() if asked and len(after) == 1 else ""

    def writers(self, name: str) -> list[int]:
        """The lines that give elements of an array values."""
        return [at for at in range(1, 1 + len(self.lines)) if self.only_assigned(at, name)]

    def flags(self) -> list[int]:
        """The lines that give elements of a volatile array values."""
        names = re.findall(r"\bvolatile\b[^,;(){}]*?(\w+)\s*[,;)\[]", "\n".join(self.lines))
        return sorted(at for name in names for at in self.writers(name))

    def only_written(self, name: str, whole: bool = True) -> tuple[str, int | None]:
        """A sentence about the condition under which the only line that writes to an array does so,
        and that condition's line; "" and None where there is none. If `whole`, with the last one
        under which threads leave before."""
        lines = self.writers(name)
        guard, at = self.guard(lines[0]) if len(lines) == 1 else ("", 0)
        if not guard:
            return "", None
        _, made = self.given(guard, at)
        return (
            f"Line {lines[0]} writes to {name} only if `{guard}` (line {made or at})."
            + self.leaving(lines[0]) * whole,
            at,
        )

    def leaving(self, line: int) -> str:
        """A sentence, after a blank, about the last condition before a source line under which
        threads leave the kernel; "" where there is none."""
        above = self.lines[: line - 1]
        begin = max((at for at, one in enumerate(above) if "__global__" in one), default=0)
        for at in range(len(above), begin, -1):
            if found := re.search(rf"\bif{_INSIDE}\s*{{?\s*return\b", self.line(at)):
                return f" Threads with `{found[1]}` (line {at}) leave before."
        return ""

    def keeps_from(self, at: int, line: int) -> bool:
        """Whether the `if` or the loop that a source line begins can keep a thread from another
        line: that line is in its body or its `else`, or threads leave the kernel there, or the
        function that has both lines."""
        body = range(at, self._closes(at) + 1)
        return line in body or (
            (self.in_kernel(at) or self.head(at) == self.head(line))
            and any("return" in self.line(one) for one in body)
        )

    def with_number(self, line: int, value: float, away: int = NEAR) -> int | None:
        """The line nearest to one, so many lines `away` at most, on which a number stands; one
        with an "f" goes first, unless an int is looked for, and may be four times as far. Compilers
        give constants the line of what they are used for. None: on none."""
        far = 4 * away  # a float's, which nothing but a constant has
        near = sorted(range(max(1, line - far), line + far + 1), key=lambda at: abs(at - line))
        texts = [
            (at, _COMPARED.sub("", _NAMED.sub(lambda name: _NUMBERS[name[0]], self.line(at))))
            for at in near
        ]
        found = (
            at
            for end in ("f" * isinstance(value, float), "")
            for at, text in texts
            if (end or abs(at - line) <= away)
            and any(
                isclose(abs(value), float(one), rel_tol=1e-6)
                for one in re.findall(_NUMBER + end, text)
            )
        )
        return next(found, None)

    def only_with(self, value: float) -> int | None:
        """The only line on which a number below 0 is written; None if there are several."""
        lines = [
            at
            for at, text in enumerate(self.lines, 1)
            if value < 0 and re.search(rf"[(,={{?:] ?{value:g}\b", text)
        ]
        return lines[0] if len(lines) == 1 else None

    def around(self, line: int, head: re.Pattern[str]) -> tuple[str, int]:
        """What stands in the parentheses of the `head` that a source line begins, or else is in,
        and its line; "" if there is none, or more than one on its line."""
        heads = head.findall(self.line(line))
        depth = lowest = 0
        while not heads and line > 1:
            line -= 1
            text = self.line(line)  # `} else if (...) {` opens what its lines are in
            heads = (
                head.findall(text) if depth - text.rpartition("}")[2].count("{") < lowest else []
            )
            depth += text.count("}") - text.count("{")
            lowest = min(depth, lowest)
        return heads[0] if len(heads) == 1 else "", line

    def line(self, number: int | None) -> str:
        """A line of the source, counted from 1, without its comment; "" if there is none."""
        return self.lines[number - 1] if number and number <= len(self.lines) else ""

    def _mentioned(self, line: int | None) -> list[Declared]:
        """The local variables whose names are on a source line."""
        return [
            one
            for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", self.line(line)))
            for one in dict.fromkeys(self.variables.get(name, ()))
            if not one.memory
        ]

    def size(self, kind: str) -> int | None:
        """How many bytes a value of a type has; None if that is not known."""
        if kind in _SIZES:
            return _SIZES[kind]
        if vector := _vector(kind):
            return sum(member.size for member in vector)
        if not (members := self.members(kind)):
            return 8 if kind.endswith("*") else None
        last = members[-1]
        end = last.offset + last.size * prod(d or 1 for d in last.dimensions)
        align = max(min(member.size, 8) for member in members)
        return -(-end // align) * align

    def members(self, kind: str) -> tuple[StructMember, ...]:
        """What a value of a struct or vector type consists of; () if that is not known."""
        if kind not in self._structs:
            return _vector(kind)
        members, offset = [], 0
        for match in _DECLARED.finditer(self._structs[kind]):
            size = self.size(" ".join(match["type"].split())) if match["type"] != kind else None
            for name, brackets in _NAME.findall(match["names"]):
                dimensions = self._dimensions(brackets)
                if size is None or None in dimensions:
                    return ()
                offset += -offset % min(size, 8)
                members.append(StructMember(name, offset, size, dimensions))
                offset += size * prod(d or 1 for d in dimensions)
        return tuple(members)

    def _dimensions(self, brackets: str) -> tuple[int | None, ...]:
        return tuple(_evaluate(d, self.constants) for d in re.findall(r"\[([^\]]*)\]", brackets))


def _vector(kind: str) -> tuple[StructMember, ...]:
    """The members of `float4` and its like."""
    match = re.fullmatch(r"([a-z]+)([1234])", kind)
    if not match or match[1] not in _SCALARS:
        return ()
    size = _SCALARS[match[1]]
    return tuple(StructMember("xyzw"[n], n * size, size, ()) for n in range(int(match[2])))


def _constants(text: str) -> dict[str, int]:
    """The named whole numbers of a source. A name with two values is none."""
    found: dict[str, int | None] = {}
    for match in _CONSTANT.finditer(text):
        for name, given in (
            [(match["macro"], match["as"])] if match["macro"] else given_on(match["constants"])
        ):
            value = _evaluate(given, found)
            found[name] = value if found.get(name, value) == value else None
    return {name: value for name, value in found.items() if value is not None}


def given_on(text: str) -> Iterator[tuple[str, str]]:
    """The variables that get values, of a declaration with commas each, and what they get."""
    for name, right in re.findall(r"\b(\w+)\s*=(?!=)([^;]*);", text):
        first, *others = COMMA.split(right)
        yield name, first
        yield from (
            (one.strip(), value)
            for one, equals, value in (other.partition("=") for other in others)
            if equals
        )


def _plain(text: str) -> str:
    """Python's names for CUDA's: `threadIdx_x` for `threadIdx.x`."""
    return re.sub(r"\b([A-Za-z]\w*)\.", r"\1_", text)


def _evaluate(text: str, constants: Mapping[str, int | None]) -> int | None:
    """The value of a constant expression of whole numbers; None if it is none."""
    try:
        return _value(ast.parse(text.strip(), mode="eval").body, constants)
    except (SyntaxError, ValueError, KeyError, ArithmeticError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr, constants: Mapping[str, int | None]) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name) and (known := constants.get(node.id)) is not None:
        return known
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = (_value(side, constants) for side in (node.left, node.right))
        if isinstance(node.op, ast.LShift) and right > 64:
            raise ValueError
        return _OPERATIONS[type(node.op)](left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return {"max": max, "min": min}[node.func.id](_value(one, constants) for one in node.args)
    raise ValueError
