"""Which known name is most like one that nobody knows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

LIKE = 0.6  # of all letters of both names, those that stand in both in the same order


def nearest(name: str, known: Mapping[str, Iterable[str]]) -> str:
    """The key in `known` of which one spelling is most like `name`; empty if none is like it."""
    asked = _letters(name)
    likeness = {
        key: max(SequenceMatcher(None, asked, _letters(one)).ratio() for one in (key, *spellings))
        for key, spellings in known.items()
    }
    best = max(likeness, key=lambda key: likeness[key], default="")
    return best if likeness.get(best, 0.0) >= LIKE else ""


def _letters(name: str) -> str:
    """Without accents, capitals, signs between, and what follows an @."""
    plain = unicodedata.normalize("NFKD", name.partition("@")[0]).casefold()
    return re.sub(r"[\W_]+", "", plain)
