"""The sentences about what a kernel left in its arrays, and about budgets and requirements."""

from ..counted import counted

NOT_ATTEMPTED = "You have not changed this kernel yet."
TOO_LONG = (
    "The source has {:,} characters, and no kernel here needs more than {:,}. Hand in the kernel "
    "alone."
)
ON_HARDWARE = "Right on the simulated GPU, wrong on the GPU: {}"
ASKS_FOR = "This case asks for {}."  # that must go wrong
ENOUGH = 8  # elements: among fewer, where the wrong ones lie is no pattern
_ORDERS = {
    "warps by chance": "with warps in a random order",
    "highest block first": "with the highest block first",
}
_FROM_NAN = (
    " NaN is the result of 0 / 0, infinity / infinity and infinity - infinity. The compiler may "
    "also use NaN for a variable that never got a value."
)
NOT_FOLLOWED = (
    "The answer is right, but the judge could not trace how it is computed, and this case needs "
    "that: {}. Use only as much memory and as many threads as the exercise's arrays need."
)
TOO_MUCH = "too many values are computed, or too much memory belongs to the kernel"


def changed_input(place: str, buffer: str, was: str, is_now: str) -> str:
    """An element of a const input is not what it was."""
    return (
        f"The kernel changed its input: {place} was {was} and is {is_now} afterwards. Other code "
        f"still needs the old values. The exercise declares {buffer} const: do the same, and the "
        "compiler shows you every line that writes to it."
    )


def not_put_back(place: str, was: str, is_now: str) -> str:
    """An element that the next launch begins with is not what it was."""
    return (
        f"The kernel does not reset {place}: it was {was} before the kernel ran and is {is_now} "
        "afterwards. The next launch begins with that value. Before the kernel ends, the last "
        f"thread that needs {place} must set it to {was} again."
    )


def nothing_written(name: str) -> str:
    """No element of an array was stored."""
    return f"No thread wrote to {name}. Does any thread reach the line that stores the result?"


def left_out(place: str, name: str, size: int, missing: int) -> str:
    """So many of the `size` elements were not stored, the one at `place` first."""
    also = f", nor to {counted(missing - 1, 'other element')}" if missing > 1 else ""
    return (
        f"No thread wrote to {place}{also}; {name} has {counted(size, 'element')}. Which thread "
        f"should write {place}, and which guard or index prevents it?"
    )


def in_another_order(order: str, message: str) -> str:
    """The answer is wrong only when blocks and warps come in this order."""
    how = _ORDERS.get(order, f"with {order}")
    return (
        f"The answer is right when blocks and warps run in order, but not {how}: {message} A GPU "
        "runs blocks in any order. The result must not depend on it."
    )


def wrong_element(place: str, wanted: str, is_now: str, by: str = "", nan: bool = False) -> str:
    """An element is another number than it should be, `by` so much."""
    return f"{place} is {is_now}, and should be {wanted}.{by}{_FROM_NAN if nan else ''}"


def off_by(off: str, most: str) -> str:
    """A difference, and the `most` that rounding explains ("": nothing)."""
    return f" The difference is {off}" + (f"; rounding explains at most {most}." if most else ".")


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
            f" Only the {which} of {size} elements {_are(count)} wrong. Look at the end of the "
            "array, where the last block may be only partly filled."
        )
    which = f"first {right_first}" if right_first > 1 else "first"
    return (
        f" Only the {which} of {size} elements {_are(right_first)} right. Does the warp, the "
        "block, or the round of a loop change there?"
    )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def not_exactly(counter: str, count: int, wanted: int, why: str) -> str:
    """A counter came to another number than the case asks for."""
    return (
        f"The answer is right, but {counter} is {count:,}, and this case needs exactly "
        f"{wanted:,}. {why}"
    )


def over_budget(counter: str, count: int, budget: int, dearest: tuple[int | None, int]) -> str:
    """A counter came to more than its budget; the `dearest` line has a share in that."""
    line, share = dearest
    where = f" Line {line} alone costs {share:,}." if line else ""
    return f"The answer is right, but {counter} is {count:,}, and the budget is {budget:,}.{where}"


def traffic(verb: str, moved: int, usual: int, what: str) -> str:
    """Why a kernel needs more requests or sectors than ours: it `moved` more bytes than is `usual`,
    or as many in smaller or scattered pieces."""
    if moved > usual:
        times = f"{moved / usual:.2g} times what our kernel {verb}s"
        return f" Your kernel {verb}s {moved:,} bytes of global memory, {times}."
    same = f"Your kernel {verb}s as many bytes of global memory as ours"
    return f" {same}, but with more {what}: its accesses are smaller or scattered."


def stopped_over_budget(message: str, counter: str, count: int, budget: int) -> str:
    """A run was stopped with this message, when a counter had passed its budget already."""
    return f"{message} By then {counter} was already {count:,}, and the budget is {budget:,}."


def lacks_order(count: int, named: str, needed: int, why: str) -> str:
    """The warps execute too few instructions of a kind."""
    return (
        f"The answer is right, but its warps execute {counted(count, named)}, "
        f"and this case needs {needed:,}. {why}"
    )


def nothing_seen(element: str, why: str) -> str:
    """No input was seen to go into an element."""
    return (
        f"The answer is right, but the judge saw no input go into {element}, and so cannot check "
        f"how {element} is computed. {why}"
    )


def on_its_way(fact: str, others: int, why: str) -> str:
    """A `fact` about the way to an element, which is so with some `others`."""
    also = f" The same holds for {counted(others, 'other element')}." if others else ""
    return f"The answer is right, but {fact}.{also} {why}"


def nothing_went_wrong(asks: str) -> str:
    """A kernel that is to go wrong ran to its end."""
    return f"Nothing went wrong: the kernel ran to its end. {asks}"


def something_else(asks: str, fact: str) -> str:
    """A kernel goes wrong in another way than it is to."""
    return f"{asks} Something else went wrong: {fact}"


def on_other_lines(asks: str, gone: str, fact: str) -> str:
    """A kernel goes wrong on other lines than it is to; the line with the words `gone` may be no
    longer there."""
    why = f"The line with `{gone}` is gone" if gone else "It happened on other lines"
    return f"{asks} {why}: {fact}"


def broken_too_far(fact: str) -> str:
    """A kernel goes wrong also in a case in which it must not."""
    return (
        "The kernel is more broken than the exercise asks for. In this case nothing may go wrong, "
        f"but this happened: {fact}"
    )


def another_signature(signature: str, changed: str) -> str:
    """Parameters that are not the exercise's."""
    return (
        f"The exercise calls the kernel as {signature}, but {changed}. Write the parameters as "
        "they were. You may choose their names."
    )


def in_place_of(number: int, mine: str, given: str) -> str:
    """One parameter of another type or name."""
    return f"parameter {number} is `{mine}` instead of `{given}`"


def reordered(signature: str, first: str) -> str:
    """Parameters with the exercise's names at other places."""
    return (
        f"The exercise calls the kernel as {signature}, but here {first}. In this order, a "
        "parameter gets the value of another one."
    )


def already_wrong(earlier: str, launches: int, message: str) -> str:
    """What so many launches left was wrong before the next one failed with a message."""
    return (
        f"After launch {launches} the result is already wrong: {earlier} Then launch "
        f"{launches + 1} fails too: {message}"
    )


def with_doubts(message: str, doubts: str) -> str:
    """A case that failed, and what the compiler has doubted."""
    return f"{message}\nThe kernel compiles, but the compiler warns:\n{doubts}"
