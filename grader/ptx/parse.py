"""PTX text to a `PtxModule`.

The grammar is that of NVIDIA's "Parallel Thread Execution ISA", as far as NVRTC emits it. Names
declared in a nested scope `{ ... }` (inline assembly, call sequences) are renamed apart here, so
that afterwards every name in a function means one thing.
"""

import re
from collections.abc import Iterator
from math import gcd, prod

import numpy as np
from msgspec.structs import replace

from .instructions import resolve
from .numbers import DTYPES, size_of
from .program import (
    Address,
    Flow,
    Function,
    Immediate,
    Instruction,
    Malformed,
    Negated,
    Operand,
    PtxModule,
    Register,
    Symbol,
    Variable,
    Vector,
    require,
    symbol_of,
    used_parts,
)

MOST_REGISTERS = 1_000_000  # of one function; the largest kernels have some ten thousand

REGISTERS = re.compile(r"\s*\.reg\s*(?:\.v\d\s*)?\.(\w+)\s+(.*)$", re.DOTALL)


_VARIABLE = re.compile(
    r"""\s*(?:\.(?:visible|weak|extern|common)\s+)*
        \.(?P<space>global|const|shared|local|param)\s+
        (?:\.align\s+(?P<align>\d+)\s+)?
        (?:\.attribute\([^)]*\)\s+)?
        (?:\.ptr\S*\s+)?
        \.(?P<type>\w+)\s+(?:\.ptr\s+(?:\.\w+\s+)*(?:\.align\s+\d+\s+)?)?
        (?P<name>[\w$%.]+)\s*(?P<dims>(?:\[\s*\d*\s*\]\s*)*)
        (?:=\s*(?P<initial>.*))?$""",
    re.VERBOSE | re.DOTALL,
)


def declared(statement: str) -> Variable:
    """The variable or parameter that a statement declares."""
    match = require(_VARIABLE.match(statement), "unknown_declaration", text=statement.strip())
    # Not those of textures and surfaces.
    require(match["type"] in (*DTYPES, "b128"), "type_of_a_variable", kind=match["type"])
    element = size_of(match["type"])
    return Variable(
        match["name"],
        match["space"],
        match["type"],
        element
        * prod([int(d) if d.strip() else 0 for d in re.findall(r"\[([^\]]*)\]", match["dims"])]),
        int(match["align"] or element),
        *_initial(match["initial"] or "", match["type"], element),
    )


def _initial(text: str, kind: str, element: int) -> tuple[bytes, tuple[tuple[int, str], ...]]:
    """The bytes that a variable begins with, and the symbols whose addresses stand in them."""
    content, pointers = bytearray(), []
    for item in filter(None, re.split(r"[{},\s]+", text)):
        value = 0
        if re.match(r"[A-Za-z_$%]", item):
            pointers.append((len(content), re.sub(r"^generic\((.*)\)$", r"\1", item)))
        else:
            number = literal(item)
            value = (
                int(np.uint64(number.value).view(np.float64).astype(np.float32).view(np.uint32))
                if number.float_width == 8 and kind == "f32"
                else number.value
            )
        content += (value & ((1 << (8 * element)) - 1)).to_bytes(element, "little")
    return bytes(content), tuple(pointers)


_WIDTHS = {"0f": 4, "0d": 8}  # bytes of a float that is given by its bits
LITERAL = re.compile(
    r"-?(0[xX][0-9a-fA-F]+|0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|\d+\.\d+|\d+)U?$"
)


def literal(token: str) -> Immediate:
    """`42`, `0x1F`, `017`, `1.5`, `0f3F800000` (a float by its bits) or `0d...` (a double);
    Malformed for anything else."""
    require(LITERAL.match(token), "no_literal", token=token)
    sign = -1 if token.startswith("-") else 1
    body = token.lstrip("-").rstrip("U")
    prefix = body[:2].lower()
    if prefix in _WIDTHS:
        return Immediate(int(body[2:], 16), _WIDTHS[prefix])
    if "." in body:
        return Immediate(int(np.float64(token).view(np.uint64)), 8)
    octal = prefix != "0x" and len(body) > 1 and body.startswith("0")
    require(not octal or set(body) <= set("01234567"), "no_octal_number", token=token)
    return Immediate(sign * int(body, 8 if octal else 0))


def declared_list(text: str | None) -> tuple[Variable, ...]:
    """Parameters, separated by commas."""
    return tuple(declared(part) for part in (text or "").split(",") if part.strip())


