"""Places in memory in the learner's own words: `x[824]`, `tile[3][17]`, `last`, never an address;
and how threads and calls are named.

Arrays are known by what the launch passed and the source declares. Where the source does not say
what an element is, the width of the access does.

What to do about an index past the end: guard the access, or work the index out anew?

A run knows which number a thread used and which numbers a thread has: its own index in the grid and
in the block, the launch's sizes, the whole numbers the kernel was given. Where the index is one of
the thread's own, there are too many threads, and a guard keeps them away; where it is put together
from them in another way, the arithmetic is looked at; where it is neither, that is said.
"""

import re
from dataclasses import dataclass, fields
from itertools import combinations
from math import prod

from ..compilers.declared import Declarations, Declared
from ..cuda.errors import Index, Message
from ..errors import counted
from ..machine.lanes import WARP, coordinates
from ..machine.memory.spaces import Store
from ..machine.naming import PassedArray, plain
from ..machine.wave import Wave
from ..watch.findings import Bytes, Location, OutOfStore

_NUMBERED = re.compile(r"\b([Tt]hread|[Bb]lock) (?:(\d+)\b|\((\d+), (\d+), (\d+)\))")
PASSES = " A guard that is there already lets this index pass."
BELOW = (
    "An index can be below 0 after a subtraction, after `%` of a negative number, or if an int "
    "overflows."
)


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
        return self.text if self.size in (None, size) else f"{counted(size, 'byte')} at {self.text}"


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
    name = min(
        (plain(name) for name, at in memory.symbols.items() if at == start),
        key=lambda name: not declared.mentions(line, name),
    )
    variable = declared.find(name, "shared") or Declared(name, "", (None,), "shared")
    return _element(declared, variable, address - start, memory.extent(start), width)


