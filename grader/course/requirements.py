"""What an exercise may ask of the way in which an answer is made, beside what it costs.

A requirement and a ban are about the instructions that an element of the result was made by: those
on the ways from the inputs to it, as the simulated GPU has followed them. What is done beside that,
and thrown away, multiplied by 0 or taken off again, has no part in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of instruction.

    `named`: what a learner calls one: "16-byte load from global memory". `worth`: by a regular
    expression for a whole PTX opcode, how many of the kind such an instruction stands for.
    `last`: it is asked for at the end of each element's way alone, where it is stored.
    `orders`: it makes no value but orders what threads do, so what counts is how often warps
    execute it.
    """

    named: str
    worth: Mapping[str, int]
    last: bool = False
    orders: bool = False


_WIDE = r"(\.[\w:]+)*\.(v4\.[bfsu]32|v2\.[bfsu]64|v8\.b16|b128)"
LOAD_16 = Kind(
    "16-byte load from global memory",
    {rf"ld(\.global)?{_WIDE}": 1, r"cp\.async\.cg\..*": 1},
)
STORE_16 = Kind("16-byte store to global memory", {rf"st(\.global)?{_WIDE}": 1}, last=True)
SHUFFLE = Kind("shuffle", {r"shfl\.sync\..*": 1, r"redux\.sync\..*": 5})  # 5: what 32 lanes take
TENSOR_CORE = Kind("product on tensor cores", {r"w?mma\..*": 1})
DIVISION = Kind("division", {r"(div|rem|rcp)\..*": 1})
FENCE = Kind(
    "fence",
    {
        r"(membar|fence)\..*": 1,
        r"atom\.(.*\.)?acq_rel\..*": 2,  # one in front of it, and one behind it
        r"atom\.(.*\.)?(release|acquire)\..*": 1,
        # A strong load needs no fence between the flag and itself: no cache answers it.
        r"ld\.(volatile|relaxed|acquire)\..*": 1,
    },
    orders=True,
)


@dataclass(frozen=True)
class Requirement:
    """What must be on the way to every element of the outputs `of` (none named: of all of them).

    Without `levels`, every way from an input to the element passes at least `at_least` of the
    kind. With `levels` the kind brings the parts of a sum or a maximum together, in a tree of so
    many levels, or fewer where there are too few parts (what one load brings is one): the part that
    has the longest way passes that many, and half of the parts pass one. `but`: so many elements
    may do without, of all outputs together. Of a kind that orders, warps must execute `at_least`
    over the case's launches.
    """

    kind: Kind
    why: str
    at_least: int = 1
    levels: int = 0
    of: tuple[str, ...] = ()
    but: int = 0


@dataclass(frozen=True)
class Ban:
    """What must not be on the way to any element, nor to the index that it was found by."""

    kind: Kind
    why: str