def check_registers(number: int) -> None:
    """Malformed for more registers than any kernel has."""
    require(number <= MOST_REGISTERS, "too_many_registers", number=number, most=MOST_REGISTERS)


def register_names(text: str) -> Iterator[str]:
    """`%r<3>, %f0` declares %r0, %r1, %r2 and %f0."""
    for name in re.split(r"\s*,\s*", text.strip()):
        many = re.fullmatch(r"([\w$%.]+)<(\d+)>", name)
        check_registers(int(many[2]) if many else 1)
        yield from (f"{many[1]}{number}" for number in range(int(many[2]))) if many else [name]


_ROW = re.compile(r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?")

Place = tuple[int, ...]  # file, line, column


class LineTable:
    """Finds the learner's line behind a `.loc` row: the row's own line, or, for code inlined
    from a header, the line of the call in the learner's file."""

    def __init__(self, text: str, source_file: str):
        self.own_files = {
            int(number)
            for number, path in re.findall(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', text, re.MULTILINE)
            if path == source_file
        }
        self.inlined_at: dict[Place, Place] = {}

    def own_lines(self, loc: str) -> tuple[int | None, tuple[int, ...]]:
        """The learner's line (None: there is none), and the lines of the calls that it was
        inlined through, innermost first. Raises Malformed."""
        row = require(_ROW.match(loc), "no_line_of_a_table", loc=loc)
        numbers = tuple(map(int, row.groups("0")))
        here, above = numbers[:3], numbers[3:] if row[4] else None
        if above:
            self.inlined_at[here] = above
        # The row itself knows whether it was inlined, the map only of what was seen last.
        elif here[0] not in self.own_files:
            above = self.inlined_at.get(here)
        chain = [here]
        while above and above not in chain:
            chain.append(above)
            above = self.inlined_at.get(above)
        own = [place[1] for place in chain if place[0] in self.own_files and place[1]]
        return (own[0], tuple(own[1:])) if own else (None, ())


_FUNCTION = r"(?:\.(?:visible|weak|extern|common)\s+)*\.(?:entry|func)\b[^{;]*"
_STATEMENT = re.compile(
    rf"""
      (?P<blank>\s+|//[^\n]*)
    | (?P<loc>\.loc\b[^\n]*)
    | (?P<skip>\.(?:file|version|target|address_size)\b[^\n]*|\.section\b[^{{}};]*\{{[^}}]*\}}
        |{_FUNCTION};)
    | (?P<open>\{{) | (?P<close>\}})
    | (?P<label>[\w$%.]+)\s*:(?!:)
    | (?P<function>{_FUNCTION})\{{
    | (?P<statement>[^;]+);
    """,
    re.VERBOSE,
)


def _statements(text: str, position: int = 0) -> Iterator[re.Match[str]]:
    """The statements and brackets that stand one after the other from a position on."""
    while match := _STATEMENT.match(text, position):
        position = match.end()
        yield match


def parse(text: str, source_file: str) -> PtxModule:
    """Parse a PTX module. Lines of instructions are those of `source_file`, the name the
    learner's text was compiled under; code inlined from a header counts as the line it was
    inlined at."""
    lines = LineTable(text, source_file)
    functions: dict[str, Function] = {}
    variables: dict[str, Variable] = {}
    statements = _statements(text)
    for match in statements:
        if header := match["function"]:
            function = _Body(header, lines).read(statements)
            functions[function.name] = function if function.entry else with_copies(function)
        elif match["statement"] and re.match(
            r"\s*(\.\w+\s+)*\.(global|const|shared|local)\b", match["statement"]
        ):
            variable = declared(match["statement"])
            variables[variable.name] = variable
    return PtxModule(functions, variables)


_HEADER = re.compile(
    r"\.(?P<kind>entry|func)\s*(?:\((?P<results>[^)]*)\))?\s*(?P<name>[\w$%.]+)\s*"
    r"(?:\((?P<parameters>[^)]*)\))?(?P<directives>.*)$",
    re.DOTALL,
)


class _Body:
    """Reads one function's body, keeping the stack of scopes that nested braces open."""

    def __init__(self, header: str, lines: LineTable):
        self.header = require(_HEADER.search(header), "unknown_header", text=header)
        self.lines = lines
        self.instructions: list[Instruction] = []
        self.labels: dict[str, int] = {}
        self.registers: dict[str, str] = {}
        self.variables: list[Variable] = []
        self.tables: dict[str, tuple[str, ...]] = {}
        self.last_label = ""
        self.scopes: list[dict[str, str]] = [{}]
        self.used = _ALL
        self.line: int | None = None
        self.callers: tuple[int, ...] = ()
        self.first_line: int | None = None

    def read(self, statements: Iterator[re.Match[str]]) -> Function:
        """The function, whose body ends at the closing brace."""
        last = None
        for match in statements:
            kind, last = match.lastgroup, match
            if kind == "loc":
                self.line, self.callers = self.lines.own_lines(match.group())
                self.first_line = self.first_line or self.line
            elif kind == "open":
                self.scopes.append(
                    {
                        name: f"{name}#{match.end()}"
                        for name in _scope_names(_statements(match.string, match.end()))
                    }
                )
            elif kind == "close":
                self.scopes.pop()
                if not self.scopes:
                    return self.function()
            elif kind == "label":
                self.last_label = self.resolve(match["label"])
                self.labels[self.last_label] = len(self.instructions)
            elif kind == "statement":
                try:
                    self.statement(match["statement"].strip())
                except Malformed as error:
                    raise Malformed(str(error), self.line, **error.facts) from error
        left = last.string[last.end() :] if last else ""
        raise Malformed("no_closing_brace", self.line, name=self.header["name"], left=left.strip())

    def statement(self, text: str) -> None:
        if not text.startswith("."):  # a directive
            self.instructions.append(_Reader(text, self).instruction(self.used))
            self.used = _ALL
        elif match := REGISTERS.match(text):
            self.registers |= {self.resolve(name): match[1] for name in register_names(match[2])}
            check_registers(len(self.registers))
        elif re.match(r"\.(shared|local|param|global|const)\b", text):
            variable = declared(text)
            self.variables.append(replace(variable, name=self.resolve(variable.name)))
        elif match := re.match(r"\.branchtargets\s+(.*)", text, re.DOTALL):
            self.tables[self.last_label] = tuple(
                map(self.resolve, re.split(r"\s*,\s*", match[1].strip()))
            )
        elif match := _USED.match(text):
            self.used = int(match[1], 0)
        else:
            require(
                re.match(r"\.(pragma|callprototype|calltargets|alias)", text),
                "unknown_directive",
                text=text.partition("\n")[0],
            )

    def resolve(self, name: str) -> str:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), name)

    def function(self) -> Function:
        header = self.header
        return Function(
            header["name"],
            header["kind"] == "entry",
            declared_list(header["parameters"]),
            declared_list(header["results"]),
            tuple(self._with_lines()),
            self.labels,
            self.registers,
            tuple(self.variables),
            self.first_line,
            self.tables,
            directives={
                name: tuple(map(int, re.findall(r"\d+", digits)))
                for name, digits in re.findall(r"\.(\w+)((?:\s*,?\s*\d+)*)", header["directives"])
            },
        )

    def _with_lines(self) -> list[Instruction]:
        """The instructions; those without a line, such as the compiler gives to code it has
        moved, get that of the next one in their straight run."""
        targets, line, code = set(self.labels.values()), None, []
        for at, instruction in reversed(list(enumerate(self.instructions))):
            leaves = instruction.form.flow in (Flow.BRANCH, Flow.TABLE, Flow.RETURN, Flow.EXIT)
            line = instruction.line or (None if leaves or at + 1 in targets else line)
            code.append(instruction if instruction.line else replace(instruction, line=line))
        return code[::-1]


