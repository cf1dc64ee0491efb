"""The player as one HTML output: a frame of its own that holds script, style and data.

A frame whose page stands in `srcdoc` needs no server, no kernel and no widget, so that it plays in
a saved notebook and in a page made of one. Below it stands the strip, which the script hides; where
scripts or frames are taken out, the strip is what remains.
"""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files

from grader.judge.playback.marks import Mark
from grader.judge.playback.strip import strip_of
from grader.watch.recording import Recording

from ..html import TEXT, Page, prose, unless_escaped
from .payload import packed
from .strip import drawn

_SCRIPTS = ("model.js", "views.js", "controls.js")
HEIGHT = 620  # pixels, until the script knows better
PLAYER = "ww-player"  # the class by which pages know it
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>{style}</style></head><body><main id="player"></main>
<script type="application/octet-stream" id="data">{data}</script><script>{script}</script>
</body></html>"""


def player(recording: Recording, found: list[Mark], note: str = "") -> Page:
    """The recording as a page, opened at the first of the `found` marks, or at its first step.
    `note` is a sentence shown with it."""
    opened = found[0].frame if found else 0
    told = drawn(strip_of(recording, found), recording.source)
    title = f"{recording.kernel}, step by step"
    inside = _PAGE.format(
        title=escape(title), style=_file("player.css"), data=packed(recording, found, opened),
        script="\n".join(map(_file, _SCRIPTS)),
    )  # fmt: skip
    frame = (
        f'<iframe title="{escape(title)}" srcdoc="{escape(inside)}" width="100%" height="{HEIGHT}" '
        'style="border: 0; display: block; min-width: 0; color-scheme: normal"></iframe>'
    )
    first = f'<div style="color: {TEXT}; margin: 2px 0 4px 0">{prose(note)}</div>' if note else ""
    html = f'{first}<div class="{PLAYER}">{unless_escaped(frame)}<div>{told.html}</div></div>'
    return Page(html, "\n".join(part for part in (note, told.text) if part))


@cache
def _file(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