def _in_buffer(touched: Bytes, wave: Wave) -> ArrayPlace:
    """A place in global memory: in, or near, a store."""
    store, declared, width = touched.store, wave.names.declared, touched.width
    end = store.address + len(store.data)
    mine = [one for one in wave.names.arguments if store.address <= one.address < max(end, 1)]
    if mine:
        argument = min(mine, key=lambda one: not declared.mentions(touched.line, one.name))
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
    arrays, width = declared.local_arrays(touched.line), touched.width
    fitting = [
        one
        for one in arrays
        if None in one.dimensions
        or _elements(one.dimensions) * (declared.size(one.type) or width) == size
    ]
    return (
        _element(declared, fitting[0], touched.address, size, width)
        if len(fitting) == 1
        else ArrayPlace(f"an element of `{arrays[0].name}`", arrays[0].name)
        if len(arrays) == 1
        else ArrayPlace("an element of an array of its own")
    )


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
    element = (
        element or declared.size(variable.type) or width
        if None in variable.dimensions
        else max(size // (_elements(variable.dimensions) or 1), 1)  # of no array, all of it
    )
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
            return (
                f".{member.name}[{(offset - member.offset) // member.size}]"
                if member.dimensions
                else f".{member.name}"
                if width < sum(m.size for m in members)
                else ""
            )
    return ""


def _elements(dimensions: tuple[int | None, ...]) -> int:
    """How many elements there are, where every length is known."""
    return prod(length or 0 for length in dimensions)


def named(line: int | None, wave: Wave) -> list[PassedArray]:
    """The buffers whose names stand on a line."""
    return [one for one in wave.names.arguments if wave.names.declared.mentions(line, one.name)]


def meant(line: int | None, verb: str, wave: Wave) -> Store | None:
    """The buffer that an access which lies in none means, where its line says so: the only one
    that is read there, or the only one that is given a value."""
    on_line = named(line, wave)
    given = [one for one in on_line if wave.names.declared.only_assigned(line, one.name)]
    fitting = given if verb == "writes" else [one for one in on_line if one not in given]
    return (
        None
        if verb not in ("reads", "writes") or len(fitting) != 1
        else wave.flat.below(fitting[0].address)
    )


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

    return Message(
        **{one.name: _NUMBERED.sub(placed, getattr(message, one.name)) for one in fields(message)}
    )


def called(lines: tuple[int, ...]) -> str:
    """ " (called on line 40, through lines 29 and 17)": from where a function is called."""
    if not lines:
        return ""
    *between, outermost = lines
    ways = list(map(str, dict.fromkeys(reversed(between))))  # recursion comes by one line often
    most = f"lines {', '.join(ways[:-1])} and " if ways[1:] else "line "
    return f" (called on line {outermost}{f', through {most}{ways[-1]}' if ways else ''})"


OWN = "blockIdx.x * blockDim.x + threadIdx.x"
# What tells threads apart: CUDA's variables, and functions that the thread's own results come from.
_OF_A_THREAD = {"threadIdx", "blockIdx", "asm", "clock", "thread_rank", "tiled_partition"}
_FACTORS = 3  # of an array's length: outer, length, inner
_ARRAY = "either the index is too large, or the array is too short"


@dataclass(frozen=True)
class ThreadNumbers:
    """The numbers that a thread has, from which its index may come."""

    thread: Index  # threadIdx
    block: Index  # blockIdx
    threads: Index  # blockDim
    blocks: Index  # gridDim
    given: dict[str, int]  # the whole numbers that the kernel was given, by parameter
    arrays: dict[str, int]  # the bytes of each array, by parameter
    loop: str  # that the access is in, in words; or ""
    or_equal: str  # a question, if there is a `<=` in the kernel; or ""
    declared: Declarations  # in the source, where it stands on
    line: int

    @classmethod
    def of(cls, where: Location, wave: Wave) -> "ThreadNumbers":
        """Those of the thread at a location."""
        (x, y, z), (i, j, k) = map(int, where.thread), map(int, where.block)
        declared = wave.names.declared
        head, at = declared.loop(where.line or 0)
        return cls(
            (x, y, z),
            (i, j, k),
            wave.geometry.block,
            wave.geometry.grid,
            wave.names.given,
            {one.name: one.count * one.size for one in wave.names.arguments},
            f"The access is in the loop on line {at}: `{head}`." if head else "",
            " Is there a `<=` where `<` belongs?" if "<=" in "".join(declared.lines) else "",
            declared,
            where.line or 0,
        )

    @property
    def own(self) -> Index:
        """blockIdx * blockDim + threadIdx along each axis."""
        x, y, z = (b * n + t for b, n, t in zip(self.block, self.threads, self.thread, strict=True))
        return x, y, z

    @property
    def number(self) -> int:
        """The thread's number in its block, x fastest."""
        x, y, z = self.thread
        return x + self.threads[0] * (y + self.threads[1] * z)

    @property
    def flat(self) -> bool:
        """All threads lie along x."""
        return self.threads[1:] == self.blocks[1:] == (1, 1)


@dataclass(frozen=True)
class _Element:
    """A place in an array whose length is known; the index as the source has `written` it, "" if
    it has not, or several are on the line."""

    owner: str
    index: int
    count: int
    size: int | None
    written: str


def beyond(finding: OutOfStore, place: ArrayPlace, who: ThreadNumbers) -> Message:
    """What to look at when a thread goes to `place`, which lies outside its array."""
    if place.index is None or place.count is None:
        return Message()
    space, width = finding.fault.space, finding.size
    if space == "local":
        return Message(remedy=f"A guard on threads does not help here: {_ARRAY}.")
    index = who.declared.index(who.line, place.owner.strip("`"))
    element = _Element(place.owner, place.index, place.count, place.size, index)
    advice = (
        _wide(element, width, who)
        if place.size and width > place.size
        else _in_block(element, who)
        if space == "shared"
        else _in_grid(element, who, finding.verb == "reads")
    )
    right, at = who.declared.given(index, who.line)
    parts = [
        one for one in dict.fromkeys(re.findall(r"\w+", right)) if who.declared.given(one, at)[0]
    ]
    if not advice and len(parts) > 1 and not {*parts} & {*re.findall(r"\w+", who.loop)}:
        return Message(
            why=f"The index `{index}` is `{right}` (line {at}).",
            remedy=f"Which of {' and '.join(f'`{one}`' for one in parts)} is wrong on line {at}?",
        )
    if not advice and who.loop and place.index >= 0:
        end = who.or_equal if place.index == place.count else ""
        past = (
            f"Is this round of the loop one too many, or is {place.owner} too short?"
            if space == "shared"
            else "Is the index right? If it is, should the loop execute this round?"
        )
        return Message(why=who.loop, remedy=f"{past}{end}")
    return advice or _unknown(element, who)


def _wide(place: _Element, width: int, who: ThreadNumbers) -> Message | None:
    """Of an access that takes several elements at once."""
    taken = width // (place.size or 1)
    if 0 <= place.index < place.count < place.index + taken:
        left = place.count - place.index
        return Message(
            why=f"One access of {width} bytes takes {taken} elements, and only {left} "
            f"{'is' if left == 1 else 'are'} left there.",
            remedy="How should the last elements be accessed? They are too few for one access.",
        )
    in_loop = who.declared.loop(who.line)[0]
    if place.index >= place.count and who.own[0] * taken == place.index and not in_loop:
        return Message(
            why=f"One access of {width} bytes takes {taken} elements. Access number {who.own[0]} "
            f"begins at element {place.index}.",
            remedy=f"{place.owner} has room for only "
            f"{counted(place.count // taken, 'access', 'accesses')}, and the first one is number "
            "0. Guard all others.",
        )
    return None


def _in_block(place: _Element, who: ThreadNumbers) -> Message | None:
    """Of an array that each block has for itself."""
    index, count, number = place.index, place.count, who.number
    warps = -(-prod(who.threads) // WARP)
    if index == number // WARP >= count:
        return Message(
            why=f"The index equals the number of the thread's warp. The block has "
            f"{counted(warps, 'warp')}, and {place.owner} has {counted(count, 'element')}.",
            remedy="How many warps can a block have? Give the array one element per warp.",
        )
    array = who.declared.find(place.owner.strip("`"), "shared")
    is_row = array is not None and len(array.dimensions) == 1
    if index == number >= count and place.written.isidentifier() and is_row:
        return Message(
            why=f"The index `{place.written}` is {index} for this thread, and {place.owner} has "
            f"{counted(count, 'element')}.",
            remedy=f"Guard the access: `{place.written} < {count}`. What should the other threads "
            f"have instead? Or should {place.owner} have more elements?",
        )
    return (
        Message(
            why=f"The block has {prod(who.threads)} threads, and {place.owner} has "
            f"{counted(count, 'element')}."
            + f" The launch gives {count * (place.size or 1)} bytes of shared memory to a block."
            * (array is not None and None in array.dimensions),
            remedy="Give the array one element per thread, or guard the access, as in "
            f"`if (threadIdx.x < {count})`.",
        )
        if index == number >= count
        else None
    )


def _in_grid(place: _Element, who: ThreadNumbers, reads: bool) -> Message | None:
    """Of an array that the launch passed."""
    index, count = place.index, place.count
    own, all_threads = who.own[0], who.threads[0] * who.blocks[0]
    if not who.flat:
        return _rows(place, who)
    if index == own >= count:
        return _too_many_threads(place, who, all_threads, reads)
    if own < count <= index < count + all_threads and (index - own) % all_threads == 0:
        rounds, limit = (index - own) // all_threads, _limit(place, who)
        return Message(
            why=f"The index is the thread's number in the grid, {own}, plus "
            f"{counted(rounds, 'round')} of {counted(all_threads, 'thread')}.",
            remedy=f"The loop's condition lets this index pass. Is {limit} still the number of "
            f"elements of {place.owner} there?"
            if place.written and f" {place.written} < {limit.strip('`')};" in who.loop
            else "The loop's condition, or a guard, must check that index too: it must be below "
            f"{limit}.{who.or_equal if index == count else ''}",
        )
    times = index // max(own, 1)
    return (
        Message(  # of a few times the thread's own index
            why=f"The index{f' `{place.written}`' * bool(place.written)} is {index} for this "
            f"thread. That is {times} times the thread's number in the grid, {own}.",
            remedy=f"Is {times} the number of bytes per element? An index counts elements, not "
            "bytes. " * (times == place.size) + f"If each thread should take {times} elements, the "
            f"last threads go past the end: check that each index is below {_limit(place, who)}.",
        )
        if 0 < own < count and index in (own * 2, own * 4, own * 8)
        else None
    )


def _too_many_threads(
    place: _Element, who: ThreadNumbers, all_threads: int, reads: bool
) -> Message:
    if not place.count:
        return Message(
            why=f"In this launch {place.owner} is empty.",
            remedy=f"Which size is 0 here? What should a thread do if {place.owner} is empty?",
        )
    if place.count == who.blocks[0] and place.count > 1:
        also = (
            " If the threads should read all of them, a loop or a guard must stop at "
            f"{_limit(place, who)}."
        )
        return Message(
            why=f"The index equals the thread's number in the grid. But {place.owner} has "
            f"{place.count} elements, one per block.",
            remedy="Should the index be `blockIdx.x`? If it should, which thread of the block "
            f"should come to this line?{also if reads else ''}",
        )
    beyond = (place.index + 1) * (place.size or 1)  # bytes
    larger = [one for one, n in who.arrays.items() if n >= beyond and f"`{one}`" != place.owner]
    if larger:
        return Message(
            why=f"The index equals the thread's number in the grid. `{larger[0]}` has an element "
            f"there, {place.owner} does not.",
            remedy="Should both arrays have the same index here? If so, guard the access. If not, "
            f"{place.owner} needs another index"
            f"{who.declared.computed_on(place.written, who.line)}.",
        )
    reach = (
        " This thread must still reach the barriers that follow."
        if any("sync" in one for one in who.declared.lines[who.line :])
        else ""
    )
    guarded = PASSES if who.declared.guard(who.line)[0] else ""
    return Message(
        why=f"The launch has {all_threads:,} threads, and {place.owner} has "
        f"{counted(place.count, 'element')}.",
        remedy="Guard the access: the index must be below "
        f"{_limit(place, who)}.{guarded}"
        f"{who.or_equal if place.index == place.count else ''}{reach}",
    )


def _rows(place: _Element, who: ThreadNumbers) -> Message | None:
    """Of rows and columns: what the kernel was given may be the length of a row."""
    x, y, _ = who.own
    if place.index in (x, y) and x != y:
        axis = "x" if place.index == x else "y"
        return Message(
            why=f"The index is `blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}` of this "
            "thread.",
            remedy=f"Is that the index you want? If so, guard it: it must be below "
            f"{_limit(place, who)}. If not, which index is right?",
        )
    for name, length in who.given.items():
        if y > 0 and 1 < length < place.count and place.index == y * length + x:
            return _by_rows(place, who, name, length)
        if x > 0 and x != y and length > 1 and place.index == x * length + y:
            return Message(
                why=f"In the grid, this thread's x is {x} and its y is {y}. The index is {x} * "
                f"`{name}` + {y}.",
                remedy="Is its x the row or the column of this array? The index is the row times "
                "the length of a row, plus the column. A guard would only hide this mistake.",
            )
    return None


def _by_rows(place: _Element, who: ThreadNumbers, name: str, length: int) -> Message:
    """Of `y * name + x`: which of two lengths is that of a row, the launch may say."""
    x, y, _ = who.own
    across, down = (n * b for n, b in zip(who.threads[:2], who.blocks[:2], strict=True))
    text = f"The index is {y} * `{name}` + {x}: row {y}, column {x}"
    other = [n for n, w in who.given.items() if w * length == place.count and n != name]
    rows = place.count // length
    if other and down >= length and across >= rows and not (across >= length and down >= rows):
        return Message(
            why=f"{text}. The launch has threads for {length} rows of {rows} elements.",
            remedy=f"So the row should be multiplied by `{other[0]}`. A guard would only hide this "
            "mistake.",
        )
    past = "column" if x >= length else "row"
    limit = f"`{other[0]}`" if other else rows
    return Message(
        why=f"{text}. The array has no such {past}.",
        remedy=f"Guard both: the column must be below `{name}`, and the row below {limit}.",
    )


def _unknown(place: _Element, who: ThreadNumbers) -> Message:
    x, y, _ = who.own
    written, names = place.written, who.declared.made_of(place.written)
    of_thread = any(one.partition(".")[0] in _OF_A_THREAD for one in names)
    if names and not of_thread and who.declared.in_kernel(who.line):
        return Message(
            why=f"The index is `{written}`. No thread number is in it: it is {place.index} for "
            "every thread that comes here.",
            remedy=f"For which sizes is `{written}` {'below 0' if place.index < 0 else 'too large'}"
            "? What should happen then?",
        )
    own = f"`{OWN}` is {x}" if who.flat else f"in the grid, its x is {x} and its y is {y}"
    right, at = who.declared.given(written, who.line)
    is_shared = who.declared.find(place.owner.strip("`"), "shared") is not None
    return Message(
        why=f"Line {at} loads `{written}`." if "[" in right else BELOW if place.index < 0 else "",
        remedy=f"Which values can be loaded on line {at}? What should happen if `{written}` is "
        f"{'below 0' if place.index < 0 else 'too large'}?"
        if "[" in right
        else f"Should this thread ({own}) access the array here? If not, guard the access. If it "
        f"should, compute {f'`{written}`' if written else 'the index'} by hand for this thread."
        + f" Or has {place.owner} too few elements?"
        * is_shared,
    )


def _limit(place: _Element, who: ThreadNumbers) -> str:
    """The array's length in the kernel's own words, if what it was given has but one: `n`, or
    `rows * columns`. Where a length is 1, or two are alike, a name would say more than is known."""
    products = [
        names
        for many in range(1, _FACTORS + 1)
        for names in combinations(who.given, many)
        if prod(who.given[name] for name in names) == place.count
    ]
    return (
        f"`{' * '.join(products[0])}`"
        if len(products) == 1 and place.count > 1
        else f"the number of elements of {place.owner} ({place.count:,} here)"
    )
