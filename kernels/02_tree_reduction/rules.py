"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

POWERS = (32, 64, 128, 256)
TREE = ("float x[n]", "float partial[gridDim.x]", "int n")
SUMMED = ("ordinary", "negative", "large offset", "tiny", "a +inf", "a NaN")
OF_THE_GRID = (("n", "32", "blockDim.x", "gridDim.x * blockDim.x"),)
OWN_ELEMENT = ("n >= 1", "gridDim.x * blockDim.x >= n")

interleaved = Rule(
    exercise="interleaved",
    kernel="interleaved",
    parameters=TREE,
    blocks=POWERS,
    where=OWN_ELEMENT,
    values=SUMMED,
)

block_max = Rule(
    exercise="max",
    kernel="block_max",
    parameters=TREE,
    blocks=POWERS,
    where=OWN_ELEMENT,
    values=("ordinary", "negative", "far below", "a -inf", "all -inf", "a +inf"),
)

dot = Rule(
    exercise="dot",
    kernel="dot",
    parameters=("float x[n]", "float y[n]", "float partial[gridDim.x]", "int n"),
    blocks=POWERS,
    where=("n >= 1",),
    edges=OF_THE_GRID,
    values=SUMMED,
)

last_block = Rule(
    exercise="last_block",
    kernel="last_block",
    parameters=(
        "float x[n]",
        "float partial[gridDim.x]",
        "float total[1]",
        "unsigned finished[1] = 0",
        "int n",
    ),
    blocks=POWERS,
    where=("n >= 1",),
    edges=OF_THE_GRID,
    values=SUMMED,
)

ticket = Rule(
    exercise="ticket",
    kernel="ticket",
    parameters=("float value[1]", "unsigned finished[1] = 0", "float copy[1]"),
    blocks=(1, 32, 64),
)

two_fences = Rule(
    exercise="two_fences",
    kernel="two_fences",
    parameters=(
        "float x[gridDim.x]",
        "unsigned finished[1] = 0",
        "float stored[gridDim.x]",
        "float total[1]",
    ),
    blocks=(1,),
)

one_thread = Rule(
    exercise="one_thread",
    kernel="one_thread",
    parameters=("float x[n]", "float total[1]", "int n"),
    blocks=(1,),
    where=("n >= 1", "gridDim.x == 1"),
    values=("ordinary", "a +inf", "a NaN"),
)

three_barriers = Rule(
    exercise="three_barriers",
    kernel="three_barriers",
    parameters=("float x[64]", "float y[64]"),
    blocks=(64,),
    where=("gridDim.x == 1",),
)
