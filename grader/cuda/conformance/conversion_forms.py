"""Forms of conversions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .inline_form import INTEGERS, ROUNDINGS, Form, names, plain

_EIGHT_BITS = {"s8": "s16", "u8": "u16"}


def conversions() -> Iterator[Form]:
    family = "conversion"
    for result, source in product(("f16", "f32", "f64"), INTEGERS):
        for mode in ROUNDINGS:
            yield plain(family, f"cvt.{mode}.{result}.{source}", (source,), result)
    for source in ("s32", "u32", "s64", "u64", "s16"):
        yield plain(family, f"cvt.rn.bf16.{source}", (source,), "bf16")
    for result, source in product((*INTEGERS, "s8", "u8"), ("f16", "f32", "f64", "bf16")):
        for mode in ("rni", "rzi", "rmi", "rpi"):
            if result in _EIGHT_BITS:
                if source in ("f32", "f64"):
                    yield plain(family, f"cvt.{mode}.{result}.{source}", (source,), "u32")
            elif source != "bf16" or mode == "rzi":
                yield plain(family, f"cvt.{mode}.{result}.{source}", (source,), result)
    yield plain(family, "cvt.rzi.ftz.s32.f32", ("f32",), "s32")
    yield plain(family, "cvt.rpi.ftz.s32.f32", ("f32",), "s32")
    for result, source in product(INTEGERS, repeat=2):
        yield plain(family, f"cvt.{result}.{source}", (source,), result)
        if not _holds(result, source):
            yield plain(family, f"cvt.sat.{result}.{source}", (source,), result)
    for result, source in product(("s8", "u8"), ("s32", "u32", "s64")):
        yield plain(family, f"cvt.{result}.{source}", (source,), "u32")
        yield plain(family, f"cvt.sat.{result}.{source}", (source,), "u32")
    for result, source in product(("s32", "u32", "s64"), ("s8", "u8")):
        yield plain(family, f"cvt.{result}.{source}", (_EIGHT_BITS[source],), result)
    yield from _between_floats(family)
    for name in ("cvt.pack.sat.u16.s32", "cvt.pack.sat.s16.s32"):
        yield plain(family, name, ("s32", "s32"), "b32")
    for name in ("cvt.pack.sat.u8.s32.b32", "cvt.pack.sat.s8.s32.b32"):
        yield plain(family, name, ("s32", "s32", "b32"), "b32")


def _holds(result: str, source: str) -> bool:
    """Whether every integer of one type is one of the other, so that there is nothing to clamp."""
    more = int(result[1:]) - int(source[1:])
    return more >= 0 if result[0] == source[0] else source[0] == "u" and more > 0


def _between_floats(family: str) -> Iterator[Form]:
    for name in names("cvt", ROUNDINGS, ("", "ftz"), ("", "sat"), ("f32.f64",)):
        yield plain(family, name, ("f64",), "f32")
    for name in names("cvt", ROUNDINGS, ("", "sat"), ("f16.f32", "f16.f64")):
        yield plain(family, name, (name[-3:],), "f16")
    for name in names("cvt", ("rn", "rz"), ("", "relu"), ("f16", "bf16"), ("f32",)):
        yield plain(family, name, ("f32",), name.split(".")[-2])
    for name in names("cvt", ("rn", "rz"), ("", "relu"), ("f16x2", "bf16x2"), ("f32",)):
        yield plain(family, name, ("f32", "f32"), name.split(".")[-2])
    for name in names("cvt", ("", "sat"), ("f64.f32", "f32.f16", "f64.f16")):
        yield plain(family, name, (name[-3:],), name.split(".")[-2])
    for name in ("cvt.f32.bf16", "cvt.f64.bf16"):
        yield plain(family, name, ("bf16",), name.split(".")[1])
    for name in ("cvt.rn.bf16.f16", "cvt.rn.bf16.f64", "cvt.rn.f16.bf16"):
        yield plain(family, name, (name.split(".")[-1],), name.split(".")[-2])
    yield plain(family, "cvt.sat.f32.f32", ("f32",), "f32")
    yield plain(family, "cvt.ftz.sat.f32.f32", ("f32",), "f32")
    yield plain(family, "cvt.sat.f64.f64", ("f64",), "f64")
    for mode in ("rni", "rzi", "rmi", "rpi"):
        for kind in ("f16", "f32", "f64"):
            yield plain(family, f"cvt.{mode}.{kind}.{kind}", (kind,), kind)
        yield plain(family, f"cvt.{mode}.ftz.f32.f32", ("f32",), "f32")
        yield plain(family, f"cvt.{mode}.sat.f32.f32", ("f32",), "f32")
    for mode in ("rna", "rn", "rz", "rn.relu"):
        yield plain(family, f"cvt.{mode}.tf32.f32", ("f32",), "tf32")
