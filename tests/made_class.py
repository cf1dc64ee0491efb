"""A class for the report's likeness: learners who each draw an answer to every exercise of a lesson
from the suites, with names, comments and white space of their own, and six pairs of copies of
graded depth. Everything hangs on the seed.

    PYTHONPATH=. python tests/made_class.py [LESSON] [--learners N] [--seeds N]

It prints which pairs are named.

With --vary each learner has variants. Those who copy translate what they copy into their own
variants, or with --as-it-is they do not; then it is also said how many copies would still pass.
"""

import argparse
import difflib
import random
import re
import time
from contextlib import suppress
from functools import cache

import suites

from grader import course
from grader.classroom.report import alike
from grader.compilers.lexer import without_comments
from grader.course import variants
from grader.judge import judge
from tools.variants import Text

LESSON = "02_tree_reduction"
DEPTHS = ("verbatim", "renamed", "reformatted", "reordered", "half", "one")
NUMBERS = """
    i j k s t n m d p q idx id tid pos step stride half lane off offset gap dist width w other next
    partner mine src dst left active limit count len jump
"""
VALUES = """
    v x y a b val value sum acc total result res tmp temp best cur part local best_so_far r out
    my_sum partial running f g u mx biggest largest current
"""
PHRASES = [
    "sync", "wait for everyone", "wait", "reduce", "add the other half", "barrier", "guard",
    "only the first thread", "thread 0 writes", "load", "store the result", "shared memory",
    "out of range", "halve", "loop over the tree", "identity", "neutral element", "done",
]  # fmt: skip
VERBS = "take fold combine pull merge keep skip clear read fetch write check reset hand"
THINGS = "upper_half lower_half partner total_so_far tile counter last_block rest warp"
ENDS = [
    "",
    " first",
    " before the next round",
    " so nobody is early",
    " (see lesson)",
    " here",
    "!",
]


@cache
def answers(lesson):
    """By exercise: the skeleton, and the sources that pass and that fail."""
    here = course.lesson(lesson)
    found = {one.name: ([], []) for one in here.exercises}
    for at, suite in enumerate(("alternatives", "mistakes")):
        for one in suites.answers(suite):
            of_lesson, _, name = one.exercise.partition("/")
            if of_lesson != lesson:
                continue
            # What a style adds between lines that are given is no answer of one's own.
            is_given = here.exercise(name).kind.keeps_what_is_given
            if not (is_given and one.name.startswith("style/")):
                found[name][at].append(one.source)
    return {
        name: (
            here.handed_out(here.exercise(name)),
            [*right, here.solution(here.exercise(name))],
            wrong,
        )
        for name, (right, wrong) in found.items()
    }


def handed_out(lesson):
    return [skeleton for skeleton, _, _ in answers(lesson).values()]


def changed_own(source, skeleton, change):
    """`source` with `change` made to the lines that are not the skeleton's."""
    before, after = skeleton.split("\n"), source.split("\n")
    lines = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for what, _, _, start, end in matcher.get_opcodes():
        part = after[start:end]
        lines += part if what == "equal" else change("\n".join(part)).split("\n") if part else []
    return "\n".join(lines)


def declared(text):
    """The variables of a text, with whether they are whole numbers."""
    kinds = r"\b(int|unsigned|long|bool|auto|float|double|float4)\b[ *&]*(?:const +)?(\w+)"
    kinds += r"(?= *[=;,)\[])"
    return {
        name: kind not in ("float", "double", "float4") for kind, name in re.findall(kinds, text)
    }


def rename(names):
    def change(text):
        return re.sub(r"(?<![.\w])[A-Za-z_]\w*", lambda found: names.get(found[0], found[0]), text)

    return change


