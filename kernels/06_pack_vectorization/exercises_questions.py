"""What the question on packs asks."""

from grader.course import Choose, Exercise

which_are_aligned = Exercise(
    name="which_are_aligned",
    title="Aligned loads",
    kind=Choose(
        asks="`float* x` begins at a multiple of 256 bytes. Which loads of 16 bytes from these "
        "addresses are aligned for every `i`?",
        options={
            "a": "`&x[4 * i]`",
            "b": "`&x[6 * i]`",
            "c": "`&x[8 * i + 4]`",
            "d": "`&x[4 * i + 2]`",
        },
        choose="several",
        feedback=True,
    ),
    minutes=2,
    teaches="16 bytes are loaded from a multiple of 16 bytes",
    hints=(
        "How many bytes after the beginning of `x` does each load begin, for `i` = 0 and `i` = 1?",
        "A float has 4 bytes. Which of these numbers of floats are always a multiple of 4?",
    ),
)
