"""What a learner meets in JupyterLab."""

from . import draw
from .checking import check, hint
from .difference import diff
from .kernel import Kernel
from .playing import play
from .prediction import predict
from .profiling import compare, profile, ptx
from .start import lesson
from .timing import bench
from .watching import watch

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
    "watch",
]
