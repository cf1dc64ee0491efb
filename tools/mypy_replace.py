"""For mypy: `dataclasses.replace` fails on a msgspec Struct.

mypy takes a Struct for a dataclass, since both are made by `dataclass_transform`, and so accepts a
call that raises a TypeError. pyproject.toml names this module as a plugin.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy.plugin import FunctionContext, Plugin
from mypy.types import Instance, Type, TypeVarType, UnionType, get_proper_type


class _Replace(Plugin):
    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        return _checked if fullname == "dataclasses.replace" else None


def _checked(call: FunctionContext) -> Type:
    for kind in call.arg_types[0]:
        if _is_struct(kind):
            call.api.fail("Use msgspec.structs.replace: this is a msgspec Struct", call.context)
    return call.default_return_type


def _is_struct(kind: Type) -> bool:
    kind = get_proper_type(kind)
    if isinstance(kind, UnionType):
        return any(map(_is_struct, kind.items))
    if isinstance(kind, TypeVarType):
        return _is_struct(kind.upper_bound)
    return isinstance(kind, Instance) and kind.type.has_base("msgspec.Struct")


def plugin(version: str) -> type[Plugin]:
    return _Replace
