"""The course as data: what a lesson is, what an exercise asks, and where both are found.

A lesson is one folder under kernels/. Its exercises.py, and any exercises_*.py beside it, define
`Exercise` objects at module level, its benchmarks.py, if it has one, `Benchmark` objects, its
shown.py `Shown` objects; nothing else has to be registered anywhere.
"""

from ..course_folder import KERNELS
from .catalogue import exercise, full_name, lesson, lessons, names, pages_alone
from .chosen import covering
from .kinds import KINDS, Break, Bug, Cheaper, Order, Place, Write
from .mistakes import WrongKernel
from .model import (
    Benchmark,
    Boxes,
    Budget,
    Case,
    Contest,
    Dim,
    Exactly,
    Exercise,
    Expected,
    Hazard,
    Launch,
    Lesson,
    Problem,
    Rule,
    Shown,
    Standing,
    Times,
    Variant,
    WritingStep,
)
from .problems import (
    anywhere,
    exponentials,
    hidden,
    large,
    longest_path,
    one_launch,
    together,
    work_is_shared,
)
from .requirements import (
    DIVISION,
    FENCE,
    LOAD_16,
    SHUFFLE,
    STORE_16,
    TENSOR_CORE,
    Ban,
    Kind,
    Requirement,
)

__all__ = [
    "DIVISION",
    "FENCE",
    "KERNELS",
    "KINDS",
    "LOAD_16",
    "SHUFFLE",
    "STORE_16",
    "TENSOR_CORE",
    "Ban",
    "Benchmark",
    "Boxes",
    "Break",
    "Budget",
    "Bug",
    "Case",
    "Cheaper",
    "Contest",
    "Dim",
    "Exactly",
    "Exercise",
    "Expected",
    "Hazard",
    "Kind",
    "Launch",
    "Lesson",
    "Order",
    "Place",
    "Problem",
    "Requirement",
    "Rule",
    "Shown",
    "Standing",
    "Times",
    "Variant",
    "Write",
    "WritingStep",
    "WrongKernel",
    "anywhere",
    "covering",
    "exercise",
    "exponentials",
    "full_name",
    "hidden",
    "large",
    "lesson",
    "lessons",
    "longest_path",
    "names",
    "one_launch",
    "pages_alone",
    "together",
    "work_is_shared",
]
