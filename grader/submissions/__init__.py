"""What learners hand in: read, cleaned, and taken apart into answers."""

import importlib
import sys
from importlib.util import find_spec
from types import ModuleType


class _NbgraderPackage(ModuleType):
    """The package nbgrader, whose own first lines import JupyterLab's server, formgrader and all,
    which takes a second and no command needs: they run when somebody asks for what they define."""

    def __getattr__(self, name: str) -> object:
        if find_spec(f"{self.__name__}.{name}"):
            return importlib.import_module(f"{self.__name__}.{name}")
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        if (spec := self.__spec__) is None or spec.loader is None:
            raise AttributeError(name)
        spec.loader.exec_module(self)
        return vars(self)[name]


def open_nbgrader() -> None:
    """Have modules of nbgrader imported from now on without the server extensions of nbgrader."""
    spec = None if "nbgrader" in sys.modules else find_spec("nbgrader")
    if spec is not None and spec.loader is not None:
        package = _NbgraderPackage(spec.name)
        package.__spec__, package.__path__ = spec, list(spec.submodule_search_locations or ())
        package.__file__, package.__loader__ = spec.origin, spec.loader
        package.__package__ = spec.name
        sys.modules[spec.name] = package
        version = importlib.import_module("nbgrader._version")
        vars(package)["__version__"] = version.__version__
