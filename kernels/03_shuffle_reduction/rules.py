"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

WHOLE_WARPS = tuple(range(32, 1025, 32))

warp_sum = Rule(
    exercise="warp_sum",
    kernel="warp_sum",
    parameters=("float x[n]", "float total[(n + 31) // 32]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1", "gridDim.x * blockDim.x >= n"),
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
)
