"""Why a case fails. The element, index or launch that is told of is followed, in the answer and in
the solution: what the element was made of and what was done with that, held against what the
solution makes it of.

The first rule that applies says what an element was made of, and another one what was done with
that. A rule takes what is known of the element, and yields a message and its line where it applies.
Only what was seen in the two runs is said. Both are followed on the simulated device (see
`sandbox.slices`), in the worker's process; what is expected stays here.
"""

import math
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from itertools import islice, takewhile
from typing import TypeVar

import numpy as np

from ...compilers.declared import ASSIGNED, WORD, Declarations
from ...compilers.parameters import unused_parameters
from ...course import Expected, Problem, rules
from ...cuda.errors import Message
from ...say import places
from ...say.verdict_answers import NEXT, RETURNS, already_wrong
from ...status import Pattern, Status
from .. import cases, compare
from ..borrowed import Alignment
from ..cases import CaseInstance
from ..compare import Words, Wrong
from ..protocol import Failed, Ran, ThreadPlace
from ..session import Outcomes
from ..verdict import CaseResult, Part
from .about import About, Pair
from .choices import chosen, decided, other_winner, shuffled, tie, without_stride
from .conditions import after_doubts
from .elements import other_elements, other_summands, too_often
from .factors import number_won, scaled, stood_in
from .stores import beyond_an_array, elsewhere, misplaced, nobody_wrote, other_place
from .strays import beyond_row, in_one_bank, of_stray
from .used import Times, Told, capital, copied, runs, times
from .wrong_steps import (
    cancelled,
    descended,
    divided,
    first_nan,
    goes_on,
    instead,
    mixed,
    narrowed,
    overflowed,
)

MOST = 600  # parts told of
_ENOUGH = {
    Pattern.OVERFLOWED,
    Pattern.CONSTANT_WON,
    Pattern.CANCELLED,
    Pattern.TOO_OFTEN,
    Pattern.OTHER_STEP,
}
Rule = Callable[[About], Told]
Said = tuple[Pattern, Message, int | None]  # a pattern, its message, and the line of that
_MADE_OF: tuple[
    tuple[Pattern, Rule], ...
] = (  # of what an element was made; the first that applies
    (Pattern.NOBODY_WROTE, nobody_wrote),
    (Pattern.OTHER_STEP, narrowed),
    (Pattern.OTHER_STEP, divided),
    (Pattern.OTHER_ELEMENTS, without_stride),
    (Pattern.OTHER_PLACE, elsewhere),
    (Pattern.OTHER_ELEMENTS, shuffled),
    (Pattern.OTHER_PLACE, other_place),
    (Pattern.OTHER_PLACE, misplaced),
    (Pattern.CONSTANT_WON, stood_in),
    (Pattern.CONSTANT_WON, number_won),
    (Pattern.OTHER_ELEMENTS, other_elements),
    (Pattern.OTHER_ELEMENTS, other_summands),
    (Pattern.OTHER_STEP, mixed),
    (Pattern.OVERFLOWED, overflowed),
    (Pattern.CANCELLED, cancelled),
    (Pattern.TOO_OFTEN, too_often),
    (Pattern.OTHER_PLACE, other_winner),
    (Pattern.OTHER_PLACE, tie),
)
Known = TypeVar("Known", bound=Outcomes)


def _parts(about: About) -> tuple[Part, ...]:
    """What it was made of and should have been, where that is not the same."""
    return (
        _runs(about, about.elements, about.right_elements)
        if about.is_complete and about.elements.keys() != about.right_elements.keys()
        else _runs(about, times(about.mine.summed), times(about.ours.summed))
        if any(too_often(about))
        else ()
    )


def _runs(about: About, mine: Times, ours: Times) -> tuple[Part, ...]:
    """Runs of neighbouring elements that went in as often, and should have; none where they are
    too many."""
    often = {one: (mine.get(one, 0), ours.get(one, 0)) for one in {*mine, *ours}}
    parts = tuple(
        Part(
            about.array(first.buffer),
            about.words.index(first),
            first.index,
            1 + len(rest),
            *often[first],
        )
        for first, *rest in runs(often)
    )
    return parts if len(parts) <= MOST else ()


