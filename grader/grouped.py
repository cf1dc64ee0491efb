"""Things by what they belong to."""

from collections.abc import Iterable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """By key, all values that come with it, keys and values in their order."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
