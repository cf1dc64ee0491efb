"""Copies of 16 aligned bytes as one load and one store each, as NVRTC makes them. LLVM's back end
makes two of 8 bytes of a copy from memory to memory, and a pack would cost twice its requests."""

from __future__ import annotations

import re

_WIDE = 16  # bytes
_MOST = 128  # bytes; the back end makes loops of longer copies
_POINTER = rb"(?P<{0}_type>ptr(?: addrspace\(\d\))?)(?P<{0}_facts>[^,%@]*) (?P<{0}>[%@][-\w.$]+)"
_COPY = re.compile(
    rb"^ *(?:tail )?call void @llvm\.memcpy\.p\d\.p\d\.i\d\d\("
    + b", ".join(_POINTER.replace(b"{0}", name) for name in (b"to", b"by"))
    + rb", i\d\d (?P<size>\d+), i1 false\)[^\n]*?(?P<place>, !dbg !\d+)?(?:, ![^\n]*)?$",
    re.MULTILINE,
)
_ALIGN = re.compile(rb"\balign (\d+)")


def wide_copies(text: bytes) -> bytes:
    """LLVM's text with those copies replaced."""
    count = 0

    def loads_and_stores(copy: re.Match[bytes]) -> bytes:
        nonlocal count
        size = int(copy["size"])
        aligned = all(_aligned(copy[side]) for side in ("to_facts", "by_facts"))
        if not aligned or size % _WIDE or not 0 < size <= _MOST:
            return bytes(copy[0])
        count += 1
        return _moved(copy, count)

    return _COPY.sub(loads_and_stores, text)


def _aligned(facts: bytes) -> bool:
    found = _ALIGN.search(facts)
    return found is not None and int(found[1]) % _WIDE == 0


def _moved(copy: re.Match[bytes], number: int) -> bytes:
    """All of it is read before any of it is written: the compiler may have either come first."""
    rows: dict[str, list[bytes]] = {"load": [], "store": []}
    place = copy["place"] or b""
    for at in range(0, int(copy["size"]), _WIDE):
        name = b"%%wide.%d.%d" % (number, at)
        for side, kind in (("by", "load"), ("to", "store")):
            pointer = name + b"." + side.encode()
            rows[kind].append(
                b"  %s = getelementptr i8, %s %s, i64 %d%s"
                % (pointer, copy[f"{side}_type"], copy[side], at, place)
            )
        rows["load"].append(
            b"  %s = load <4 x i32>, %s %s.by, align 16%s" % (name, copy["by_type"], name, place)
        )
        rows["store"].append(
            b"  store <4 x i32> %s, %s %s.to, align 16%s" % (name, copy["to_type"], name, place)
        )
    return b"\n".join([*rows["load"], *rows["store"]])
