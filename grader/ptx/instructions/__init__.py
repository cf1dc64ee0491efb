"""The pages of the table, by the chapters of NVIDIA's PTX ISA. Each module here is one, or two
about one thing, and enters its opcodes when it is imported; the whole table has been read once this
package is."""

from importlib import import_module
from pkgutil import iter_modules

from ..table import OPCODES, bind, fused, resolve

for page in iter_modules(__path__):
    import_module(f"{__name__}.{page.name}")

__all__ = ["OPCODES", "bind", "fused", "resolve"]