def _first_step(about: About) -> ThreadPlace | None:
    """The first step that goes wrong, with its value: it loads what does not belong here, makes
    a NaN, chooses otherwise than ours, or is one that ours does not take."""
    strange = [one for one in about.mine.used if one.first not in about.right_elements]
    if strange and about.is_complete:
        first = strange[0].first
        array = about.words.problem.inputs.get(first.buffer, np.empty(0))
        return strange[0].loaded.with_values(*array.flat[first.index : first.index + 1])
    if about.mine.nan and about.nan_arose:
        return about.mine.nan.with_values(math.nan, *about.mine.operands)
    if found := about.fell:
        return found[0].place.with_values(found[0].taken, *found[0].values)
    return about.ways.descended.place if about.ways.descended else None


def _told(about: About) -> list[Said]:
    """What it is made of, if that is wrong, is told first, then what was done with it."""
    made_of = _first(about, *_MADE_OF)
    if (
        any(pattern in _ENOUGH for pattern, _, _ in made_of)
        or any(line for _, line in tie(about))
        or any((told, line) in misplaced(about) for _, told, line in made_of)
    ):
        return made_of
    chose = about.fell[0].place.line or 0 if about.fell else 0
    other_loop = chose and any(
        line in about.declared.loops and line != about.declared.loop(chose)[1]
        for _, _, line in made_of
    )
    # The choice says more than a load and its loop.
    if any(decided(about)) or (other_loop and any(chosen(about))):
        made_of = [(one, replace(said, why="", remedy=""), None) for one, said, _ in made_of]
    # Where nothing should be used, no operand of a NaN should.
    done = (
        _first(about, (Pattern.FIRST_NAN, first_nan)) if not made_of or about.right_elements else []
    )
    done += [] if made_of else _first(about, (Pattern.SCALED, scaled))
    apart = any(pattern == Pattern.OTHER_ELEMENTS for pattern, _, _ in made_of)
    is_told = apart and any(line for _, _, line in made_of)
    step = about.ways.descended
    is_number = step is not None and step.number is not None
    rounds = step is not None and step.mine.startswith("rounds ")
    is_whole = is_number or rounds or not (done or is_told)
    done += _first(
        about,
        (Pattern.CHOSEN_OTHERWISE, decided),
        (Pattern.CHOSEN_OTHERWISE, chosen),
        (
            Pattern.CONSTANT_WON if is_number else Pattern.OTHER_STEP,
            partial(descended, of_others=apart) if is_whole else instead,
        ),
        (Pattern.LEFT_EARLY, partial(goes_on, from_parts=bool(made_of))),
    )
    if any(any(rule(about)) for rule in (without_stride, shuffled, elsewhere)):
        done = [  # all of it after another one's facts
            (one, replace(said, first="", why=f"{said.first} {said.why}".strip()), line)
            for one, said, line in done
        ]
    return [*made_of, *done]


def _first(about: About, *rules: tuple[Pattern, Rule]) -> list[Said]:
    """What the first rule says that applies."""
    said = (
        (pattern, Message(told) if isinstance(told, str) else told, line)
        for pattern, rule in rules
        for told, line in rule(about)
    )
    return list(islice(said, 1))


