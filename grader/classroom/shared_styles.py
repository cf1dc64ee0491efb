"""Cards whose styles are told once.

A card is made with inline styles, as that is what every editor leaves in a learner's notebook. Of
its HTML they are four fifths, for most of them stand there many times. In what is kept for a class
each becomes a rule with a name made of what it says: so the rules of many cards can be put together
on one page, and no two cards get into each other's way.
"""

from __future__ import annotations

import re
from html import unescape
from zlib import crc32

_TAG = re.compile(r"<[a-z][^<>]*>")
_STYLE = re.compile(r' style="([^"]*)"')
_RULES = re.compile(r"<style>([^<]*)</style>")


def shared(html: str) -> str:
    """The same card: first its rules, then what they are about. What it holds of a learner's must
    be escaped, as it is in every card."""
    rules: dict[str, None] = {}

    def named(found: re.Match[str]) -> str:
        says = unescape(found[1])
        name = f"w{crc32(says.encode()):08x}"
        # Three times the name, so that what a page says of every `td` or `pre` does not go before.
        rules[f"{f'.{name}' * 3}{{{says}}}"] = None
        return f' class="{name}"'

    def tag(found: re.Match[str]) -> str:
        return found[0] if " class=" in found[0] else _STYLE.sub(named, found[0])

    body = _TAG.sub(tag, html)
    told = "\n".join(rules)
    return f"<style>{told}</style>{body}" if rules else html


def apart(html: str) -> tuple[tuple[str, ...], str]:
    """The rules that `shared` has put in front, and what they are about."""
    rules = [rule for told in _RULES.findall(html) for rule in told.split("\n")]
    return tuple(rules), _RULES.sub("", html)