class Habits:
    """How one learner writes."""

    def __init__(self, rng):
        self.rng = rng
        self.renames, self.comments = rng.uniform(0.3, 0.9), rng.choice([0, 0.1, 0.3, 0.5])
        self.indent = rng.choice(["    ", "    ", "  ", "\t"])
        self.tight, self.spread = rng.random() < 0.3, rng.random() < 0.3
        self.called = {}

    def write(self, source, skeleton):
        """An answer in this learner's way."""
        own = changed_own(source, skeleton, without_comments)
        names = {}
        for name, whole in declared(own).items():
            if name not in self.called:
                pool = NUMBERS if whole else VALUES
                new = self.rng.random() < self.renames
                self.called[name] = self.rng.choice(pool.split()) if new else name
            if self.called[name] not in names.values() and self.called[name] not in skeleton:
                names[name] = self.called[name]
        own = changed_own(own, skeleton, rename(names))
        return changed_own(own, skeleton, lambda text: self._commented(self._laid_out(text)))

    def _laid_out(self, text):
        lines = []
        for line in text.split("\n"):
            body = line.lstrip()
            depth = (len(line) - len(body)) // 4
            if self.tight:
                body = re.sub(r"\b(if|for|while) \(", r"\1(", body)
            if self.spread and body.endswith("{") and len(body) > 1:
                lines += [self.indent * depth + body[:-1].rstrip(), self.indent * depth + "{"]
            elif body or self.rng.random() < 0.5:
                lines.append(self.indent * depth + body)
        return "\n".join(lines)

    def _commented(self, text):
        return "\n".join(
            f"{line}  // {self._comment()}"
            if line.strip() and self.rng.random() < self.comments
            else line
            for line in text.split("\n")
        )

    def _comment(self):
        if self.rng.random() < 0.4:
            return self.rng.choice(PHRASES)
        words = (self.rng.choice(VERBS.split()), self.rng.choice(THINGS.split()).replace("_", " "))
        return " ".join(words) + self.rng.choice(ENDS)


def independent(lesson, rng):
    """A learner's notebook: by exercise the source, and the status if it failed."""
    habits, skill = Habits(rng), rng.uniform(0.5, 0.95)
    notebook = {}
    for name, (skeleton, right, wrong) in answers(lesson).items():
        if rng.random() < 0.05:
            continue
        good = rng.random() < skill or not wrong
        source = rng.choice(right if good else wrong)
        notebook[name] = (habits.write(source, skeleton), "" if good else "wrong_answer")
    return notebook


