"""What each form of `grader.bench.conformance` gives, by the rules of `ptx_reference`."""

import math

from ptx_reference import FLOATS, compare, convert, decode, encode, floating, flush
from ptx_reference_bits import BITS, integer, lop3, video
from ptx_reference_matrices import warp_matrices, warpgroup_products


def expected(form, rows):
    """The outputs of a form for `rows` of inputs, as unsigned ints; None where nothing is said."""
    if form.family == "warp":
        warps = (rows[at : at + 32] for at in range(0, len(rows), 32))
        return [value for warp in warps for value in _warp(form.name, warp)]
    if form.family == "tensor cores":
        return warp_matrices(form, rows)
    if form.family == "warpgroup products":
        return warpgroup_products(form, rows)
    if form.family == "carry chains":
        return [_chain(form.name, *row) for row in rows]
    if form.memory:
        return [_atomic(form, *row) for row in rows]
    opcode, _, written = form.asm.removesuffix(";").partition(" ")
    if opcode == "{":
        return [_predicated(form.name, row) for row in rows]
    base, *mods = opcode.split(".")
    operands = [operand.strip() for operand in written.split(",")][1:]
    return [_lane(base, tuple(mods), [_operand(o, row) for o in operands]) for row in rows]


def _operand(text, row):
    return row[int(text[1:]) - 1] if text[0] == "%" else int(text, 0)


def _lane(base, mods, args):
    kind = mods[-1]
    if base == "cvt":
        return convert(mods, args)
    if base == "set":
        return _set(mods, args)
    if base == "slct":
        test = decode(args[2], kind)
        test = flush(test, kind) if "ftz" in mods else test
        return args[0] if test >= 0 else args[1]
    if kind.removesuffix("x2") in FLOATS:
        return floating(base, mods, args)
    if kind in ("s16x2", "u16x2"):
        one = (*mods[:-1], kind[:3])
        low = _lane(base, one, [a & 0xFFFF for a in args])
        return _lane(base, one, [a >> 16 for a in args]) << 16 | low
    if base[0] == "v":
        return video(base, mods, args)
    return BITS[base](mods, *args) if base in BITS else integer(base, mods, args)


def _set(mods, args):
    result, source = mods[-2:]
    if source.endswith("x2"):
        one = (*mods[:-2], result.removesuffix("x2"), source.removesuffix("x2"))
        return _set(one, [a >> 16 for a in args]) << 16 | _set(one, [a & 0xFFFF for a in args])
    held = compare(mods[0], *[decode(a, source) for a in args])
    return encode(held if result in FLOATS else -int(held), result)


def _predicated(opcode, row):
    """Forms that set or use a predicate within braces."""
    base, *mods = opcode.split(".")
    if base == "selp":
        return row[0] if row[2] else row[1]
    if base == "testp":
        return int(_testp(mods[0], decode(row[0], mods[1]), mods[1]))
    if base == "lop3":
        result = lop3((), *row, 0x80)
        return result if result or row[0] < row[1] else 7
    kind = mods[-1]
    if base == "set":
        held = compare(mods[0], *[decode(a, kind) for a in row[:2]]) != bool(row[2])
        return encode(-int(held), "u32")
    if kind.endswith("x2"):
        one = kind.removesuffix("x2")
        halves = [[decode(a >> s & 0xFFFF, one) for a in row] for s in (0, 16)]
        return sum(compare(mods[0], *half) << n for n, half in enumerate(halves))
    values = [decode(a, kind) for a in row[:2]]
    if "ftz" in mods:
        values = [flush(value, kind) for value in values]
    held = compare(mods[0], *values)
    if len(row) == 2:
        return int(held)
    other = bool(row[2]) != (kind == "f32")  # those forms negate it
    combine = {
        "and": lambda x: x and other,
        "or": lambda x: x or other,
        "xor": lambda x: x != other,
    }
    return int(combine[mods[1]](held)) | 2 * int(combine[mods[1]](not held))


def _testp(name, value, kind):
    subnormal = value != 0 and flush(value, kind) == 0
    return {
        "finite": math.isfinite(value),
        "infinite": math.isinf(value),
        "number": value == value,
        "notanumber": value != value,
        "normal": math.isfinite(value) and not subnormal,
        "subnormal": subnormal,
    }[name]


