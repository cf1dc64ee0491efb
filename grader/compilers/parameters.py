"""A kernel's parameters, as its source declares them, and whether arguments fit them.

PTX knows the sizes of parameters but neither their names nor what a pointer points to.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..cuda.errors import LaunchError
from ..errors import counted
from .lexer import without_comments

DTYPES: dict[str, type[np.generic]] = {
    "float": np.float32,
    "double": np.float64,
    "half": np.float16,
    "__half": np.float16,
    "bool": np.bool_,
    "char": np.int8,
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned": np.uint32,
    "unsigned int": np.uint32,
    "long": np.int64,
    "long long": np.int64,
    "unsigned long": np.uint64,
    "unsigned long long": np.uint64,
    "size_t": np.uint64,
    "uint": np.uint32,
    **{f"int{bits}_t": np.dtype(f"i{bits // 8}").type for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": np.dtype(f"u{bits // 8}").type for bits in (8, 16, 32, 64)},
}


@dataclass(frozen=True)
class Parameter:
    """`const float* x`: name "x", type "float*", pointer, constant; `dtype` is None where the type
    is unknown; `text` is the parameter as it is written."""

    name: str
    type: str
    pointer: bool
    dtype: np.dtype | None
    constant: bool = False
    text: str = ""


@lru_cache(maxsize=64)
def parameters(source: str, kernel: str) -> tuple[Parameter, ...] | None:
    """The parameters of `__global__ ... kernel(...)` in CUDA C++ source; None if not found, or if
    several may be meant by a name in a namespace."""
    name = re.escape(kernel.rpartition("::")[2])
    declared = re.compile(rf"\b{name}\s*\(([^()]*)\)\s*{{")
    heads = (
        statement.partition("__global__")[2]
        for statement in re.split("[;}]", without_comments(source))
    )
    found = [head[1] for head in map(declared.search, heads) if head]
    return (
        None
        if not found or ("::" in kernel and len(found) > 1)
        else tuple(
            _parameter(part)
            # Of templates' `<...>` in a parameter two are in each other at most.
            for part in re.findall(r"(?:[^,<>]|<[^<>]*(?:<[^<>]*>[^<>]*)*>)+", found[0])
            if part.strip() not in ("", "void")
        )
    )


def unused_parameters(source: str, kernel: str) -> list[str]:
    """The parameters of a kernel whose names stand nowhere else in the source."""
    text = without_comments(source)
    return [
        one.name
        for one in parameters(source, kernel) or ()
        if len(re.findall(rf"\b{one.name}\b", text)) == 1
    ]


def _parameter(text: str) -> Parameter:
    written = " ".join(text.partition("=")[0].split())  # without a default value
    pointed_to = written.rpartition("*")[0].rpartition("*")[2]
    found = re.fullmatch(
        r"(?P<type>.*?) ?(?P<mark>[*&]?) ?(?<!\w)(?P<name>\w*+)(?P<array> ?\[ ?\])?",
        " ".join(
            re.sub(r"\b(const|volatile|__restrict__|__restrict|struct)\b", " ", written).split()
        ),
    )
    assert found, "of any text something is the type"
    pointer = found["mark"] == "*" or found["array"] is not None
    dtype = DTYPES.get(found["type"])
    return Parameter(
        found["name"],
        f"{found['type']}*" if pointer else found["type"],
        pointer,
        np.dtype(dtype) if dtype else None,
        re.search(r"\bconst\b", pointed_to) is not None,
        written,
    )


def compatible(one: Parameter, other: Parameter) -> bool:
    """Whether what is passed for one parameter serves for the other, as far as types are known."""
    return one.pointer == other.pointer and (
        one.pointer or one.type == other.type
        if one.dtype is None or other.dtype is None
        else _same(one.dtype, other.dtype)
    )


def check_arguments(kernel: str, declared: tuple[Parameter, ...], args: tuple[object, ...]) -> None:
    """Raises LaunchError, naming the parameter, where an argument is not what it wants. CuPy
    would pass the bytes on as they are."""
    if len(args) != len(declared):
        wanted = ", ".join(f"{p.type} {p.name}".strip() for p in declared)
        raise LaunchError(
            f"{kernel} takes {counted(len(declared), 'argument')} ({wanted}); this launch passes "
            f"{len(args)}.",
            kernel=kernel,
        )
    for number, (parameter, value) in enumerate(zip(declared, args, strict=True), start=1):
        if problem := _problem(parameter, value):
            raise LaunchError(
                f"parameter {number} of {kernel}, `{parameter.type} {parameter.name}`, {problem}.",
                kernel=kernel,
            )


def _problem(parameter: Parameter, value: Any) -> str | None:
    is_array = (
        isinstance(value, np.ndarray)
        or hasattr(value, "__cuda_array_interface__")
        or (hasattr(value, "shape") and getattr(value, "ndim", 0) > 0)
    )
    if parameter.pointer:
        if not is_array and value is not None:
            return f"wants an array, not {_described(value)}"
        return (
            None
            if value is None or parameter.dtype is None or _same(parameter.dtype, value.dtype)
            else f"wants an array of {parameter.dtype.name}, not of {value.dtype.name}"
        )
    if is_array:
        return f"wants a single value, not an array of shape {value.shape}"
    if not isinstance(value, np.generic):
        example = f": pass np.{parameter.dtype.name}({value!r})" if parameter.dtype else ""
        return f"wants a NumPy scalar, not {_described(value)}{example}"
    if parameter.dtype is not None and not _same(parameter.dtype, value.dtype):
        wanted = parameter.dtype.name
        return f"wants {wanted}, not {value.dtype.name}: pass np.{wanted}(...)"
    return None


def _same(wanted: np.dtype, given: np.dtype) -> bool:
    """Integers of one size serve for each other, signed or not."""
    return wanted == given or (
        wanted.itemsize == given.itemsize and wanted.kind in "iub" and given.kind in "iub"
    )


def _described(value: object) -> str:
    return f"{value!r}" if isinstance(value, np.generic) else f"a Python {type(value).__name__}"
