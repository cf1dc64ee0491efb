"""Rules about the rounds of a loop and the lanes of a shuffle that bring the wrong values."""

import re

from ...cuda.errors import Message
from ...say.verdict_answers import LOOP_FAULTS
from .about import About
from .conditions import of_floats
from .used import Told, capital


def without_stride(about: About) -> Told:
    """A loop over strides in which each round goes equally far, or passes on the same; and one
    that keeps nothing of the round before."""
    for line in range(1, 1 + len(about.declared.lines)) if about.pair.wrong.written else ():
        for find, words in LOOP_FAULTS:
            if found := find(about.declared, line):
                yield words(line, *found), line
                break


def shuffled(about: About) -> Told:
    """A shuffle that brings other lanes' values than the solution's."""
    mine, ours = ({_way(one) for one, *_ in side.shuffles} for side in (about.mine, about.ours))
    instead = " and ".join(f"`__shfl_{way}sync`" for way in sorted(ours) if ours - mine)
    lost = "What should a thread do where its shuffle finds no lane?"
    asked = "From which lane should this value come?" if instead else lost
    for opcode, place, own in about.mine.shuffles if about.elements != about.right_elements else ():
        way = _way(opcode)
        name, opposite = f"`__shfl_{way}sync`", {"up_": "down_"}.get(way, "up_") in ours - mine
        because = {"xor_": "names the lane itself", "up_": "goes below lane 0"}.get(
            way, "goes beyond the last lane"
        )
        fact = (
            f"gets its own value back, because {name} {because}"
            if own
            else f"takes a value with {name}"
        )
        guards = [
            (said, one.place.line)
            for one in about.mine.choices
            if not of_floats(one)
            and about.declared.loop(one.place.line or 0)[1]
            == about.declared.loop(place.line or 0)[1]
            and (said := about.guarded(one.place))
        ]
        asks, line = guards[0] if own and guards else ("", place.line)
        if own and way == "xor_":
            asked, instead = "Compute the third argument by hand for each round.", ""
        elif (
            not way or way in ours or not (own or (ours and opposite) or _beyond_reach(about, way))
        ):
            continue
        elif own and name[1:-1] in about.words.solution:  # with another value for such lanes
            asked, instead = lost, ""
        elif "xor_" in ours and (not own or about.declared.loop(place.line or 0)[0]):
            asked = (
                f"After the last {name}, only the {'first' if way == 'down_' else 'last'} lane has "
                "the whole result. Which lanes need it?"
            )
        yield (
            Message(
                f"{capital(place.who)} {fact}{place.on}.",
                remedy=asks or asked,
                ours=f"Our kernel uses {instead}." if instead else "",
            ),
            line,
        )
    if about.ours.shuffles and not about.mine.shuffles and about.mine.stored:
        for at, text in enumerate(about.declared.lines, start=1):
            found = re.search(r"__shfl_(up|down)_sync", text)
            if found and f"{found[1]}_" not in ours:
                lanes = "lower" if found[1] == "up" else "higher"
                said = (
                    f"{capital(about.mine.stored.who)} gets no value of another lane: on line "
                    f"{at}, `{found[0]}` brings values of {lanes} lanes."
                )
                yield Message(said, remedy=asked, ours=f"Our kernel uses {instead}."), at


def _beyond_reach(about: About, way: str) -> bool:
    """Whether all that is missing was loaded by lanes from which such a shuffle brings nothing
    to the thread that stored it."""
    side = {"down_": -1, "up_": 1}.get(way, 0)
    lost = about.right_elements.keys() - about.elements.keys()
    loads = [some[-1].loaded for one in lost if (some := about.loads.get(one))]
    me = about.mine.stored.thread if about.mine.stored else 0
    return (
        len(loads) == len(lost) > 0
        and not any(own for *_, own in about.mine.shuffles)
        and all((one.thread - me) * side > 0 for one in loads)
    )


def _way(opcode: str) -> str:
    """ "xor_" of `__shfl_xor_sync`, "" of `__shfl_sync`."""
    return {"bfly": "xor_", "idx": ""}.get(mode := opcode.split(".")[2], f"{mode}_")
