"""The course as data: what a lesson is, what an exercise asks, and where both are found.

A lesson is one folder under kernels/. Its exercises.py defines `Exercise` objects at module
level, its benchmarks.py, if it has one, `Benchmark` objects, its shown.py `Shown` objects; nothing
else has to be registered anywhere.
"""

from .catalogue import KERNELS, exercise, full_name, lesson, lessons, names
from .mistakes import WrongKernel
from .model import (
    BUTTERFLY,
    LOAD_16,
    SHUFFLE,
    STORE_16,
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
    Variant,
    hidden,
    together,
)

__all__ = [
    "BUTTERFLY",
    "KERNELS",
    "LOAD_16",
    "SHUFFLE",
    "STORE_16",
    "Benchmark",
    "Budget",
    "Case",
    "Dim",
    "Exercise",
    "Expected",
    "Launch",
    "Lesson",
    "Problem",
    "Requirement",
    "Shown",
    "Variant",
    "WrongKernel",
    "exercise",
    "full_name",
    "hidden",
    "lesson",
    "lessons",
    "names",
    "together",
]
