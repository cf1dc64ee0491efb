"""To which maximum values refer, as in a softmax that is computed in parts.

exp(x - m) refers to m, and so does a sum of such values, or a product with any other number. A
factor exp(m - n) brings a value from m to n, and a division by a sum takes the maximum away.
"""

import math

from .trail import Trail

# A value has the factor exp(one number - the other); None for what it does not have.
Refers = tuple[float | None, float | None]
NOTHING: Refers = (None, None)


def mixed_up(trail: Trail) -> tuple[int, tuple[int, int], tuple[Refers, Refers]] | None:
    """The first step that puts two values together which refer to different maxima, what made them,
    and what they refer to; None if there is none. In a product the second is a factor for values
    that refer to its first number."""
    known, ends = [NOTHING] * len(trail), {-math.inf}
    for at in range(len(trail)):
        verb, made = trail.verb(at), trail.sources(at)
        used = [known[one] for one in made]
        if verb in ("rcp", "div"):
            used[-1] = used[-1][::-1]
        if verb.startswith("ex"):
            known[at] = _exponential(trail, made[0], math.log(2) if "2" in verb else 1.0)
            ends |= {one for one in known[at][1:] if one is not None}
        elif verb in ("mul", "div", "add") and len(used) == 2:
            is_sum = verb == "add"
            wanted = [end if is_sum else start for start, end in used]
            both = [(a, b) for a, b in ((0, 1), (1, 0)) if None not in (used[a][1], wanted[b])]
            fit = [
                (a, b)
                for a, b in both
                if math.isclose(used[a][1] or 0.0, wanted[b] or 0.0, rel_tol=1e-5)
            ]
            for a, b in both:
                if not fit and (is_sum or wanted[b] in ends):
                    return at, (made[a], made[b]), (used[a], used[b])
            starts, stops = (
                [one for one in side if one is not None] for side in zip(*used, strict=True)
            )
            new = (
                (used[fit[0][0]][0], used[fit[0][1]][1])
                if fit and not is_sum
                else (None if is_sum else (*starts, None)[0], (*stops, None)[0])
            )
            known[at] = new if trail.value[at] else NOTHING
        elif verb in ("half", "single", "rcp"):
            known[at] = used[0]
    return None


def from_itself(trail: Trail, at: int) -> int | None:
    """The difference of two equal numbers that an exponential is of; None if it is of another."""
    of = _unscaled(trail, trail.sources(at)[0] if trail.verb(at).startswith("ex") else at)
    return of if trail.verb(of) == "sub" and trail.value[of] == 0 else None


def _unscaled(trail: Trail, at: int) -> int:
    """What a step only multiplies by a constant; the step itself if it does something else."""
    given = [one for one in trail.sources(at) if not trail.constant[one]]
    return given[0] if trail.verb(at) == "mul" and len(given) == 1 else at


def _exponential(trail: Trail, of: int, scale: float) -> Refers:
    """What an exponential of a difference refers to; a constant may scale its argument before."""
    if (given := _unscaled(trail, of)) != of:
        of, scale = given, 1.0
    start, end = (float(trail.value[one]) * scale for one in (*trail.sources(of), of, of)[:2])
    start = -math.inf if trail.value[of] == -math.inf else start  # a constant may be given as bits
    return (start, end) if trail.verb(of) == "sub" and math.isfinite(end) else NOTHING
