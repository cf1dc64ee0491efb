"""A number of things, in words."""


def counted(number: float, noun: str, many: str = "") -> str:
    """E.g. "1 warp", "3,000 warps", "2.5 points"; `many` where more than one of them is called
    otherwise than with an s."""
    shown = f"{int(number):,}" if number == int(number) else f"{number:g}"
    return f"{shown} {noun if number == 1 else many or noun + 's'}"


SHOWN_NAMES = 5  # learners named where there may be hundreds


def some(names: list[str]) -> str:
    """The first few of these names, and how many there are more."""
    more = len(names) - SHOWN_NAMES
    return ", ".join(names[:SHOWN_NAMES]) + (f" and {more} more" if more > 0 else "")
