"""PTX text to a `Program`.

The grammar is that of NVIDIA's "Parallel Thread Execution ISA", as far as NVRTC emits it. Names
declared in a nested scope `{ ... }` (inline assembly, call sequences) are renamed apart here, so
that afterwards every name in a function means one thing.
"""

from __future__ import annotations

import re
from dataclasses import replace

from .declarations import (
    LITERAL,
    REGISTERS,
    check_registers,
    declared,
    declared_list,
    is_variable,
    literal,
    register_names,
)
from .forms.form import Flow
from .forms.instruction_set import resolve
from .lines import LineTable
from .numeric.types import size_of
from .ptx import (
    Address,
    Function,
    Immediate,
    Instruction,
    Malformed,
    Negated,
    Operand,
    Program,
    Register,
    Symbol,
    Variable,
    Vector,
    symbol_of,
    used_parts,
)

_STATEMENT = re.compile(
    r"""
      (?P<blank>\s+|//[^\n]*)
    | (?P<loc>\.loc\b[^\n]*)
    | (?P<skip>\.(?:file|version|target|address_size)\b[^\n]*|\.section\b[^{};]*\{[^}]*\})
    | (?P<open>\{) | (?P<close>\})
    | (?P<label>[\w$%.]+)\s*:(?!:)
    | (?P<function>(?:\.(?:visible|weak|extern|common)\s+)*\.(?:entry|func)\b[^{;]*)
    | (?P<statement>[^;]+);
    """,
    re.VERBOSE,
)


def parse(text: str, source_file: str) -> Program:
    """Parse a PTX module. Lines of instructions are those of `source_file`, the name the
    learner's text was compiled under; code inlined from a header counts as the line it was
    inlined at."""
    lines = LineTable(text, source_file)
    functions: dict[str, Function] = {}
    variables: dict[str, Variable] = {}
    position = 0
    while match := _STATEMENT.match(text, position):
        position = match.end()
        if match.lastgroup == "function":
            if text[position : position + 1] == "{":
                body = _Body(match.group(), lines)
                position = body.read(text, position + 1)
                functions[body.name] = body.function()
            else:
                position = text.index(";", position) + 1  # a declaration
        elif match.lastgroup == "statement" and is_variable(match.group("statement")):
            variable = declared(match.group("statement"))
            variables[variable.name] = variable
    return Program(functions, variables, source_file)


_HEADER = re.compile(
    r"\.(?P<kind>entry|func)\s*(?:\((?P<results>[^)]*)\))?\s*(?P<name>[\w$%.]+)\s*"
    r"(?:\((?P<parameters>[^)]*)\))?(?P<directives>.*)$",
    re.DOTALL,
)


class _Body:
    """Reads one function's body, keeping the stack of scopes that nested braces open."""

    def __init__(self, header: str, lines: LineTable):
        match = _HEADER.search(header)
        if match is None:
            raise Malformed(f"PTX function header not understood: {header[:120]}")
        self.name = match["name"]
        self.entry = match["kind"] == "entry"
        self.parameters = declared_list(match["parameters"])
        self.results = declared_list(match["results"])
        self.directives = {
            name: tuple(int(n) for n in re.findall(r"\d+", numbers))
            for name, numbers in re.findall(r"\.(\w+)((?:\s*,?\s*\d+)*)", match["directives"])
        }
        self.lines = lines
        self.instructions: list[Instruction] = []
        self.labels: dict[str, int] = {}
        self.registers: dict[str, str] = {}
        self.variables: list[Variable] = []
        self.tables: dict[str, tuple[str, ...]] = {}
        self.last_label = ""
        self.scopes: list[dict[str, str]] = [{}]
        self.scope_count = 0
        self.used = _ALL
        self.line: int | None = None
        self.callers: tuple[int, ...] = ()
        self.first_line: int | None = None

    def read(self, text: str, position: int) -> int:
        while match := _STATEMENT.match(text, position):
            position = match.end()
            kind = match.lastgroup
            if kind == "loc":
                self.line, self.callers = self.lines.own_lines(match.group())
                self.first_line = self.first_line or self.line
            elif kind == "open":
                self.scope_count += 1
                self.scopes.append(_scope_names(text, position, self.scope_count))
            elif kind == "close":
                self.scopes.pop()
                if not self.scopes:
                    return position
            elif kind == "label":
                self.last_label = self.resolve(match["label"])
                self.labels[self.last_label] = len(self.instructions)
            elif kind == "statement":
                self.statement(match["statement"].strip())
        why = f"{self.name} ends before its closing brace: {text[position:].strip()[:40]}"
        raise Malformed(why, self.line)

    def statement(self, text: str) -> None:
        try:
            self._statement(text)
        except Malformed as error:
            raise Malformed(str(error), self.line) from error

    def _statement(self, text: str) -> None:
        if not text.startswith("."):  # a directive
            self.instructions.append(_Reader(text, self).instruction(self.used))
            self.used = _ALL
        elif match := REGISTERS.match(text):
            self.declare_registers(match[1], match[2])
        elif re.match(r"\.(shared|local|param|global|const)\b", text):
            variable = declared(text)
            renamed = self.resolve(variable.name)
            self.variables.append(replace(variable, name=renamed))
        elif match := re.match(r"\.branchtargets\s+(.*)", text, re.DOTALL):
            names = re.split(r"\s*,\s*", match[1].strip())
            self.tables[self.last_label] = tuple(self.resolve(name) for name in names)
        elif match := _USED.match(text):
            self.used = int(match[1], 0)
        elif not re.match(r"\.(pragma|callprototype|calltargets|alias)", text):
            raise Malformed(f"PTX directive not understood: {text.partition(chr(10))[0][:120]}")

    def declare_registers(self, kind: str, names: str) -> None:
        for name in register_names(names):
            self.registers[self.resolve(name)] = kind
        check_registers(len(self.registers))

    def resolve(self, name: str) -> str:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return name

    def function(self) -> Function:
        return Function(
            self.name,
            self.entry,
            self.parameters,
            self.results,
            tuple(self._with_lines()),
            self.labels,
            self.registers,
            tuple(self.variables),
            self.first_line,
            self.tables,
            self.directives,
        )

    def _with_lines(self) -> list[Instruction]:
        """The instructions; those without a line, such as the compiler gives to code it has
        moved, get that of the next one in their straight run."""
        targets, line, code = set(self.labels.values()), None, []
        for at, instruction in reversed(list(enumerate(self.instructions))):
            if at + 1 in targets or instruction.form.flow in _LEAVES:
                line = None
            line = instruction.line or line
            code.append(instruction if instruction.line else replace(instruction, line=line))
        return code[::-1]


