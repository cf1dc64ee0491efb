"""What PTX instructions compute, one lane at a time, in Python's integers and rationals: slow,
plain, and sharing nothing with the simulated GPU."""

import math
import struct
from fractions import Fraction

# significand bits, smallest normal exponent, largest exponent, bits of mantissa field, width
_FORMATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127)}
_FORMATS |= {"f64": (53, -1022, 1023), "tf32": (11, -126, 127)}
FLOATS = (*_FORMATS,)


def width(kind):
    return 32 if kind == "tf32" else int(kind.lstrip("abcdefgstu"))


def decode(bits, kind):
    """The number that `bits` stand for: a float (exact in each format) or an int."""
    if kind in FLOATS:
        if kind == "bf16":
            return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
        return struct.unpack({16: "<e", 32: "<f", 64: "<d"}[width(kind)], _packed(bits, kind))[0]
    bits &= (1 << width(kind)) - 1
    return bits - (1 << width(kind)) if kind[0] == "s" and bits >> (width(kind) - 1) else bits


def _packed(bits, kind):
    return bits.to_bytes(width(kind) // 8, "little")


def encode(value, kind):
    """The bits of a number; NaN becomes the canonical one."""
    if kind not in FLOATS:
        return int(value) & ((1 << width(kind)) - 1)
    if value != value:
        return {"f16": 0x7FFF, "bf16": 0x7FFF, "f64": 0x7FF8 << 48}.get(kind, 0x7FFFFFFF)
    form = {"f16": "<e", "bf16": "<f", "f64": "<d"}.get(kind, "<f")
    bits = int.from_bytes(struct.pack(form, value), "little")
    return bits >> 16 if kind == "bf16" else bits


def rounded(exact, kind, mods, zero=0.0):
    """A Fraction rounded to a format; `zero` is what an exact zero becomes. `.ftz` flushes what is
    too small for a normal number when it is rounded with no limit to the exponent."""
    if exact == 0:
        return zero
    mode = mode_of(mods)
    if "ftz" in mods and abs(_unlimited(exact, kind, mode)) < Fraction(2) ** _FORMATS[kind][1]:
        return math.copysign(0.0, exact)
    precision, lowest, highest = _FORMATS[kind]
    quantum = Fraction(2) ** (max(_exponent(exact), lowest) - precision + 1)
    whole = _to_integer(exact / quantum, mode)
    value = whole * quantum
    largest = (2**precision - 1) * Fraction(2) ** (highest - precision + 1)
    if abs(value) > largest:
        inward = mode == "rz" or (mode == "rm" and exact > 0) or (mode == "rp" and exact < 0)
        return (float(largest) if inward else math.inf) * (1 if exact > 0 else -1)
    return float(value) if value else (0.0 if exact > 0 else -0.0)


def _exponent(exact):
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    return exponent - 1 if abs(exact) < Fraction(2) ** exponent else exponent


def _unlimited(exact, kind, mode):
    quantum = Fraction(2) ** (_exponent(exact) - _FORMATS[kind][0] + 1)
    return _to_integer(exact / quantum, mode) * quantum


def _to_integer(x, mode):
    if mode in ("rm", "rmi"):
        return math.floor(x)
    if mode in ("rp", "rpi"):
        return math.ceil(x)
    if mode in ("rz", "rzi"):
        return math.trunc(x)
    if mode == "rna":
        return int(math.copysign(math.floor(abs(x) + Fraction(1, 2)), x))
    return round(x)  # Python, too, rounds ties to even


def flush(value, kind):
    return math.copysign(0.0, value) if abs(value) < 2.0 ** _FORMATS[kind][1] else value


def mode_of(mods):
    return next((mod for mod in mods if mod in ("rz", "rm", "rp", "rna")), "rn")


def floating(base, mods, args):
    """add, sub, mul, fma, div, rcp, sqrt, min, max, neg, abs, copysign on floats."""
    kind = mods[-1]
    if kind.endswith("x2"):
        return _by_halves(base, (*mods[:-1], kind.removesuffix("x2")), args)
    values = [decode(a, kind) for a in args]
    if "ftz" in mods:
        values = [flush(value, kind) for value in values]
    result = _FLOATING[base](kind, mods, *values)
    if "ftz" in mods:
        result = flush(result, kind)
    if "sat" in mods:
        result = min(max(result, 0.0), 1.0) + 0.0 if result == result else 0.0
    if "relu" in mods and result == result:
        result = result if result > 0 else 0.0
    return encode(result, kind)


def _by_halves(base, mods, args):
    low = floating(base, mods, [a & 0xFFFF for a in args])
    return floating(base, mods, [a >> 16 for a in args]) << 16 | low


def _sum(kind, mods, a, b):
    if not (math.isfinite(a) and math.isfinite(b)):
        return a + b
    return rounded(Fraction(a) + Fraction(b), kind, mods, _zero(a, b, mods))


def _zero(a, b, mods):
    """The sign of a sum that is exactly zero (IEEE 754, 6.3)."""
    if a == 0 and b == 0 and math.copysign(1, a) == math.copysign(1, b):
        return a
    return -0.0 if mode_of(mods) == "rm" else 0.0


def _product(kind, mods, a, b):
    if not (math.isfinite(a) and math.isfinite(b)) or a == 0 or b == 0:
        return a * b
    return rounded(Fraction(a) * Fraction(b), kind, mods)


def _fma(kind, mods, a, b, c):
    sign = math.copysign(1, a) * math.copysign(1, b)
    if not all(map(math.isfinite, (a, b, c))):
        infinite = math.isinf(a) or math.isinf(b)
        return (a * b if infinite or a != a or b != b else sign) + c
    product = Fraction(a) * Fraction(b)
    zero = _zero(math.copysign(0.0 if product == 0 else 1.0, sign), c, mods)
    return rounded(product + Fraction(c), kind, mods, zero)


def _quotient(kind, mods, a, b):
    sign = math.copysign(1, a) * math.copysign(1, b)
    if a != a or b != b or (a == 0 and b == 0) or (math.isinf(a) and math.isinf(b)):
        return math.nan
    if math.isinf(a) or b == 0:
        return math.copysign(math.inf, sign)
    if math.isinf(b) or a == 0:
        return math.copysign(0.0, sign)
    return rounded(Fraction(a) / Fraction(b), kind, mods)


def _root(kind, mods, a):
    if a != a or a < 0:
        return math.nan
    if a == 0 or math.isinf(a):
        return a
    exact = Fraction(a)
    shift = 2 * (1200 + exact.denominator.bit_length())
    scaled = exact * 2**shift
    root = math.isqrt(int(scaled))
    inexact = root * root != scaled
    return rounded(Fraction(2 * root + inexact, 2 ** (shift // 2 + 1)), kind, mods)


def _extremum(smallest):
    def choose(kind, mods, a, b):
        sign = 1.0
        if "xorsign" in mods:
            sign = math.copysign(1, a) * math.copysign(1, b)
            a, b = abs(a), abs(b)
        if a != a or b != b:
            if "NaN" in mods or (a != a and b != b):
                return math.nan
            return math.copysign(1, sign) * (b if a != a else a)
        pair = sorted((a, b), key=lambda x: (x, math.copysign(1, x)))
        return sign * pair[0 if smallest else 1]

    return choose


_FLOATING = {
    "add": _sum,
    "sub": lambda kind, mods, a, b: _sum(kind, mods, a, -b),
    "mul": _product,
    "fma": _fma,
    "div": _quotient,
    "rcp": lambda kind, mods, a: _quotient(kind, mods, 1.0, a),
    "sqrt": _root,
    "min": _extremum(True),
    "max": _extremum(False),
    "neg": lambda kind, mods, a: -a,
    "abs": lambda kind, mods, a: abs(a),
    "copysign": lambda kind, mods, a, b: math.copysign(b, a),
}


def convert(mods, args):
    """cvt of one number, or of two into a pair."""
    if mods[0] == "pack":
        return _pack(mods, args)
    result, source = mods[-2:]
    if result.endswith("x2"):
        one = (*mods[:-2], result.removesuffix("x2"), source)
        return convert(one, args[:1]) << 16 | convert(one, args[1:])
    value = decode(args[0], source)
    if source in FLOATS:
        change = _float_to_float if result in FLOATS else _float_to_int
        return change(mods, value, result, source)
    if result in FLOATS:
        return encode(rounded(Fraction(value), result, mods), result)
    value = clamp(value, result) if "sat" in mods else decode(encode(value, result), result)
    return (
        encode(value, f"b{max(width(result), 32)}") if width(result) == 8 else encode(value, result)
    )


def clamp(value, kind):
    bits = width(kind)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "s" else (0, (1 << bits) - 1)
    return min(max(value, low), high)


def _float_to_int(mods, value, result, source):
    if "ftz" in mods and source == "f32":
        value = flush(value, source)
    if value != value:
        wide = source == "f64" or width(result) == 64
        whole = 1 << width(result) - 1 if wide else 0
        whole = decode(whole, result)
    elif math.isinf(value):
        whole = clamp(int(math.copysign(1 << 80, value)), result)
    else:
        mode = next(mod for mod in mods if mod in ("rni", "rzi", "rmi", "rpi"))
        whole = clamp(_to_integer(Fraction(value), mode), result)
    return encode(whole, "b32" if width(result) == 8 else result)


def _float_to_float(mods, value, result, source):
    if "ftz" in mods and source == "f32":
        value = flush(value, source)
    mode = next((mod for mod in mods if mod in ("rni", "rzi", "rmi", "rpi")), None)
    if math.isfinite(value) and value != 0:
        if mode:
            value = math.copysign(float(_to_integer(Fraction(value), mode)), value)
        if value != 0:
            value = rounded(Fraction(value), result, mods)
    if "sat" in mods:
        value = min(max(value, 0.0), 1.0) + 0.0 if value == value else 0.0
    if "relu" in mods and value == value:
        value = value if value > 0 else 0.0
    if "ftz" in mods and result == "f32":
        value = flush(value, result)
    return encode(value, result)


def _pack(mods, args):
    kind = mods[2]
    high, low = (encode(clamp(decode(a, "s32"), kind), kind) for a in args[:2])
    packed = high << width(kind) | low
    return packed | (args[2] << 16 & 0xFFFFFFFF) if len(args) > 2 else packed


def compare(name, a, b):
    nan = a != a or b != b
    if name in ("num", "nan"):
        return nan == (name == "nan")
    if nan:
        return len(name) == 3
    order = (
        name[:2]
        if len(name) == 3
        else {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}.get(name, name)
    )
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[order]
