"""A kernel's parameters as its source declares them, so that arguments can be checked by name.

PTX knows the sizes of parameters but neither their names nor what a pointer points to; the
source does. Templates and macros may hide a signature: then only the sizes are checked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..counted import counted
from ..cuda.errors import LaunchError
from .comments import without_comments

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
    """The parameters of `__global__ ... kernel(...)` in CUDA C++ source; None if not found."""
    declared = re.compile(rf"\b{re.escape(kernel)}\s*\(([^()]*)\)\s*{{")
    for statement in re.split("[;}]", without_comments(source)):
        start = statement.find("__global__")
        if start >= 0 and (found := declared.search(statement, start)):
            parts = [part.strip() for part in _between_commas(found[1])]
            return tuple(_parameter(part) for part in parts if part not in ("", "void"))
    return None


def _between_commas(text: str) -> list[str]:
    """Its parts, where no comma inside a template's `<...>` counts."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "<") - (character == ">")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _parameter(text: str) -> Parameter:
    text = written = " ".join(text.partition("=")[0].split())  # without a default value
    pointed_to = text.rpartition("*")[0].rpartition("*")[2]
    constant = re.search(r"\bconst\b", pointed_to) is not None
    text = re.sub(r"\b(const|volatile|__restrict__|__restrict|struct)\b", " ", text)
    text = " ".join(text.split())
    inside = text.removesuffix("]").rstrip()
    brackets = inside != text and inside.endswith("[")
    text = inside[:-1].rstrip() if brackets else text
    name = re.split(r"\W", text)[-1]
    kind = text.removesuffix(name).rstrip()
    pointer = kind.endswith("*") or brackets
    kind = kind[:-1].rstrip() if kind.endswith(("*", "&")) else kind
    dtype = DTYPES.get(kind)
    return Parameter(
        name,
        f"{kind}*" if pointer else kind,
        pointer,
        np.dtype(dtype) if dtype else None,
        constant,
        written,
    )


def compatible(one: Parameter, other: Parameter) -> bool:
    """Whether what is passed for one parameter serves for the other, as far as types are known."""
    if one.pointer != other.pointer:
        return False
    if one.dtype is None or other.dtype is None:
        return one.pointer or one.type == other.type
    return _same(one.dtype, other.dtype)


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
        problem = _problem(parameter, value)
        if problem:
            what = f"parameter {number} of {kernel}, `{parameter.type} {parameter.name}`"
            raise LaunchError(f"{what}, {problem}.", kernel=kernel)


def _problem(parameter: Parameter, value: Any) -> str | None:
    is_array = (hasattr(value, "shape") and getattr(value, "ndim", 0) > 0) or _is_device(value)
    if parameter.pointer:
        if not is_array and value is not None:
            return f"wants an array, not {_described(value)}"
        if value is None or parameter.dtype is None or _same(parameter.dtype, value.dtype):
            return None
        return f"wants an array of {parameter.dtype.name}, not of {value.dtype.name}"
    if is_array:
        return f"wants a single value, not an array of shape {value.shape}"
    if not isinstance(value, np.generic):
        example = f": pass np.{parameter.dtype.name}({value!r})" if parameter.dtype else ""
        return f"wants a NumPy scalar, not {_described(value)}{example}"
    if parameter.dtype is not None and not _same(parameter.dtype, value.dtype):
        wanted = parameter.dtype.name
        return f"wants {wanted}, not {value.dtype.name}: pass np.{wanted}(...)"
    return None


def _is_device(value: object) -> bool:
    return hasattr(value, "__cuda_array_interface__") or isinstance(value, np.ndarray)


def _same(wanted: np.dtype, given: np.dtype) -> bool:
    """Integers of one size serve for each other, signed or not."""
    if wanted == given:
        return True
    return wanted.itemsize == given.itemsize and wanted.kind in "iub" and given.kind in "iub"


def _described(value: object) -> str:
    return f"a Python {type(value).__name__}" if not isinstance(value, np.generic) else f"{value!r}"