def explained(result: CaseResult, pair: Pair, words: Words) -> CaseResult:
    """`result` with sentences on why, and the line that it is about, as far as that was seen."""
    about = About(pair, words)
    result = replace(result, made_of=_parts(about), differs=_first_step(about))
    told = _told(about)
    line, patterns = (
        next((line for _, _, line in told if line), None),
        tuple(str(pattern) for pattern, _, _ in told),
    )
    parts = replace(result.parts, why="", remedy="")
    for _, message, _ in told:
        again = message.first and message.first in f"{parts.first} {parts.why}"
        parts += replace(message, first="" if again else message.first, remedy="")
    if line is None and pair.wrong.written and (stored := pair.mine.stored):
        parts += Message(f"{capital(stored.who)} wrote {about.here}{stored.on}.")
        line = stored.line
        if {*patterns} <= {str(Pattern.OTHER_ELEMENTS)} and (made := about.ways.last_line) not in (
            None,
            line,
        ):
            parts += Message(**{"why" if told else "first": f"Its value comes from line {made}."})
    leads = [
        one
        for one in told
        if one[0] in (Pattern.LEFT_EARLY, Pattern.CONSTANT_WON, Pattern.CHOSEN_OTHERWISE)
    ] + told
    pattern, lead, _ = leads[0] if leads else (Pattern.NOBODY_WROTE, Message(), None)
    at = about.ways.last_line or line
    usual = "" if told or not line else f"Which values should line {at} use?"
    advice = (
        lead.remedy,
        *(message.remedy for _, message, _ in told),
        result.parts.remedy,
        NEXT.get(pattern),
        usual and about.doubting(about.declared.line(at), at, usual),
    )
    remedy = next(filter(None, advice), "")  # one is enough
    result = result.saying(parts + Message(why=result.parts.why, remedy=remedy))
    return replace(result, line=line, patterns=patterns)


def explained_case(judged: Known, at: int) -> Known:
    """The case at a place, told with the reason why it fails, as far as that can be followed."""
    instance, outcome, result = judged.instances[at], judged.outcomes[at], judged.results[at]
    if instance.case.hazard:
        return judged
    if isinstance(outcome, Failed) and (earlier := _before(judged, at, outcome)):
        first, launches = earlier.results[at], len(earlier.instances[at].problem.launches)
        every = len(instance.problem.launches)
        told = result.saying(already_wrong(first.parts, launches, every, result.status))
        return judged.with_result(at, replace(told, line=first.line or result.line))
    problem = instance.problem
    if compare.apart(problem) and result.where:  # one launch is followed sooner than all
        launch = problem.launches[result.where.launch - 1]
        written = [name for name in problem.outputs if name in launch.args]
        instance = replace(
            instance, problem=replace(problem.comparing(written), launches=(launch,))
        )
    if said := _of_access(judged, at, instance):
        return judged.with_result(at, _in_coordinates(result.saying(said), problem))
    if changed := _changed_inputs(result, judged.words[at]):
        return _only_written(judged, at, changed.pop())
    if isinstance(outcome, Ran) and result.where and result.where.order != problem.order:
        instance = replace(instance, problem=replace(instance.problem, order=result.where.order))
        (outcome,) = judged.session.run((instance,))
    wrong = (
        compare.first_wrong(instance, outcome)
        if result.status == Status.WRONG_ANSWER and isinstance(outcome, Ran)
        else None
    )
    if wrong is None:
        return judged
    followed = _of_value(judged, at, instance, wrong)
    if _is_vague(followed) and (alone := _launch_alone(judged, at, wrong)):
        of_launch = _of_value(judged, at, alone, wrong)
        followed = followed if followed and _is_vague(of_launch) else of_launch
    unwritten = wrong.element.buffer if not wrong.written else ""
    return (
        judged.with_result(at, followed)
        if followed
        else _only_written(judged, at, judged.words[at].name(unwritten))
        if unwritten
        else judged
    )


def _is_vague(told: CaseResult | None) -> bool:
    """Whether nothing is known of an element but that something more should be done with it."""
    return told is None or {*told.patterns} <= {Pattern.LEFT_EARLY}


