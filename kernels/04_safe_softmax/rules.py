"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

WHOLE_WARPS = tuple(range(32, 1025, 32))

partial_max = Rule(
    exercise="elementary",
    kernel="partial_max",
    parameters=("float x[n]", "float partial[gridDim.x]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1",),
)

exp_sum = Rule(
    exercise="elementary",
    kernel="exp_sum",
    parameters=("float x[n]", "float largest", "float partial[gridDim.x]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1",),
)

normalize = Rule(
    exercise="elementary",
    kernel="normalize",
    parameters=("float x[n]", "float largest", "float total", "float y[n]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1",),
)

vector_max = Rule(
    exercise="on_device",
    kernel="vector_max",
    parameters=("float x[n]", "float maxima[gridDim.x]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1",),
)

vector_exp_sum = Rule(
    exercise="on_device",
    kernel="vector_exp_sum",
    parameters=("float x[n]", "float maxima[gridDim.x]", "float sums[gridDim.x]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1",),
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
)

row_softmax = Rule(
    exercise="row_softmax",
    kernel="row_softmax",
    parameters=("float x[rows * columns]", "float y[rows * columns]", "int rows", "int columns"),
    blocks=WHOLE_WARPS,
    where=("rows >= 1", "columns >= 1"),
)

softmax_alone = Rule(
    exercise="softmax_alone",
    kernel="softmax_alone",
    parameters=("float x[rows * columns]", "float y[rows * columns]", "int rows", "int columns"),
    blocks=(32,),
    where=("rows >= 1", "columns >= 1", "gridDim.x * blockDim.x >= rows"),
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
)

lowest = Rule(
    exercise="lowest",
    kernel="lowest",
    parameters=("float x[gridDim.x * columns]", "float largest[gridDim.x]", "int columns"),
    blocks=(32,),
    where=("columns >= 1", "columns <= 32"),
)