_WORD = (1 << 32) - 1


def _chain(name, a, b):
    if name == "add.cc.u64":
        return (a + b & 2**64 - 1) ^ (a + b + (a + b >> 64)) & 2**64 - 1
    if name == "sub.cc.s64":
        return (a - b & 2**64 - 1) ^ (a - b - (a < b)) & 2**64 - 1
    low, high, middle, k = a & _WORD, a >> 32, b & _WORD, b >> 32
    if name == "add.cc, addc":
        total = a + b
    elif name == "sub.cc, subc":
        total = a - b & 2**64 - 1 | (0 if a >= b else 0xFFFFFFFF) << 64
    else:
        total = _products(name, low, high, middle, k)
    return (total << 1 & 2**64 - 1) ^ (total >> 64)


def _products(name, low, high, middle, k):
    kind = "s32" if name == "signed" else "u32"

    def part(upper, x):
        product = decode(x, kind) * decode(middle, kind)
        return (product >> 32 if upper else product) & _WORD

    first = part(name != "mad.lo.cc, madc.hi", low) + k
    second = part(name != "mad.hi.cc, madc.lo.cc", high) + k + (first >> 32)
    if name == "mad.lo.cc, madc.hi":  # its last instruction leaves the flag of the first
        return first & _WORD | (second & _WORD) << 32 | (first >> 32) << 64
    return first & _WORD | (second & _WORD) << 32 | (second >> 32) << 64


def _atomic(form, cell, value, new=0):
    words = form.name.split(".")
    name = next(word for word in words if word in _ATOMICS)
    kind = words[-1]
    if kind.removesuffix("x2") in FLOATS:
        ftz = ("ftz",) if kind == "f32" and form.memory == "global" else ()
        return floating("add", (*ftz, kind), [cell, value])
    old, operand = decode(cell, kind), decode(value, kind)
    left = encode(_ATOMICS[name](old, operand, new), kind)
    return left if words[0] == "red" else left ^ cell


_ATOMICS = {
    "add": lambda old, value, new: old + value,
    "min": lambda old, value, new: min(old, value),
    "max": lambda old, value, new: max(old, value),
    "and": lambda old, value, new: old & value,
    "or": lambda old, value, new: old | value,
    "xor": lambda old, value, new: old ^ value,
    "exch": lambda old, value, new: value,
    "inc": lambda old, value, new: 0 if old >= value else old + 1,
    "dec": lambda old, value, new: value if old == 0 or old > value else old - 1,
    "cas": lambda old, value, new: new if old == value else old,
}


def _warp(opcode, rows):
    first = [row[0] for row in rows]
    name, *words = opcode.split(" ")[0].split(".")
    if name == "shfl":
        return [_shuffle(words[1], lane, first, rows, opcode) for lane in range(32)]
    if name == "vote":
        bits = sum(bool(value) << lane for lane, value in enumerate(first))
        held = {
            "all": bits == _WORD,
            "any": bits != 0,
            "uni": bits in (0, _WORD),
            "ballot": ~bits & _WORD,
        }
        return [int(held[words[1]])] * 32
    if name == "match":
        masks = [sum((x == value) << lane for lane, x in enumerate(first)) for value in first]
        return masks if words[0] == "any" else [m if m == _WORD else 5 for m in masks]
    if name == "elect":
        return [0 if lane == 0 else value for lane, value in enumerate(first)]
    values = [decode(value, words[-1]) for value in first]
    total = values[0]
    for value in values[1:]:
        total = _ATOMICS[words[1]](total, value, None)
    return [encode(total, words[-1])] * 32


def _shuffle(mode, lane, values, rows, opcode):
    """The PTX ISA's own pseudocode."""
    clamp_and_mask = int(opcode.split(",")[3], 0)
    distance = rows[lane][1] & 31
    segment, bound = clamp_and_mask >> 8 & 31, clamp_and_mask & 31
    highest = (lane & segment) | (bound & ~segment & 31)
    source = {
        "up": lane - distance,
        "down": lane + distance,
        "bfly": lane ^ distance,
        "idx": (lane & segment) | (distance & ~segment & 31),
    }[mode]
    inside = source >= highest if mode == "up" else source <= highest
    return values[source if inside else lane]
