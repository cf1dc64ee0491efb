"""Matrix instructions by the PTX ISA's figures, in Python's integers and fractions: element by
element, and none of it as arrays."""

import re
from fractions import Fraction
from math import frexp, isfinite

from ptx_reference import decode, encode

_PER_REGISTER = {"f16": 2, "bf16": 2, "tf32": 1, "f32": 1, "s32": 1, "s8": 4, "u8": 4}
_PER_REGISTER |= {"e4m3": 4, "e5m2": 4}
_KEPT = 25  # bits below the leading one of the largest addend
_LEAST = {"f16": -14, "e5m2": -14, "e4m3": -6}  # exponent; -126 of the others


def warp_matrices(form, rows):
    """One register of the results for `rows` of inputs, a row for each lane."""
    opcode, number = form.name.split(" d")
    warps = [rows[at : at + 32] for at in range(0, len(rows), 32)]
    one = _loaded if opcode.startswith("ldmatrix") else _product
    return [value for warp in warps for value in one(opcode, int(number), warp)]


def _loaded(opcode, number, warp):
    cells = [row[0] for row in warp]
    halves = [half for cell in cells for half in (cell & 0xFFFF, cell >> 16)]
    matrix = [[halves[8 * (row ^ number) + column] for column in range(8)] for row in range(8)]
    found = []
    for lane in range(32):
        row, column = lane // 4, 2 * (lane % 4)
        if ".trans" in opcode:
            pair = matrix[column][row], matrix[column + 1][row]
        else:
            pair = matrix[row][column], matrix[row][column + 1]
        found.append(pair[0] | pair[1] << 16)
    return found


