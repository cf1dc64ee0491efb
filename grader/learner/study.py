"""What a learner gives to a study of the course, if they agreed in their own folder.

The agreement is `.warpwise/study`, one line for each change of mind: agree, withdraw. The notebook
that is handed in then carries one row for each exercise and question in its metadata. A row has no
name, no text of the learner, and no date.
`agree:player-1a2b3c` has the code that an instructor has drawn for the learner. It says whether
their half of the class works with a feature of the course or without it.
"""

import json
import re
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from fsrs import Rating
from msgspec import Meta

from . import progress, recall

FILE = Path(progress.MARK) / "study"
AGREE, WITHDRAW = "agree", "withdraw"
FEATURES = {"player": "the player", "puzzle": "`puzzle`", "warm_up": "the warm-up"}
CODE = re.compile(rf"({'|'.join(FEATURES)})-[0-9a-f]{{6}}")
KEY = "study"  # in a notebook's metadata, below "warpwise"

Amount = Annotated[int, Meta(ge=0, le=100_000)]


@dataclass(frozen=True)
class StudyRow:
    """What a learner did at one exercise or question. The descriptions are the codebook."""

    piece: Annotated[
        str,
        Meta(
            pattern=r"\A[0-9a-z_]{1,60}/[0-9a-zA-Z_]{1,60}\Z",
            description="The lesson and the exercise. A question has a key in place of a name.",
        ),
    ]
    tries: Annotated[Amount, Meta(description="Checks up to the first right one, that one too.")]
    right: Annotated[bool, Meta(description="True if one of the tries was right.")]
    first_message: Annotated[
        str,
        Meta(
            pattern=r"\A[a-z_]{0,40}\Z",
            description="The status of the first check that was not right. Empty: there was none, "
            "or the piece is a question. `other`: fewer than five learners got this status.",
        ),
    ]
    helps: Annotated[Amount, Meta(description="Hints before the first right check.")]
    minutes: Annotated[
        Amount,
        Meta(
            description="Time from the first try or hint to the first right check, without pauses "
            "of more than 30 minutes. Reading before the first try is not measured."
        ),
    ]
    day: Annotated[
        Amount, Meta(description="Days from the learner's first entry in the log to the first try.")
    ]
    retained: Annotated[
        str,
        Meta(
            pattern=r"\A(yes|no)?\Z",
            description="`yes`: right at first, without a hint, in the first sitting that began at "
            "least one day after the first right check. Usually a warm-up. Empty: no such sitting.",
        ),
    ]
    retained_after: Annotated[
        Amount | None,
        Meta(description="Days from the first right check to that sitting; empty without one."),
    ]
    group: Annotated[
        str,
        Meta(
            pattern=r"\A[a-z_]{0,20}\Z",
            description="`no_player`: this half of the class works without the player. `player`: "
            "the other half. `puzzle` and `warm_up` likewise. Empty: nothing was drawn. `other`: "
            "fewer than five learners of this group have the piece.",
        ),
    ] = ""


def decide(root: Path, word: str) -> None:
    """Write down that the learner of the folder `root` agrees, or withdraws."""
    with (root / FILE).open("a", encoding="utf-8") as file:
        file.write(f"{word}\n")


def agrees(root: Path) -> bool:
    """Whether the learner takes part."""
    return any(word.startswith(AGREE) for word in decisions(root)[-1:])


def decisions(root: Path) -> list[str]:
    """All changes of mind, the last one counts."""
    path = root / FILE
    return path.read_text(encoding="utf-8").split() if path.is_file() else []


def half(root: Path) -> tuple[str, bool]:
    """The feature that a learner's code is about, and whether their half of the class works with
    it: an odd last digit stands for the half without. "" and True without agreement or code."""
    word, _, code = "".join(decisions(root)[-1:]).partition(":")
    found = CODE.fullmatch(code) if word == AGREE else None
    return (found[1], int(code[-1], 16) % 2 == 0) if found else ("", True)


def has(feature: str, inside: Path | None = None) -> bool:
    """Whether the learner of the folder `inside` (the current one) works with a feature of the
    course: all do but the half of a study that was drawn to work without it."""
    root = progress.folder(inside)
    return root is None or half(root) != (feature, False)


def copy_notebook(root: Path, path: Path, to: Path) -> None:
    """Copy a notebook that is handed in. With the learner's agreement the copy carries the rows.
    After a withdrawal it carries the withdrawal, without rows."""
    content, made = path.read_bytes(), decisions(root)
    if made:
        notebook = json.loads(content)
        notebook.setdefault("metadata", {}).setdefault("warpwise", {})[KEY] = {
            "changes": len(made),
            "events": sum(
                len(tries) for did in progress.read(root).values() for tries in did.tries.values()
            ),
            "rows": list(map(asdict, rows(root))) if agrees(root) else [],
        }
        content = json.dumps(notebook, indent=1).encode()
    to.write_bytes(content)


def rows(root: Path) -> list[StudyRow]:
    """A row for each exercise and question that the log in `root` knows."""
    every = [
        (lesson, name, did, list(dict.fromkeys(tries)))  # joined logs have lines twice
        for lesson, did in progress.read(root).items()
        for name, tries in did.tries.items()
    ]
    begin = min((tries[0][0] for *_, tries in every), default=progress.now())
    feature, is_with = half(root)
    return [
        StudyRow(
            f"{lesson}/{name}",
            first_message=did.said.get(name, ""),
            group=feature if is_with else f"no_{feature}",
            **_figures(tries, begin),
        )
        for lesson, name, did, tries in every
    ]


def _figures(tries: list[progress.Try], begin: datetime) -> dict[str, Any]:
    """The other columns of a row; `tries` are in order."""
    results = [right for _, right in tries]
    right = True in results
    until = tries[: results.index(True) + 1] if right else tries
    # A longer pause between two tries is no work.
    time = sum(
        (
            pause
            for (before, _), (after, _) in pairwise(until)
            if (pause := after - before) <= timedelta(minutes=30)
        ),
        timedelta(),
    )
    later = [
        (start - until[-1][0], rating)
        for start, rating in recall.reviews(tries)
        if right and start - until[-1][0] >= timedelta(days=1)
    ]
    return {
        "tries": sum(each is not None for _, each in until),
        "right": right,
        "helps": sum(each is None for _, each in until),
        "minutes": round(time / timedelta(minutes=1)),
        "day": (tries[0][0] - begin).days,
        "retained": ("yes" if later[0][1] is Rating.Good else "no") if later else "",
        "retained_after": later[0][0].days if later else None,
    }
