"""What to do about an index past the end: guard the access, or work the index out anew?

A run knows which number a thread used and which numbers a thread has: its own index in the grid and
in the block, the launch's sizes, the whole numbers the kernel was given. Where the index is one of
the thread's own, there are too many threads, and a guard keeps them away; where it is put together
from them in another way, the arithmetic is looked at; where it is neither, that is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod

from ..compilers.declared import Declarations
from ..cuda.errors import Index, Message
from ..errors import counted
from ..machine.lanes import WARP
from ..machine.wave import Wave
from ..watch.findings import Location, OutOfStore
from .places import ArrayPlace

OWN = "blockIdx.x * blockDim.x + threadIdx.x"
# What tells threads apart: CUDA's variables, and functions that the thread's own results come from.
_OF_A_THREAD = {"threadIdx", "blockIdx", "asm", "clock", "thread_rank", "tiled_partition"}
_FACTORS = 3  # of an array's length: outer, length, inner
_ARRAY = "either the index is too large (check the loop or the count), or the array is too short"


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
    def of(cls, where: Location, wave: Wave) -> ThreadNumbers:
        """Those of the thread at a location."""
        arrays = {one.name: one.count * one.size for one in wave.names.arguments}
        (x, y, z), (i, j, k) = map(int, where.thread), map(int, where.block)
        declared = wave.names.declared
        head, at = declared.loop(where.line or 0)
        return cls(
            (x, y, z),
            (i, j, k),
            wave.geometry.block,
            wave.geometry.grid,
            wave.names.given,
            arrays,
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
    """A place in an array whose length is known."""

    owner: str
    index: int
    count: int
    size: int | None


def beyond(finding: OutOfStore, place: ArrayPlace, who: ThreadNumbers) -> Message:
    """What to look at when a thread goes to `place`, which lies outside its array."""
    if place.index is None or place.count is None:
        return Message()
    space, width = finding.fault.space, finding.size
    if space == "local":
        return Message(remedy=f"A guard on threads does not help here: {_ARRAY}.")
    element = _Element(place.owner, place.index, place.count, place.size)
    if place.size and width > place.size:
        advice = _wide(element, width, who)
    elif space == "shared":
        advice = _in_block(element, who)
    else:
        advice = _in_grid(element, who, finding.verb == "reads")
    if not advice and who.loop and place.index >= 0:
        end = who.or_equal if place.index == place.count else ""
        past = f"Should the loop execute the round in which the index is too large?{end}"
        if space == "shared":
            past = f"Is this round of the loop one too many, or is {place.owner} too short?{end}"
        return Message(why=who.loop, remedy=past)
    return advice or _unknown(element, who)


def _wide(place: _Element, width: int, who: ThreadNumbers) -> Message | None:
    """Of an access that takes several elements at once."""
    taken = width // (place.size or 1)
    if 0 <= place.index < place.count < place.index + taken:
        left = place.count - place.index
        return Message(
            why=f"One access of {width} bytes takes {taken} elements, and only {left} "
            f"{'is' if left == 1 else 'are'} left there.",
            remedy="Access the last elements one by one.",
        )
    if place.index >= place.count and who.own[0] * taken == place.index:
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
    if index == number >= count:
        return Message(
            why=f"The block has {prod(who.threads)} threads, and {place.owner} has "
            f"{counted(count, 'element')}.",
            remedy="Give the array one element per thread, or guard the access, as in "
            f"`if (threadIdx.x < {count})`.",
        )
    return None


def _in_grid(place: _Element, who: ThreadNumbers, reads: bool) -> Message | None:
    """Of an array that the launch passed."""
    index, count = place.index, place.count
    own, all_threads = who.own[0], who.threads[0] * who.blocks[0]
    if not who.flat:
        return _rows(place, who)
    if index == own >= count:
        return _too_many_threads(place, who, all_threads, reads)
    if own < count <= index < count + all_threads and (index - own) % all_threads == 0:
        rounds = (index - own) // all_threads
        return Message(
            why=f"The index is the thread's number in the grid, {own}, plus "
            f"{counted(rounds, 'round')} of {counted(all_threads, 'thread')}.",
            remedy="The loop's condition, or a guard, must check that index too: it must be below "
            f"{_limit(place, who)}.{who.or_equal if index == count else ''}",
        )
    if 0 < own < count and index in (own * 2, own * 4, own * 8):
        return _multiple(place, who)
    return None


def _multiple(place: _Element, who: ThreadNumbers) -> Message:
    """Of a few times the thread's own index."""
    times = place.index // who.own[0]
    asks = f"Is {times} the number of bytes per element? An index counts elements, not bytes. "
    return Message(
        why=f"The index is {times} times the thread's number in the grid, {who.own[0]}.",
        remedy=f"{asks if times == place.size else ''}If each thread should take {times} elements, "
        f"the last threads go past the end: check that each index is below {_limit(place, who)}.",
    )


