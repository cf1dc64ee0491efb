"""Integers and bits, for `ptx_reference_forms`."""

from ptx_reference import clamp, compare, decode, encode, width


def integer(base, mods, args):
    kind = mods[-1]
    values = [decode(a, kind) for a in args]
    if "wide" in mods:
        kind = f"{kind[0]}{2 * width(kind)}"
        values[2:] = [decode(a, kind) for a in args[2:]]
    a, b, c = (*values, 0, 0)[:3]
    shift = width(kind) if "hi" in mods else 0
    if "24" in base:
        shift = 16 if "hi" in mods else 0
        a, b = (decode(x << 8 & 0xFFFFFFFF, kind) >> 8 for x in args[:2])
    product = encode((a * b) >> shift, kind)
    result = {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: product,
        "mad": lambda: decode(product, kind) + c,
        "div": lambda: _towards_zero(a, b),
        "rem": lambda: a - b * _towards_zero(a, b),
        "min": lambda: min(a, b),
        "max": lambda: max(a, b),
        "neg": lambda: -a,
        "abs": lambda: abs(a),
        "sad": lambda: c + abs(a - b),
        "and": lambda: a & b,
        "or": lambda: a | b,
        "xor": lambda: a ^ b,
        "not": lambda: ~a,
        "cnot": lambda: a == 0,
    }[base.removesuffix("24")]()
    if "sat" in mods:
        result = clamp(result, kind)
    if "relu" in mods:
        result = max(result, 0)
    return encode(result, kind)


def _towards_zero(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _shift(left):
    def shift(mods, a, amount):
        value = decode(a, mods[-1])
        return encode(value << min(amount, 64) if left else value >> amount, mods[-1])

    return shift


def _funnel(mods, low, high, amount):
    amount = amount % 32 if "wrap" in mods else min(amount, 32)
    whole = high << 32 | low
    return (whole << amount >> 32 if "l" in mods else whole >> amount) & 0xFFFFFFFF


def lop3(mods, a, b, c, table):
    rows = ((a >> n & 1) << 2 | (b >> n & 1) << 1 | c >> n & 1 for n in range(32))
    return sum((table >> row & 1) << n for n, row in enumerate(rows))


def _field(mods, a, position, length):
    """bfe, bit by bit as the PTX ISA writes it; but hardware masks only 32-bit fields' places."""
    bits = width(mods[-1])
    if bits == 32:
        position, length = position & 255, length & 255
    signed = mods[-1][0] == "s" and length > 0
    fill = a >> min(position + length - 1, bits - 1) & 1 if signed else 0
    result = 0
    for n in range(bits):
        inside = n < length and position + n < bits
        result |= (a >> (position + n) & 1 if inside else fill) << n
    return result


def _insert(mods, a, b, position, length):
    bits = width(mods[-1])
    if bits == 32:
        position, length = position & 255, length & 255
    for n in range(min(length, bits - position)):
        b = b & ~(1 << position + n) | (a >> n & 1) << position + n
    return b


def _find(mods, a):
    value, bits = decode(a, mods[-1]), width(mods[-1])
    length = (~value if value < 0 else value).bit_length()
    if length == 0:
        return 0xFFFFFFFF
    return bits - length if "shiftamt" in mods else length - 1


_MODES = {
    "f4e": ("3210", "4321", "5432", "6543"),
    "b4e": ("5670", "6701", "7012", "0123"),
    "rc8": ("0000", "1111", "2222", "3333"),
    "ecl": ("3210", "3211", "3222", "3333"),
    "ecr": ("0000", "1110", "2210", "3210"),
    "rc16": ("1010", "3232", "1010", "3232"),
}


def _permute(mods, a, b, selector):
    pool = (b << 32 | a).to_bytes(8, "little")
    if mods[-1] in _MODES:
        selector = int(_MODES[mods[-1]][selector & 3], 16)
    result = 0
    for place in range(4):
        choice = selector >> 4 * place & 15
        octet = pool[choice & 7]
        result |= (255 * (octet >> 7) if choice & 8 else octet) << 8 * place
    return result


def _nth_set(mods, mask, base, offset):
    offset = decode(offset, "s32")
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    step, left = (1, offset) if offset > 0 else (-1, -offset)
    at = base
    while 0 <= at < 32:
        left -= mask >> at & 1
        if left == 0:
            return at
        at += step
    return 0xFFFFFFFF


def _mask(mods, position, length):
    if "wrap" in mods:
        position, length = position % 32, length % 32
    return (1 << min(length, 32)) - 1 << position & 0xFFFFFFFF if position < 64 else 0


def _extend(mods, a, bits):
    bits = bits % 32 if "wrap" in mods else min(bits, 32)
    if bits == 0:
        return 0
    value = a & (1 << bits) - 1
    return encode(value - (1 << bits) * (mods[-1] == "s32" and value >> bits - 1), "b32")


def _dot(number):
    def dot(mods, a, b, c):
        first, second = mods[-2:]
        high = 2 if mods[0] == "hi" else 0
        parts = _parts(a, first, number), _parts(b, second, 4)[high:]
        total = sum(x * y for x, y in zip(*parts, strict=False))
        return encode(c + total, "b32")

    return dot


def _parts(register, kind, number):
    bits = 32 // number
    return [
        decode(register >> bits * n & (1 << bits) - 1, f"{kind[0]}{bits}") for n in range(number)
    ]


def video(base, mods, args):
    if base[:-1] == "vset":
        return _video_comparison(int(base[-1]), mods, *args)
    number, result = int(base[-1]), mods[0]
    bits = 32 // number
    operation = {
        "vadd": lambda x, y: x + y,
        "vsub": lambda x, y: x - y,
        "vabsdiff": lambda x, y: abs(x - y),
        "vmin": min,
        "vmax": max,
    }[base[:-1]]
    pairs = zip(_parts(args[0], mods[1], number), _parts(args[1], mods[2], number), strict=True)
    parts = [operation(x, y) for x, y in pairs]
    if mods[-1] == "add":
        return encode(args[2] + sum(parts), "b32")
    if mods[-1] == "sat":
        parts = [clamp(part, f"{result[0]}{bits}") for part in parts]
    return sum(encode(part, f"b{bits}") << bits * n for n, part in enumerate(parts))


def _video_comparison(number, mods, a, b, c):
    pairs = zip(_parts(a, mods[0], number), _parts(b, mods[1], number), strict=True)
    held = [int(compare(mods[2], x, y)) for x, y in pairs]
    if mods[-1] == "add":
        return encode(c + sum(held), "b32")
    return sum(one << 32 // number * n for n, one in enumerate(held))


BITS = {
    "shl": _shift(True),
    "shr": _shift(False),
    "shf": _funnel,
    "lop3": lop3,
    "popc": lambda mods, a: a.bit_count(),
    "clz": lambda mods, a: width(mods[-1]) - a.bit_length(),
    "brev": lambda mods, a: int(f"{a:0{width(mods[-1])}b}"[::-1], 2),
    "bfe": _field,
    "bfi": _insert,
    "bfind": _find,
    "prmt": _permute,
    "fns": _nth_set,
    "bmsk": _mask,
    "szext": _extend,
    "dp4a": _dot(4),
    "dp2a": _dot(2),
}
