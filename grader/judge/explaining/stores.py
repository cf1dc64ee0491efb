"""Rules about who stored a wrong element, and from where it was taken: nobody, from another place,
or a value that belongs elsewhere.

How the elements that were taken stand to those that should have been is told as one rule only if
every wrong element that was looked at keeps to it. Of an index that leaves an array which it should
copy from, it is told by which strides it goes, and should: the case is run again with room around
its inputs, so that the run comes to its end, and elements of the output are told the place that
they were taken from, wherever that lies.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np

from ...course.rules import AXES, blocks_and_threads, dimensions
from ...cuda.errors import Message
from ...grouped import grouped
from ..cases import CaseInstance
from ..compare import Words
from ..protocol import Element
from ..session import Outcomes
from .about import FEW_PLACES, About
from .choices import of_equals
from .conditions import last_conditions
from .two_trails import index_step
from .used import Told, capital, copied, factor

Index = tuple[int, ...]
Rows = Sequence[tuple[Index, Index]]  # taken, and what should have been, both of one array
ROOM = 1 << 14  # elements before and behind
FEW = 3  # different places at least, for a rule about numbers
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
LOOKED_AT = 24  # elements of the output


def rule(rows: Rows) -> str:
    """A sentence; nothing where there is no rule. All indices are of one length."""
    return (
        ""
        if not rows or any(len(mine) != len(ours) for mine, ours in rows)
        else _exchanged_dimensions(rows) or _along_one(rows)
    )


def _exchanged_dimensions(rows: Rows) -> str:
    """Two dimensions that have changed places."""
    dimensions = len(rows[0][0])
    for a, b in combinations(range(dimensions), 2):
        swapped = all(mine == _exchanged(ours, a, b) for mine, ours in rows)
        if swapped and any(mine != ours for mine, ours in rows):
            return (
                "Row and column of this element are swapped."
                if dimensions == 2
                else f"The {ORDINALS[a]} and the {ORDINALS[b]} index are swapped."
            )
    return ""


def _exchanged(index: Index, a: int, b: int) -> Index:
    return tuple(index[{a: b, b: a}.get(at, at)] for at in range(len(index)))


def _along_one(rows: Rows) -> str:
    """A rule about the one dimension in which the two differ."""
    mine, ours = (np.array([row[at] for row in rows]) for at in (0, 1))
    other = (mine != ours).any(axis=0)
    if mine.ndim != 2 or other.sum() != 1:
        return ""
    which = "the index" if mine.shape[1] == 1 else f"the {ORDINALS[other.argmax()]} index"
    a, b = mine[:, other].ravel(), ours[:, other].ravel()
    if len(np.unique(b)) < FEW:
        return ""
    off, total, some = a - b, a + b, b != 0
    ratios = np.unique(a[some] / b[some])
    rules = (
        ((a == a[0]).all(), f"is always {a[0]}"),
        ((off == off[0]).all(), f"is {abs(off[0])} too {'large' if off[0] > 0 else 'small'}"),
        ((total == total[0]).all(), f"is {total[0]} minus the correct one"),
        (
            len(ratios) == 1 and not a[~some].any(),
            f"is {factor(float(ratios[0]))} what it should be",
        ),
    )
    found = next((said for holds, said in rules if holds), "")
    return (
        f"In all {len(rows)} elements that the grader compared, {which} {found}." if found else ""
    )


def by_strides(places: Sequence[Index], mine: Sequence[int], ours: Sequence[int]) -> str:
    """How far the places taken lie apart, in elements, from one element of the output to the next
    along each of its dimensions, beside how far they should. `places` are those of the output,
    `mine` and `ours` flat indices. Nothing where they are no linear function of the place."""
    if len({len(place) for place in places}) != 1 or len(places[0]) < 2:
        return ""
    found, wanted = _strides(places, mine), _strides(places, ours)
    if found is None or wanted is None or found[:-1] == wanted[:-1]:
        return ""
    flat = len(places[0]) == 2
    names = (
        ("row", "column")
        if flat
        else tuple(f"the {one} coordinate" for one in ORDINALS[: len(places[0])])
    )
    steps = [
        f"by {a} instead of {b} " + (f"from {name} to {name}" if flat else f"if {name} grows by 1")
        for name, a, b in zip(names, found[:-1], wanted[:-1], strict=True)
        if a != b
    ]
    swapped = [
        f" {capital(names[a])} and {names[b]} are swapped."
        for a, b in combinations(range(len(names)), 2)
        if _exchanged(found[:-1], a, b) == wanted[:-1]
    ]
    return f"The index changes {', '.join(steps[:2])}.{''.join(swapped[:1])}"


def _strides(places: Sequence[Index], taken: Sequence[int]) -> Index | None:
    """The whole numbers, a last one for where it begins, by which `taken` depends on `places`."""
    rows = np.column_stack([np.array(places), np.ones(len(places), int)])
    fitted, _, rank, _ = np.linalg.lstsq(rows, np.array(taken), rcond=None)
    whole = np.rint(fitted).astype(int)
    # One more than there are unknowns: what always fits is no rule.
    return (
        None
        if rank < rows.shape[1] or len(places) <= rank or (rows @ whole != taken).any()
        else tuple(whole.tolist())
    )


def beyond_an_array(judged: Outcomes, instance: CaseInstance, words: Words) -> Message:
    """A rule for a case, or the step that goes wrong; nothing where the output is no copy, or
    neither is found."""
    elements = _of_a_copy(instance)
    if not elements:
        return Message()
    mine, ours = (one.follow(instance, elements, ROOM) for one in (judged.session, judged.ours))
    taken = grouped(  # by buffer: (place in the output, taken, what should have been)
        (pair[1].buffer, (words.place(element), pair[0].index, pair[1].index))
        for element, *both in zip(elements, mine, ours, strict=False)
        if (pair := copied(*both))
    )
    for buffer, rows in taken.items():
        flat = [((one,), (other,)) for _, one, other in rows]
        if said := rule(flat) or by_strides(*zip(*rows, strict=True)):
            return Message(
                why=re.sub("[Tt]he index", rf"\g<0> into {words.name(buffer)}", said, count=1)
            )
    steps = (index_step(*pair, words.element) for pair in zip(mine, ours, strict=False))
    return next((one for one in steps if one.why), Message())


def _of_a_copy(instance: CaseInstance) -> tuple[Element, ...]:
    """Some elements of an output of which each element is an input's."""
    inputs = [one.ravel() for one in instance.problem.inputs.values() if one.dtype.kind == "f"]
    for name, expected in instance.problem.outputs.items():
        value = expected.value
        if value.size and inputs and np.isin(value, np.concatenate(inputs)).all():
            spread = np.linspace(0, value.size - 1, LOOKED_AT).astype(int)
            first = np.arange(min(LOOKED_AT // 2, value.size))
            return tuple(Element(name, int(at)) for at in np.union1d(spread, first))
    return ()


def nobody_wrote(about: About) -> Told:
    """Nobody wrote it: the only line that would, and who does in a right kernel."""
    if not about.pair.wrong.written and about.ours.stored:
        buffer, who = about.pair.wrong.element.buffer, about.ours.stored.who
        name, path = about.words.name(buffer), about.pair.path(about.ours.stored)
        instead = {one: at for one, at in path.stored if one.buffer == buffer}
        writers = about.declared.writers(name)
        asked, at = last_conditions(
            path,
            about.words.source,
            max(writers, default=0),
            lambda one: (
                not writers
                or any(about.declared.keeps_from(one.place.line or 0, line) for line in writers)
            ),
        )
        only, line = about.declared.only_written(name, whole=not (instead or asked))
        said, remedy = only, ""
        if instead:
            line = next(iter(instead.values()))
            index = about.declared.index(line or 0, name) if len(instead) == 1 else ""
            every = sorted(one.index for one in (*instead, about.pair.wrong.element))
            apart = {b - a for a, b in pairwise(every)}
            kernel = f"in `{about.launch(buffer).kernel}`, " * (
                about.words.solution.count("__global__") > 1
            )
            said = capital(f"{kernel}{who} writes {about.listed(instead)}, but not {about.here}.")
            only = said  # it does write
            remedy = (
                f"Compute the index `{index}`"
                f"{about.declared.computed_on(index, line or 0) or f' on line {line}'} by hand "
                f"for {who}"
                f"{about.numbers(buffer, index)}."
                if index
                else about.doubting(
                    about.declared.line(line),
                    line,
                    f"Should {who} make more than {len(instead)} writes, or should these begin "
                    f"more than {min(apart)} elements apart?"
                    if len(apart) == 1 and len(instead) > 2
                    else f"Which loop or index should bring {who} to {about.here}?",
                )
            )
            # With the condition: `if (i == n / 4)` lets one block write, whatever its line uses.
            made = about.declared.made_of(
                about.declared.line(line) + about.declared.guard(line or 0)[0]
            )
            if alike := [
                one
                for one, size in zip(AXES, dimensions(about.launch(buffer).grid), strict=False)
                if size > 1 and f"blockIdx.{one}" not in made
            ]:
                only = (
                    f"Nothing on line {line} uses `blockIdx.{alike[0]}`: several blocks write the "
                    "same elements."
                )
            if outer := about.declared.around_it(line or 0)[:-1] if only == said else []:
                only = (
                    f"Line {line} is in the loop on line {outer[0]}: "
                    f"`{about.declared.loops[outer[0]]}`."
                )
            if few := _too_few_threads(about, buffer, line):
                said = f"{capital(who)} writes {about.listed(instead)}."
                only, remedy = few, f"How can a thread write more than one element of {name}?"
        elif asked:
            here = about.values(at or 0, about.ours.stored, asked)
            said, line = f"{capital(who)} does not write it: {asked}.{here}", at
            remedy = about.doubted(asked, here, who)
            if asked.endswith("true"):
                remedy += f" Or what should {who} write before it leaves?"
        yield (
            Message(
                said,
                only if said != only else "",
                remedy,
                ours=f"In our kernel {who} writes {about.here}.",
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
        if lines := about.tied_on([mine, ours]) if about.mine.choices else []:
            lost = about.last_use([ours])
            lines = [lost] if lost in lines else lines
            known = Message(f"{sentence}.", about.who_loads([ours], False))
            yield known + of_equals(about, lines), lines[-1]
            return
        rule, line = _rule(about), loaded.line
        loop, head = about.its_loop(line)
        is_nan = math.isnan(about.input(mine))
        rule = rule if rule.why or is_nan else Message(why=loop.first, remedy=loop.remedy)
        is_far = stored and stored.line and stored.line > (line or 0)
        if stored and is_far and rule.why != loop.first and not is_nan:
            rule = replace(
                rule,
                remedy=about.doubting(
                    about.declared.line(stored.line),
                    stored.line,
                    f"Follow this element from line {line} to line {stored.line}. Which index on "
                    "its way is wrong?",
                ),
            )
        if any(about.wanted in (one.taken, one.refused) for one in about.mine.choices):
            rule += Message(remedy=about.chooses(mine))
        more = rule if str(rule) else index_step(about.mine, about.ours, about.name)
        index = about.declared.index(line or 0, about.words.name(mine.buffer))
        # Who loads the right element as in the solution has a right index there.
        right = about.ours.used[0].loaded.who
        loads = [one.loaded.who for one in about.loads.get(ours, ())]
        is_own = stored is not None and stored.who == loaded.who and right not in loads
        if index and not more.remedy and stored and (stored.line == line or is_own):
            more += Message(
                remedy=f"Compute the index `{index}`"
                f"{about.declared.computed_on(index, line or 0)} by hand for {loaded.who}"
                f"{about.numbers(about.pair.wrong.element.buffer, index)}."
            )
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
        yield (
            Message(
                f"{about.here} has the value of {about.name(Element(buffer, int(belongs[0][0])))}. "
                f"{capital(stored.who)} stores it{stored.on}.",
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
