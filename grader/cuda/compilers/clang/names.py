"""Name expressions: template instances that are to be emitted, and how their names come out.

NVRTC has functions for them. clang is made to emit an instance by a variable that holds its
address, and the variable's value in PTX is the mangled name.
"""

from __future__ import annotations

import re

_VARIABLE = "__warpwise_name_"
FILE = "the name expressions"  # what errors in them are said to lie in
_FOUND = re.compile(
    rf"^.*\b{_VARIABLE}(?P<number>\d+)(?:\[\d*\])? = \{{?(?:generic\()?(?P<name>[\w$]+)\)?\}}?;\n",
    re.MULTILINE,
)
_HEADER = re.compile(rf"^.*// @{_VARIABLE}\d+\n", re.MULTILINE)


def asked(expressions: tuple[str, ...]) -> str:
    """What is added below a source so that the instances are emitted."""
    if not expressions:
        return ""
    rows = [f'# 1 "{FILE}"']
    for number, expression in enumerate(expressions):
        whole = expression if expression.startswith("&") else f"&{expression}"
        rows.append(
            f'extern "C" __device__ __attribute__((used)) const void* const '
            f"{_VARIABLE}{number} = (const void*)({whole});"
        )
    return "\n".join(rows) + "\n"


def answered(ptx: str, expressions: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """`ptx` without those variables, and the mangled name of each expression."""
    found = {int(one["number"]): one["name"] for one in _FOUND.finditer(ptx)}
    if found:
        ptx = _FOUND.sub("", _HEADER.sub("", ptx))
    return ptx, {text: found[n] for n, text in enumerate(expressions) if n in found}
