"""Headers that define the same functions for many types.

`python -m tools.headers` writes them, `tests/compilers/test_headers.py` compares.
"""

from __future__ import annotations

from pathlib import Path

from .accesses import accesses
from .atomics import atomics
from .helper_math import helper_math
from .math_functions import math_functions
from .mma import mma_header
from .simd import simd
from .vectors import vectors

COMPILERS = Path(__file__).parents[2] / "grader" / "compilers"


def headers() -> dict[Path, str]:
    """The text of each of these headers, by its path."""
    texts = {
        "include/crt/mma.h": mma_header(),
        "include/helper_math.h": helper_math(),
        "clang/include/warpwise/accesses.h": accesses(),
        "clang/include/warpwise/atomics.h": atomics(),
        "clang/include/warpwise/math_functions.h": math_functions(),
        "clang/include/warpwise/simd.h": simd(),
        "clang/include/warpwise/vectors.h": vectors(),
    }
    return {COMPILERS / name: _marked(text) for name, text in texts.items()}


def _marked(text: str) -> str:
    """`text` with a comment at the end of its first line: no place of code moves by it."""
    first, _, rest = text.partition("\n")
    return f"{first}  // Written by `python -m tools.headers`.".lstrip() + f"\n{rest}"
