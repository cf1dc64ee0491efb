"""The course as data: what a lesson is, what an exercise asks, and where both are found.

A lesson is one folder under kernels/. Its exercises.py defines `Exercise` objects at module
level, its benchmarks.py, if it has one, `Benchmark` objects, its shown.py `Shown` objects; nothing
else has to be registered anywhere.
"""

from .catalogue import KERNELS, exercise, full_name, lesson, lessons, names
from .mistakes import WrongKernel
from .model import (
    Benchmark,
    Budget,
    Case,
    Dim,
    Exercise,
    Expected,
    Launch,
    Lesson,
    Problem,
    Rule,
    Shown,
    Times,
    Variant,
    hidden,
    large,
    longest_path,
    together,
    work_is_shared,
)
from .requirements import DIVISION, FENCE, LOAD_16, SHUFFLE, STORE_16, Ban, Kind, Requirement

__all__ = [
    "DIVISION",
    "FENCE",
    "KERNELS",
    "LOAD_16",
    "SHUFFLE",
    "STORE_16",
    "Ban",
    "Benchmark",
    "Budget",
    "Case",
    "Dim",
    "Exercise",
    "Expected",
    "Kind",
    "Launch",
    "Lesson",
    "Problem",
    "Requirement",
    "Rule",
    "Shown",
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
