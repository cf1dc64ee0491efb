"""Programs for Windows, run by Wine, with paths as Windows has them: what lies at /a/b is Z:\\a\\b.

`python tests/wine.py ARGUMENTS...` stands in for the program of the wheel `ziglang` (on_wine.py).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Not in the repository: Wine's folder has links to everywhere, which builders of wheels follow.
KEPT = Path.home() / ".cache" / "warpwise-wine"


def windows(path: object) -> str:
    return "Z:" + str(path).replace("/", "\\") if str(path).startswith("/") else str(path)


def run(program: Path, *arguments: str, folder: Path | None = None) -> int:
    found = (
        shutil.which("wine64", path=f"{os.environ.get('PATH', '/usr/bin')}:/usr/lib/wine") or "wine"
    )
    kept = {"HOME": str(KEPT), "WINEPREFIX": str(KEPT / "prefix"), "WINEDEBUG": "-all"}
    return subprocess.call(
        [found, str(program), *arguments], cwd=folder, env={**os.environ, **kept}
    )


_PLACE = re.compile(r"(-I|-f\w+-prefix-map=|)(/[^=]*)(=?)")


def zig(arguments: list[str]) -> int:
    """What the shim does: clang's arguments as Windows' Python would give them, and the files that
    it names as this system calls them."""
    if "-ivfsoverlay" in arguments:
        path = Path(arguments[arguments.index("-ivfsoverlay") + 1])
        seen = json.loads(path.read_text())
        for root in seen["roots"]:
            root |= {key: windows(root[key]) for key in ("name", "external-contents")}
        path.write_text(json.dumps(seen))
    status = run(KEPT / "ziglang/zig.exe", *map(_there, arguments))
    rule = Path("included")
    if rule.is_file():
        named = re.compile(rb"Z:[\\/](?:\\ |\S)*")
        back = named.sub(lambda path: path[0][2:].replace(b"\\", b"/"), rule.read_bytes())
        rule.write_bytes(back.replace(b"/ ", b"\\ "))
    return status


def _there(argument: str) -> str:
    found = _PLACE.fullmatch(argument)
    if found is None or not Path(found[2]).parent.is_dir() or found[2] == "/":
        return argument
    return f"{found[1]}{windows(found[2])}{found[3]}"


if __name__ == "__main__":
    sys.exit(zig(sys.argv[1:]))
