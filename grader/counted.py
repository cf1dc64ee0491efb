"""A number of things, in words."""


def counted(number: int, noun: str) -> str:
    """E.g. "1 warp", "3,000 warps"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
