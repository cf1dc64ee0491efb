"""What may be wrong with the rounds of a loop, as a source line shows it: a stride that nothing
follows, a shuffle of what no round changes, a copy that is lost.
"""

import re

from .declared import ASSIGNED, COMMA, LOOP, SET, WORD, Declarations, given_on

_CHANGED = re.compile(r"(?:^|[;{)])\s*([A-Za-z_]\w*(?:\[[^]]*\])?)\s*[-+*/&|^]?=(?!=)")
_MOVED = re.compile(
    r"(?:^|[;{)])\s*((\w+)\[[^]]*\])\s*=((?:(?!\2\[)[^;=])*\2\[(?:(?!\2\[)[^;=])*;)"
)
SCALED = re.compile(r"\b(\w+)\s*(?:[*/]|<<|>>)=|\b(\w+)\s*=\s*\2\s*(?:[*/]|<<|>>)")
_READ = re.compile(r"\b(\w+)\s*\[((?:[^][]|\[[^][]*\])*)\](?!\s*=[^=])")
SHUFFLED = re.compile(r"\b(__shfl_(?:xor|down|up)_sync)\s*\(((?:[^()]|\([^()]*\))*)\)")


def without_stride(declared: Declarations, line: int) -> tuple[str, str, int] | None:
    """Of a line in a loop that multiplies or divides its variable in each round: what does not
    follow that variable although it should, the variable, and the loop's line. That is an
    element that is read, its distance from another one, or a shuffle's distance."""
    loop, head = declared.around(line, LOOP)
    scaled, text = SCALED.search(loop), declared.line(line) if line > head else ""
    if not scaled:
        return None
    name = scaled[1] or scaled[2]
    following = {name}
    for left, right in given_on("\n".join(declared.lines[head:line])):
        following |= {left} if following & set(WORD.findall(right)) else set()

    def is_fixed(words: str) -> bool:
        return not following & set(WORD.findall(words))

    reads, shuffles = _READ.findall(text), SHUFFLED.findall(text)
    body = [declared.line(at) for at in range(head + 1, declared.end(head) + 1) if at != line]
    others = [one for at in body for one in (*_READ.findall(at), *SHUFFLED.findall(at))]
    if not all(is_fixed(inside) for _, inside in others):  # another line goes on by it
        return None
    first = reads[0][1] if reads else ""
    if all(is_fixed(inside) for _, inside in reads + shuffles):
        other = [one for one in reads if one[1] != first] or reads
        found = [f"`{function}`" for function, _ in shuffles] or [
            f"`{array}[{index}]`" for array, index in other
        ]
    else:
        found = [
            f"The distance in `{array}[{index}]`"
            for array, index in reads
            if array == reads[0][0]
            and index.startswith((f"{first} +", f"{first} -"))
            and is_fixed(index.removeprefix(first))
        ]
    return (found[-1], name, head) if found else None


def shuffled_by(declared: Declarations, line: int) -> tuple[str, str] | None:
    """A shuffle on a source line and its third argument, where that is a float and no number
    of lanes."""
    for function, inside in SHUFFLED.findall(declared.line(line)):
        name = [one.strip() for one in COMMA.split(inside)][2:3]
        if name and re.search(rf"\b(?:float|double) {name[0]}\b", "\n".join(declared.lines)):
            return function, name[0]
    return None


def repeated_shuffle(declared: Declarations, line: int) -> tuple[str, str, int] | None:
    """Of a line in a loop that multiplies or divides a variable: a shuffle, the value that it
    passes on, which no round changes, and the loop's line."""
    loop, head = declared.around(line, LOOP)
    body = "\n".join(declared.lines[head - 1 : declared.end(line)]) if loop else ""
    rounds = body.replace(loop, "")
    for function, inside in SHUFFLED.findall(declared.line(line)) if SCALED.search(body) else ():
        value = COMMA.split(inside)[1].strip()
        if _CHANGED.search(rounds) and not any(
            _changes(declared, rounds, name) for name in WORD.findall(value)
        ):
            return function, value, head
    return None


def _changes(declared: Declarations, text: str, name: str) -> bool:
    """Whether a part of the source may change a variable: it gives it a value, or passes it by
    reference or its address."""
    by_reference = re.findall(r"\b(\w+)\s*\([^()]*&[^()]*\)\s*{", "\n".join(declared.lines))
    called = "|".join(["&", *(rf"\b{one}\([^;]*" for one in by_reference)])
    return re.search(rf"{ASSIGNED.format(name)}|(?:{called})\b{name}\b", text) is not None


