"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

SUMMED = ("ordinary", "negative", "large offset", "tiny", "a +inf", "a NaN")
LARGEST = ("ordinary", "negative", "far below", "a -inf", "all -inf", "a +inf")
A_BLOCK_A_ROW = "(rows + gridDim.x - 1) // gridDim.x * ((columns + blockDim.x - 1) // blockDim.x)"
WHOLE_WARPS = tuple(range(32, 1025, 32))

warp_sum = Rule(
    exercise="warp_sum",
    kernel="warp_sum",
    parameters=("float x[n]", "float total[(n + 31) // 32]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1", "gridDim.x * blockDim.x >= n"),
    values=SUMMED,
)

below_max = Rule(
    exercise="below_max",
    kernel="below_max",
    parameters=(
        "float x[rows * columns]",
        "float y[rows * columns]",
        "int rows",
        "int columns",
        "int width",
    ),
    blocks=WHOLE_WARPS,
    where=(
        "32 % width == 0",
        "rows >= 1",
        "columns >= 1",
        "columns <= width",
        "gridDim.x * blockDim.x >= rows * width",
    ),
    edges=(
        ("width", "4", "32"),
        ("columns", "width"),
        ("rows", "32 // width", "blockDim.x // width"),
    ),
    values=LARGEST,
)

row_share = Rule(
    exercise="row_share",
    kernel="row_share",
    parameters=(
        "float x[rows * columns]",
        "float share[rows * columns]",
        "float below[rows * columns]",
        "int rows",
        "int columns",
    ),
    blocks=WHOLE_WARPS,
    where=("rows >= 1", "columns >= 1"),
    edges=(("rows", "gridDim.x"), ("columns", "32", "blockDim.x")),
    values=("ordinary", "negative", "equal", "tiny", "a -inf", "all -inf"),
    passes=A_BLOCK_A_ROW,
)

ONE_BLOCK = ("gridDim.x == 1",)
OWN_PLACES = ("float x[blockDim.x]", "float y[blockDim.x]")

to_the_largest = Rule(
    exercise="to_the_largest",
    kernel="to_the_largest",
    parameters=OWN_PLACES,
    blocks=WHOLE_WARPS,
    where=ONE_BLOCK,
    values=("ordinary", "equal", "huge", "tiny"),
)

five_steps = Rule(
    exercise="five_steps",
    kernel="five_steps",
    parameters=OWN_PLACES,
    blocks=WHOLE_WARPS,
    where=ONE_BLOCK,
    values=SUMMED,
)

sum_and_largest = Rule(
    exercise="sum_and_largest",
    kernel="sum_and_largest",
    parameters=("float x[blockDim.x]", "float found[2]"),
    blocks=WHOLE_WARPS,
    where=ONE_BLOCK,
)

lane_and_warp = Rule(
    exercise="lane_and_warp",
    kernel="lane_and_warp",
    parameters=("int start[blockDim.x]", "out int lane[blockDim.x]", "out int warp[blockDim.x]"),
    blocks=tuple(range(1, 1025)),
    where=ONE_BLOCK,
)
