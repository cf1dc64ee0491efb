"""Rules about the elements that went into a value: those that are missing, that do not belong
there, and that are counted too often.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from ...compilers.loop_faults import kept_over
from ...course.rules import dimensions
from ...cuda.errors import Message
from ...grouped import grouped
from ..protocol import Element, ThreadPath, ThreadPlace, Used
from .about import About
from .choices import chosen_by, other_winner
from .conditions import (
    COMPARED,
    after_doubts,
    after_value,
    as_written,
    compared_on,
    numbers_of,
    without_round,
)
from .trail import Trail
from .used import Times, Told, capital, times


def other_elements(about: About) -> Told:
    """What is not in it, and what does not belong there."""
    if not about.is_complete:
        return
    if len(about.elements) == 1:
        yield from other_winner(about)
    if about.right_elements and not about.elements:
        # Those of an earlier launch come into it by these.
        here = [one for one in about.right_elements if not about.other_launch(one.buffer)]
        lost, line = (
            about.listed(here or about.right_elements),
            about.last_use(about.right_elements),
        )
        made = about.ways.last_line
        read = [
            one
            for one in re.findall(r"=.*?(\w+(?:\[[^][]*\])+)", about.declared.line(made))
            if about.declared.find(one.partition("[")[0], "shared")
        ]
        asked = about.doubting(
            about.declared.line(made),
            made,
            f"Is `{read[0]}` the right element on line {made}?"
            if len(read) == 1 and not about.kept(about.right_elements)
            else f"Which step should bring {lost} into {about.here}?",
        )
        chose = [one for one in about.mine.choices if one.taken == about.found]
        if chose:
            known = about.values(chose[-1].place.line or 0, chose[-1].place)
            remedy = about.guarded(chose[-1].place, not known) * (about.found == chose[-1].refused)
            yield (
                Message(
                    f"{chosen_by(about, chose[-1])}.{known}",
                    f"{about.here} uses no input. It should use {lost}.",
                    after_value(
                        known, remedy or f"Should {about.found:g} be the value of {about.here}?"
                    ),
                ),
                chose[-1].place.line,
            )
            return
        loop, head = _without_round(about, here or about.right_elements)
        array = read[0].partition("[")[0] if len(read) == 1 and not (head or line) else ""
        others = _not_from(about, array) if array else []
        if len(others) == 1:
            guard, asks = about.declared.guard(others[0])
            yield (
                Message(
                    f"{about.here} uses no input. It should use {lost}.",
                    f"Line {others[0]} also writes to {array}, but {about.here} uses nothing that "
                    "it wrote.",
                    after_doubts(
                        about.declared.doubtful(guard, asks, about.usual),
                        f"For which threads is `{guard}` (line {asks}) true?"
                        if guard
                        else f"Which elements does line {others[0]} write?",
                    ),
                ),
                others[0],
            )
            return
        stored, passed = about.mine.stored, ""
        who, said, at = _condition(about, line)
        text = about.declared.line(stored.line if stored else None)
        if said and who and (at == line or re.search(r"\]\s*=\s*[-\d.]+f?;", text)):
            values = about.values(at or 0, who)
            passed = f" {capital(said)} for {who.who}.{values}"
            asked = about.doubted(said, values, who.who)
        told = Message(
            f"{about.here} uses no input. It should use {lost}.{passed}",
            "" if head else about.who_loads(about.right_elements),
            loop.remedy or (about.after(line) if line and who == stored else asked),
        )
        yield told + Message(loop.first), head or line or (made if len(read) == 1 else None)
        return
    yield from _differ(about, about.elements, about.right_elements, about.mine.used, about.here)


def _condition(about: About, line: int | None) -> tuple[ThreadPlace | None, str, int | None]:
    """A thread, and the last condition on its way, with its line: that of the line, if the thread
    that brings in there what is missing in the solution, or that stored the element, asks it."""
    end, ours = about.ways.found, about.ways.both[1]
    for one in end.lost[:1] if end and line else ():
        who = ThreadPlace(ours.place(one).block, ours.place(one).thread, (line or 0) + 1)
        said, at = about.passed(who)
        if at == line and said.endswith("false"):
            return who, said, at
    return about.mine.stored, *about.passed(about.mine.stored)


def _not_from(about: About, array: str) -> list[int]:
    """The lines that write to an array, but nothing that came into the wrong element; none where
    no line did that."""
    trail = about.ways.both[0]
    passed = {trail.line(at) for at in range(len(trail))}
    writes = re.compile(rf"\b{array}(?:\[[^][]*\])+ (?:[-+*/|&^]|<<|>>)?= ")
    lines = [at for at, text in enumerate(about.declared.lines, start=1) if writes.search(text)]
    return [at for at in lines if at not in passed] if passed & {*lines} else []


def _without_round(about: About, lost: Collection[Element]) -> tuple[Message, int | None]:
    """The loop that reads from the arrays of what is missing, and in which the thread that uses
    it in the solution makes no round; and its line."""
    names = {about.words.name(one.buffer) for one in lost}
    loaded = [one.loaded for one in about.ours.loads if one.first in lost]
    is_used = not about.loads.keys().isdisjoint(lost)
    path = ThreadPath() if is_used or not loaded else about.pair.path(loaded[0])
    for head, said in without_round(path, about.words.source).items():
        if any(about.declared.is_in(head, one) for one in names):
            told, asked = _makes_none(about, loaded[0], head, said)
            return Message(told, remedy=asked), head
    return Message(), None


def _makes_none(about: About, who: ThreadPlace, head: int, said: str) -> tuple[str, str]:
    """That a thread makes no round of the loop on a line, with what ends it, if that is known, and
    what to ask."""
    here = about.values(head, who)
    return (
        f"On line {head}, {who.who} makes no round of the loop{said}.{here}",
        about.doubted(said, here, who.who)
        if said
        else f"Should {who.who} make a round of this loop?",
    )


def other_summands(about: About) -> Told:
    """The same without what only a maximum or a minimum was looked for in. An array that is
    not there at all may have come by one of these."""
    mine, ours = times(about.mine.summed), times(about.ours.summed)
    if (
        about.is_complete
        and {one.buffer for one in ours} <= {one.buffer for one in mine}
        and not about.nan_arose
        and ours
    ):
        what = f"In its sums, {about.here}" if len(mine) > 1 else f"{about.here} uses no sum: it"
        yield from _differ(about, mine, ours, about.mine.summed, what)


def _differ(about: About, mine: Times, ours: Times, used: Sequence[Used], what: str) -> Told:
    lacks, has = ours.keys() - mine.keys(), mine.keys() - ours.keys()
    if about.nan_arose:  # a NaN says little of what belongs there, but for other rows
        rows = {about.words.index(one)[:-1] for one in ours}
        lacks, has = set(), {one for one in has if about.words.index(one)[:-1] not in rows}
    parts = [f"does not use {about.listed(lacks, 'or')}, but should"] if lacks else []
    parts += [f"uses {about.listed(has)}, but should not"] if has else []
    if parts:
        end = about.joined = about.ways.joined(has, ours) if ours else None
        sentence, line, passed, remedy = f"{what} {'. It '.join(parts)}.", None, "", ""
        again = [one for one, times in mine.items() if times > ours.get(one, times)]
        more = f"It uses {about.listed(again)} several times." if again else ""
        wrong = next((one for one in used if one.first in has), None)
        itself = wrong and end and wrong.loaded.who == end.place.who  # loads what it uses
        if has and end and not itself:
            sentence, line = f"{sentence} {end.told.first}", end.place.line
            passed, remedy = ("", "") if lacks else _let_join(about, end.place)
        elif wrong:
            who, line = capital(wrong.loaded.who), wrong.loaded.line
            sentence += f" {who} loads {about.name(wrong.first)}{wrong.loaded.on}."
            is_here = not lacks and not about.other_launch(wrong.first.buffer)
            passed, remedy = _let_pass(about, wrong.loaded) if is_here else ("", "")
        if not has and (kept := about.kept(lacks)):
            line = about.reader(kept[0].buffer)
            threads = math.prod(dimensions(about.launch(kept[0].buffer).block))
            remedy = (
                f"Line {line} is in no loop, and a block has {threads} threads. How can a thread "
                f"read more than one element of {about.words.name(kept[0].buffer)} there?"
                if kept[0].index >= threads and not about.declared.loop(line or 0)[0]
                else f"Which threads should read {about.listed(kept)} on line {line}?"
            )
        elif not has and (line := about.last_use(lacks)):
            remedy = about.after(line)
        elif not has and (
            skipped := _skipped(about, lacks)
            or _stands_in(about)
            or _of_one_thread(about)
            or no_round(about)
        ):
            passed, remedy, line = skipped
        elif not has and lacks.isdisjoint(one.first for one in about.mine.loads):
            line = about.only_load(lacks)
            if copies := about.copies(lacks):
                line, on = copies[0], " and ".join(f"line {at}" for at in copies)
                names = " and ".join(sorted({about.words.name(one.buffer) for one in lacks}))
                passed = f"The kernel copies from {names} on {on}."
                remedy = after_doubts(
                    about.declared.doubtful_here(
                        " ".join(map(about.declared.line, copies)), line, about.usual
                    ),
                    f"Which elements do the copies on {on} bring? Compute two of them by hand.",
                )
        said = " ".join(
            filter(None, (sentence, passed, about.who_loads(lacks, not (has or passed)), more))
        )
        loop, over = Message(), None if lacks else kept_over(about.declared, line or 0)
        if over:
            name, given, head = over
            loop = Message(
                f"`{name}` gets its first value on line {given}, before the loop on line "
                f"{head}. Each round begins with the value of the round before.",
                remedy=f"Which value should `{name}` have when a round of the loop on line "
                f"{head} begins?",
            )
            line = given
        elif (
            lacks  # members of structs of which another member is used
            and {about.name(one).rpartition(".")[0] for one in lacks}
            <= {about.name(one).rpartition(".")[0] for one in mine} - {""}
            and about.loads.keys().isdisjoint(lacks)
        ):
            remedy = f"Which line should use {about.listed(lacks)}?"
        elif not (lacks and (has or passed)):
            loop, at = about.its_loop(line, is_last=bool(remedy))
            # A loop that is not around the only load has nothing to do with what nobody loads.
            never = not has and about.loads.keys().isdisjoint(lacks)
            if never and line and at and not at <= line <= about.declared.end(at):
                loop = Message(
                    f"Line {line} loads other elements of "
                    f"{about.words.name(next(iter(lacks)).buffer)}.",
                    remedy=after_doubts([("", line)], _asked(about, lacks, has, None)),
                )
                at = line
            elif loop.first and not has and _is_loaded(about, lacks, at):
                loop, at = Message(), about.ways.line_before
            line = at
        remedy = remedy or _asked(about, lacks, has, line)
        yield Message(said, loop.first, loop.remedy or remedy), line


def _is_loaded(about: About, lost: Collection[Element], line: int | None) -> bool:
    """Whether the loop that a line is in only brings elements to the block's threads, all that
    a thread lacks among them, so that it is not the reason."""
    stored, (head, at) = about.mine.stored, about.declared.loop(line or 0)
    blocks = {about.loads[one][-1].loaded.block for one in lost if one in about.loads}
    return bool(
        head
        and stored
        and about.loads.keys() >= {*lost}
        and blocks == {stored.block}
        and not any(map(about.declared.reads_others, range(at, about.declared.end(at) + 1)))
    )


def _let_pass(about: About, who: ThreadPlace) -> tuple[str, str]:
    """The condition of the `if` that a thread's load or step is in, which let it happen, with
    values, and what to ask of it; "" where that is not known."""
    guard, at = about.declared.guard(who.line or 0)
    text, many = about.declared.line(at), len(COMPARED.findall(guard))
    path = about.pair.path(who) if many else ThreadPath()
    said = [as_written(one, text, True) for one in path.branches if one.place.line == at]
    rounds = zip(*[iter(said)] * many, strict=False) if many and len(said) % many == 0 else ()
    passed = next((one for one in rounds if all(each.endswith("true") for each in one)), ())
    here, asked = about.values(at, who) if passed else "", " and ".join(passed)
    told = f"{'On' if at == who.line else 'Before that, on'} line {at}, {asked}.{here}"
    return (told, about.doubted(asked, here, who.who)) if passed else ("", "")


def _skipped(about: About, lost: Collection[Element]) -> tuple[str, str, int] | None:
    """The condition of the `if` around the only load of some elements that no thread loads,
    with the values of the thread that loads the first of them in the solution, what to ask of
    it, and its line; None where no such condition is known."""
    at = about.only_load(lost) or 0
    guard = about.declared.guard(at)[1]
    never = [one for one in about.ours.loads if one.first in lost and one.first not in about.loads]
    if not guard or not never:
        return None
    who = min(never, key=lambda one: one.first.index).loaded
    said = (
        as_written(one, about.declared.line(guard), True)
        for one in about.pair.path(who).branches
        if one.place.line == guard
    )
    if not (asked := next((one for one in said if one.endswith("false")), "")):
        return None
    known = numbers_of(who, about.launch(about.pair.wrong.element.buffer), about.words)
    here = compared_on(about.declared, guard, known, asked)
    skips = f"{capital(who.who)} skips line {at}: on line {guard}, {asked}.{here}"
    return skips, about.doubted(asked, here, who.who), guard


def _let_join(about: About, step: ThreadPlace) -> tuple[str, str]:
    """The condition that let a step take a value that does not belong there, and what to ask of it;
    "" where that is not known."""
    for one in about.mine.choices:
        if (
            (one.place.who, one.place.line) == (step.who, step.line)
            and one.refused == 0
            and one.taken in step.values[1:]
        ):
            return f"{chosen_by(about, one)}.", about.guarded(one.place)
    return "", ""


def _of_one_thread(about: About) -> tuple[str, str, int | None] | None:
    """That no sum, or no maximum, puts values of several threads together, where the solution's
    does, and what to ask; with the only line of those that the solution has not alike."""
    is_loop = bool(about.its_loop(None)[0].first)  # says more
    mine, ours = about.ways.both
    for verb, noun in () if is_loop else (("add", "sum"), ("max", "maximum")):
        if _exchanges(ours, verb) and not _exchanges(mine, verb) and mine.does(verb).any():
            lines = {mine.line(int(at)) for at in np.flatnonzero(mine.does(verb))}
            lines &= about.declared.unusual(about.usual).keys()
            line = lines.pop() if len(lines) == 1 else None
            return (
                f"Each {noun} that it uses has values of one thread alone.",
                after_doubts(
                    [("", line)] if line else [],
                    f"Which line should put the values of all threads into one {noun}?",
                ),
                line,
            )
    return None


def _exchanges(trail: Trail, verb: str) -> bool:
    """Whether a step of that verb puts values together that several threads computed."""
    return any(
        len({trail.place(one).who for one in trail.sources(int(at)) if trail.sources(one)}) > 1
        for at in np.flatnonzero(trail.does(verb))
    )


def no_round(about: About) -> tuple[str, str, int] | None:
    """The only loop that the solution has not alike in which the thread that stored the element
    makes no round, what to ask of its condition, and its line; None where there is none."""
    who = about.mine.stored
    path = about.pair.path(who) if who else ThreadPath()
    loops = [
        (head, said)
        for head, said in without_round(path, about.words.source).items()
        if head in about.unlike_loops
    ]
    return (*_makes_none(about, who, *loops[0]), loops[0][0]) if who and len(loops) == 1 else None


def _stands_in(about: About) -> tuple[str, str, int] | None:
    """The `?:` that gives a number of the code where elements are missing, what to ask of it, and
    its line; None where there is none on the way."""
    (mine, _), end = about.ways.both, about.ways.found
    for one in mine.sources(end.at) if end and end.bad is None else ():
        line = mine.line(one) or 0
        if (
            mine.verb(one) == "selp"
            and mine.constant[one]
            and (asked := about.declared.choice(line))
        ):
            return (
                f"On line {line}, `{asked}` decides for {mine.value[one]:g}.",
                f"Is `{asked}` the right condition on line {line}?",
                line,
            )
    return None


def _asked(
    about: About, lacks: Collection[Element], has: Collection[Element], line: int | None
) -> str:
    """What to ask of elements that something does not use, or should not use."""
    names = {about.words.name(one.buffer) for one in has}
    index = about.declared.index(line or 0, names.pop()) if len(names) == 1 else ""
    brings = f"brings {about.listed(has)}" if has else f"should bring {about.listed(lacks)}"
    asked = (
        f"Is `{index}` the right index on line {line}?"
        if index
        else f"Which line {brings} into {about.here}?"
    )
    strange = about.declared.unusual(about.usual).keys()
    lines = [at for at in strange if not has and about.declared.exchanges(at)]
    return (
        after_doubts([("", at) for at in lines], asked)
        if 0 < len(lines) < 3
        else about.doubting(index or about.declared.line(line), line, asked)
    )


def too_often(about: About) -> Told:
    """What was counted more often than in the solution, but for maxima, where that changes
    nothing, and where the formula is another one."""
    mine, ours = times(about.mine.summed), times(about.ours.summed)
    if (
        not about.is_complete
        or mine.keys() != ours.keys()
        or not (
            about.ways.verbs[1] in ("", "add")
            or _uneven(mine, ours)
            or _by_one_factor(about, mine, ours)
        )
    ):
        return
    if again := [one for one, times in mine.items() if times > ours[one]]:
        (often, should), *others = {(mine[one], ours[one]) for one in again}
        each = f"{'each of ' if len(again) > 1 else ''}{about.listed(again)}"
        much = (
            "more often than it should"
            if others
            else f"{_often(often)} instead of {_often(should)}"
        )
        most = max(
            (one for one in about.mine.loads if one.first in again),
            key=lambda one: one.times,
            default=None,
        )
        where, line, step, loop = "", None, None, Message()
        if most and most.times > max((one.times for one in about.ours.loads), default=0):
            line = most.loaded.line
            where = f" Line {line} loads {about.name(most.first)} {_often(most.times)}."
            loop, _ = about.its_loop(line, is_last=True)
        elif step := about.ways.doubled(again):
            line = step.place.line
            loop, _ = about.its_loop(step.calls[-1] if step.calls else line)
            brought, asked = step.sides
            where = (
                f" {step.told.first} Both values already contain "
                f"{'some of these elements' if len(again) > 1 else about.name(again[0])}. "
                f"{brought or step.told.why}"
            ).rstrip()
            around, at = about.declared.loop(step.calls[-1] if step.calls else line or 0)
            if not around:
                around, at = about.declared.loop(line or 0)
            if brought:
                loop = Message(remedy=asked)
            elif around and (not loop.remedy or f"on line {at}:" in loop.first):
                asked = f"How many rounds should the loop on line {at} have?"
                loop = replace(
                    loop,
                    remedy=asked
                    if at in about.unlike_loops
                    else f"Which values should line {line} add?",
                )
            name, head = about.declared.continued(line or 0)
            first = about.declared.given(name, head)[0]
            if name and step.is_new and not re.fullmatch(r"[-\d.]+f?", first):
                loop = Message(
                    remedy=f"Which value should `{name}` have before the loop on line {head}?"
                )
        yield (
            Message(
                f"{about.here} uses {each} {much}.{where}",
                loop.first,
                loop.remedy or (about.guarded(step.place) if step else ""),
            ),
            line,
        )


def _by_one_factor(about: About, mine: Times, ours: Times) -> bool:
    """Whether nearly all elements are used more often by one factor, which the value is wrong
    by, too."""
    factors = Counter(times / ours[one] for one, times in mine.items())
    [(factor, count)] = factors.most_common(1) or [(1, 0)]
    small, large = sorted((abs(about.found), abs(about.wanted)))
    return (
        factor > 1 and count > 0.9 * len(mine) and math.isclose(large, factor * small, rel_tol=1e-3)
    )


def _often(times: int) -> str:
    return {1: "once", 2: "twice"}.get(times, f"{times} times")


def _uneven(mine: Times, ours: Times) -> bool:
    """Whether elements of one array are used more often than in the solution by several factors,
    each of several elements: another formula uses all of them alike, but for a few."""
    factors = grouped((one.buffer, times / ours[one]) for one, times in mine.items())
    return any(
        min(some) >= 1 and sum(count > 1 for count in Counter(some).values()) > 1
        for some in factors.values()
    )
