"""The sentences about what a wrong element was made of: each rule yields one where it applies."""

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from ...course import Launch
from ...course.rules import blocks_and_threads, dimensions
from ...cuda.errors import Message
from ...grouped import grouped
from ...say.verdict_answers import LOOP_FAULTS
from ..protocol import Choice, Element, ThreadPath, ThreadPlace, Used
from ..verdict import Part
from . import telling
from .telling import About, Times, Told, capital, copied, times
from .thread_paths import (
    COMPARED,
    COMPUTED,
    after_doubts,
    after_value,
    as_written,
    compared_on,
    last_conditions,
    numbers_of,
    of_floats,
    operator_of,
    values_on,
    without_round,
)

FEW_PLACES = 3  # elements, at the beginning and at the end of all wrong ones


def is_tied(choice: Choice) -> bool:
    """Whether two floats are compared that are equal, and not numbers of the code."""
    return of_floats(choice) and choice.values[0] == choice.values[1] and not any(choice.fixed)


def in_words(choice: Choice, text: str = "") -> str:
    """A choice in words; without what it asks where its line, the `text`, asks something else, or
    computes what it compares: a compiler turns comparisons of whole numbers round."""
    if text and not COMPUTED.search(text) and (written := as_written(choice, text)):
        return f"takes {choice.taken:.6g}, because {written}"
    one, other = choice.values
    asks = f"asks whether {one:.6g} {operator_of(choice) or 'against'} {other:.6g}, and "
    is_turned = text and (
        operator_of(choice) not in COMPARED.findall(text) or COMPUTED.search(text)
    )
    asks_it = not is_turned or of_floats(choice)
    chosen = f"chooses {choice.taken:.6g}, not {choice.refused:.6g}"
    return f"{asks}takes {choice.taken:.6g}" if asks_it else chosen


