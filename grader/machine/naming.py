"""Places in memory in the learner's own words: `x[824]`, `tile[3][17]`, `last`, never an address.

Arrays are known by what the launch passed and the source declares (see `declared`). Where the
source does not say what an element is, the width of the access does.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from math import prod

from ..compilers.declared import Declarations, Declared, StructMember
from .memory.spaces import PrivateSpace, Store


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
class ArrayPlace:
    """`text` is what a learner would write; `array` the array's name and `index` the flat index
    in it, where it has one; `count` how many elements it has; `size` the bytes of an element, or
    of the member of one that `text` names."""

    text: str
    array: str = ""
    index: int | None = None
    count: int | None = None
    size: int | None = None

    @property
    def owner(self) -> str:
        """The array's name as code, or in words where it has none."""
        return f"`{self.array}`" if self.array else "the array"


class MemoryNames:
    """What the memory of a launch is called in `source`. `kernel` is the kernel as written;
    `given` the whole numbers it was given, by parameter."""

    def __init__(
        self, source: str, kernel: str, arguments: tuple[PassedArray, ...], given: dict[str, int]
    ):
        self.source = source
        self.kernel = plain(kernel)
        self.arguments = arguments
        self.given = given

    @cached_property
    def declared(self) -> Declarations:
        return Declarations(self.source)

    def in_buffer(self, store: Store, address: int, width: int, line: int | None) -> ArrayPlace:
        """A place in global memory: `address` in, or near, a store."""
        offset = address - store.address
        end = store.address + len(store.data)
        mine = [one for one in self.arguments if store.address <= one.address < max(end, 1)]
        if not mine and not store.names:
            return ArrayPlace(f"a place in {store.name}")
        if not mine:
            return self._in_variable(plain(store.name), "device", offset, len(store.data), width)
        mine.sort(key=lambda one: not self.declared.mentions(line, one.name))
        one = mine[0]
        size = self.declared.size(one.type) or one.size
        declared = Declared(one.name, one.type, (None,), "")
        return self._place(declared, address - one.address, end - one.address, size, width)

    def in_shared(
        self,
        symbols: dict[str, int],
        space: PrivateSpace,
        address: int,
        width: int,
        line: int | None,
    ) -> ArrayPlace:
        """A place in a block's shared memory, at or near one of the variables in it."""
        before = {name: start for name, start in symbols.items() if start <= max(address, 0)}
        if not before:
            return ArrayPlace("shared memory")
        start = max(before.values())
        names = [plain(name) for name, at in before.items() if at == start]
        names.sort(key=lambda name: not self.declared.mentions(line, name))
        return self._in_variable(names[0], "shared", address - start, space.extent(start), width)

    def in_local(self, size: int, offset: int, width: int, line: int | None) -> ArrayPlace:
        """A place in the `size` bytes that a thread has for its own arrays. Their order is the
        compiler's; but an array that fills them all has its name."""
        arrays = self.declared.local_arrays(line)
        fitting = [one for one in arrays if self._bytes(one, width) in (None, size)]
        if len(fitting) == 1:
            return self._place(fitting[0], offset, size, None, width)
        if len(arrays) == 1:
            return ArrayPlace(f"an element of `{arrays[0].name}`", arrays[0].name)
        return ArrayPlace("an element of an array of its own")

    def _in_variable(
        self, name: str, memory: str, offset: int, size: int, width: int
    ) -> ArrayPlace:
        one = self.declared.find(name, memory)
        one = one or Declared(name, "", (None,), memory)
        return self._place(one, offset, size, None, width)

    def _place(
        self, one: Declared, offset: int, size: int, element: int | None, width: int
    ) -> ArrayPlace:
        """The element, of `element` bytes if that is known, of a declared variable, of `size`
        bytes in all, at a byte offset."""
        inner = one.dimensions[1:]
        element = element or self.declared.size(one.type) or width
        if one.dimensions and None not in one.dimensions:
            element = max(size // (_number(one.dimensions) or 1), 1)
        elif not one.dimensions:
            element = max(size, 1)
        flat, rest = divmod(offset, element)
        count = size // element
        if not one.dimensions and flat == 0:
            member = _member(self.declared.members(one.type), rest, width)
            return ArrayPlace(
                f"`{one.name}{member}`", one.name, None, 1, width if member else element
            )
        known = [length for length in inner if length is not None]
        if len(known) < len(inner):
            return ArrayPlace(f"element {flat} of `{one.name}`", one.name, flat, count, element)
        indices: tuple[int, ...] = ()
        for length in reversed(known):
            flat, index = divmod(flat, max(length, 1))
            indices = (index, *indices)
        member = _member(self.declared.members(one.type), rest, width)
        number = offset // element
        outer, last = (flat, *indices)[:-1], (flat, *indices)[-1]
        before = one.name + "".join(f"[{index}]" for index in outer)
        text = f"`{before}[{last}]{member}`"
        if not member and width > element:  # an access that is wider takes several
            text += f" to `{before}[{last + width // element - 1}]`"
        return ArrayPlace(text, one.name, number, count, width if member else element)

    def _bytes(self, one: Declared, width: int) -> int | None:
        if None in one.dimensions:
            return None
        return _number(one.dimensions) * (self.declared.size(one.type) or width)


def _number(dimensions: tuple[int | None, ...]) -> int:
    """How many elements there are, where every length is known."""
    return prod(length or 0 for length in dimensions)


def _member(members: tuple[StructMember, ...], offset: int, width: int) -> str:
    """`.sum` for an access within one member of a struct, "" for one to all of it."""
    for member in members:
        length = member.size * (_number(member.dimensions) or 1)
        if member.offset <= offset and offset + width <= member.offset + length:
            if not member.dimensions:
                return f".{member.name}" if width < sum(m.size for m in members) else ""
            return f".{member.name}[{(offset - member.offset) // member.size}]"
    return ""


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
        match = _ARGUMENT.match(rest, at)
        if not match:
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
