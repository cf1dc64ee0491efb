"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

OF_THE_GRID = (("n", "32", "blockDim.x", "gridDim.x * blockDim.x"),)
NUMBERS = ("ordinary", "negative", "large offset", "far below", "equal")
ANY = ("ordinary", "far below", "equal", "a -inf", "all -inf", "a +inf", "a NaN")
A_BLOCK_A_ROW = "(rows + gridDim.x - 1) // gridDim.x * ((columns + blockDim.x - 1) // blockDim.x)"
WHOLE_WARPS = tuple(range(32, 1025, 32))

partial_max = Rule(
    exercise="elementary",
    kernel="partial_max",
    parameters=("float x[n]", "float partial[gridDim.x]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1",),
    edges=OF_THE_GRID,
    values=NUMBERS,
)

exp_sum = Rule(
    exercise="elementary",
    kernel="exp_sum",
    parameters=("float x[n]", "float largest", "float partial[gridDim.x]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1",),
    edges=OF_THE_GRID,
    values=NUMBERS,
)

normalize = Rule(
    exercise="elementary",
    kernel="normalize",
    parameters=("float x[n]", "float largest", "float total", "float y[n]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1",),
    edges=OF_THE_GRID,
    values=NUMBERS,
)

vector_max = Rule(
    exercise="on_device",
    kernel="vector_max",
    parameters=("float x[n]", "float maxima[gridDim.x]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1",),
    edges=OF_THE_GRID,
    values=ANY,
)

vector_exp_sum = Rule(
    exercise="on_device",
    kernel="vector_exp_sum",
    parameters=("float x[n]", "float maxima[gridDim.x]", "float sums[gridDim.x]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1",),
    edges=OF_THE_GRID,
    values=ANY,
)

vector_normalize = Rule(
    exercise="on_device",
    kernel="vector_normalize",
    parameters=(
        "float x[n]",
        "float maxima[gridDim.x]",
        "float sums[gridDim.x]",
        "float y[n]",
        "int n",
    ),
    blocks=WHOLE_WARPS,
    where=("n >= 1",),
    edges=OF_THE_GRID,
    values=ANY,
)

row_softmax = Rule(
    exercise="row_softmax",
    kernel="row_softmax",
    parameters=("float x[rows * columns]", "float y[rows * columns]", "int rows", "int columns"),
    blocks=WHOLE_WARPS,
    where=("rows >= 1", "columns >= 1"),
    edges=(("rows", "gridDim.x"), ("columns", "32", "blockDim.x")),
    values=ANY,
    passes=A_BLOCK_A_ROW,
)

softmax_alone = Rule(
    exercise="softmax_alone",
    kernel="softmax_alone",
    parameters=("float x[rows * columns]", "float y[rows * columns]", "int rows", "int columns"),
    blocks=(32,),
    where=("rows >= 1", "columns >= 1", "gridDim.x * blockDim.x >= rows"),
    edges=(("rows", "blockDim.x"), ("columns", "32")),
    values=(*NUMBERS, "a -inf"),
    passes="columns",
)

side_by_side = Rule(
    exercise="side_by_side",
    kernel="side_by_side",
    parameters=("float x[128 * gridDim.x]", "float total[gridDim.x]"),
    blocks=(32,),
)

share = Rule(
    exercise="share",
    kernel="share",
    parameters=("float x[n]", "float sum[1]", "float y[n]", "int n"),
    blocks=(64,),
    where=("n >= 1", "gridDim.x * blockDim.x >= n"),
    values=("ordinary", "equal", "huge", "tiny"),
)

lowest = Rule(
    exercise="lowest",
    kernel="lowest",
    parameters=("float x[gridDim.x * columns]", "float largest[gridDim.x]", "int columns"),
    blocks=(32,),
    where=("columns >= 1", "columns <= 32"),
    values=("ordinary", "negative", "far below", "a -inf", "all -inf"),
    passes="1",
)
