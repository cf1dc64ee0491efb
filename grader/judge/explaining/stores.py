"""Rules about who stored a wrong element, and from where: nobody, from another place, a value that
belongs elsewhere.
"""

import math
from dataclasses import replace

import numpy as np

from ...course.rules import blocks_and_threads
from ...cuda.errors import Message
from ..protocol import Element
from .about import FEW_PLACES, About
from .indices import by_strides, rule
from .thread_paths import last_conditions
from .two_trails import index_step
from .used import Told, capital, copied


def nobody_wrote(about: About) -> Told:
    """Nobody wrote it: the only line that would, and who does in a right kernel."""
    if not about.pair.wrong.written and about.ours.stored:
        buffer, who = about.pair.wrong.element.buffer, about.ours.stored.who
        name, path = about.words.name(buffer), about.pair.path(about.ours.stored)
        instead = {one: at for one, at in path.stored if one.buffer == buffer}
        asked, at = last_conditions(
            path, about.words.source, max(about.declared.writers(name), default=0)
        )
        only, line = about.declared.only_written(name, whole=not (instead or asked))
        said, remedy = only, ""
        if instead:
            line = next(iter(instead.values()))
            index = about.declared.index(line or 0, name) if len(instead) == 1 else ""
            said = f"{capital(who)} writes {about.listed(instead)}, but not {about.here}."
            remedy = (
                f"Compute the index `{index}`"
                f"{about.declared.computed_on(index, line or 0) or f' on line {line}'} by hand "
                f"for {who}"
                f"{about.numbers(buffer, index)}."
                if index
                else about.doubting(
                    about.declared.line(line),
                    line,
                    f"Which loop or index should bring {who} to {about.here}?",
                )
            )
            if few := _too_few_threads(about, buffer, line):
                said = f"{capital(who)} writes {about.listed(instead)}."
                only, remedy = few, f"How can a thread write more than one element of {name}?"
        elif asked:
            here = about.values(at or 0, about.ours.stored)
            said, line = f"{capital(who)} does not write it: {asked}.{here}", at
            remedy = about.doubted(asked, here, who)
            if asked.endswith("true"):
                remedy += f" If not, what should {who} write before it leaves?"
        yield (
            Message(
                said,
                only if said != only else "",
                remedy,
                ours=f"In our kernel {who} writes it.",
            ),
            line,
        )


def _too_few_threads(about: About, buffer: str, line: int | None) -> str:
    """A sentence where a line that is in no loop writes to an array that has more elements than
    the launch has threads; "" elsewhere."""
    size = about.words.problem.outputs[buffer].value.size
    launches = [one for one in about.words.problem.launches if buffer in one.args]
    threads = max(blocks * block for blocks, block in blocks_and_threads(launches))
    return (
        ""
        if line is None or about.declared.loop(line)[0] or threads >= size
        else f"The launch has {threads:,} threads, and {about.words.name(buffer)} has {size:,} "
        f"elements. Line {line} writes one element per thread."
    )


