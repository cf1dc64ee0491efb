"""What never gets a value may be anything to clang, which then leaves out what reads it. NVRTC
keeps the read, so that the simulated GPU can tell of it.

Shared memory that nobody writes to is kept by an annotation that refers to it (`__shared__` in
cuda.h), which goes again once all is optimised. A scalar in a register is given, where clang itself
doubts that it is set before it is read, the value of an empty piece of assembly: one that nothing
is known of, and that in PTX is a register that nothing writes.
"""

from __future__ import annotations

import re

_ANNOTATIONS = re.compile(rb"^@llvm\.global\.annotations = .*\n", re.MULTILINE)
_SHARED = re.compile(rb"^(?P<name>@[\w.$]+) = internal .*?addrspace\(3\) global .*\n", re.MULTILINE)

DOUBT = "-Wconditional-uninitialized"
MAY_BE = "may be uninitialized when used here"
_DOUBTED = re.compile(r"warning: variable '[^']*' (is|may be) (used )?uninitialized")
# clang marks as its own what it stores first, and gives the type of what it stores.
FILLED = "-ftrivial-auto-var-init=pattern"
_FILLING = re.compile(
    rb"^  (?:store (?P<type>\w+) [^,]*, ptr (?P<name>%[\w.]+)|call void @llvm\.mem).*"
    rb"!annotation (?P<mark>!\d+)\n",
    re.MULTILINE,
)
_MARK = re.compile(rb'^(!\d+) = !\{!"auto-init"\}', re.MULTILINE)
_REGISTERS = {b"i16": b"h", b"i32": b"r", b"i64": b"l", b"float": b"f", b"double": b"d"}


def doubted(log: str) -> bool:
    """Whether clang has said of a variable that it may be read before it is set."""
    return bool(_DOUBTED.search(log))


def unknown(text: bytes) -> bytes:
    """LLVM's text as `FILLED` makes it: of what it fills, scalars with a name get a value that
    nothing is known of, and the others none."""
    marks = set(_MARK.findall(text))

    def value(filling: re.Match[bytes]) -> bytes:
        if filling["mark"] not in marks:
            return filling[0]
        register = _REGISTERS.get(filling["type"] or b"")
        name = filling["name"] or b"%0"
        if register is None or name[1:].isdigit():
            return b""
        kind, new = filling["type"], b"%%unset.%d" % filling.start()
        return b'  %s = call %s asm "", "=%s"()\n' % (
            new,
            kind,
            register,
        ) + b"  store %s %s, ptr %s\n" % (kind, new, name)

    return _FILLING.sub(value, text)


def dropped(text: bytes) -> bytes:
    """LLVM's text, optimised, without annotations and without shared memory that nobody uses."""
    text = _ANNOTATIONS.sub(b"", text)
    return _SHARED.sub(lambda one: one[0] if text.count(one["name"]) > 1 else b"", text)
