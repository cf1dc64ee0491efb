"""How an instruction may be written, in one line of text:

    add       cc? INT : d, a, b
    atom      SEM? SCOPE? SPACE? add|min|max L2::cache_hint? s32 : d, updates[a], b, policy?

Before the colon stand the modifiers, in the order of the PTX ISA (programs may use another);
`a|b` is a choice, capitals name a set of `SETS`, and `?` follows what may be left out. After it
stand the operands: `d` is written and the others are read. An address says what happens there,
`reads[a]`, `writes[a]` or `updates[a]`, if need be with the type and state space,
`reads.b32@shared[a]`; `...` stands for any number of operands, and ` or ` for another list of
them.
"""

import re
from dataclasses import dataclass
from itertools import chain, repeat

from .numbers import size_of
from .program import Role, Transfer

SETS = {
    "INT": "s16 u16 s32 u32 s64 u64",
    "INT32": "s32 u32",
    "BITS": "b16 b32 b64",
    "FLOAT": "f16 bf16 f32 f64",
    "HALF": "f16 bf16 f16x2 bf16x2",
    "SCALAR": "b8 b16 b32 b64 s8 u8 s16 u16 s32 u32 s64 u64 f16 bf16 f32 f64",
    "ROUND": "rn rz rm rp",
    "SEM": "relaxed acquire release acq_rel",
    "SCOPE": "cta cluster gpu sys",
    "SPACE": "global shared shared::cta shared::cluster",
    "CACHE": "ca cg cs cv lu wb wt",
    "EVICTION": "evict_first evict_last evict_normal evict_unchanged no_allocate",
}
SETS["EVICTIONS"] = " ".join(
    f"{level}::{policy}" for level in ("L1", "L2") for policy in SETS["EVICTION"].split()
)
SPACES = {
    name: name.partition("::")[0]
    for name in (
        *("global", "const", "local", "shared", "shared::cta", "shared::cluster"),
        *("param", "param::entry", "param::func"),
    )
}
TYPES = {
    *(f"{kind}{bits}" for kind in "bsu" for bits in (8, 16, 32, 64)),
    *("pred", "b1", "b128", "s4", "u4", "f16", "bf16", "tf32", "f32", "f64", "e4m3", "e5m2"),
    *(f"{kind}x2" for kind in ("f16", "bf16", "s16", "u16")),
}
ORDERING = frozenset(("release", "acquire", "acq_rel"))
_VECTORS = {"v2": 2, "v4": 4, "v8": 8}
_ADDRESS = re.compile(r"(?P<verb>\w*)(?:\.(?P<type>\w+))?(?:@(?P<space>\w+))?\[\w+\]")


@dataclass(frozen=True)
class Slot:
    """A place for a modifier, and those that may stand there."""

    choices: tuple[str, ...]
    optional: bool


@dataclass(frozen=True)
class OperandList:
    """Operands by position: their roles, what happens at addresses, how many must be there, and
    whether there may be more."""

    roles: tuple[Role, ...]
    addresses: tuple[tuple[int, re.Match[str]], ...]
    required: int
    open: bool

    def fits(self, addressed: tuple[bool, ...]) -> bool:
        """Whether these may be an instruction's operands; `addressed` says which are `[...]`."""
        number = len(addressed)
        if number < self.required or (number > len(self.roles) and not self.open):
            return False
        at = {position for position, _ in self.addresses if position < number}
        return at == {position for position in range(number) if addressed[position]}


@dataclass(frozen=True)
class Syntax:
    """One line."""

    slots: tuple[Slot, ...]
    operands: tuple[OperandList, ...]

    def in_order(self, mods: tuple[str, ...]) -> tuple[str, ...] | None:
        """The modifiers in the order of the slots; None if they are not those of this line."""
        chosen: dict[int, str] = {}
        for mod in mods:
            places = (
                at for at, s in enumerate(self.slots) if at not in chosen and mod in s.choices
            )
            if (place := next(places, None)) is None:
                return None
            chosen[place] = mod
        return (
            tuple(chosen[at] for at in sorted(chosen))
            if all(at in chosen or slot.optional for at, slot in enumerate(self.slots))
            else None
        )


def syntax(line: str) -> Syntax:
    """What a line of text says."""
    mods, _, lists = f" {line} ".partition(" : ")  # those of `L2::128B` have no blanks around
    slots = (
        Slot(
            tuple(
                choice
                for name in word.removesuffix("?").split("|")
                for choice in SETS.get(name, name).split()
            ),
            word.endswith("?"),
        )
        for word in mods.split()
    )
    return Syntax(tuple(slots), tuple(map(_operands, lists.split(" or "))))


def _operands(text: str) -> OperandList:
    words = [word.strip() for word in text.split(",") if word.strip()]
    matches = [_ADDRESS.fullmatch(word.removesuffix("?")) for word in words]
    return OperandList(
        tuple(
            Role.ADDRESS if match else Role.WRITTEN if word.removesuffix("?") == "d" else Role.READ
            for word, match in zip(words, matches, strict=True)
        ),
        tuple((at, match) for at, match in enumerate(matches) if match),
        required=sum(not word.endswith(("?", "...")) for word in words),
        open="..." in words,
    )


def transfers(
    operands: OperandList, mods: tuple[str, ...], kind: str
) -> tuple[tuple[int, Transfer], ...]:
    """(position, Transfer) for each address at which an instruction with these modifiers, of
    type `kind`, reads or writes."""
    spaces = [SPACES[mod] for mod in mods if mod in SPACES] or ["generic"]
    by_number = chain(spaces, repeat(spaces[-1]))  # the last is that of all further addresses
    return tuple(
        (position, _transfer(found["verb"], found["space"] or space, found["type"] or kind, mods))
        for (position, found), space in zip(operands.addresses, by_number, strict=False)
        if found["verb"]
    )


def _transfer(verb: str, space: str, kind: str, mods: tuple[str, ...]) -> Transfer:
    updates = verb == "updates"
    return Transfer(
        verb,
        space,
        size_of(kind),
        next((_VECTORS[mod] for mod in mods if mod in _VECTORS), 1),
        strong=updates or not {"volatile", "relaxed", *ORDERING}.isdisjoint(mods),
        volatile="volatile" in mods,
        releases=not {"release", "acq_rel"}.isdisjoint(mods),
        acquires=not {"acquire", "acq_rel"}.isdisjoint(mods),
        wide="cta" not in mods,
        compares=updates and "cas" in mods,
    )