def _of_access(judged: Known, at: int, instance: CaseInstance) -> Message | None:
    """What is said of an access that should not be, or is dear; None where a value is wrong."""
    outcome, result, words = judged.outcomes[at], judged.results[at], judged.words[at]
    if isinstance(outcome, Failed) and str(beyond := beyond_row(judged, at, outcome)):
        return replace(result.parts, why="", remedy="") + beyond
    if (
        isinstance(outcome, Failed)
        and result.status in (Status.OUT_OF_BOUNDS, Status.UNINITIALIZED_READ)
        and not str(words.order())  # else the order of the parameters is the reason
    ):
        return of_stray(judged, at, outcome, beyond_an_array(judged, instance, words))
    if re.search("bank_conflicts`|`shared_[a-z]+_wavefronts`", result.parts.first):
        return result.parts + in_one_bank(judged, at)
    if result.status == Status.DATA_RACE and "correct the index" in result.parts.remedy:
        declared, line = Declarations(judged.source), result.line or 0
        doubted = declared.doubtful_here(declared.line(line), line, Declarations(words.solution))
        array = "".join(re.findall(r"(?:use|write) `(\w+)\[", result.parts.remedy))
        indices = {*re.findall(rf"\b{array}\[([^][]+)\]", declared.line(line))}
        computed = [one for one in indices if not re.fullmatch(r"[\w.]+", one)]
        which = f"Is the index `{computed[0]}` right? If it is" if len(computed) == 1 else r"\g<0>"
        remedy = re.sub(
            r"Should both threads .*? If not, correct the index\. If they should",
            which,
            after_doubts([one for one in doubted if one[0] not in which], result.parts.remedy),
            flags=re.IGNORECASE,
        )
        return replace(result.parts, remedy=remedy.replace("If it is, Is", "If it is, is"))
    return None


def _of_value(judged: Known, at: int, instance: CaseInstance, wrong: Wrong) -> CaseResult | None:
    """The case at a place, with the reason why a value is wrong, which is followed in `instance`;
    None where it cannot be followed."""
    both, result, words = (judged.session, judged.ours), judged.results[at], judged.words[at]
    with ThreadPoolExecutor(len(both)) as pool:
        made = [*pool.map(lambda one: one.follow(instance, (wrong.element,)), both)]
    if not all(made):
        return None
    (mine,), (ours,) = made
    pair, copies = Pair(wrong, mine, ours), copied(mine, ours)
    if copies and copies[0] != copies[1] and wrong.others:
        others = [session.follow(instance, wrong.others) for session in both]
        pair = replace(pair, others=tuple(zip(*others, strict=False)))
    if result.where:
        number = min(result.where.launch, len(instance.problem.launches))
        pair = replace(pair, path=cache(partial(judged.session.path, instance, number)))
    told, problem = explained(result, pair, words), judged.instances[at].problem
    told = cases.in_block(told, problem, mine.stored.block) if mine.stored else told
    return _in_coordinates(told, problem)


def doubted(judged: Known, at: int) -> Known:
    """The case at a place, with a question about the parameters that only the solution uses; or
    else about a variable that only the solution changes; or else about the only line that the
    solution has not alike, if nothing is said of that line."""
    result, words = judged.results[at], judged.words[at]
    declared, usual = Declarations(judged.source), Declarations(words.solution)
    kernels = dict.fromkeys(one.kernel for one in words.problem.launches)
    mine, ours = (
        [name for kernel in kernels for name in unused_parameters(source, kernel)]
        for source in (judged.source, words.solution)
    )
    unused = [f"`{name}`" for name in mine if name not in ours]
    # Of a kernel that has hardly begun, does not compile or is right, something else says more; a
    # later step may need what this one does not.
    is_apart = result.status in (Status.COMPILE_ERROR, Status.OVER_BUDGET) or judged.exercise.steps
    if 0 < len(unused) < 3 and not is_apart:
        told = result.parts
        facts = takewhile(lambda one: one.endswith("."), re.split(r"(?<=[.?]) ", told.remedy))
        told = replace(
            told,
            why=f"No line uses {' or '.join(unused)}. {told.why}".strip(),
            remedy=" ".join([*facts, f"Which line should use {' and '.join(unused)}?"]),
        )
        return judged.with_result(at, result.saying(told))
    alignment = Alignment(judged.source, words.solution)
    if result.status == Status.WRONG_ANSWER and (
        fixed := _never_changed(declared, usual, alignment.names)
    ):
        name, given = fixed
        told = replace(
            result.parts,
            why=f"No line after line {given} changes `{name}`. {result.parts.why}".strip(),
            remedy=f"Which line should change `{name}`?",
        )
        return judged.with_result(at, result.saying(told))
    in_its_names = (alignment.renamed(one) or one for one in usual.lines)
    (line, *others) = declared.unusual(Declarations("\n".join(in_its_names))) or (0,)
    if (
        not line
        or others
        or result.status in (Status.COMPILE_ERROR, Status.LAUNCH_ERROR)
        or str(words.order())
        or re.match(r"(?:Is|Are) `.*right\?", result.parts.remedy)
        or re.search(rf"\blines? (?:\d+ and )?{line}\b", f"line {result.line} {result.parts}")
    ):
        return judged
    remedy = after_doubts([("", line)], result.parts.remedy or "What should be different there?")
    return judged.with_result(at, result.saying(replace(result.parts, remedy=remedy)))