_LEAVES = (Flow.BRANCH, Flow.TABLE, Flow.RETURN, Flow.EXIT)


def _scope_names(text: str, position: int, number: int) -> dict[str, str]:
    """The names that a nested scope declares directly, each with a suffix of its own."""
    names: list[str] = []
    depth = 0
    while match := _STATEMENT.match(text, position):
        position = match.end()
        depth += (match.lastgroup == "open") - (match.lastgroup == "close")
        if depth < 0:
            break
        if depth:
            continue
        if match.lastgroup == "label":
            names.append(match["label"])
        elif match.lastgroup == "statement":
            names += _declared_names(match["statement"].strip())
    return {name: f"{name}#{number}" for name in names}


def _declared_names(statement: str) -> list[str]:
    if match := REGISTERS.match(statement):
        return register_names(match[2])
    if re.match(r"\.(shared|local|param)\b", statement):
        return [declared(statement).name]
    return []


_TOKEN = re.compile(
    r"\s*(-?0[xX][0-9a-fA-F]+U?|-?0[fF][0-9a-fA-F]{8}|-?0[dD][0-9a-fA-F]{16}|-?\d+\.\d+|-?\d+U?"
    r"|[\w$%.:#]+|[][{}(),|+!@-])"
)


_USED = re.compile(r'\.pragma\s+"used_bytes_mask (\w+)"')  # of the load that follows
_ALL = -1


_CLOSING = {"{": "}", "(": ")"}
_DEEPEST = 4  # of operands within each other: a vector of addresses has two levels


class _Reader:
    """Reads one instruction: guard, opcode, operands."""

    def __init__(self, text: str, body: _Body):
        self.tokens = _TOKEN.findall(text)
        self.at = 0
        self.body = body
        self.depth = 0

    def instruction(self, used: int) -> Instruction:
        """`used`: the bytes that are, of what it loads, a bit for each."""
        guard, negated = None, False
        if self.take("@"):
            negated = self.take("!")
            guard = Register(self.body.resolve(self.next()))
        opcode, found = self.next(), list[Operand]()
        while self.at < len(self.tokens):
            found.append(self.operand())
            self.take(",")
        operands, body = tuple(found), self.body
        form = resolve(opcode, operands)
        if used != _ALL and isinstance(operands[0], Vector):
            operands = (used_parts(operands[0], size_of(form.type), used), *operands[1:])
        return Instruction(form, operands, guard, negated, body.line, body.callers)

    def operand(self) -> Operand:
        first = self.single()
        if self.take("|"):
            return Vector((first, self.single()))
        return first

    def single(self) -> Operand:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Malformed("operands within operands")
        found = self._single()
        self.depth -= 1
        return found

    def _single(self) -> Operand:
        token = self.next()
        if token == "[":
            return self.address()
        if token in _CLOSING:
            return Vector(self.items(_CLOSING[token]))
        if token == "!":
            return Negated(Register(symbol_of(self.single())))
        return self.name(token)

    def items(self, closing: str) -> tuple[Operand, ...]:
        found = []
        while not self.take(closing):
            found.append(self.single())
            self.take(",")
        return tuple(found)

    def address(self) -> Operand:
        base, offset, more = self.single(), 0, []
        while not self.take("]"):
            if self.take(","):  # a texture's coordinates
                more.append(self.single())
            elif not self.take("+"):
                offset += literal(self.next()).value
        if isinstance(base, Immediate):
            address = Address(None, base.value)
        elif isinstance(base, Register | Symbol):
            address = Address(base, offset)
        else:
            raise Malformed("an address that is no register, name or number")
        return Vector((address, *more)) if more else address

    def name(self, token: str) -> Operand:
        if token[0] in "-0123456789" and LITERAL.match(token):
            return literal(token)
        resolved = self.body.resolve(token)
        if resolved in self.body.registers or token == "_":
            return Register(resolved)
        return Symbol(resolved)

    def take(self, token: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at] == token:
            self.at += 1
            return True
        return False

    def next(self) -> str:
        if self.at == len(self.tokens):
            raise Malformed("an instruction ends too early")
        self.at += 1
        return self.tokens[self.at - 1]
