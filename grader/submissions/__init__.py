"""What learners hand in: read, cleaned, and taken apart into answers."""

import importlib
import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType


class _NbgraderPackage(ModuleType):
    """The package nbgrader, whose own first lines import JupyterLab's server, formgrader and all,
    which takes a second and no command needs: they run when somebody asks for what they define."""

    def __getattr__(self, name: str) -> object:
        if find_spec(f"{self.__name__}.{name}"):
            return importlib.import_module(f"{self.__name__}.{name}")
        spec = self.__spec__
        if name.startswith("__") or spec is None or spec.loader is None:
            raise AttributeError(name)
        spec.loader.exec_module(self)
        return vars(self)[name]


def open_nbgrader() -> None:
    """Have modules of nbgrader imported from now on without the server extensions of nbgrader."""
    spec = None if "nbgrader" in sys.modules else find_spec("nbgrader")
    if spec is not None:
        sys.modules[spec.name] = package = module_from_spec(spec)
        package.__class__ = _NbgraderPackage
        vars(package)["__version__"] = importlib.import_module("nbgrader._version").__version__
