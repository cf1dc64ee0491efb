"""Which changes of the analysis its tests would not notice:

    python tests/analysis_mutants.py [NAME]

Each meaning of an instruction, each way to compute with integers and each lemma about loops (or the
one called NAME) is changed in one place after the other. A change is noticed if something that
happens is excluded, something that does not is allowed, or less is known than before. The others
are printed: some say the same in other words, the rest are what the tests lack.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import instruction_meanings
from analysed_loops import LOOPS, wrong_about
from instruction_meanings import INSTRUCTIONS, kind_of_result
from mutants import mutants

from grader.cuda.analysis import meanings, rounds
from grader.cuda.analysis.values import Arithmetic

HELPERS = ("_on_predicates", "_on_bits", "_masked", "_field", "_bounded", "_apart", "_compared")
COMPUTING = ("read_as", "wrapped", "floor_quotient", "quotient", "low_bits")
ABOUT_LOOPS = (
    *("_learned", "_step", "_at_start", "_integer", "_even", "_epoch", "leaving", "_grouped"),
    *("_say_what_was_before", "_one_step_back", "_not_passed", "_steps_of", "_link_epochs"),
)


def noticed_in_instructions(name: str) -> Callable[[], bool]:
    """Whether the instructions that a function is for (a helper: all) are understood as before."""
    names = {opcode for opcode, one in meanings.MEANINGS.items() if one.__name__ == name}
    found = [one for one in INSTRUCTIONS if one.opcode.partition(".")[0] in names] or INSTRUCTIONS
    before = {one: kind_of_result(one) for one in found}

    def noticed() -> bool:
        if instruction_meanings.wrong_about_pointers():
            return True
        return any(
            kind_of_result(one) != before[one] or instruction_meanings.wrong(one) for one in found
        )

    return noticed


def noticed_in_loops() -> bool:
    return any(map(wrong_about, LOOPS))


def unnoticed(where: Any, name: str, noticed: Callable[[], bool]) -> list[str]:
    """The changed texts."""
    function, found = vars(where)[name], []
    opcodes = [opcode for opcode, one in meanings.MEANINGS.items() if one is function]
    for text, mutant in mutants(function):
        setattr(where, name, mutant)
        meanings.MEANINGS.update(dict.fromkeys(opcodes, mutant))
        try:
            found += [] if noticed() else [text]
        except Exception:
            continue
        finally:
            setattr(where, name, function)
            meanings.MEANINGS.update(dict.fromkeys(opcodes, function))
    return found


def main(wanted: str = "") -> None:
    known = sorted({one.__name__ for one in meanings.MEANINGS.values()})
    places: list[tuple[Any, str]] = [(meanings, name) for name in (*known, *HELPERS)]
    places += [(Arithmetic, name) for name in COMPUTING]
    places += [(rounds.AnyRound, name) for name in ABOUT_LOOPS] + [(rounds, "not_passed")]
    for where, name in places:
        if wanted not in ("", name):
            continue
        about_loops = where in (rounds, rounds.AnyRound)
        found = unnoticed(
            where, name, noticed_in_loops if about_loops else noticed_in_instructions(name)
        )
        print(f"{name}: {len(found)} of {len(list(mutants(vars(where)[name])))} not noticed")
        print("\n\n".join(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:2])
