"""A notebook's text without what its cells printed, read piece by piece: whatever the size of the
file, memory holds one piece and what is kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

OUTPUTS = ("outputs", "widgets")  # keys of a notebook's JSON, widgets those of its metadata
ATTACHMENTS = (*OUTPUTS, "attachments")  # and pictures in cells of text

_REST = re.compile(rb"(?:[^\"\\]++|\\.)*+", re.DOTALL)  # of a string, to its end
_PLAIN = rb'[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+"'
_PAIR = rb"[\[{](?:%b)*+[\]}]" % _PLAIN
_PAIRS = rb"[\[{](?:%b|%b)*+[\]}]" % (_PLAIN, _PAIR)
# To a bracket or to a string that breaks off; lists in lists at one go, as there may be millions.
_BETWEEN = re.compile(rb"(?:%b|%b|%b)*+" % (_PLAIN, _PAIR, _PAIRS), re.DOTALL)
_EMPTY = {b"[": b"[]", b"{": b"{}"}


class TooLong(ValueError):
    """More is to be kept than may be."""


def kept(pieces: Iterable[bytes], dropped: tuple[str, ...], most: int) -> bytes:
    """The JSON text in `pieces`, in which each list or object that is the value of a key in
    `dropped` is empty. A text that breaks off in one of them breaks off there. TooLong when that
    has more than `most` bytes."""
    found, size = [], 0
    for part in _kept(pieces, *_patterns(dropped), most):
        found.append(part)
        size += len(part)
        if size > most:
            raise TooLong
    return b"".join(found)


def _patterns(dropped: tuple[str, ...]) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """What is dropped, from its key to its first bracket, and a stretch of text without any. A
    string counts as read once it is known what follows it."""
    key = rb'"(?:%b)"\s*+:\s*+[\[{]' % "|".join(dropped).encode()
    string = rb'(?!%b)"(?:[^"\\]++|\\.)*+"\s*+(?::\s*+)?+(?=\S)' % key
    return re.compile(key), re.compile(rb'(?:[^"]++|%b)*+' % string, re.DOTALL)


def _kept(
    pieces: Iterable[bytes], key: re.Pattern[bytes], text: re.Pattern[bytes], most: int
) -> Iterator[bytes]:
    left, depth, quoted, empty = b"", 0, False, b""
    for piece in pieces:
        left, at = left + piece, 0
        while at < len(left):
            if quoted:  # in a string of what is dropped
                at = _end(_REST, left, at)
                if left[at : at + 1] != b'"':
                    break
                at, quoted = at + 1, False
            elif depth:  # in what is dropped
                at = _end(_BETWEEN, left, at)
                bracket = left[at : at + 1]
                at, quoted = at + 1, bracket == b'"'
                depth += (bracket in (b"[", b"{")) - (bracket in (b"]", b"}"))
                if not depth:
                    yield empty
            else:
                start, at = at, _end(text, left, at)
                yield left[start:at]
                if (begins := key.match(left, at)) is None:
                    break
                at, depth, empty = begins.end(), 1, _EMPTY[begins[0][-1:]]
                yield begins[0][:-1]
        left = left[at:]
        if len(left) > most:
            raise TooLong
    if not depth:
        yield left


def _end(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    found = pattern.match(text, at)
    assert found is not None  # both may match nothing
    return found.end()
