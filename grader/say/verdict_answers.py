"""The sentences about what a kernel left in its arrays, and about budgets and requirements."""

from ..counted import counted

NOT_ATTEMPTED = "Nothing is written here yet: the kernel is as it was handed out."
TOO_LONG = (
    "The source has {:,} characters, and no kernel here needs more than {:,}: hand in the kernel "
    "alone."
)
ON_HARDWARE = "Right on the simulated GPU, wrong on the GPU: {}"
ASKS_FOR = "This case asks for {}."  # that must go wrong
ENOUGH = 8  # elements: among fewer, where the wrong ones lie is no pattern
_ORDERS = {
    "warps by chance": "with warps in an order drawn by chance",
    "highest block first": "with the highest block first",
}
_FROM_NAN = (
    " NaN is what 0 / 0, infinity / infinity and infinity - infinity give, and what the compiler "
    "may put in the place of a variable that never got a value."
)
NOT_FOLLOWED = (
    "The answer is right, but what it is made of could not be followed, and this case asks for "
    "that: {}. Use memory and threads of the size that the exercise's own arrays have."
)
TOO_MUCH = "too many values are computed, or too much memory belongs to the kernel"


def changed_input(place: str, buffer: str, was: str, is_now: str) -> str:
    """An element of a const input is not what it was."""
    return (
        f"The kernel changed its input: {place} was {was} and is {is_now} afterwards. Others "
        f"still need {buffer} as it was, and the exercise declares it const; with that, the "
        "compiler shows you every line that writes to it."
    )


def not_put_back(place: str, was: str, is_now: str) -> str:
    """An element that the next launch begins with is not what it was."""
    return (
        f"{place} is not put back: it was {was} before the kernel ran and is {is_now} "
        "afterwards, and the next launch begins with that. Before the kernel ends, the last thread "
        f"that needs it must set it to {was} again."
    )


def nothing_written(name: str) -> str:
    """No element of an array was stored."""
    return f"Nothing was ever written to {name}: no thread got as far as storing a result."


def left_out(place: str, name: str, size: int, missing: int) -> str:
    """So many of the `size` elements were not stored, the one at `place` first."""
    others = missing - 1
    also = f", nor {'was' if others == 1 else 'were'} {others} other" if others else ""
    also += "s" if others > 1 else ""
    each = "It" if size == 1 else "Each"
    return (
        f"{place} was never written{also}; {name} has {counted(size, 'element')}. {each} "
        f"needs a thread that stores to it: work out which thread should own {place}, and which "
        "guard or index keeps it away."
    )


def in_another_order(order: str, message: str) -> str:
    """The answer is wrong only when blocks and warps come in this order."""
    how = _ORDERS.get(order, f"with {order}")
    return (
        f"Right when blocks and warps come in order; {how}, {message} Which block "
        "comes when is up to the GPU: what one leaves for another must not depend on it."
    )


def wrong_element(place: str, wanted: str, is_now: str, by: str = "", nan: bool = False) -> str:
    """An element is another number than it should be, `by` so much."""
    return f"{place} should be {wanted} and is {is_now}{by}.{_FROM_NAN if nan else ''}"


def off_by(off: str, most: str) -> str:
    """A difference, and the `most` that rounding explains ("": nothing)."""
    return f": off by {off}" + (f", and rounding explains at most {most}" if most else "")


def pattern(size: int, count: int, right_first: int) -> str:
    """The place of the `count` wrong elements of `size`, where that points at a cause."""
    if size == 1:
        return ""
    if count == size:
        return f" All {count} elements are wrong."
    if size < ENOUGH or right_first + count < size:
        return f" {count} of {size} elements {_are(count)} wrong."
    if 2 * count < size:  # what is left over after whole blocks is less than they are
        which = f"last {count}" if count > 1 else "last"
        return (
            f" Only the {which} of {size} elements {_are(count)} wrong: look at what happens at "
            "the end, where the last block may be only partly filled."
        )
    which = f"first {right_first}" if right_first > 1 else "first"
    return (
        f" Only the {which} of {size} elements {_are(right_first)} right: look at what is "
        "different after that, such as another warp, another block or another round of a loop."
    )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def not_exactly(counter: str, count: int, wanted: int, why: str) -> str:
    """A counter came to another number than the case asks for."""
    return (
        f"The answer is right, but {counter} came to {count:,}, and this case asks "
        f"for exactly {wanted:,}. {why}"
    )


def over_budget(counter: str, count: int, budget: int, dearest: tuple[int | None, int]) -> str:
    """A counter came to more than its budget; the `dearest` line has a share in that."""
    line, share = dearest
    where = f"; line {line} alone costs {share:,}" if line else ""
    return (
        f"The answer is right, but {counter} came to {count:,} and the budget is {budget:,}{where}."
    )


def stopped_over_budget(message: str, counter: str, count: int, budget: int) -> str:
    """A run was stopped with this message, when a counter had passed its budget already."""
    return f"{message} By then {counter} had come to {count:,}, and the budget is {budget:,}."


def lacks_order(count: int, named: str, needed: int, why: str) -> str:
    """The warps execute too few instructions of a kind."""
    return (
        f"The answer is right, but its warps execute {counted(count, named)}, "
        f"and this case needs {needed:,}. {why}"
    )


def nothing_seen(element: str, why: str) -> str:
    """No input was seen to go into an element."""
    return (
        f"The answer is right, but no input was seen to go into {element}, so that nothing is "
        f"known of what it was made by. {why}"
    )


def on_its_way(fact: str, others: int, why: str) -> str:
    """A `fact` about the way to an element, which is so with some `others`."""
    plural = "s" * (others > 1)
    also = f"; so it is with {others:,} other element{plural}" if others else ""
    return f"The answer is right, but {fact}{also}. {why}"


def nothing_went_wrong(asks: str) -> str:
    """A kernel that is to go wrong ran to its end."""
    return f"Nothing went wrong: the kernel ran to its end. {asks}"


def something_else(asks: str, fact: str) -> str:
    """A kernel goes wrong in another way than it is to."""
    return f"{asks} Something else went wrong: {fact}"


def on_other_lines(asks: str, gone: str, fact: str) -> str:
    """A kernel goes wrong on other lines than it is to; the line with the words `gone` may be no
    longer there."""
    why = f"The line with `{gone}` is gone" if gone else "It is on other lines"
    return f"{asks} {why}: {fact}"


def broken_too_far(fact: str) -> str:
    """A kernel goes wrong also in a case in which it must not."""
    return (
        "The kernel is broken further than the exercise asks: in this case nothing must go wrong, "
        f"and here is what happened: {fact}"
    )


def another_signature(signature: str, changed: str) -> str:
    """Parameters that are not the exercise's."""
    return (
        f"The exercise gives the signature {signature}, and calls the kernel with "
        f"that: {changed}. Write the parameters as they were; their names are yours to choose."
    )


def in_place_of(number: int, mine: str, given: str) -> str:
    """One parameter of another type or name."""
    return f"parameter {number} is `{mine}` in place of `{given}`"


def reordered(signature: str, first: str) -> str:
    """Parameters with the exercise's names at other places."""
    return (
        f"The exercise gives the signature {signature}, and here {first}: in this order each gets "
        "what is meant for another."
    )


def with_doubts(message: str, doubts: str) -> str:
    """A case that failed, and what the compiler has doubted."""
    return f"{message}\nIt compiles, but not without a doubt:\n{doubts}"
