"""docs/verdict.md and docs/verdict.schema.json: every field of what `grader check --json` prints.

`python -m tools.schema_page` writes both, tests/judge/test_schema.py compares.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from inspect import cleandoc  # Python before 3.13 keeps what docstrings are indented by
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from grader.judge import verdict
from grader.judge.verdict import VERSION
from grader.status import Status

FOLDER = Path(__file__).parents[1] / "docs"
_NOT_FINITE = ["nan", "inf", "-inf"]
_INTRODUCTION = f"""\
# Verdicts as JSON

Made by `python -m tools.schema_page`.

`grader check FILE.cu --exercise LESSON/NAME --json` and `grader check NOTEBOOK.ipynb --json` print
one object of the same form, a Report. The exit status is 0 if every exercise passed, and 1 if not.
It is 2 if there was nothing to judge. Then a sentence on stderr gives the reason, and the command
prints nothing else. Every field is always there. JSON has no number for NaN and infinities: these
are the strings `"nan"`, `"inf"` and `"-inf"`.

This is version {VERSION}. We may add fields within a version, so a reader should ignore fields that
it does not know. If we remove a field or change its meaning, we raise `version`. This page is also
there as a JSON Schema: [verdict.schema.json](verdict.schema.json).

Version 2 differs from version 1 in two fields of a [Verdict](#verdict).

- `points` was the sum over the cases. Now it is more if `partial`, a new field, is not null.
- `max_points` was the sum over the cases that were run. Now it is the worth of the exercise.

A reader of version 1 that adds up the cases itself still gets the points of version 1, because a
case gives all of its points or none.
"""


def page() -> str:
    """Markdown: each object with its fields, and what each status means."""
    parts = [_INTRODUCTION, *map(_object, _objects(verdict.Report)), _statuses()]
    return "\n".join(parts)


def json_schema() -> dict[str, Any]:
    """The same as a JSON Schema (draft 2020-12)."""
    made = msgspec.json.schema(verdict.Report)
    kinds = made["$defs"]
    for kind in kinds.values():
        if "properties" in kind:
            kind["required"] = list(kind["properties"])
        if "description" in kind:
            kind["description"] = cleandoc(kind["description"])
    kinds["Report"]["properties"]["version"] = {"const": VERSION}
    words = [{"const": str(one), "description": one.meaning} for one in Status]
    kinds["Status"] = {"title": "Status", "oneOf": words}
    for name in ("expected", "found"):
        value = kinds["Mismatch"]["properties"][name]
        value["anyOf"] = [{"type": value.pop("type")}, {"enum": _NOT_FINITE}]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}


def json_text() -> str:
    return json.dumps(json_schema(), indent=1) + "\n"


def _objects(kind: type) -> list[type]:
    """A dataclass and those in its fields, each once, in the order in which one meets them."""
    found = [kind]
    for hint in get_type_hints(kind).values():
        for inner in _dataclasses(hint):
            found += [one for one in _objects(inner) if one not in found]
    return found


def _dataclasses(hint: Any) -> list[type]:
    if isinstance(hint, type) and is_dataclass(hint):
        return [hint]
    return [one for argument in get_args(hint) for one in _dataclasses(argument)]


def _object(kind: type) -> str:
    hints = get_type_hints(kind, include_extras=True)
    rows = ["| field | type | |", "| --- | --- | --- |"]
    for field in fields(kind):
        plain, meta = get_args(hints[field.name])
        rows.append(f"| `{field.name}` | {_spelled(plain)} | {meta.description} |")
    return "\n".join([f"## {kind.__name__}", "", cleandoc(kind.__doc__ or ""), "", *rows, ""])


def _spelled(hint: Any) -> str:
    """A type as a reader of JSON would say it."""
    names = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
    origin, args = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return " or ".join(map(_spelled, args))
    if origin is Literal:
        return "string"
    if origin is tuple:
        return f"list of {_spelled(args[0])}"
    if origin is dict:
        return f"object of {_spelled(args[1])}"
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return "object"  # whose fields the schema has
    return names.get(hint) or f"[{hint.__name__}](#{hint.__name__.lower()})"


def _statuses() -> str:
    rows = [f"| `{one}` | {one.meaning} |" for one in Status]
    return "\n".join(["## Status", "", "A string:", "", "| | |", "| --- | --- |", *rows, ""])


if __name__ == "__main__":
    (FOLDER / "verdict.md").write_text(page(), encoding="utf-8")
    (FOLDER / "verdict.schema.json").write_text(json_text(), encoding="utf-8")