class MadeOf(About):
    """Which elements, and from where."""

    def parts(self) -> tuple[Part, ...]:
        """What it was made of and should have been, where that is not the same."""
        if self._all_told and self._mine.keys() != self._ours.keys():
            return self._parts(self._mine, self._ours)
        return (
            self._parts(times(self.mine.summed), times(self.ours.summed))
            if any(self.too_often())
            else ()
        )

    def chosen_by(self, one: Choice) -> str:
        """A choice with its place, in words."""
        on = f"{one.place.on.strip()}, " if one.place.on else ""
        text = self._declared.line(one.place.line or 0)
        return capital(f"{on}{one.place.who} {in_words(one, text)}")

    def nobody(self) -> Told:
        """Nobody wrote it: the only line that would, and who does in a right kernel."""
        if not self.pair.wrong.written and self.ours.stored:
            buffer, who = self.pair.wrong.element.buffer, self.ours.stored.who
            name, path = self.words.name(buffer), self.pair.path(self.ours.stored)
            instead = {one: at for one, at in path.stored if one.buffer == buffer}
            asked, at = last_conditions(
                path, self.words.source, max(self._declared.writers(name), default=0)
            )
            only, line = self._declared.only_written(name, whole=not (instead or asked))
            said, remedy = only, ""
            if instead:
                line = next(iter(instead.values()))
                index = self._declared.index(line or 0, name) if len(instead) == 1 else ""
                said = f"{capital(who)} writes {self._listed(instead)}, but not {self._here}."
                remedy = (
                    f"Compute the index `{index}`"
                    f"{self._declared.computed_on(index, line or 0) or f' on line {line}'} by hand "
                    f"for {who}"
                    f"{self._numbers(buffer, index)}."
                    if index
                    else self._doubting(
                        self._declared.line(line),
                        line,
                        f"Which loop or index should bring {who} to {self._here}?",
                    )
                )
                if few := self._too_few_threads(buffer, line):
                    said = f"{capital(who)} writes {self._listed(instead)}."
                    only, remedy = few, f"How can a thread write more than one element of {name}?"
            elif asked:
                here = self._values(at or 0, self.ours.stored)
                said, line = f"{capital(who)} does not write it: {asked}.{here}", at
                remedy = self._doubted(asked, here, who)
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

    def _values(self, line: int, thread: ThreadPlace) -> str:
        """A sentence, after a blank, with the values that the names on a line have for a thread; ""
        where they are not known."""
        known = numbers_of(thread, self._launch(self.pair.wrong.element.buffer), self.words)
        return values_on(self._declared, line, known)

    def _doubted(self, asked: str, here: str, who: str) -> str:
        """What to ask of a condition: first of a value in it that an earlier line gives."""
        other = str(asked.endswith("false")).lower()
        return after_value(here, f"Should this condition be {other} for {who}?", asked)

    def _launch(self, buffer: str) -> Launch:
        return next(one for one in self.words.problem.launches if buffer in one.args)

    def _numbers(self, buffer: str, index: str) -> str:
        """The numbers behind an index that the launch of a buffer has: ": cols = 9"."""
        launch, names = self._launch(buffer), self._declared.made_of(index)
        shapes = {"gridDim.x": launch.grid, "blockDim.x": launch.block}
        sizes = [f"{name} = {dimensions(shape)[0]}" for name, shape in shapes.items()]
        known = (*self.words.sizes(launch), *sizes)
        known += tuple(
            f"{self.words.name(one)} = {{{', '.join(map(str, array.ravel()))}}}"
            for one, array in self.words.problem.inputs.items()
            if one in launch.args and array.dtype.kind in "iu" and array.size <= FEW_PLACES + 1
        )
        given = [one for one in known if one.partition(" ")[0] in names]
        return f": {', '.join(given)}" * bool(given)

    def _too_few_threads(self, buffer: str, line: int | None) -> str:
        """A sentence where a line that is in no loop writes to an array that has more elements than
        the launch has threads; "" elsewhere."""
        size = self.words.problem.outputs[buffer].value.size
        launches = [one for one in self.words.problem.launches if buffer in one.args]
        threads = max(blocks * block for blocks, block in blocks_and_threads(launches))
        return (
            ""
            if line is None or self._declared.loop(line)[0] or threads >= size
            else f"The launch has {threads:,} threads, and {self.words.name(buffer)} has {size:,} "
            f"elements. Line {line} writes one element per thread."
        )

    def without_stride(self) -> Told:
        """A loop over strides in which each round goes equally far, or passes on the same; and one
        that keeps nothing of the round before."""
        for line in range(1, 1 + len(self._declared.lines)) if self.pair.wrong.written else ():
            for find, words in LOOP_FAULTS:
                if found := find(self._declared, line):
                    yield words(line, *found), line
                    break

    def shuffled(self) -> Told:
        """A shuffle that brings other lanes' values than the solution's."""
        mine, ours = ({_way(one) for one, *_ in side.shuffles} for side in (self.mine, self.ours))
        instead = " and ".join(f"`__shfl_{way}sync`" for way in sorted(ours) if ours - mine)
        asked = (
            "From which lane should this value come?"
            if instead
            else "What should a thread do where its shuffle finds no lane?"
        )
        for opcode, place, own in self.mine.shuffles if self._mine != self._ours else ():
            way = _way(opcode)
            name, opposite = f"`__shfl_{way}sync`", {"up_": "down_"}.get(way, "up_") in ours - mine
            because = "names the lane itself" if way == "xor_" else "goes beyond the last lane"
            because = "goes below lane 0" if way == "up_" else because
            fact = (
                f"gets its own value back, because {name} {because}"
                if own
                else f"takes a value with {name}"
            )
            of_lanes = [one.place for one in self.mine.choices if not of_floats(one)]
            guards = [
                (said, one.line)
                for one in of_lanes
                if self._declared.loop(one.line or 0)[1] == self._declared.loop(place.line or 0)[1]
                if (said := self._guarded(one))
            ]
            asks, line = guards[0] if own and guards else ("", place.line)
            if own and way == "xor_":
                asked, instead = "Compute the third argument by hand for each round.", ""
            elif (
                not way
                or way in ours
                or not (own or (ours and opposite) or self._beyond_reach(way))
            ):
                continue
            elif "xor_" in ours and (not own or self._declared.loop(place.line or 0)[0]):
                which = "first" if way == "down_" else "last"
                asked = (
                    f"After the last {name}, only the {which} lane has the whole result. Which "
                    "lanes need it?"
                )
            yield (
                Message(
                    f"{capital(place.who)} {fact}{place.on}.",
                    remedy=asks or asked,
                    ours=f"Our kernel uses {instead}." if instead else "",
                ),
                line,
            )
        if self.ours.shuffles and not self.mine.shuffles and self.mine.stored:
            for at, text in enumerate(self._declared.lines, start=1):
                found = re.search(r"__shfl_(up|down)_sync", text)
                if found and f"{found[1]}_" not in ours:
                    lanes = "lower" if found[1] == "up" else "higher"
                    who = f"{capital(self.mine.stored.who)} gets no value of another lane"
                    said = f"{who}: on line {at}, `{found[0]}` brings values of {lanes} lanes."
                    yield Message(said, remedy=asked, ours=f"Our kernel uses {instead}."), at

    def _beyond_reach(self, way: str) -> bool:
        """Whether all that is missing was loaded by lanes from which such a shuffle brings nothing
        to the thread that stored it."""
        side = {"down_": -1, "up_": 1}.get(way, 0)
        lost = self._ours.keys() - self._mine.keys()
        loads = [some[-1].loaded for one in lost if (some := self._loads.get(one))]
        me = self.mine.stored.thread if self.mine.stored else 0
        is_own = any(own for *_, own in self.mine.shuffles)
        return (
            len(loads) == len(lost) > 0
            and not is_own
            and all((one.thread - me) * side > 0 for one in loads)
        )

    def other_place(self) -> Told:
        """One element in the place of another."""
        if not (self._all_told and len(self._mine) == len(self._ours) == 1):
            return
        (mine,), (ours,) = self._mine, self._ours
        if mine != ours:
            loaded, stored = self.mine.used[0].loaded, self.mine.stored
            sentence = (
                f"{self._here} comes from {self._name(mine)}, and should come from "
                f"{self._name(ours)}. {capital(loaded.who)} loads {self._name(mine)}{loaded.on}"
            )
            rule, line = self._rule(), loaded.line
            loop, head = self._its_loop(line)
            rule = rule if rule.why else Message(why=loop.first, remedy=loop.remedy)
            if rule.why != loop.first and stored and stored.line and stored.line > (line or 0):
                on_way = f"Follow this element from line {line} to line {stored.line}."
                rule = replace(rule, remedy=f"{on_way} Which index on its way is wrong?")
            if any(self._wanted in (one.taken, one.refused) for one in self.mine.choices):
                rule += Message(remedy=f"Which step chooses {self._name(mine)} here?")
            more = rule if str(rule) else telling.index_step(self.mine, self.ours, self._name)
            index = self._declared.index(line or 0, self.words.name(mine.buffer))
            # Who loads the right element as in the solution has a right index there.
            right = self.ours.used[0].loaded.who
            loads = [one.loaded.who for one in self._loads.get(ours, ())]
            is_own = stored is not None and stored.who == loaded.who and right not in loads
            if index and not more.remedy and stored and (stored.line == line or is_own):
                by_hand = (
                    f"Compute the index `{index}`{self._declared.computed_on(index, line or 0)}"
                )
                numbers = self._numbers(self.pair.wrong.element.buffer, index)
                more += Message(remedy=f"{by_hand} by hand for {loaded.who}{numbers}.")
            if stored and stored.line and stored.line != line:
                who = "" if stored.who == loaded.who else f", and {stored.who}"
                sentence += f"{who or ' and'} stores it{stored.on}"
                if not str(more):  # nothing is wrong with the index of the load
                    more, line = (
                        Message(
                            remedy=f"Which comparison decides about {self._name(mine)}?"
                            if math.isnan(self._input(mine))
                            else f"Follow this value from line {line} to line {stored.line}. Which "
                            "index or condition on its way is wrong?"
                        ),
                        stored.line,
                    )
            if not more.why and (end := self._last_use([ours])):  # the right one got lost there
                more, line = Message(why=self._loaded([ours], False), remedy=self._after(end)), end
            yield Message(f"{sentence}.") + more, head if rule.why == loop.first != "" else line

    def _input(self, one: Element) -> float:
        """The value of an element before the kernel ran; 0.0 if it is of no input."""
        given = self.words.problem.inputs.get(one.buffer, np.empty(0))
        return float(given.flat[one.index]) if one.index < given.size else 0.0

    def _rule(self) -> Message:
        """How all that were looked at stand to what they should be."""
        made = [(self.mine, self.ours), *self.pair.others]
        taken = [both for pair in made if (both := copied(*pair))]
        if len(taken) < len(made):
            return Message()
        index, wrong = self.words.index, self.pair.wrong
        said = telling.rule([(index(mine), index(ours)) for mine, ours in taken])
        if not said:
            there = [self.words.place(one) for one in (wrong.element, *wrong.others)]
            flat = ([one.index for one in side] for side in zip(*taken, strict=True))
            said = telling.by_strides(there[: len(taken)], *flat)
        loaded = self.mine.used[0].loaded
        return Message(
            why=said,
            remedy=said and f"Compute the index of the load{loaded.on} by hand for {loaded.who}.",
        )

    def other_elements(self) -> Told:
        """What is not in it, and what does not belong there."""
        if not self._all_told:
            return
        if len(self._mine) == 1:
            yield from self.other_winner()
        if self._ours and not self._mine:
            # Those of an earlier launch come into it by these.
            here = [one for one in self._ours if not self._other_launch(one.buffer)]
            lost, line = self._listed(here or self._ours), self._last_use(self._ours)
            asked = f"Which step should bring {lost} into {self._here}?"
            chose = [one for one in self.mine.choices if one.taken == self._found]
            if chose:
                yield (
                    Message(
                        f"{self.chosen_by(chose[-1])}.",
                        f"{self._here} uses no input. It should use {lost}.",
                        f"Should {self._found:g} be the value of {self._here}?",
                    ),
                    chose[-1].place.line,
                )
                return
            (said, at), (loop, head) = self._passed(), self._without_round(here or self._ours)
            stored, passed = self.mine.stored, ""
            text = self._declared.line(stored.line if stored else None)
            if said and stored and (at == line or re.search(r"\]\s*=\s*[-\d.]+f?;", text)):
                values = self._values(at or 0, stored)
                passed = f" {capital(said)}.{values}"
                asked = self._doubted(said, values, stored.who)
            told = Message(
                f"{self._here} uses no input. It should use {lost}.{passed}",
                "" if head else self._loaded(self._ours),
                loop.remedy or (self._after(line) if line else asked),
            )
            yield told + Message(loop.first), head or line
            return
        yield from self._differ(self._mine, self._ours, self.mine.used, self._here)

    def _without_round(self, lost: Collection[Element]) -> tuple[Message, int | None]:
        """The loop that reads from the arrays of what is missing, and in which the thread that uses
        it in the solution makes no round; and its line."""
        names = {self.words.name(one.buffer) for one in lost}
        loaded = [one.loaded for one in self.ours.loads if one.first in lost]
        is_used = not self._loads.keys().isdisjoint(lost)
        path = ThreadPath() if is_used or not loaded else self.pair.path(loaded[0])
        for head, said in without_round(path, self.words.source).items():
            if any(self._declared.is_in(head, one) for one in names):
                who, here = loaded[0].who, self._values(head, loaded[0])
                told = f"On line {head}, {who} makes no round of the loop: {said}.{here}"
                return Message(told, remedy=self._doubted(said, here, who)), head
        return Message(), None

    def other_summands(self) -> Told:
        """The same without what only a maximum or a minimum was looked for in. An array that is
        not there at all may have come by one of these."""
        mine, ours = times(self.mine.summed), times(self.ours.summed)
        if (
            self._all_told
            and {one.buffer for one in ours} <= {one.buffer for one in mine}
            and not self._arose
            and ours
        ):
            yield from self._differ(mine, ours, self.mine.summed, f"In its sums, {self._here}")

    def _passed(self) -> tuple[str, int | None]:
        """The last conditions on the way of the thread that stored it (see `last_conditions`)."""
        path, at = (
            (self.pair.path(last), last.line) if (last := self.mine.stored) else (ThreadPath(), 0)
        )
        return last_conditions(path, self.words.source, at or 0)

    def _differ(self, mine: Times, ours: Times, used: Sequence[Used], what: str) -> Told:
        lacks, has = ours.keys() - mine.keys(), mine.keys() - ours.keys()
        if self._arose:  # a NaN says little of what belongs there, but for other rows
            rows = {self.words.index(one)[:-1] for one in ours}
            lacks, has = set(), {one for one in has if self.words.index(one)[:-1] not in rows}
        parts = [f"does not use {self._listed(lacks, 'or')}, but should"] if lacks else []
        parts += [f"uses {self._listed(has)}, but should not"] if has else []
        if parts:
            end = self._joined = self._ways.joined(has, ours) if ours else None
            sentence, line, passed, remedy = f"{what} {'. It '.join(parts)}.", None, "", ""
            again = [one for one, times in mine.items() if times > ours.get(one, times)]
            more = f"It uses {self._listed(again)} several times." if again else ""
            wrong = next((one for one in used if one.first in has), None)
            itself = wrong and end and wrong.loaded.who == end.place.who  # loads what it uses
            if has and end and not itself:
                sentence, line = f"{sentence} {end.told.first}", end.place.line
            elif wrong:
                who, line = capital(wrong.loaded.who), wrong.loaded.line
                sentence += f" {who} loads {self._name(wrong.first)}{wrong.loaded.on}."
                passed, remedy = ("", "") if lacks else self._let_pass(wrong)
            if not has and (kept := self._kept(lacks)):
                line = self._reader(kept[0].buffer)
                remedy = f"Which threads should read {self._listed(kept)} on line {line}?"
            elif not has and (line := self._last_use(lacks)):
                remedy = self._after(line)
            elif not has and (skipped := self._skipped(lacks)):
                passed, remedy, line = skipped
            elif not has and lacks.isdisjoint(one.first for one in self.mine.loads):
                line = self._only_load(lacks)
            said = " ".join(filter(None, (sentence, passed, self._loaded(lacks, not has), more)))
            loop, over = Message(), None if lacks else self._declared.kept_over(line or 0)
            if over:
                name, given, head = over
                loop = Message(
                    f"`{name}` gets its first value on line {given}, before the loop on line "
                    f"{head}. Each round begins with the value of the round before.",
                    remedy=f"Which value should `{name}` have when a round of the loop on line "
                    f"{head} begins?",
                )
                line = given
            elif not (lacks and has):
                loop, at = self._its_loop(line, is_last=bool(remedy))
                if loop.first and not has and self._is_loaded(lacks, at):
                    loop, at = Message(), self._ways.line_before
                line = at
            remedy = remedy or self._asked(lacks, has, line)
            yield Message(said, loop.first, loop.remedy or remedy), line

    def _is_loaded(self, lost: Collection[Element], line: int | None) -> bool:
        """Whether the loop that a line is in only brings elements to the block's threads, all that
        a thread lacks among them, so that it is not the reason."""
        stored, (head, at) = self.mine.stored, self._declared.loop(line or 0)
        blocks = {self._loads[one][-1].loaded.block for one in lost if one in self._loads}
        return bool(
            head
            and stored
            and self._loads.keys() >= {*lost}
            and blocks == {stored.block}
            and not any(map(self._declared.reads_others, range(at, self._declared.end(at) + 1)))
        )

    def _let_pass(self, wrong: Used) -> tuple[str, str]:
        """The condition of the `if` that a load is in, which let it happen, with values, and what
        to ask of it; "" where that is not known."""
        who, (guard, at) = wrong.loaded, self._declared.guard(wrong.loaded.line or 0)
        text, many = self._declared.line(at), len(COMPARED.findall(guard))
        path = (
            self.pair.path(who)
            if many and not self._other_launch(wrong.first.buffer)
            else ThreadPath()
        )
        said = [as_written(one, text, True) for one in path.branches if one.place.line == at]
        rounds = zip(*[iter(said)] * many, strict=False) if many and len(said) % many == 0 else ()
        passed = next((one for one in rounds if all(each.endswith("true") for each in one)), ())
        here, asked = self._values(at, who) if passed else "", " and ".join(passed)
        told = f"{'On' if at == who.line else 'Before that, on'} line {at}, {asked}.{here}"
        return (told, self._doubted(asked, here, who.who)) if passed else ("", "")

    def _skipped(self, lost: Collection[Element]) -> tuple[str, str, int] | None:
        """The condition of the `if` around the only load of some elements that no thread loads,
        with the values of the thread that loads the first of them in the solution, what to ask of
        it, and its line; None where no such condition is known."""
        at = self._only_load(lost) or 0
        guard = self._declared.guard(at)[1]
        never = [
            one for one in self.ours.loads if one.first in lost and one.first not in self._loads
        ]
        if not guard or not never:
            return None
        who = min(never, key=lambda one: one.first.index).loaded
        text = self._declared.line(guard)
        path = [one for one in self.pair.path(who).branches if one.place.line == guard]
        said = (as_written(one, text, True) for one in path)
        if not (asked := next((one for one in said if one.endswith("false")), "")):
            return None
        known = numbers_of(who, self._launch(self.pair.wrong.element.buffer), self.words)
        here = compared_on(self._declared, guard, known, asked)
        skips = f"{capital(who.who)} skips line {at}: on line {guard}, {asked}.{here}"
        return skips, self._doubted(asked, here, who.who), guard

    def _after(self, line: int) -> str:
        """What to ask of the line that was the last to use what is missing."""
        guard, at = self._declared.guard(line)
        return (
            after_doubts(
                self._declared.doubtful(guard, line, self._usual),
                f"For which threads is the condition on line {line} true?",
            )
            if at == line
            else f"Is line {line} right? If it is, which step should use its result?"
        )

    def _asked(self, lacks: Collection[Element], has: Collection[Element], line: int | None) -> str:
        """What to ask of elements that something does not use, or should not use."""
        names = {self.words.name(one.buffer) for one in has}
        index = self._declared.index(line or 0, names.pop()) if len(names) == 1 else ""
        brings = f"brings {self._listed(has)}" if has else f"should bring {self._listed(lacks)}"
        asked = (
            f"Is `{index}` the right index on line {line}?"
            if index
            else f"Which line {brings} into {self._here}?"
        )
        return self._doubting(index or self._declared.line(line), line, asked)

    def too_often(self) -> Told:
        """What was counted more often than in the solution, but for maxima, where that changes
        nothing, and where the formula is another one."""
        mine, ours = times(self.mine.summed), times(self.ours.summed)
        if (
            not self._all_told
            or mine.keys() != ours.keys()
            or not (
                self._ways.verbs[1] in ("", "add")
                or _uneven(mine, ours)
                or self._by_one_factor(mine, ours)
            )
        ):
            return
        if again := [one for one, times in mine.items() if times > ours[one]]:
            (often, should), *others = {(mine[one], ours[one]) for one in again}
            each = f"{'each of ' if len(again) > 1 else ''}{self._listed(again)}"
            much = f"{_often(often)} instead of {_often(should)}"
            much = "more often than it should" if others else much
            loaded = [one for one in self.mine.loads if one.first in again]
            most = max(loaded, key=lambda one: one.times, default=None)
            where, line, step, loop = "", None, None, Message()
            if most and most.times > max((one.times for one in self.ours.loads), default=0):
                line = most.loaded.line
                where = f" Line {line} loads {self._name(most.first)} {_often(most.times)}."
                loop, _ = self._its_loop(line, is_last=True)
            elif step := self._ways.doubled(again):
                line = step.place.line
                loop, _ = self._its_loop(step.calls[-1] if step.calls else line)
                brought, asked = step.sides
                where = (
                    f" {step.told.first} Each of the two values already contains these elements. "
                    f"{brought or step.told.why}"
                ).rstrip()
                around, at = self._declared.loop(step.calls[-1] if step.calls else line or 0)
                if around and not (loop.remedy or brought):
                    loop = Message(remedy=f"How many rounds should the loop on line {at} have?")
                loop = Message(remedy=asked) if brought else loop
                name, head = self._declared.continued(line or 0)
                if name and step.is_new:
                    loop = Message(
                        remedy=f"Which value should `{name}` have before the loop on line {head}?"
                    )
            yield (
                Message(
                    f"{self._here} uses {each} {much}.{where}",
                    loop.first,
                    loop.remedy or (self._guarded(step.place) if step else ""),
                ),
                line,
            )

    def _by_one_factor(self, mine: Times, ours: Times) -> bool:
        """Whether nearly all elements are used more often by one factor, which the value is wrong
        by, too."""
        factors = Counter(times / ours[one] for one, times in mine.items())
        [(factor, count)] = factors.most_common(1) or [(1, 0)]
        small, large = sorted((abs(self._found), abs(self._wanted)))
        return (
            factor > 1
            and count > 0.9 * len(mine)
            and math.isclose(large, factor * small, rel_tol=1e-3)
        )

    def constant(self) -> Told:
        """A constant won where an input should have."""
        if (
            self.mine.origin != "constant"
            or self.ours.origin == "constant"
            or not {*self._ways.verbs} <= {"", "max", "min"}
        ):
            return
        line = self.mine.origin_line
        line = self._declared.with_number(line, self._found) if line else None
        line = line or self._declared.only_with(self._found)
        there = f" (line {line})" if line else ""
        sentence = f"This {self._found:g} comes from a number in your code{there}. "
        if isinstance(self.ours.origin, Element) and self._mine:
            above = self._found > self._wanted
            which, side = ("largest", "below") if above else ("smallest", "above")
            best = self._name(self.ours.origin)
            sentence += f"Every element here is {side} it, even the {which}, {best}."
            remedy = f"What should a search for the {which} start from?"
        elif not self.ours.origin and (self._mine or self._ours):
            return  # it is computed: the step that loses its elements says more
        elif not self.ours.origin:
            sentence = f"The {self._found:g} is a number in your code{there}. "
            remedy = f"Which value should be here instead of {self._found:g}?"
        else:
            asked, _ = self._passed()
            sentence += f"No input has replaced it{f': {asked}' if asked else ''}."
            put = f"hich line should put {self._listed(self._ours)} in its place?"
            remedy = f"Is this the right condition? If it is, w{put}" if asked else f"W{put}"
        yield Message(sentence, remedy=remedy), line

    def other_winner(self) -> Told:
        """One element in the place of another, of many that it was looked for in."""
        mine, ours = self.mine.origin, self.ours.origin
        if isinstance(mine, Element) and isinstance(ours, Element) and mine != ours:
            sentence = f"{self._here} is a copy of {self._name(mine)}, and should be a copy of "
            said = f"{sentence}{self._name(ours)}."
            loop, line = self._its_loop(self._last_use([ours]), is_last=True)
            why, at = f"{self._loaded([ours], False)} {loop.first}".strip(), None
            remedy = f"Which step chooses {self._name(mine)} here?"
            chosen = [one for step in self.mine.choices for one in (step.taken, step.refused)]
            loads = [one.loaded for one in self.mine.used if one.first == mine]
            if loads and chosen and self._wanted not in chosen:  # it was not among them
                at, who = loads[0].line, loads[0].who
                why = f"{capital(who)} loads {self._name(mine)}{loads[0].on}. {why}"
                remedy = f"Which elements should {who} choose from?"
            yield Message(said, why, loop.remedy or remedy), line if loop.first else at

    def misplaced(self) -> Told:
        """Values that belong in other elements of the output, each in one alone."""
        wrong, stored = self.pair.wrong, self.mine.stored
        buffer = wrong.element.buffer
        expected = self.words.problem.outputs[buffer].value
        belongs = [
            np.flatnonzero(np.isclose(expected.ravel(), one, 1e-6, 0))
            for one in (*wrong.found.flat[:FEW_PLACES], *wrong.found.flat[-FEW_PLACES:])
        ]
        # Of the same elements or of others alone: a maximum of more may be another's by chance.
        is_another = bool(self._mine) and (
            self._mine.keys() == self._ours.keys() or self._mine.keys().isdisjoint(self._ours)
        )
        is_there = len({*wrong.found.flat}) > 1 and all(len(some) == 1 for some in belongs)
        if stored and is_another and is_there:
            there = self._name(Element(buffer, int(belongs[0][0])))
            yield (
                Message(
                    f"{self._here} has the value of {there}. {capital(stored.who)} stores it"
                    f"{stored.on}.",
                    remedy=f"Is the index{stored.on} right?",
                ),
                stored.line,
            )

    def elsewhere(self) -> Told:
        """Another thread of the block has the right value where this one stores its own."""
        wrong, stored, theirs = self.pair.wrong, self.mine.stored, self.ours.stored
        wanted = wrong.expected.flat[0]
        right = [
            one for one, value in self.mine.peers.items() if np.isclose(value, wanted, 1e-5, 0)
        ]
        alone = (wrong.expected == wanted).sum() == 1 and wanted and len(self._ours) > 1
        if stored and theirs and stored.thread != theirs.thread and right and alone:
            yield (
                Message(
                    f"Thread {right[0]} has the right value, and thread {stored.thread} stores its "
                    f"own{stored.on}.",
                    remedy="Which lane or thread has the result at this line?",
                ),
                stored.line,
            )

    def divided(self) -> Told:
        """A division of two whole numbers on the way to a float, which the solution does not
        have."""
        way = {op.line for op in self.mine.behind.ops}
        way |= {one.place.line for one in self.mine.choices}
        for line in sorted(self._declared.unusual(self._usual).keys() & way):
            if found := self._declared.whole_division(line):
                yield (
                    Message(
                        f"On line {line}, `{found}` divides two ints.",
                        "The result is an int, too: the part after the point is lost.",
                        "Which type should one of the two numbers have?",
                    ),
                    line,
                )

    def _tied(self, elements: Sequence[Element]) -> list[int]:
        """The lines that compare two equal floats on the way of some elements."""
        loads = (self._loads.get(one, ())[:1] for one in elements)
        paths = (
            way for one in loads for used in one for way in self.pair.path(used.loaded).branches
        )
        return sorted({one.place.line or 0 for one in (*self.mine.choices, *paths) if is_tied(one)})

    def tie(self) -> Told:
        """The number of an element in its row, where another one of the same value is meant."""
        found, wanted = (
            float(one.flat[0]) for one in (self.pair.wrong.found, self.pair.wrong.expected)
        )
        if self.pair.wrong.found.dtype.kind not in "iu" or min(found, wanted) < 0:
            return
        *row, _ = self.words.index(self.pair.wrong.element) or (0,)
        for name, array in self.words.problem.inputs.items():
            places = [(*row, int(at)) for at in (found, wanted)]
            if array.ndim != len(row) + 1 or not (np.array(places) < array.shape).all():
                continue
            one, other = places
            if one != other and array[one] == array[other]:
                flat = (int(np.ravel_multi_index(at, array.shape)) for at in places)
                both = [Element(name, at) for at in flat]
                named, lines = " and ".join(map(self._name, both)), self._tied(both)
                on = " and ".join(f"line {at}" for at in lines)
                yield (
                    Message(
                        f"{named} are both {array[one]:.6g}. {self._here} is the index of the "
                        "wrong one.",
                        f"Equal values are compared on {on}." if lines[1:] else "",
                        "Which of two equal elements should win on each of these lines?"
                        if lines[1:]
                        else "Which of two equal elements wins?",
                    ),
                    lines[0] if lines[1:] else None,
                )


def _often(times: int) -> str:
    return {1: "once", 2: "twice"}.get(times, f"{times} times")


def _way(opcode: str) -> str:
    """ "xor_" of `__shfl_xor_sync`, "" of `__shfl_sync`."""
    return {"bfly": "xor_", "idx": ""}.get(mode := opcode.split(".")[2], f"{mode}_")


def _uneven(mine: Times, ours: Times) -> bool:
    """Whether elements of one array are used more often than in the solution by several factors,
    each of several elements: another formula uses all of them alike, but for a few."""
    factors = grouped((one.buffer, times / ours[one]) for one, times in mine.items())
    return any(
        min(some) >= 1 and sum(count > 1 for count in Counter(some).values()) > 1
        for some in factors.values()
    )