def _product(opcode, number, warp):
    shape, *kinds = re.fullmatch(
        r"mma\.sync\.aligned\.(\w+)\.row\.col\.(?:satfinite\.)?(\w+)\.(\w+)\.(\w+)\.(\w+)", opcode
    ).groups()
    k, per = int(shape.partition("k")[2]), _PER_REGISTER[kinds[1]]
    of_a, of_b = k * 16 // 32 // per, k * 8 // 32 // per
    of_c = 4 // _PER_REGISTER[kinds[3]]
    a, b, c = {}, {}, {}
    for lane, row in enumerate(warp):
        group, within = lane // 4, lane % 4
        for register, word in enumerate(row[:of_a]):
            for n, value in enumerate(_elements(word, kinds[1])):
                place = within * per + n + register // 2 * 4 * per
                a[group + 8 * (register % 2), place] = value
        for register, word in enumerate(row[of_a : of_a + of_b]):
            for n, value in enumerate(_elements(word, kinds[2])):
                b[within * per + n + register * 4 * per, group] = value
        values = [v for word in row[of_a + of_b :] for v in _elements(word, kinds[3])]
        assert len(values) == 4 and of_c in (2, 4)
        for n, value in enumerate(values):
            c[group + 8 * (n // 2), 2 * within + n % 2] = value
    size = _PER_REGISTER[kinds[0]]
    found = []
    for lane in range(32):
        word = 0
        for n in range(size):
            element = number * size + n
            row, column = lane // 4 + 8 * (element // 2), 2 * (lane % 4) + element % 2
            pairs = [(a[row, i], b[i, column]) for i in range(k)]
            word |= (
                _sum(pairs, c[row, column], kinds[0], kinds[1:3], "satfinite" in opcode) << 16 * n
            )
        found.append(word)
    return found


def warpgroup_products(form, rows):
    """One register of the results for `rows` of inputs, a row for each lane: a word of B's cells,
    four registers of A, then those of C."""
    opcode, number = form.name.split(" d")
    d, a, b = opcode.rpartition("k")[2].replace("satfinite.", "").split(".")[-3:]
    found = []
    for first in range(0, len(rows), 128):
        group = rows[first : first + 128]
        octets = b"".join(row[0].to_bytes(4, "little") for row in group)
        # Eight columns of 16 bytes, then the other 16 bytes of each.
        of_b = [
            [value for place in range(16 * j, 256, 128) for value in _of(octets, place, b)]
            for j in range(8)
        ]
        for warp in range(0, 128, 32):
            found += _of_warp(group[warp : warp + 32], of_b, (d, a, b), int(number), opcode)
    return found


def _of(octets, place, kind):
    words = (octets[at : at + 4] for at in range(place, place + 16, 4))
    return [x for word in words for x in _elements(int.from_bytes(word, "little"), kind)]


def _of_warp(warp, of_b, kinds, number, opcode):
    d, a, b = kinds
    per, sums = _PER_REGISTER[a], _PER_REGISTER[d]
    of_a = {}
    for lane, row in enumerate(warp):
        for register, word in enumerate(row[1:5]):
            for n, value in enumerate(_elements(word, a)):
                place = lane % 4 * per + n + register // 2 * 4 * per
                of_a[lane // 4 + 8 * (register % 2), place] = value
    found = []
    for lane, row in enumerate(warp):
        word = 0
        for n, addend in enumerate(_elements(row[5 + number], d)):
            element = number * sums + n
            line, column = lane // 4 + 8 * (element // 2), 2 * (lane % 4) + element % 2
            pairs = [(of_a[line, i], of_b[column][i]) for i in range(8 * per)]
            word |= _sum(pairs, addend, d, (a, b), "satfinite" in opcode) << 16 * n
        found.append(word)
    return found


def _quarter(octet, kind):
    """The number of eight bits."""
    wide = 2 if kind == "e5m2" else 3
    magnitude, sign = octet & 0x7F, -1.0 if octet & 0x80 else 1.0
    exponent, fraction = magnitude >> wide, magnitude & (1 << wide) - 1
    if kind == "e5m2" and exponent == 31:
        return sign * float("nan" if fraction else "inf")
    if kind == "e4m3" and magnitude == 0x7F:
        return float("nan")
    bias = 15 if kind == "e5m2" else 7
    whole = fraction + (1 << wide) * (exponent > 0)
    return sign * whole * 2.0 ** (max(exponent, 1) - bias - wide)


def _elements(word, kind):
    """The numbers in a register, lowest bits first."""
    if kind in ("e4m3", "e5m2"):
        return [_quarter(octet, kind) for octet in word.to_bytes(4, "little")]
    if kind == "tf32":
        return [decode(word & 0xFFFFE000, "f32")]
    if kind in ("s8", "u8"):
        octets = word.to_bytes(4, "little")
        return [value - 256 if kind == "s8" and value > 127 else value for value in octets]
    if _PER_REGISTER[kind] == 2:
        return [decode(word & 0xFFFF, kind), decode(word >> 16, kind)]
    return [decode(word, kind)]


def _sum(pairs, addend, kind, factors, clamps):
    if kind == "s32":
        total = sum(x * y for x, y in pairs) + addend
        if clamps:
            total = max(-(2**31), min(2**31 - 1, total))
        return total & 0xFFFFFFFF
    plain = [_times(x, y) for x, y in pairs] + [addend]
    if not all(isfinite(value) for value in map(float, plain)):
        return encode(_infinite(plain), kind)
    least = [_LEAST.get(factor, -126) for factor in factors]
    exponents = [
        sum(max(_exponent(value), low) for value, low in zip(pair, least, strict=True))
        for pair in pairs
        if all(pair)
    ]
    exponents += [_exponent(addend)] if addend else []
    narrow = factors[0] in ("e4m3", "e5m2")
    unit = Fraction(2) ** (max(exponents, default=0) - (13 if narrow else _KEPT))
    total = sum(int(Fraction(value) / unit) for value in plain) * unit
    bits = _rounded(total, kind)
    return bits & 0xFFFFFC00 if narrow and kind == "f32" else bits


def _times(x, y):
    if isfinite(x) and isfinite(y):
        return Fraction(x) * Fraction(y)
    return float(x) * float(y)


def _infinite(values):
    total = 0.0
    for value in values:
        if not isfinite(float(value)):
            total += float(value)
    return total


def _exponent(x):
    return frexp(float(x))[1] - 1


def _rounded(total, kind):
    """To nearest half, or towards zero to float32 (infinity where that has no such number)."""
    if not total:
        return 0
    sign, size = (total < 0), abs(total)
    precision, least, bits = (11, -14, 16) if kind == "f16" else (24, -126, 32)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    unit = Fraction(2) ** (max(exponent, least) - precision + 1)
    whole = round(size / unit) if kind == "f16" else int(size / unit)
    field = max(exponent, least) - least
    code = whole + field * 2 ** (precision - 1)
    infinity = (2 ** (bits - precision) - 1) << precision - 1
    code = min(code, infinity)
    return code | (sign and code != 0) << bits - 1
