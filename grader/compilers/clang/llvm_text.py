"""LLVM's text of a kernel, changed between clang's front end and its back end.

Clusters: a kernel states the blocks of its cluster with `__cluster_dims__`. clang's own attribute
of that name takes at most 15 and keeps them from the back end. An annotation takes any constants
and comes as far as LLVM's text; there `clusters` writes what the back end reads.

Values that nothing sets: to clang they may be anything, and it leaves out what reads them. NVRTC
keeps the read, so that the simulated GPU can tell of it. An annotation (`__shared__` in cuda.h)
refers to shared memory that nobody writes to and so keeps it; `dropped` deletes the annotation once
all is optimised. A scalar in a register, where clang itself doubts that it is set before it is
read, gets the value of an empty piece of assembly (`unknown`): nothing is known of that value, and
in PTX it is a register that nothing writes.

Copies: NVRTC copies 16 aligned bytes by one load and one store. LLVM's back end makes two of 8
bytes of a copy from memory to memory, and a pack would cost twice its requests (`wide_copies`).
"""

import re
from itertools import count


def finished(text: bytes) -> bytes:
    """LLVM's text, optimised, as the back end is to read it."""
    return dropped(wide_copies(clusters(text)))


# ---- clusters ----

_NAMED = re.compile(rb'^@(?P<name>[\w.]+) = .* c"warpwise cluster\\00"', re.MULTILINE)  # in cuda.h
_KERNEL = re.compile(rb"^define [^\n]*?@(?P<name>[-\w.$]+)\([^\n]*(?= #\d+[^\n]*\{$)", re.MULTILINE)


def clusters(text: bytes) -> bytes:
    """LLVM's text, each such kernel with its cluster."""
    if not (named := {found["name"] for found in _NAMED.finditer(text)}):
        return text
    sizes = dict(
        re.findall(rb"^@([\w.]+) = [^{\n]*\{[^{}]*\} \{([^{}]*)\}", text, flags=re.MULTILINE)
    )
    of_kernels = {
        found["kernel"]: re.findall(rb"i\d+ (\d+)", sizes.get(found["sizes"], b""))
        for found in re.finditer(
            rb"\{ ptr @(?P<kernel>[-\w.$]+), ptr @(?P<what>[\w.]+), "
            rb"[^{}]*ptr @(?P<sizes>[\w.]+) \}",
            text,
        )
        if found["what"] in named
    }

    def stated(kernel: re.Match[bytes]) -> bytes:
        if not (blocks := of_kernels.get(kernel["name"])):
            return bytes(kernel[0])
        return kernel[0] + b' "nvvm.cluster_dim"="%s"' % b",".join([*blocks, b"1", b"1"][:3])

    return _KERNEL.sub(stated, text)


# ---- values that nothing sets ----

_SHARED = re.compile(rb"^(?P<name>@[\w.$]+) = internal .*?addrspace\(3\) global .*\n", re.MULTILINE)

DOUBT = "-Wconditional-uninitialized"
# clang marks as its own what it stores first, and gives the type of what it stores.
FILLED = "-ftrivial-auto-var-init=pattern"


def doubted(log: str) -> bool:
    """Whether clang has said of a variable that it may be read before it is set."""
    return bool(re.search(r"warning: variable '[^']*' (is|may be) (used )?uninitialized", log))


def unknown(text: bytes) -> bytes:
    """LLVM's text as `FILLED` makes it: of what it fills, scalars with a name get a value that
    nothing is known of, and the others none."""
    marks = set(re.findall(rb'^(!\d+) = !\{!"auto-init"\}', text, re.MULTILINE))
    registers = {b"i16": b"h", b"i32": b"r", b"i64": b"l", b"float": b"f", b"double": b"d"}

    def value(filling: re.Match[bytes]) -> bytes:
        if filling["mark"] not in marks:
            return filling[0]
        register = registers.get(filling["type"] or b"")
        name = filling["name"] or b"%0"
        if register is None or name[1:].isdigit():
            return b""
        kind, new = filling["type"], b"%%unset.%d" % filling.start()
        call = b'  %s = call %s asm "", "=%s"()\n' % (new, kind, register)
        return call + b"  store %s %s, ptr %s\n" % (kind, new, name)

    return re.sub(
        rb"^  (?:store (?P<type>\w+) [^,]*, ptr (?P<name>%[\w.]+)|call void @llvm\.mem).*"
        rb"!annotation (?P<mark>!\d+)\n",
        value,
        text,
        flags=re.MULTILINE,
    )


def dropped(text: bytes) -> bytes:
    """LLVM's text, optimised, without annotations and without shared memory that nobody uses."""
    text = re.sub(rb"^@llvm\.global\.annotations = .*\n", b"", text, flags=re.MULTILINE)
    return _SHARED.sub(lambda one: one[0] if text.count(one["name"]) > 1 else b"", text)


# ---- copies ----

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
    numbers = count(1)

    def loads_and_stores(copy: re.Match[bytes]) -> bytes:
        size = int(copy["size"])
        facts = _ALIGN.search(copy["to_facts"]), _ALIGN.search(copy["by_facts"])
        aligned = all(found and int(found[1]) % _WIDE == 0 for found in facts)
        return (
            bytes(copy[0])
            if not aligned or size % _WIDE or not 0 < size <= _MOST
            else _moved(copy, next(numbers))
        )

    return _COPY.sub(loads_and_stores, text)


def _moved(copy: re.Match[bytes], number: int) -> bytes:
    """All of it is read before any of it is written: the compiler may have either come first."""
    packs = [
        copy.groupdict(b"") | {"name": b"%%wide.%d.%d" % (number, at), "at": b"%d" % at}
        for at in range(0, int(copy["size"]), _WIDE)
    ]
    return b"".join(
        row % {key.encode(): one for key, one in pack.items()} for row in _ROWS for pack in packs
    ).rstrip(b"\n")


_ROWS = (
    b"  %(name)s.by = getelementptr i8, %(by_type)s %(by)s, i64 %(at)s%(place)s\n"
    b"  %(name)s = load <4 x i32>, %(by_type)s %(name)s.by, align 16%(place)s\n",
    b"  %(name)s.to = getelementptr i8, %(to_type)s %(to)s, i64 %(at)s%(place)s\n"
    b"  store <4 x i32> %(name)s, %(to_type)s %(name)s.to, align 16%(place)s\n",
)