def _scope_names(statements: Iterator[re.Match[str]]) -> Iterator[str]:
    """The names that a nested scope, which has been opened, declares directly."""
    depth = 0
    for match in statements:
        depth += (match.lastgroup == "open") - (match.lastgroup == "close")
        if depth < 0:
            return
        if depth == 0 and match.lastgroup == "label":
            yield match["label"]
        elif depth == 0 and match.lastgroup == "statement":
            statement = match["statement"].strip()
            if declaration := REGISTERS.match(statement):
                yield from register_names(declaration[2])
            elif re.match(r"\.(shared|local|param)\b", statement):
                yield declared(statement).name


_TOKEN = re.compile(
    r"\s*(-?0[xX][0-9a-fA-F]+U?|-?0[fF][0-9a-fA-F]{8}|-?0[dD][0-9a-fA-F]{16}|-?\d+\.\d+|-?\d+U?"
    r"|[\w$%.:#]+|[][{}(),|+!@-])"
)

_USED = re.compile(r'\.pragma\s+"used_bytes_mask (\w+)"')  # of the load that follows
_ALL = -1

_CLOSING = {"{": "}", "(": ")"}


class _Reader:
    """Reads one instruction: guard, opcode, operands."""

    def __init__(self, text: str, body: _Body):
        self.tokens, self.body = _TOKEN.findall(text)[::-1], body

    def instruction(self, used: int) -> Instruction:
        """`used`: the bytes that are, of what it loads, a bit for each."""
        guard, negated, body = None, False, self.body
        if self.take("@"):
            negated = self.take("!")
            guard = Register(body.resolve(self.next()))
        opcode, read = self.next(), list[Operand]()
        while self.tokens:
            first = self.operand()
            if isinstance(first, Vector) and isinstance(next(iter(first.items), None), Address):
                read += first.items  # `[map, {x, y}]`: an address, and coordinates
            else:
                read.append(Vector((first, self.operand())) if self.take("|") else first)
            self.take(",")
        form = resolve(opcode, tuple(read))
        if used != _ALL and isinstance(read[0], Vector):
            read[0] = used_parts(read[0], size_of(form.type), used)
        return Instruction(form, tuple(read), guard, negated, body.line, body.callers)

    def operand(self, depth: int = 1) -> Operand:
        """The next operand, which stands within `depth` - 1 others."""
        require(depth <= 4, "depth_of_operands")  # a vector of addresses has two levels
        token = self.next()
        if token == "[":
            return self.address(depth + 1)
        if token in _CLOSING:
            items = []
            while not self.take(_CLOSING[token]):
                items.append(self.operand(depth + 1))
                self.take(",")
            return Vector(tuple(items))
        if token == "!":
            return Negated(Register(symbol_of(self.operand(depth + 1))))
        if token[0] in "-0123456789" and LITERAL.match(token):
            return literal(token)
        name = self.body.resolve(token)
        return Register(name) if name in self.body.registers or token == "_" else Symbol(name)

    def address(self, depth: int) -> Operand:
        base, offset, more = self.operand(depth), 0, []
        while not self.take("]"):
            if self.take(","):  # coordinates, of a tensor or a texture
                more.append(self.operand(depth))
            elif not self.take("+"):
                offset += literal(self.next()).value
        if isinstance(base, Immediate):
            address = Address(None, base.value)
        elif isinstance(base, Register | Symbol):
            address = Address(base, offset)
        else:
            raise Malformed("base_of_an_address")
        return Vector((address, *more)) if more else address

    def take(self, token: str) -> bool:
        """Whether the next token is this one, which then is read."""
        return self.tokens[-1:] == [token] and bool(self.tokens.pop())

    def next(self) -> str:
        require(self.tokens, "early_end")
        return self.tokens.pop()


