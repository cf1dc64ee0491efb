"""Ways for an array to lie in memory. Each is told once, by an expression that is read as C++ in
kernels and by NumPy for inputs and expected outputs."""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np


class Refused(ValueError):
    """An exercise cannot be drawn anew in this way; the sentence says why."""


@dataclass(frozen=True)
class Layout:
    """Where element `i` of an array lies: `place`, over i, its row r and column c, the array's
    length L, its rows R and columns C, and W, the elements that the kernel moves at once. `size`:
    how many elements it takes in all. With a `sign` the element is two others, the one at `place`
    and the one at `second`, added or subtracted."""

    place: str
    size: str = "L"
    second: str = ""
    sign: str = ""

    @property
    def needs(self) -> set[str]:
        """The names in it that have to be known."""
        return set(re.findall(r"\b[LRCrc]\b", f"{self.place} {self.second}"))

    @property
    def fills(self) -> bool:
        """True if no place is left over, as outputs need it."""
        return self.size == "L"


_OF_ROWS = {
    "rows reversed": Layout("(R - 1 - r) * C + c"),
    "rows rotated": Layout("(r + 1) % R * C + c"),
    "even rows first": Layout("(r % 2 * ((R + 1) // 2) + r // 2) * C + c"),
    "odd rows first": Layout("((r + 1) % 2 * (R // 2) + r // 2) * C + c"),
    "padded rows": Layout("r * (C + 1W) + c", "R * (C + 1W)"),
    "every second row": Layout("(2 * r + 1) * C + c", "2 * R * C"),
    "neighbouring rows exchanged": Layout("(r ^ 1) * C + c", "(R + R % 2) * C"),
    "behind a row": Layout("(r + 1) * C + c", "(R + 1) * C"),
    "padded rows reversed": Layout("(R - 1 - r) * (C + 1W) + c", "R * (C + 1W)"),
}
SINGLE = {  # elements are moved one by one
    "behind a header": Layout("i + 3", "L + 3"),
    "every second": Layout("2 * i", "2 * L"),
    "every second, the odd ones": Layout("2 * i + 1", "2 * L"),
    "every third": Layout("3 * i + 1", "3 * L"),
    "reversed": Layout("L - 1 - i"),
    "reversed behind a header": Layout("L + 2 - i", "L + 3"),
    "reversed, every second": Layout("2 * (L - 1 - i)", "2 * L"),
    "neighbours exchanged": Layout("i ^ 1", "L + L % 2"),
    "warps reversed": Layout("i ^ 31", "(L + 31) // 32 * 32"),
    "warps apart": Layout("i + i // 32", "L + (L + 31) // 32"),
    "pairs apart": Layout("i + i // 2", "L + (L + 1) // 2"),
    "rotated": Layout("(i + 5) % L"),
    "halves exchanged": Layout("(i + L // 2) % L"),
    "even ones first": Layout("i % 2 * ((L + 1) // 2) + i // 2"),
    "odd ones first": Layout("(i + 1) % 2 * (L // 2) + i // 2"),
    "sums of neighbours": Layout("2 * i", "2 * L", "2 * i + 1", "+"),
    "differences of neighbours": Layout("2 * i", "2 * L", "2 * i + 1", "-"),
    "sums of two arrays": Layout("i", "2 * L", "L + i", "+"),
    "differences of two arrays": Layout("i", "2 * L", "L + i", "-"),
    "columns first": Layout("c * R + r"),
    "each row reversed": Layout("r * C + C - 1 - c"),
    **_OF_ROWS,
}
GROUPS = {  # W of them are moved at once
    "behind a header": Layout("i + 2W", "L + 2W"),
    "every second group": Layout("i // 1W * 2W + i % 1W", "(L + 1W - 1) // 1W * 2W"),
    "every second group, the odd ones": Layout(
        "i // 1W * 2W + 1W + i % 1W", "(L + 1W - 1) // 1W * 2W"
    ),
    "every third group": Layout("i // 1W * 3W + 1W + i % 1W", "(L + 1W - 1) // 1W * 3W"),
    "neighbouring groups exchanged": Layout("i ^ 1W", "(L + 2W - 1) // 2W * 2W"),
    "groups reversed": Layout("L - 1W - i // 1W * 1W + i % 1W"),
    "groups rotated": Layout("(i + 1W) % L"),
    **_OF_ROWS,
}

_AT_ONCE = re.compile(r"(.*), (\d+) at once")


def named(name: str) -> Layout:
    """The layout of that name."""
    found = _AT_ONCE.fullmatch(name)
    one, width = (GROUPS[found[1]], int(found[2])) if found else (SINGLE[name], 1)

    def told(text: str) -> str:
        return re.sub(r"(\d+)W", lambda times: f"{int(times[1]) * width}", text)

    return replace(one, place=told(one.place), size=told(one.size))


def places(
    layout: Layout, length: int, columns: int, second: bool = False
) -> tuple[np.ndarray, int]:
    """Where all elements of an array lie, int[length]; and how many places there are."""
    i, across = np.arange(length), max(1, columns)
    names: dict[str, Any] = {
        "L": length,
        "R": length // across,
        "C": columns,
        "i": i,
        "r": i // across,
        "c": i % across,
    }
    found = eval(layout.second if second else layout.place, {"__builtins__": {}}, names)
    whole = eval(layout.size, {"__builtins__": {}}, names)
    if length and (found.min() < 0 or found.max() >= whole or len(np.unique(found)) < length):
        raise Refused("two elements would have one place")
    return found, whole


def stored(
    array: np.ndarray, layout: Layout, columns: int, unit: int, rng: np.random.Generator
) -> np.ndarray:
    """An array, of elements of `unit` numbers, in a layout; flat. The numbers at other places look
    like it, and are none of it."""
    flat = array.reshape(-1, unit)
    at, whole = places(layout, len(flat), columns)
    made = rng.choice(flat, whole) if len(flat) else flat.copy()
    if array.dtype.kind == "f":
        made = (1 - made).astype(array.dtype)
    made[at] = flat
    if layout.sign:  # 2x and -x, or 2x less x; of what has no double itself and 0, of 0 two ones
        with np.errstate(over="ignore", invalid="ignore"):
            twice, sign = flat + flat, 1 if layout.sign == "-" else -1
            apart = np.isfinite(twice) & (flat != 0)
            made[at] = np.where(apart, twice, np.where(flat == 0, sign, flat))
            made[places(layout, len(flat), columns, second=True)[0]] = np.where(
                apart, sign * flat, (flat == 0).astype(array.dtype)
            )
    return made.ravel()
