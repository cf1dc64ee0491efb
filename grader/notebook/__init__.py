"""What a learner meets in JupyterLab."""

from . import draw
from .checking import check, hint, play, predict, puzzle, vary, warmup
from .profiling import bench, compare, profile, ptx
from .session import Kernel, diff, lesson, watch

__all__ = [
    "Kernel",
    "bench",
    "check",
    "compare",
    "diff",
    "draw",
    "hint",
    "lesson",
    "play",
    "predict",
    "profile",
    "ptx",
    "puzzle",
    "vary",
    "warmup",
    "watch",
]