_SIZES = (1, 2, 4, 8)  # bytes that one register holds


def with_copies(function: Function) -> Function:
    """A device function that begins by copying, among its local variables, what it is given by
    value and takes the address of, and refers to the copies. The name of a parameter stands for
    its address, but among what a call is given for what the parameter holds."""
    code = function.instructions
    addressed = {
        operand.name
        for instruction in code
        if instruction.form.flow is not Flow.CALL
        for operand in instruction.operands
        if isinstance(operand, Symbol)
    }
    passed = [parameter for parameter in function.parameters if parameter.name in addressed]
    if not passed:
        return function
    copies: dict[Operand, Symbol] = {Symbol(p.name): Symbol(f"{p.name}.copy") for p in passed}
    first = []
    for parameter in passed:
        name, size = Symbol(parameter.name), gcd(_SIZES[-1], parameter.align, parameter.size)
        register = Register(f"%copied{size}")
        for at in range(0, parameter.size, size):
            first += [
                Instruction(resolve(f"{opcode}.b{8 * size}", some), some, line=function.line)
                for opcode, some in (
                    ("ld.param", (register, Address(name, at))),
                    ("st.local", (Address(copies[name], at), register)),
                )
            ]
    renamed = (
        one
        if one.form.flow is Flow.CALL
        else replace(one, operands=tuple(copies.get(operand, operand) for operand in one.operands))
        for one in code
    )
    return replace(
        function,
        instructions=(*first, *renamed),
        labels={name: at + len(first) for name, at in function.labels.items()},
        registers=function.registers | {f"%copied{size}": f"b{8 * size}" for size in _SIZES},
        variables=(
            *function.variables,
            *(replace(p, name=f"{p.name}.copy", space="local") for p in passed),
        ),
    )
