"""Places in memory in the learner's own words: `x[824]`, `tile[3][17]`, `last`, never an address;
and how threads and calls are named.

Arrays are known by what the launch passed and the source declares. Where the source does not say
what an element is, the width of the access does.
"""

import re
from dataclasses import dataclass, fields
from math import prod

from ..compilers.declared import Declarations, Declared
from ..cuda.errors import Index, Message
from ..errors import counted
from ..machine.lanes import coordinates
from ..machine.memory.spaces import Store
from ..machine.naming import PassedArray, plain
from ..machine.wave import Wave
from ..watch.findings import Bytes

_NUMBERED = re.compile(r"\b([Tt]hread|[Bb]lock) (?:(\d+)\b|\((\d+), (\d+), (\d+)\))")


@dataclass(frozen=True)
class ArrayPlace:
    """An element of an array, or a variable, as a learner knows it."""

    text: str  # what a learner would write
    array: str = ""  # the array's name
    index: int | None = None  # flat, where it has one
    count: int | None = None  # elements of the array
    size: int | None = None  # bytes of the element, or of the member of one that `text` names

    @property
    def owner(self) -> str:
        """The array's name as code, or in words where it has none."""
        return f"`{self.array}`" if self.array else "the array"

    def wide(self, size: int) -> str:
        """The place, with the size of the access where that is not the size of the elements."""
        wide = self.size is not None and size != self.size
        return f"{counted(size, 'byte')} at {self.text}" if wide else self.text


def place(touched: Bytes, wave: Wave, strayed: str = "") -> ArrayPlace:
    """What a learner calls what an access touches. An access that `strayed` ("reads" or "writes")
    lies in another array than its line means, or in none."""
    declared, width, line = wave.names.declared, touched.width, touched.line
    if touched.space == "local":
        return _in_local(declared, wave.local.size, touched)
    if touched.space == "global":
        return _in_buffer(touched, wave)
    address, memory = touched.address, wave.shared
    before = {name: start for name, start in memory.symbols.items() if start <= max(address, 0)}
    if not before:
        return ArrayPlace("shared memory")
    start = max(before.values())
    on_line = {
        at
        for name, at in memory.symbols.items()
        if declared.mentions(line, plain(name))
        and (strayed == "writes") == declared.only_assigned(line, plain(name))
    }
    if strayed and len(on_line) == 1:
        (start,) = on_line
    names = [plain(name) for name, at in memory.symbols.items() if at == start]
    names.sort(key=lambda name: not declared.mentions(line, name))
    variable = declared.find(names[0], "shared") or Declared(names[0], "", (None,), "shared")
    return _element(declared, variable, address - start, memory.extent(start), width)


def _in_buffer(touched: Bytes, wave: Wave) -> ArrayPlace:
    """A place in global memory: in, or near, a store."""
    store, declared, width = touched.store, wave.names.declared, touched.width
    end = store.address + len(store.data)
    mine = [one for one in wave.names.arguments if store.address <= one.address < max(end, 1)]
    if mine:
        mine.sort(key=lambda argument: not declared.mentions(touched.line, argument.name))
        argument = mine[0]
        variable = Declared(argument.name, argument.type, (None,), "")
        offset, size = touched.address - argument.address, end - argument.address
        element = declared.size(argument.type) or argument.size
        return _element(declared, variable, offset, size, width, element)
    if not store.names:
        return ArrayPlace(f"a place in {store.name}")
    name, offset = plain(store.name), touched.address - store.address
    variable = declared.find(name, "device") or Declared(name, "", (None,), "device")
    return _element(declared, variable, offset, len(store.data), width)


def _in_local(declared: Declarations, size: int, touched: Bytes) -> ArrayPlace:
    """A place in the `size` bytes that a thread has for its own arrays. Their order is the
    compiler's; but an array that fills them all has its name."""

    def fills(array: Declared) -> bool:
        element = declared.size(array.type) or touched.width
        return None in array.dimensions or _elements(array.dimensions) * element == size

    arrays = declared.local_arrays(touched.line)
    fitting = [array for array in arrays if fills(array)]
    if len(fitting) == 1:
        return _element(declared, fitting[0], touched.address, size, touched.width)
    if len(arrays) == 1:
        return ArrayPlace(f"an element of `{arrays[0].name}`", arrays[0].name)
    return ArrayPlace("an element of an array of its own")


