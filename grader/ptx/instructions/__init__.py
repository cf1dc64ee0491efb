"""The pages of the table. Each module here is one, and enters its opcodes when it is imported."""

from importlib import import_module
from pkgutil import iter_modules

for page in iter_modules(__path__):
    import_module(f"{__name__}.{page.name}")
