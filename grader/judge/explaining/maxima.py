"""To which maximum values refer, as in a softmax that is computed in parts.

exp(x - m) refers to m, and so does a sum of such values, or a product with any other number. A
factor exp(m - n) brings a value from m to n, and a division by a sum takes the maximum away.
"""

import math
from typing import NamedTuple

from .trail import Trail

_EITHER = ((0, 1), (1, 0))


class Refers(NamedTuple):
    """A value has the factor exp(`start` - `end`); None for what it does not have."""

    start: float | None = None
    end: float | None = None


class MixedUp(NamedTuple):
    """A step that puts two values together which refer to different maxima: what made them, and
    what they refer to. In a product the second is a factor for values that refer to its `start`."""

    at: int
    made: tuple[int, int]
    refer: tuple[Refers, Refers]


def mixed_up(trail: Trail) -> MixedUp | None:
    """The first such step; None if there is none."""
    known, ends = list[Refers](), {-math.inf}
    for at in range(len(trail)):
        verb, made = trail.verb(at), trail.sources(at)
        used, new = [known[one] for one in made], Refers()
        if verb in ("rcp", "div"):
            used[-1] = Refers(*used[-1][::-1])
        if verb.startswith("ex"):
            new = _exponential(trail, made[0], math.log(2) if "2" in verb else 1.0)
            ends |= {one for one in new[1:] if one is not None}
        elif verb in ("half", "single", "rcp"):
            new = used[0]
        elif verb in ("mul", "div", "add") and len(used) == 2:
            is_sum = verb == "add"
            wanted = [one.end if is_sum else one.start for one in used]
            both = [(a, b) for a, b in _EITHER if None not in (used[a].end, wanted[b])]
            fits = [(a, b) for a, b in both if math.isclose(used[a].end, wanted[b], rel_tol=1e-5)]
            for a, b in both if not fits else ():
                if is_sum or wanted[b] in ends:
                    return MixedUp(at, (made[a], made[b]), (used[a], used[b]))
            starts, stops = ([one for one in side if one is not None] for side in zip(*used))
            new = Refers(None if is_sum else next(iter(starts), None), next(iter(stops), None))
            if fits and not is_sum:
                new = Refers(used[fits[0][0]].start, used[fits[0][1]].end)
        known.append(new if verb.startswith("ex") or trail.value[at] else Refers())
    return None


def _exponential(trail: Trail, of: int, scale: float) -> Refers:
    """What an exponential of a difference refers to; a constant may scale its argument before."""
    given = trail.sources(of)
    if trail.verb(of) == "mul" and any(trail.constant[one] for one in given):
        of, scale = next(one for one in given if not trail.constant[one]), 1.0
        given = trail.sources(of)
    if trail.verb(of) != "sub" or len(given) != 2:
        return Refers()
    start, end = (float(trail.value[one]) * scale for one in given)
    start = -math.inf if trail.value[of] == -math.inf else start  # a constant may be given as bits
    return Refers(start, end) if math.isfinite(end) else Refers()
