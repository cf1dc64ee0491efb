"""The course as data: what a lesson is, what an exercise asks, and where both are found.

A lesson is one folder under kernels/. Its exercises.py defines `Exercise` objects at module
level, its benchmarks.py, if it has one, `Benchmark` objects, its shown.py `Shown` objects; nothing
else has to be registered anywhere.
"""

from .catalogue import KERNELS, exercise, full_name, lesson, lessons, names
from .contest import Contest, Standing
from .mistakes import WrongKernel
from .model import (
    BUTTERFLY,
    DIVISION,
    LOAD_16,
    SHUFFLE,
    STORE_16,
    WARP_REDUCTION,
    Ban,
    Benchmark,
    Budget,
    Case,
    Dim,
    Exercise,
    Expected,
    Launch,
    Lesson,
    Problem,
    Requirement,
    Shown,
    Times,
    Variant,
    hidden,
    large,
    longest_path,
    together,
    work_is_shared,
)

__all__ = [
    "BUTTERFLY",
    "DIVISION",
    "KERNELS",
    "LOAD_16",
    "SHUFFLE",
    "STORE_16",
    "WARP_REDUCTION",
    "Ban",
    "Benchmark",
    "Budget",
    "Case",
    "Contest",
    "Dim",
    "Exercise",
    "Expected",
    "Launch",
    "Lesson",
    "Problem",
    "Requirement",
    "Shown",
    "Standing",
    "Times",
    "Variant",
    "WrongKernel",
    "exercise",
    "full_name",
    "hidden",
    "large",
    "lesson",
    "lessons",
    "longest_path",
    "names",
    "together",
    "work_is_shared",
]
