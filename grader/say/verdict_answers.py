"""The sentences about what a kernel left in its arrays, and about budgets and requirements."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..compilers import loop_faults
from ..compilers.declared import Declarations
from ..cuda.errors import Message
from ..errors import counted
from ..status import Pattern, headline
from .race_advice import without_stride

NOT_ATTEMPTED = "You have not changed this kernel yet."
TOO_LONG = (
    "The source has {:,} characters, and no kernel here needs more than {:,}. Hand in only the "
    "kernel."
)
ON_HARDWARE = Message("The answer is right on the simulated GPU, and wrong on the GPU.")
ASKS_FOR = "This case asks for {}."  # that must go wrong
ENOUGH = 8  # elements: among fewer, where the wrong ones lie is no pattern
_ORDERS = {
    "warps by chance": "with warps in a random order",
    "highest block first": "with the highest block first",
}
_FROM_NAN = (
    "These make NaN: inf - inf, 0 * inf, inf / inf, 0 / 0, and a variable that never got a value."
)
NEXT = {  # by what was seen of the first wrong element: what to ask oneself
    Pattern.NOBODY_WROTE: "",  # the message has a question of its own
    Pattern.OTHER_PLACE: "Compute the index of this load by hand for this thread.",
    Pattern.CONSTANT_WON: "Which value should be here instead of this number?",
    Pattern.OTHER_ELEMENTS: "Which loop, condition or index decides which elements are used?",
    Pattern.TOO_OFTEN: "Which loop or step uses the same element again?",
    Pattern.FIRST_NAN: "Which step makes the value that gives NaN here?",
    Pattern.OVERFLOWED: "How can the formula avoid a number of this size?",
    Pattern.SCALED: "Which step gives the wrong factor?",
    Pattern.CHOSEN_OTHERWISE: "Is this choice right?",
    Pattern.OTHER_STEP: "Which operation or value should be different in this step?",
    Pattern.LEFT_EARLY: "Which step must come after the one that makes this value?",
}
RETURNS = {  # by function, if it is often taken for something else
    **dict.fromkeys(
        (
            "atomicAdd",
            "atomicSub",
            "atomicMax",
            "atomicMin",
            "atomicExch",
            "atomicCAS",
            "atomicInc",
        ),
        "returns the value from before its change.",
    ),
    "__ballot_sync": "returns a mask: bit k is 1 if the condition is true in lane k.",
    "__clz": "returns how many 0 bits are above the highest 1 bit.",
    "__ffs": "counts bits from 1, and returns 0 if no bit is 1.",
    "__umulhi": "returns the upper 32 bits of the product.",
}
TOO_MUCH = "the kernel computes too many values, or uses too much memory"


# What a source line in a loop may do wrong: how that is found, and what to say of the line and of
# what was found there.
LOOP_FAULTS: tuple[tuple[Callable[[Declarations, int], Any], Callable[..., Message]], ...] = (
    (
        loop_faults.without_stride,
        lambda line, index, name, head: without_stride(index, name, head),
    ),
    (
        loop_faults.shuffled_by,
        lambda line, function, third: Message(
            f"The third argument of `{function}` on line {line} is `{third}`, a float. It must be "
            "a number of lanes.",
            remedy="Which argument is the value that a lane passes on?",
        ),
    ),
    (
        loop_faults.repeated_shuffle,
        lambda line, function, value, head: Message(
            f"`{function}` passes on `{value}`, which is the same in each round of the loop on "
            f"line {head}.",
            remedy="Which value should the lanes pass on in this round?",
        ),
    ),
    (
        loop_faults.copied,
        lambda line, name, element, at: Message(
            f"Line {line} changes `{name}`, which is a copy of {element}: line {at} makes it. The "
            "array does not change.",
            remedy=f"How can line {at} change the element itself?",
        ),
    ),
    (
        loop_faults.lost_in_shuffle,
        lambda line, name, function: Message(
            f"Line {line} gives `{name}` only what `{function}` brings: the lane's own value is "
            "lost.",
            remedy="Which two values should be combined in each round?",
        ),
    ),
    (
        loop_faults.replaced,
        lambda line, name, head: Message(
            f"Line {line} gives `{name}` a new value in each round of the loop on line {head}.",
            remedy=f"Which line uses the value of `{name}` from the previous round?",
        ),
    ),
)


def changed_input(place: str, buffer: str, was: str, is_now: str) -> Message:
    """An element of a const input is not what it was."""
    return Message(
        f"The kernel changed its input: {place} was {was} and is {is_now} afterwards.",
        "Other code still needs the old values.",
        f"The exercise declares {buffer} const: do the same, and the compiler shows you every "
        "line that writes to it.",
    )


def not_put_back(place: str, was: str, is_now: str) -> Message:
    """An element that the next launch begins with is not what it was."""
    return Message(
        f"The kernel does not reset {place}: it was {was} before the kernel ran and is {is_now} "
        "afterwards.",
        "The next launch begins with that value.",
        f"Before the kernel ends, the last thread that needs {place} must set it to {was} again.",
    )


def not_traced(why: str) -> Message:
    """A right answer that cannot be followed step by step."""
    return Message(
        "The answer is right, but the grader could not trace how it is computed.",
        f"This case needs the trace. The reason: {why}.",
        "Use only as much memory and as many threads as the exercise's arrays need.",
    )


def nothing_written(name: str) -> Message:
    """No element of an array was stored."""
    return Message(
        f"No thread wrote to {name}.",
        remedy="Does any thread reach the line that stores the result?",
    )


def left_out(place: str, name: str, size: int, missing: int) -> Message:
    """So many of the `size` elements were not stored, the one at `place` first."""
    also = f" {missing:,} of the {size:,} elements of {name} were not written."
    return Message(
        f"No thread wrote to {place}.{also if missing > 1 else ''}",
        remedy=f"Which thread should write {place}, and which guard, index or loop prevents it?",
    )


def left_changed(left: str) -> Message:
    """An earlier launch `left` something in memory, in a sentence."""
    rule = "A kernel that counts in memory must reset the count before it ends."
    return Message(why=f"{left} {rule}") if left else Message()


def in_another_order(order: str, message: Message) -> Message:
    """The answer is wrong only when blocks and warps come in this order."""
    how = _ORDERS.get(order, f"with {order}")
    only = f"The answer is right if blocks and warps run in order, but wrong {how}."
    return (
        Message(f"{how[:1].upper()}{how[1:]}: {message.first}", only)
        + replace(message, first="")
        + Message(why="A GPU runs blocks in any order. The result must not depend on it.")
    )


def wrong_element(place: str, wanted: str, is_now: str, by: str = "", nan: bool = False) -> Message:
    """An element is another number than it should be, `by` so much."""
    return Message(f"{place} is {is_now}, and should be {wanted}.", by, _FROM_NAN if nan else "")


def off_by(off: str, most: str) -> str:
    """A difference, and the tolerance, which is the `most` that rounding may do."""
    return f"The difference is {off}. The tolerance is {most}."


def pattern(parts: str, size: int, count: int, right_first: int) -> Message:
    """The place of the `count` wrong ones of an array's `size` `parts` ("elements of x"), where
    that points at a cause."""
    if size == 1:
        return Message()
    if count == size:
        return Message(why=f"{'Both' if count == 2 else f'All {count}'} {parts} are wrong.")
    if size < ENOUGH or right_first + count < size:
        return Message(why=f"{count} of {size} {parts} {_are(count)} wrong.")
    if 2 * count < size:  # what is left over after whole blocks is less than they are
        which = f"last {count}" if count > 1 else "last"
        return Message(
            why=f"Only the {which} of {size} {parts} {_are(count)} wrong.",
            remedy="Look at the end of the array. Do the last threads have elements?",
        )
    which = f"first {right_first}" if right_first > 1 else "first"
    return Message(
        why=f"Only the {which} of {size} {parts} {_are(right_first)} right.",
        remedy="Does the row, the warp, the block, or the round of a loop change there?",
    )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def not_exactly(what: str, count: int, wanted: int, why: str) -> Message:
    """A counter, which people call so, came to another number than the case asks for."""
    return Message(
        f"The answer is right, but it has {count:,} {what}, and this case needs exactly "
        f"{wanted:,}.",
        why,
    )


MOST_USED = 28  # bytes of a sector, on average: below that accesses are scattered


def over_budget(
    what: str, count: int, budget: int, dearest: tuple[int | None, int], why: Message
) -> Message:
    """A counter, which people call so, came to more than its budget; the `dearest` line has a share
    in that."""
    line, share = dearest
    where = f" Line {line} alone costs {share:,}." if line else ""
    over = f"it needs {count:,} {what}, and the budget is {budget:,}"
    return Message(f"The answer is right, but {over}.{where}") + why


def traffic(verb: str, moved: int, usual: int, sectors: int, line: int | None) -> Message:
    """Why a kernel needs more requests or sectors than ours: it `moved` more bytes than is `usual`,
    or as many in smaller or scattered pieces. A `line` has the largest share in that."""
    if moved > usual:
        return Message(
            why=f"Your kernel {verb}s {moved:,} bytes of global memory, {moved / usual:.2g} times "
            f"what our kernel {verb}s."
        )
    as_many = f"Your kernel {verb}s as many bytes of global memory as ours"
    on = f" on line {line}" if line else ""
    if (used := moved / sectors) < MOST_USED:
        return Message(
            why=f"{as_many}, but its accesses are scattered: from each sector of 32 bytes it uses "
            f"only {used:.3g} bytes.",
            remedy=f"Do neighbouring lanes access neighbouring elements{on}?",
        )
    return Message(
        why=f"{as_many}, but its accesses are smaller.",
        remedy=f"Could one access{on} move more bytes?",
    )


def stopped_over_budget(run: Message, what: str, count: int, budget: int, why: str) -> Message:
    """A `run` was stopped when a counter had passed its budget already: it may well end, later."""
    return replace(run, remedy="") + Message(
        f"By then it had already needed {count:,} {what}, and the budget is {budget:,}.",
        why,
        "Which part of this work can other threads do?",
    )


def lacks_order(count: int, named: str, needed: int, why: str) -> Message:
    """The warps execute too few instructions of a kind."""
    return Message(
        f"The answer is right, but its warps execute {counted(count, named)}, and this case needs "
        f"{needed:,}.",
        why,
    )


def nothing_seen(element: str, why: str) -> Message:
    """No input was seen to go into an element."""
    return Message(
        f"The answer is right, but the grader saw no input that {element} is computed from.",
        f"So it cannot check how {element} is computed. {why}",
    )


def on_its_way(fact: str, others: int, why: str) -> Message:
    """A `fact` about the way to an element, which is so with some `others`."""
    also = f"The same holds for {counted(others, 'other element')}. " if others else ""
    return Message(f"The answer is right, but {fact}.", f"{also}{why}")


def nothing_went_wrong(asks: str) -> Message:
    """A kernel that is to go wrong ran to its end."""
    return Message(f"{asks} The kernel ran to its end without it.")


def something_else(asks: str, fact: str) -> Message:
    """A kernel goes wrong in another way than it is to."""
    return Message(fact, f"{asks} But here the kernel goes wrong in another way.")


def on_other_lines(asks: str, gone: str, fact: str) -> Message:
    """A kernel goes wrong on other lines than it is to; the line with the words `gone` may be no
    longer there."""
    why = f"The line with `{gone}` is gone." if gone else "It goes wrong on other lines."
    return Message(fact, f"{why} {asks}")


def broken_too_far(fact: str) -> Message:
    """A kernel goes wrong also in a case in which it must not."""
    return Message(
        fact,
        "In this case the kernel must run without a fault. It may fail only in other cases.",
        "Which of your changes also has an effect in this case?",
    )


def another_signature(signature: str, changed: str) -> Message:
    """Parameters that are not the exercise's."""
    return Message(
        f"{changed}.",
        f"The exercise calls the kernel as {signature}.",
        "Write the parameters as they were. You may choose their names.",
    )


def in_place_of(number: int, mine: str, given: str) -> str:
    """One parameter of another type or name."""
    return f"Parameter {number} is `{mine}` instead of `{given}`"


def reordered(signature: str, first: str) -> Message:
    """Parameters with the exercise's names at other places."""
    return Message(
        f"{first}.",
        f"The exercise calls the kernel as {signature}. In your order, a parameter gets the value "
        "of another one.",
        "Write the parameters in the order of the exercise.",
    )


def already_wrong(earlier: Message, launches: int, every: int, status: str) -> Message:
    """What so many launches of `every` left was wrong before the next one failed, with `status`."""
    named = re.sub(rf"^(In launch \d+ of ){launches}\b", rf"\g<1>{every}", earlier.first)
    first = named if named != earlier.first else f"After launch {launches}: {earlier.first}"
    return replace(earlier, first=first) + Message(
        why=f"Launch {launches + 1} fails, too ({headline(status).lower()}). Correct launch "
        f"{''.join(re.findall('^In launch ([0-9]+)', earlier.first)) or launches} first."
    )


def doubted(doubts: str) -> Message:
    """What the compiler has doubted in a kernel that failed a case."""
    return Message(why=f"\nThe kernel compiles, with warnings:\n{doubts}")