def with_returns(judged: Known, at: int) -> Known:
    """The case at a place, with what the functions return that are on the line it tells of, or give
    a name on that line its value; nothing of lines that the solution has alike, too."""
    result, solution = judged.results[at], judged.words[at].solution
    declared, renamed = Declarations(judged.source), Alignment(judged.source, solution).renamed
    usual = (renamed(one) or one for one in Declarations(solution).lines)
    unusual = declared.unusual(Declarations("\n".join(usual)))
    line = result.line or 0
    given = {line, *(declared.given(name, line)[1] for name in WORD.findall(declared.line(line)))}
    lines = given if line in unusual else given & unusual.keys()
    called = {name: None for at in sorted(lines) for name in WORD.findall(declared.line(at))}
    facts = (f"`{name}` {RETURNS[name]}" for name in called if name in RETURNS)
    return judged.with_result(at, result.saying(result.parts + Message(why=" ".join(facts))))


def _never_changed(
    mine: Declarations, ours: Declarations, names: dict[str, str]
) -> tuple[str, int] | None:
    """A variable that is declared before a loop that reads it, and never changed, where the
    solution changes the one in its place; and the line that declares it; None if there is none.
    `names`: by name of a variable of the solution, that of the answer's."""
    in_loops = " ".join(text for at, text in enumerate(mine.lines, 1) if mine.loop(at)[0])
    for theirs, name in names.items():
        often, usual = (
            len(re.findall(ASSIGNED.format(one), "\n".join(declared.lines)))
            for one, declared in ((name, mine), (theirs, ours))
        )
        declares = re.compile(rf"\s*(?:unsigned|int|float|double|size_t)\b.*\b{name}\s*=")
        at = next((at for at, text in enumerate(mine.lines, 1) if declares.match(text)), 0)
        is_read = re.search(rf"\b{name}\b", in_loops) is not None
        if is_read and at and often == 1 < usual and not mine.loop(at)[0]:
            return name, at
    return None


def _launch_alone(judged: Outcomes, at: int, wrong: Wrong) -> CaseInstance | None:
    """The first launch that gets a wrong output, as a case of its own after the solution's earlier
    launches; None where there are none, or where it goes right then."""
    instance = judged.instances[at]
    problem, buffer = instance.problem, wrong.element.buffer
    number = next(n for n, one in enumerate(problem.launches) if buffer in one.args)
    *before, launch = problem.launches[: number + 1]
    if not before:
        return None
    between = {name: Expected(np.zeros(*made), made[1]) for name, made in problem.scratch.items()}
    earlier = replace(
        problem, outputs={**problem.outputs, **between}, scratch={}, launches=tuple(before)
    )
    (ran,) = judged.ours.run((replace(instance, problem=earlier),))
    if not isinstance(ran, Ran):
        return None
    left = {
        name: ran.arrays[f"output/{name}"]
        for name in earlier.outputs
        if name in launch.args and ran.arrays[f"written/{name}"].all()
    }
    written = [name for name in problem.outputs if name in launch.args and name not in left]
    scratch = {name: made for name, made in problem.scratch.items() if name not in left}
    alone = replace(
        replace(problem, scratch=scratch).comparing(written),
        inputs={name: one for name, one in problem.inputs.items() if name in launch.args} | left,
        launches=(launch,),
    )
    one = replace(instance, problem=alone)
    (outcome,) = judged.session.run((one,))
    return one if isinstance(outcome, Ran) and compare.first_wrong(one, outcome) else None


