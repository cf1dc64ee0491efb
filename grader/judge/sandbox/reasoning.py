"""What reasoning about every size makes of an answer, kept for all that compile to the same.

It is kept on disk beside compiled programs, by what it depends on: the kernels' PTX without the
source's names and line numbers and the variables that no function uses, the exercise's rules, the
effort allowed, and the versions of what reasons. Lines are kept as their places in the order in
which the PTX first names them.
"""

import hashlib
import json
import platform
import re
from collections.abc import Iterator, Set
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

import msgspec

from ... import disk_cache, proofs
from ...compilers.parameters import parameters
from ...cuda import simulator
from ...ptx.program import PtxModule, mentioned
from ..protocol import Examine, Examined, Tried

_GRADER = Path(__file__).parents[2]
# The rooms whose every file counts: lemmas, instructions, rules.
REASONERS = ("compilers", "course", "cuda", "machine", "proofs", "ptx", "say", "watch")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_DECLARED = r"^\s*\.[^;{{}}\n]*(?<![\w$]){}(?![\w$])[^;]*;"  # a statement outside of functions


def examined(source: str, about: Examine) -> Examined:
    """What trying launches says of a source, and if they say nothing, and there is to be reasoning,
    what `proofs.prove` says; asked once of answers that compile to the same. Raises
    CompileError."""
    module = simulator.RawModule(code=source)
    lines = list(dict.fromkeys(_lines(module.program)))
    key = _key(module, lines, about)
    if found := _kept(key, lines):
        return found
    searched = proofs.counterexample(
        source, about.rules, about.solution, about.compared, about.trials
    )
    reasoned = about.effort > 0 and searched.trial is None
    searched = proofs.prove(source, about.rules, about.effort) if reasoned else searched
    found = Examined(
        searched.outcome is proofs.Outcome.PROVED,
        Tried(one.rule.kernel, one.grid, one.block, dict(one.numbers))
        if (one := searched.trial) is not None
        else None,
        reasoned,
        searched.why,
        searched.suspected,
    )
    with suppress(OSError):
        disk_cache.of_user().add(
            key,
            msgspec.structs.replace(
                found, lines=tuple(lines.index(one) for one in found.lines if one in lines)
            ),
        )
    return found


def _kept(key: str, lines: list[int | None]) -> Examined | None:
    kept = disk_cache.of_user().read(key, Examined)
    try:
        return kept and msgspec.structs.replace(kept, lines=tuple(lines[at] for at in kept.lines))
    except IndexError:
        return None


def _key(module: simulator.RawModule, lines: list[int | None], about: Examine) -> str:
    kernels = {rule.kernel for rule in about.rules}
    text = _nameless(module.text, module.program, kernels)
    declared = [
        [(one.type, one.constant) for one in parameters(module.code, kernel) or ()]
        for kernel in sorted(kernels)
    ]
    order = [lines.index(line) for line in _lines(module.program)]
    return hashlib.sha256(
        json.dumps([text, order, declared, repr(about), reasoners()]).encode()
    ).hexdigest()


@cache
def reasoners() -> str:
    """A name for everything that reasons: our code, Z3, NumPy and Python."""
    libraries = ("z3-solver", "numpy") if proofs.available else ("numpy",)
    files = sorted(path for room in REASONERS for path in (_GRADER / room).rglob("*.py"))
    parts = (
        platform.python_version().encode(),
        *(f"{name} {version(name)}\0".encode() for name in libraries),
        *(f"{path.relative_to(_GRADER)}\0".encode() + path.read_bytes() for path in files),
    )
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _nameless(text: str, program: PtxModule, kernels: Set[str]) -> str:
    """PTX without comments, lines, variables that no function uses, and names but for those of
    `kernels`."""
    names = {*program.variables, *program.functions} - kernels | {
        one.name for function in program.functions.values() for one in function.variables
    }
    plain = re.sub(r"//[^\n]*|^\s*\.(?:loc|file)\b[^\n]*", "", text, flags=re.MULTILINE)
    for unused in program.variables.keys() - _used(program):
        plain = re.sub(_DECLARED.format(re.escape(unused)), "", plain, flags=re.MULTILINE)
    met = dict.fromkeys(word for word in _WORD.findall(plain) if word in names)
    new = {name: f"name{number}" for number, name in enumerate(met)}
    words = _WORD.sub(lambda word: new.get(word[0], word[0]), plain)
    return "\n".join(line for one in words.splitlines() if (line := one.strip()))


def _used(program: PtxModule) -> set[str]:
    """The variables that instructions name, and those that their initial values point to."""
    named = {
        name.name
        for function in program.functions.values()
        for one in function.instructions
        for operand in one.operands
        for name in mentioned(operand)
    }
    used: set[str] = set()
    while found := (named & program.variables.keys()) - used:
        used |= found
        named = {name for one in found for _, name in program.variables[one].pointers}
    return used


def _lines(program: PtxModule) -> Iterator[int | None]:
    yield from (
        one.line for function in program.functions.values() for one in function.instructions
    )
