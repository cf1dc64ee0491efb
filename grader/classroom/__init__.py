"""What an instructor meets: nbgrader's steps, with the judge where nbgrader would run Python."""

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec
from types import ModuleType

from ..errors import CourseError
from ..submissions import open_nbgrader


class ClassroomError(CourseError):
    """Whoever runs the course can fix it: a step is missing, or two commands meet."""


open_nbgrader()  # before any module of this room imports what it needs of nbgrader


def __getattr__(name: str) -> ModuleType:
    """A module of this room. It is executed when somebody asks for what it defines, so that a
    command does not wait for those that it does not use."""
    path = f"{__name__}.{name}"
    if path not in sys.modules:
        spec = None if name.startswith("__") else find_spec(path)
        if spec is None or spec.loader is None:
            raise AttributeError(name)
        spec.loader = LazyLoader(spec.loader)
        sys.modules[path] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[path]
