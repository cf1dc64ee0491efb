"""What two CUDA sources have in common, whatever their names, layout and comments.

Winnowing, after Schleimer, Wilkerson and Aiken: "Winnowing: Local Algorithms for Document
Fingerprinting", SIGMOD 2003, the method behind MOSS. Of the hashes of all runs of `RUN` tokens
the least in every window of `WINDOW` is kept as a fingerprint. Two sources that share a passage of
RUN + WINDOW - 1 tokens have a fingerprint in common; one shorter than RUN leaves none.

The hashes are those of the text itself, so that the same class gives the same report every time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from ...compilers.lexer import TOKEN

RUN = 12
WINDOW = 5

NAME = "name"  # what stands for every name that a learner could have chosen otherwise
_NO_NAMES = frozenset(
    re.findall(
        r"\w+",
        "auto blockDim blockIdx bool break case char class const constexpr continue default do "
        "double else extern false float for gridDim if inline int long return short signed sizeof "
        "static struct switch template threadIdx true typename unsigned using void volatile "
        "warpSize while",
    )
)


@dataclass(frozen=True)
class Text:
    """A source as winnowing sees it: its tokens, the line of each (from 1), and the places (token
    indices) of each fingerprint. `own` are the tokens in no run that was handed out."""

    tokens: tuple[str, ...]
    lines: tuple[int, ...]
    fingerprints: dict[int, tuple[int, ...]]
    own: frozenset[int]

    def covered(self, fingerprints: set[int]) -> frozenset[int]:
        """The tokens in the runs that `fingerprints` stand for."""
        return _covered(place for mark in fingerprints for place in self.fingerprints[mark])


def read(source: str, handed_out: frozenset[int] = frozenset()) -> Text:
    """Take a source apart; runs in `handed_out` (see `runs`) leave no fingerprint."""
    tokens, lines = _tokens(source)
    hashes = _hashes(tokens)
    places: dict[int, list[int]] = {}
    for place in _winnowed(hashes):
        if hashes[place] not in handed_out:
            places.setdefault(hashes[place], []).append(place)
    given = _covered(place for place, mark in enumerate(hashes) if mark in handed_out)
    own = frozenset(range(len(tokens))) - given
    return Text(tokens, lines, {mark: tuple(at) for mark, at in places.items()}, own)


def runs(source: str) -> frozenset[int]:
    """The hashes of all runs of a source that everybody was given."""
    return frozenset(_hashes(_tokens(source)[0]))


def _tokens(source: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    tokens, lines = [], []
    line, last = 1, 0
    for found in TOKEN.finditer(source):
        line += source.count("\n", last, found.start())
        last = found.start()
        if found.lastgroup != "comment":
            tokens.append(plain(found))
            lines.append(line)
    return tuple(tokens), tuple(lines)


def plain(found: re.Match[str]) -> str:
    """A token without what can be changed at no cost."""
    text = found.group()
    if found.lastgroup == "word" and text not in _NO_NAMES and not text.startswith("__"):
        return NAME
    if found.lastgroup == "number" and not text.lower().startswith("0x"):
        return text.lower().rstrip("ful")
    return text


def _hashes(tokens: tuple[str, ...]) -> list[int]:
    """The hash of the run that begins at each token."""
    return [
        int.from_bytes(blake2b("\n".join(tokens[at : at + RUN]).encode(), digest_size=8).digest())
        for at in range(len(tokens) - RUN + 1)
    ]


def _winnowed(hashes: list[int]) -> list[int]:
    """The places of the least hash of each window, the rightmost one where there are several."""
    chosen: dict[int, None] = {}
    for start in range(max(1, len(hashes) - WINDOW + 1) if hashes else 0):
        window = range(start, min(start + WINDOW, len(hashes)))
        chosen[min(window, key=lambda place: (hashes[place], -place))] = None
    return list(chosen)


def _covered(places: Iterable[int]) -> frozenset[int]:
    return frozenset(token for place in places for token in range(place, place + RUN))