def lost_in_shuffle(declared: Declarations, line: int) -> tuple[str, str] | None:
    """The variable that a source line in a loop gives what a shuffle of it brings, so that its
    own value is lost, and the shuffle; None if there is none."""
    found = re.search(
        r"(?:^|[;{)])\s*(\w+)\s*=\s*(__shfl_\w+)\([^,]*,\s*\1\s*,", declared.line(line)
    )
    return (found[1], found[2]) if found and SCALED.search(declared.loop(line)[0]) else None


def copied(declared: Declarations, line: int) -> tuple[str, str, int] | None:
    """The variable that a source line changes, if it is a copy of an element, that element, and
    the line that makes the copy: a loop over an array, or a declaration in a loop, after which
    nothing but such changes uses it."""
    head, begin = declared.loop(line)
    found, changed = re.match(r"for \([^&*:]*\b(\w+) : ", head), SET.split(declared.line(line))[0]
    if found and found[1] in _CHANGED.findall(declared.line(line)):
        return found[1], "the element", begin
    for at in range(begin, line) if head else ():
        one = re.match(r"\s*\w+ (\w+) = (\w+\[[^;]*\]);", declared.line(at))
        if one and one[1] in WORD.findall(changed):
            uses = [
                declared.line(later)
                for later in range(at + 1, declared.end(line) + 1)
                if declared.mentions(later, one[1])
            ]
            again = re.compile(rf"\s*{one[1]}(?:\.\w+)?\s*\S?=(?!=)")
            return (one[1], f"`{one[2]}`", at) if all(map(again.match, uses)) else None
    return None


def replaced(declared: Declarations, line: int) -> tuple[str, int] | None:
    """The variable to which a source line in a loop gives a value without any use of its old
    one, and the loop's line; None if there is none, or it is declared there, or read elsewhere
    in the loop, or an `if` stands before it. In a loop that multiplies or divides its variable,
    also an element of an array that gets another one's value."""
    head, at = declared.loop(line)
    body = [declared.line(one) for one in range(at + 1, declared.end(line) + 1) if one != line]
    if SCALED.search(head) and (moved := _MOVED.search(declared.line(line))):
        body += [declared.line(line)[: moved.start(1)], moved[3]]
        return None if any(moved[1] in one for one in body) else (moved[1], at)
    found = re.search(r"(?:^|[;{)])\s*([A-Za-z_]\w*)\s*=(?!=)([^;]*);", declared.line(line))
    if not (found and head) or (declared.guard(line)[1] >= at and declared.guard(line)[0]):
        return None
    text = f"{head} {declared.line(line).replace(found[0], found[2]) if at < line else found[2]} "
    return None if found[1] in WORD.findall(text + " ".join(body)) else (found[1], at)


def kept_over(declared: Declarations, line: int) -> tuple[str, int, int] | None:
    """The variable that a source line adds to, or takes the larger one of, in a loop in a loop,
    which gets its only value before both, and which the outer loop also uses in another way: its
    name, the line of that value, and that of the outer loop."""
    added = re.findall(r"\b(\w+)(?:\s*[-+*]=|\s*=\s*\w+\(\1\b)", declared.line(line))
    name = added[-1] if added else ""
    given = re.compile(rf"\b{name}\s*=(?!=)")
    set_on = [at for at in range(1, line) if name and given.search(declared.line(at))]
    outer = declared.around_it(line)[:-1]
    is_used = outer and any(
        at != line and declared.mentions(at, name)
        for at in range(outer[0], declared.end(outer[0]) + 1)
    )
    return (name, set_on[-1], outer[0]) if set_on and is_used and set_on[-1] < outer[0] else None


def short_step(declared: Declarations, line: int, array: str) -> tuple[str, str, int] | None:
    """The variable in an array's index on a line in a loop that begins at a thread's number in the
    grid and grows in each round by what does not use `gridDim`; what it grows by, and the loop's
    line. None where there is none."""
    _, head = declared.loop(line)
    rounds = range(head, declared.end(line) + 1) if head else range(0)
    body = "\n".join(declared.line(at) for at in rounds if declared.loop(at)[1] == head)
    for name in WORD.findall(declared.index(line, array)):
        grows = re.search(rf"\b{name}\s*(?:\+=|=\s*{name}\s*\+)\s*([^;)[]+)[;)]", body)
        begins = re.search(rf"\b{name} = ([^;,]+)", "\n".join(declared.lines[: declared.end(line)]))
        of_block = begins and "blockIdx.x" in declared.made_of(begins[1])
        if of_block and grows and "gridDim.x" not in declared.made_of(grows[1]):
            return name, grows[1], head
    return None