def _too_many_threads(
    place: _Element, who: ThreadNumbers, all_threads: int, reads: bool
) -> Message:
    if place.count == who.blocks[0] and place.count > 1:
        also = (
            " If the threads should read all of them, a loop or a guard must stop at "
            f"{_limit(place, who)}."
        )
        return Message(
            why=f"The index equals the thread's number in the grid. But {place.owner} has "
            f"{place.count} elements, one per block.",
            remedy=f"Do you mean `blockIdx.x`?{also if reads else ''}",
        )
    beyond = (place.index + 1) * (place.size or 1)  # bytes
    larger = [one for one, n in who.arrays.items() if n >= beyond and f"`{one}`" != place.owner]
    if larger:
        return Message(
            why=f"The index equals the thread's number in the grid. `{larger[0]}` has an element "
            f"there, {place.owner} does not.",
            remedy="Should both arrays have the same index here? If so, guard the access. If not, "
            f"{place.owner} needs another index.",
        )
    barrier = any("sync" in one for one in who.declared.lines[who.line :])
    reach = " This thread must still reach the barriers that follow." if barrier else ""
    return Message(
        why=f"The launch has {all_threads:,} threads, and {place.owner} has "
        f"{counted(place.count, 'element')}.",
        remedy="Guard the access: the index must be below "
        f"{_limit(place, who)}. A guard that is there already lets this index pass."
        f"{who.or_equal if place.index == place.count else ''}{reach}",
    )


def _rows(place: _Element, who: ThreadNumbers) -> Message | None:
    """Of rows and columns: what the kernel was given may be the length of a row."""
    x, y, _ = who.own
    if place.index in (x, y) and x != y:
        axis = "x" if place.index == x else "y"
        return Message(
            why=f"The index equals the {axis} of this thread in the grid.",
            remedy=f"If you mean {axis} as the index, guard it: it must be below "
            f"{_limit(place, who)}. If not, the index is wrong.",
        )
    for name, length in who.given.items():
        if y > 0 and length > 1 and place.index == y * length + x:
            return _by_rows(place, who, name, length)
        if x > 0 and x != y and length > 1 and place.index == x * length + y:
            return Message(
                why=f"The index is `x * {name} + y`, with x = {x} and y = {y} for this thread.",
                remedy="Is x the row or the column of this array? The index is the row times the "
                "length of a row, plus the column. A guard would only hide this mistake.",
            )
    return None


def _by_rows(place: _Element, who: ThreadNumbers, name: str, length: int) -> Message:
    """Of `y * name + x`: which of two lengths is that of a row, the launch may say."""
    x, y, _ = who.own
    across, down = (n * b for n, b in zip(who.threads[:2], who.blocks[:2], strict=True))
    text = f"The index is `y * {name} + x`, with x = {x} and y = {y} for this thread"
    other = [n for n, w in who.given.items() if w * length == place.count and n != name]
    rows = place.count // length
    if other and down >= length and across >= rows and not (across >= length and down >= rows):
        return Message(
            why=f"{text}. The launch has threads for {length} rows of {rows} elements.",
            remedy=f"So the index should be `y * {other[0]} + x`. A guard would only hide this "
            "mistake.",
        )
    past = "column" if x >= length else "row"
    limit = f"y < {other[0] if other else rows}"
    return Message(
        why=f"{text}. The array has no such {past}.",
        remedy=f"Guard x and y, as in `if (x < {name} && {limit})`.",
    )


def _unknown(place: _Element, who: ThreadNumbers) -> Message:
    x, y, _ = who.own
    written = who.declared.index(who.line, place.owner.strip("`"))
    names = who.declared.made_of(written)
    if names and names.isdisjoint(_OF_A_THREAD):
        return Message(
            why=f"The index is `{written}`. No thread number is in it: it is {place.index} for "
            "every thread that comes here.",
            remedy=f"For which sizes is `{written}` {'below 0' if place.index < 0 else 'too large'}"
            "? What should happen then?",
        )
    own = f"`{OWN}` is {x}" if who.flat else f"in the grid, its x is {x} and its y is {y}"
    below = (
        "An index can be below 0 after a subtraction, after `%` of a negative number, or if an int "
        "overflows."
    )
    return Message(
        why=below if place.index < 0 else "",
        remedy=f"Should this thread ({own}) access the array here? If not, guard the access. If it "
        f"should, compute {f'`{written}`' if written else 'the index'} by hand for this thread.",
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
    if len(products) == 1 and place.count > 1:
        return f"`{' * '.join(products[0])}`"
    return f"the number of elements of {place.owner} ({place.count:,} here)"
