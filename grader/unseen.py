"""Characters that are not seen but change what is: they are in somebody's source for no good."""

import re

# A terminal's escapes, changes of direction, spaces without width.
_UNSEEN = re.compile(
    r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)

_SURROGATES = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """`text` with a mark in place of what is half a character, and can be in no file."""
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)


def visible(text: str) -> str:
    """`text` with a mark in place of each of them, as long as before."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text)