def _element(
    declared: Declarations,
    variable: Declared,
    offset: int,
    size: int,
    width: int,
    element: int = 0,
) -> ArrayPlace:
    """The element, of `element` bytes if that is known, of a declared variable, of `size` bytes in
    all, at a byte offset; an access that is wider takes several."""
    name, inner = variable.name, variable.dimensions[1:]
    element = element or declared.size(variable.type) or width
    if None not in variable.dimensions:  # of no array, all of it
        element = max(size // (_elements(variable.dimensions) or 1), 1)
    number, rest = divmod(offset, element)
    member = _member(declared, variable.type, rest, width)
    own_size = width if member else element
    if not variable.dimensions and number == 0:
        return ArrayPlace(f"`{name}{member}`", name, None, 1, own_size)
    count = size // element
    if None in inner:
        return ArrayPlace(f"element {number} of `{name}`", name, number, count, element)
    flat, indices = number, list[int]()
    for length in reversed(inner):
        flat, index = divmod(flat, length or 1)
        indices.insert(0, index)
    *outer, last = flat, *indices
    brackets = "".join(f"[{index}]" for index in outer)
    end = "" if member else f" to `{name}{brackets}[{last + width // element - 1}]`"
    text = f"`{name}{brackets}[{last}]{member}`{end if width > element else ''}"
    return ArrayPlace(text, name, number, count, own_size)


def _member(declared: Declarations, kind: str, offset: int, width: int) -> str:
    """`.sum` for an access within one member of a struct, "" for one to all of it."""
    members = declared.members(kind)
    for member in members:
        length = member.size * (_elements(member.dimensions) or 1)
        if member.offset <= offset and offset + width <= member.offset + length:
            if not member.dimensions:
                return f".{member.name}" if width < sum(m.size for m in members) else ""
            return f".{member.name}[{(offset - member.offset) // member.size}]"
    return ""


def _elements(dimensions: tuple[int | None, ...]) -> int:
    """How many elements there are, where every length is known."""
    return prod(length or 0 for length in dimensions)


def named(line: int | None, wave: Wave) -> list[PassedArray]:
    """The buffers whose names stand on a line."""
    declared = wave.names.declared
    return [one for one in wave.names.arguments if declared.mentions(line, one.name)]


def meant(line: int | None, verb: str, wave: Wave) -> Store | None:
    """The buffer that an access which lies in none means, where its line says so: the only one
    that is read there, or the only one that is given a value."""
    on_line = named(line, wave)
    given = [one for one in on_line if wave.names.declared.only_assigned(line, one.name)]
    fitting = given if verb == "writes" else [one for one in on_line if one not in given]
    if verb not in ("reads", "writes") or len(fitting) != 1:
        return None
    return wave.flat.below(fitting[0].address)


def short(index: Index) -> str:
    """(5, 0, 0) as "5", the way one-dimensional kernels speak of it."""
    x, y, z = (int(i) for i in index)
    return str(x) if not (y or z) else f"({x}, {y}, {z})"


def in_coordinates(message: Message, block: Index, grid: Index) -> Message:
    """A message about a launch of blocks of several dimensions, or of a grid of several: a thread's
    or a block's number becomes its coordinates, as many as there are dimensions."""

    def placed(match: re.Match[str]) -> str:
        word, linear, *given = match.groups()
        shape = block if word.lower() == "thread" else grid
        where = coordinates(int(linear), shape) if linear else given
        axes = max((axis for axis, size in enumerate(shape, 1) if size > 1), default=1)
        return match[0] if axes == 1 else f"{word} ({', '.join(map(str, where[:axes]))})"

    parts = {part.name: getattr(message, part.name) for part in fields(message)}
    return Message(**{name: _NUMBERED.sub(placed, text) for name, text in parts.items()})


def called(lines: tuple[int, ...]) -> str:
    """ " (called on line 40, which leads to the calls on lines 29 and 17)": from where a function
    is called."""
    if not lines:
        return ""
    *between, outermost = lines
    between = list(dict.fromkeys(reversed(between)))  # recursion comes by one line often
    *most, last = map(str, between or [0])
    ways = f"calls on lines {', '.join(most)} and {last}" if most else f"call on line {last}"
    return f" (called on line {outermost}{f', which leads to the {ways}' if between else ''})"