def other_place(about: About) -> Told:
    """One element in the place of another."""
    if not (about.is_complete and len(about.elements) == len(about.right_elements) == 1):
        return
    (mine,), (ours,) = about.elements, about.right_elements
    if mine != ours:
        loaded, stored = about.mine.used[0].loaded, about.mine.stored
        sentence = (
            f"{about.here} comes from {about.name(mine)}, and should come from "
            f"{about.name(ours)}. {capital(loaded.who)} loads {about.name(mine)}{loaded.on}"
        )
        rule, line = _rule(about), loaded.line
        loop, head = about.its_loop(line)
        is_nan = math.isnan(about.input(mine))
        rule = rule if rule.why or is_nan else Message(why=loop.first, remedy=loop.remedy)
        is_far = stored and stored.line and stored.line > (line or 0)
        if stored and is_far and rule.why != loop.first and not is_nan:
            on_way = f"Follow this element from line {line} to line {stored.line}."
            rule = replace(rule, remedy=f"{on_way} Which index on its way is wrong?")
        if any(about.wanted in (one.taken, one.refused) for one in about.mine.choices):
            rule += Message(remedy=f"Which step chooses {about.name(mine)} here?")
        more = rule if str(rule) else index_step(about.mine, about.ours, about.name)
        index = about.declared.index(line or 0, about.words.name(mine.buffer))
        # Who loads the right element as in the solution has a right index there.
        right = about.ours.used[0].loaded.who
        loads = [one.loaded.who for one in about.loads.get(ours, ())]
        is_own = stored is not None and stored.who == loaded.who and right not in loads
        if index and not more.remedy and stored and (stored.line == line or is_own):
            by_hand = f"Compute the index `{index}`{about.declared.computed_on(index, line or 0)}"
            numbers = about.numbers(about.pair.wrong.element.buffer, index)
            more += Message(remedy=f"{by_hand} by hand for {loaded.who}{numbers}.")
        if stored and stored.line and stored.line != line:
            who = "" if stored.who == loaded.who else f", and {stored.who}"
            sentence += f"{who or ' and'} stores it{stored.on}"
            if not str(more):  # nothing is wrong with the index of the load
                more, line = (
                    Message(
                        remedy=f"Which comparison decides about {about.name(mine)}?"
                        if is_nan
                        else f"Follow this value from line {line} to line {stored.line}. Which "
                        "index or condition on its way is wrong?"
                    ),
                    stored.line,
                )
        if not more.why and (end := about.last_use([ours])):  # the right one got lost there
            more, line = Message(why=about.who_loads([ours], False), remedy=about.after(end)), end
        yield Message(f"{sentence}.") + more, head if rule.why == loop.first != "" else line


def _rule(about: About) -> Message:
    """How all that were looked at stand to what they should be."""
    made = [(about.mine, about.ours), *about.pair.others]
    taken = [both for pair in made if (both := copied(*pair))]
    if len(taken) < len(made):
        return Message()
    index, wrong = about.words.index, about.pair.wrong
    said = rule([(index(mine), index(ours)) for mine, ours in taken])
    if not said:
        there = [about.words.place(one) for one in (wrong.element, *wrong.others)]
        flat = ([one.index for one in side] for side in zip(*taken, strict=True))
        said = by_strides(there[: len(taken)], *flat)
    loaded = about.mine.used[0].loaded
    return Message(
        why=said,
        remedy=said and f"Compute the index of the load{loaded.on} by hand for {loaded.who}.",
    )


def misplaced(about: About) -> Told:
    """Values that belong in other elements of the output, each in one alone."""
    wrong, stored = about.pair.wrong, about.mine.stored
    buffer = wrong.element.buffer
    expected = about.words.problem.outputs[buffer].value
    belongs = [
        np.flatnonzero(np.isclose(expected.ravel(), one, 1e-6, 0))
        for one in (*wrong.found.flat[:FEW_PLACES], *wrong.found.flat[-FEW_PLACES:])
    ]
    # Of the same elements or of others alone: a maximum of more may be another's by chance.
    is_another = bool(about.elements) and (
        about.elements.keys() == about.right_elements.keys()
        or about.elements.keys().isdisjoint(about.right_elements)
    )
    is_there = len({*wrong.found.flat}) > 1 and all(len(some) == 1 for some in belongs)
    if stored and is_another and is_there:
        there = about.name(Element(buffer, int(belongs[0][0])))
        yield (
            Message(
                f"{about.here} has the value of {there}. {capital(stored.who)} stores it"
                f"{stored.on}.",
                remedy=f"Is the index{stored.on} right?",
            ),
            stored.line,
        )


def elsewhere(about: About) -> Told:
    """Another thread of the block has the right value where this one stores its own."""
    wrong, stored, theirs = about.pair.wrong, about.mine.stored, about.ours.stored
    wanted = wrong.expected.flat[0]
    right = [one for one, value in about.mine.peers.items() if np.isclose(value, wanted, 1e-5, 0)]
    alone = (wrong.expected == wanted).sum() == 1 and wanted and len(about.right_elements) > 1
    if stored and theirs and stored.thread != theirs.thread and right and alone:
        yield (
            Message(
                f"Thread {right[0]} has the right value, and thread {stored.thread} stores its "
                f"own{stored.on}.",
                remedy="Which lane or thread has the result at this line?",
            ),
            stored.line,
        )