def copied(lesson, theirs, own, depth, rng):
    """The notebook of somebody who copied another one's as deep as `depth` says; `own` is what this
    learner has beside it."""
    chosen = [name for name in theirs if declared(theirs[name][0])]
    if depth == "half":
        chosen = rng.sample(chosen, (len(chosen) + 1) // 2)
    if depth == "one":  # what is worth copying
        chosen = [max(chosen, key=lambda name: len(theirs[name][0]))]
    whole = depth not in ("half", "one")
    notebook = dict(theirs if whole else own)
    habits = Habits(rng)
    habits.renames = 1.0
    for name in chosen:
        source, status = theirs[name]
        skeleton = answers(lesson)[name][0]
        if depth in ("renamed", "reordered"):
            pools = (VALUES, NUMBERS)
            names = {
                one: rng.choice(pools[kind].split()) + "_" for one, kind in declared(source).items()
            }
            names = {one: new for one, new in names.items() if one not in skeleton}
            source = changed_own(source, skeleton, rename(names))
        if depth == "reformatted":
            habits.comments = 0
            source = changed_own(
                source, skeleton, lambda text: habits._laid_out(without_comments(text))
            )
        if depth == "reordered":
            source = changed_own(source, skeleton, lambda text: swapped(text, rng))
        notebook[name] = (source, status)
    return notebook


def swapped(text, rng):
    """`text` with neighbouring simple statements in another order."""
    lines = text.split("\n")
    for at in range(len(lines) - 1):
        simple = all(re.match(r"\s*[^{}()]*;", line) for line in lines[at : at + 2])
        if simple and rng.random() < 0.8:
            lines[at : at + 2] = lines[at + 1], lines[at]
    return "\n".join(lines)


def made(lesson, learners, seed):
    """Everybody's notebook by learner, and the copied pairs by depth."""
    rng = random.Random(f"{lesson} {learners} {seed}")
    notebooks = {f"learner{at:03}": independent(lesson, rng) for at in range(learners)}
    names = rng.sample(sorted(notebooks), 2 * len(DEPTHS))
    pairs = {}
    for depth, one, other in zip(DEPTHS, names[::2], names[1::2], strict=True):
        notebooks[other] = copied(lesson, notebooks[one], notebooks[other], depth, rng)
        pairs[depth] = tuple(sorted((one, other)))
    return notebooks, pairs


def drawn(lesson, learner):
    """A learner's variants, by exercise."""
    rng = random.Random(f"{lesson} {learner}")
    known = ((one, variants.variants(one)) for one in course.lesson(lesson).exercises)
    return {one.name: rng.choice(some) for one, some in known if some}


def in_variants(lesson, notebook, learner):
    """The notebook in the learner's variants; an answer is left out that cannot be written so."""
    here, translated = course.lesson(lesson), {}
    for name, anew in drawn(lesson, learner).items():
        if name in notebook:
            source, status = notebook[name]
            text = Text(here.exercise(name), anew)
            with suppress(variants.Refused):
                translated[name] = (text.heading + text.source(source), status)
    return translated


def of_variants(lesson):
    """All that is handed out in some variant."""
    here = course.lesson(lesson)
    return [
        here.handed_out(variants.recoded(one, anew))
        for one in here.exercises
        for anew in variants.variants(one)
    ]


def still_pay(lesson, notebooks, pairs):
    """Of the copies of right answers that nobody translated: how many pass, and of how many."""
    passed = []
    for one, other in pairs.values():
        for name, (source, status) in notebooks[other].items():
            if not status and notebooks[one].get(name) == (source, status):
                own = variants.recoded(
                    course.lesson(lesson).exercise(name), drawn(lesson, other)[name]
                )
                passed.append(judge(own, source, explained=False).status == "passed")
    return sum(passed), len(passed)


def tried(lesson, learners, seed, vary=False, as_it_is=False):
    """Which depths were named, which pairs falsely, in how many seconds, and how many copies would
    pass if that was asked."""
    notebooks, pairs = made(lesson, learners, seed)
    given, pay = handed_out(lesson), None
    if vary:
        source_of = {other: one for one, other in pairs.values()} if as_it_is else {}
        notebooks = {
            learner: in_variants(lesson, notebook, source_of.get(learner, learner))
            for learner, notebook in notebooks.items()
        }
        given += of_variants(lesson)
        pay = still_pay(lesson, notebooks, pairs) if as_it_is else None
    start = time.perf_counter()
    found = alike.compare(notebooks, given, vary)
    seconds = time.perf_counter() - start
    named = {one.learners: one for one in found}
    return (
        {depth: round(named[pair].bits) if pair in named else 0 for depth, pair in pairs.items()},
        [one for pair, one in named.items() if pair not in pairs.values()],
        seconds,
        pay,
    )


def main():
    options = argparse.ArgumentParser()
    options.add_argument("lesson", nargs="?", default=LESSON)
    options.add_argument("--learners", type=int, default=60)
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--verbose", action="store_true", help="what falsely named pairs share")
    options.add_argument("--vary", action="store_true", help="each learner has variants")
    options.add_argument("--as-it-is", action="store_true", help="copies are not translated")
    asked = options.parse_args()
    for seed in range(asked.seeds):
        depths, falsely, seconds, pay = tried(
            asked.lesson, asked.learners, seed, asked.vary, asked.as_it_is
        )
        found = sum(map(bool, depths.values()))
        print(
            f"seed {seed}: {found} of 6 found, {len(falsely)} falsely named, {seconds:.2f} s",
            depths,
            [round(one.bits) for one in falsely],
            f"{pay[0]} of {pay[1]} copies would pass" if pay else "",
        )
        if asked.verbose:
            for one in falsely:
                print("   ", one)


if __name__ == "__main__":
    main()
