"""The names of a launch: its kernel, the arrays and numbers it was given, and mangled names."""

import re
from dataclasses import dataclass
from functools import cached_property

from ..compilers.declared import Declarations


@dataclass(frozen=True)
class PassedArray:
    """A buffer that a launch passes: the parameter's name, what it points to as the source says
    it ("": unknown), where the array begins, how many bytes an element of it has, and how many
    elements it has."""

    name: str
    type: str
    address: int
    size: int
    count: int


@dataclass(frozen=True)
class MemoryNames:
    """What the memory of a launch is called in `source`. `kernel` is the kernel as written;
    `given` the whole numbers it was given, by parameter."""

    source: str
    kernel: str
    arguments: tuple[PassedArray, ...]
    given: dict[str, int]

    @cached_property
    def declared(self) -> Declarations:
        return Declarations(self.source)


def plain(name: str) -> str:
    """A name as the source has it: what C++ mangles for the linker, `_ZZ4heatPfiE4tile`, is
    `tile`; a name that is not mangled stays."""
    if name.startswith("_ZZ"):
        for match in re.finditer(r"E(?=\d)", name):
            found, rest = _sourced(name, match.end())
            if found and re.fullmatch(r"(_\d+)?", rest):
                return found
    elif name.startswith("_Z"):
        found, rest = _sourced(name, len(re.findall(r"^_ZN?K?L?", name)[0]))
        while found and "N" in name[:3] and re.match(r"L?\d", rest):  # namespaces
            found, rest = _sourced(rest, rest.startswith("L"))
        if found:
            return found + _template(rest)
    return name


def _sourced(name: str, at: int) -> tuple[str, str]:
    """The identifier that stands, behind its length, at `at` of a mangled name; and the rest."""
    length = re.compile(r"\d+").match(name, at)
    if not length or int(length[0]) > len(name) - length.end():
        return "", name
    end = length.end() + int(length[0])
    return name[length.end() : end], name[end:]


_BUILTIN = {
    **{"f": "float", "d": "double", "i": "int", "j": "unsigned", "b": "bool", "c": "char"},
    **{"h": "unsigned char", "s": "short", "t": "unsigned short", "l": "long"},
    **{"m": "unsigned long", "x": "long long", "y": "unsigned long long"},
}
_ARGUMENT = re.compile(r"L[a-z](n?)(\d+)E|(\d+)|([fdijbchstlmxy])")


def _template(rest: str) -> str:
    """`<float, 4>` for the `IfLi4EE` that comes after a template's name; "" for anything else."""
    if not rest.startswith("I"):
        return ""
    at, found = 1, []
    while at < len(rest) and rest[at] != "E":
        if not (match := _ARGUMENT.match(rest, at)):
            return ""
        at = match.end()
        if match[2]:
            found.append(("-" if match[1] else "") + match[2])
        elif match[3]:
            found.append(rest[at : at + int(match[3])])
            at += int(match[3])
        else:
            found.append(_BUILTIN[match[4]])
    return f"<{', '.join(found)}>"
