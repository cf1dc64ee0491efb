"""The whole table: every page of it has been read once this module is imported."""

from .. import instructions as pages  # noqa: F401
from .table import OPCODES, bind, resolve

__all__ = ["OPCODES", "bind", "resolve"]
