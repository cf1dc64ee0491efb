"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

WHOLE_WARPS = tuple(range(32, 1025, 32))
MEASURED = ("ordinary", "negative", "large offset", "equal")
SCORES = ("ordinary", "negative", "large offset", "equal", "a -inf")
RANKED = ("ordinary", "negative", "far below", "equal", "a -inf", "all -inf", "a +inf")

welford_lines = Rule(
    exercise="welford_lines",
    kernel="welford_lines",
    parameters=(
        "float x[rows * columns]",
        "float mean[rows]",
        "float variance[rows]",
        "int rows",
        "int columns",
    ),
    blocks=(32,),
    where=("rows >= 1", "columns >= 1", "gridDim.x * blockDim.x >= rows"),
    edges=(("rows", "blockDim.x"), ("columns", "32")),
    values=MEASURED,
    passes="columns",
)

layer_norm = Rule(
    exercise="layer_norm",
    kernel="layer_norm",
    parameters=(
        "float x[gridDim.x * columns]",
        "float weight[columns]",
        "float bias[columns]",
        "float y[gridDim.x * columns]",
        "int columns",
        "float epsilon",
    ),
    blocks=WHOLE_WARPS,
    where=("columns >= 1",),
    edges=(("columns", "32", "blockDim.x"),),
    values=MEASURED,
    passes="columns // blockDim.x + 1",
)

attention_row = Rule(
    exercise="attention_row",
    kernel="attention_row",
    parameters=(
        "float q[64 * gridDim.x]",
        "float K[64 * keys * gridDim.x]",
        "float V[64 * keys * gridDim.x]",
        "float y[64 * gridDim.x]",
        "float scale",
        "int keys",
    ),
    blocks=WHOLE_WARPS,
    where=("keys >= 1",),
    edges=(("keys", "32", "blockDim.x // 32"),),
    values=("ordinary", "negative", "equal"),
    aligned=True,
    passes="4 * (keys * 32 // blockDim.x + 1)",
)

top_four = Rule(
    exercise="top_four",
    kernel="top_four",
    parameters=(
        "float x[rows * columns]",
        "float value[4 * rows]",
        "out int index[4 * rows]",
        "int rows",
        "int columns",
    ),
    blocks=WHOLE_WARPS,
    where=("rows >= 1", "columns >= 4", "gridDim.x * (blockDim.x // 32) >= rows"),
    edges=(("rows", "gridDim.x * (blockDim.x // 32)"), ("columns", "4", "32")),
    values=RANKED,
    passes="columns // 32 + 1",
)

variance_of_rows = Rule(
    exercise="variance_of_rows",
    kernel="variance_of_rows",
    parameters=("float x[rows * columns]", "float variance[rows]", "int rows", "int columns"),
    blocks=(32,),
    where=("rows >= 1", "columns >= 1", "gridDim.x * blockDim.x >= rows"),
    edges=(("rows", "blockDim.x"), ("columns", "32")),
    values=MEASURED,
    passes="columns",
)

cross_entropy = Rule(
    exercise="cross_entropy",
    kernel="cross_entropy",
    parameters=(
        "float x[gridDim.x * classes]",
        "int target[gridDim.x]",
        "float loss[gridDim.x]",
        "float gradient[gridDim.x * classes]",
        "int classes",
    ),
    blocks=WHOLE_WARPS,
    where=("classes >= 1", "classes <= 12000"),
    shared_mem="4 * classes",
    edges=(("classes", "32", "blockDim.x"),),
    values=SCORES,
    passes="classes // blockDim.x + 1",
)