def _in_coordinates(result: CaseResult, problem: Problem) -> CaseResult:
    """A result whose threads and blocks are named by their coordinates, where they have several;
    with the order of these beside that of rows and columns."""
    launch = problem.launches[result.where.launch - 1 if result.where else -1]
    told = places.in_coordinates(result.parts, *map(rules.dimensions, (launch.block, launch.grid)))
    are_beside = re.match(
        r"(?s)(?=.*hread \(\d+, \d+\))(?=.*\w\[\d+, \d+\])", f"{told.first} {told.why}"
    )
    return result.saying(
        told + Message(why="A thread is (x, y), an element is [row, column]." * bool(are_beside))
    )


def _changed_inputs(result: CaseResult, words: Words) -> set[str]:
    """The inputs that a result tells of, as a counter that is not put back, by the learner's names;
    none where it tells of an output."""
    return {one.buffer for one in result.mismatches} & {*map(words.name, words.problem.inputs)}


def _only_written(judged: Known, at: int, name: str) -> Known:
    """With the condition under which the only line that writes to an array does so."""
    result, declared = judged.results[at], Declarations(judged.source)
    said, line = declared.only_written(name)
    atomics = [
        at
        for at, text in enumerate(declared.lines, 1)
        if re.search(rf"\batomic\w+\([^;]*\b{name}\b", text)
    ]
    if len(atomics) == 1 and not declared.writers(name):
        said, line = f"Only the atomic on line {atomics[0]} changes {name}.", atomics[0]
    usual = Declarations(judged.words[at].solution)
    doubted = declared.doubtful(declared.line(line), line or 0, usual) if said else []
    remedy = result.parts.remedy
    value = re.search(r"must set it to (\S+) again", remedy)
    writes = [declared.line(one).rstrip() for one in declared.writers(name)] if said else []
    if value and any(one.endswith(f" = {value[1]};") for one in writes):  # that is there
        remedy = f"For which threads is the condition on line {line} true?"
    remedy = after_doubts(doubted, remedy) if remedy else ""
    told = replace(result.parts, remedy=remedy) + Message(said)
    return judged.with_result(at, replace(result.saying(told), line=line))


def _before(judged: Known, at: int, failure: Failed) -> Known | None:
    """The same with only the launches of a case that came before the one that failed, where they
    left something wrong that no later launch writes; None where they did not."""
    instance, words = judged.instances[at], judged.words[at]
    where, problem = cases.of_failure(instance, failure), instance.problem
    if where is None or where.launch < 2:
        return None
    launches, later = problem.launches[: where.launch - 1], problem.launches[where.launch - 1 :]
    passed = {one for launch in later for one in launch.args if isinstance(one, str)}
    left = [
        name
        for name in problem.outputs
        if name not in passed or (words.constant(name) and name in str(launches))
    ]
    earlier = replace(instance, problem=replace(problem.comparing(left), launches=launches))
    (outcome,) = judged.session.run((earlier,))
    result = compare.on_simulator(earlier, outcome, replace(words, problem=earlier.problem))
    again = all(one.kernel == launches[0].kernel for one in later)  # else another may put it back
    if (
        result.status != Status.WRONG_ANSWER
        or not isinstance(outcome, Ran)
        or (not again and _changed_inputs(result, words))
    ):
        return None
    judged = replace(
        judged,
        instances=(*judged.instances[:at], earlier, *judged.instances[at + 1 :]),
        outcomes=(*judged.outcomes[:at], outcome, *judged.outcomes[at + 1 :]),
    )
    return explained_case(judged.with_result(at, result), at)
