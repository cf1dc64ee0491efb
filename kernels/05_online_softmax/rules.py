"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

BLOCK = 256
OF_THE_GRID = (("n", "32", "blockDim.x", "gridDim.x * blockDim.x"),)
NUMBERS = ("ordinary", "negative", "large offset", "far below", "equal")
MASKED = (*NUMBERS[1:], "a -inf", "all -inf")
SHAPES = tuple((2**across, BLOCK >> across) for across in range(9))

merge = Rule(
    exercise="merge",
    kernel="merge_pairs",
    parameters=("float a[2 * n]", "float b[2 * n]", "float merged[2 * n]", "int n"),
    blocks=(BLOCK,),
    where=("n >= 1", "gridDim.x * blockDim.x >= n"),
    aligned=True,
)

online_row = Rule(
    exercise="online_row",
    kernel="online_row",
    parameters=("float x[gridDim.x * columns]", "float y[gridDim.x * columns]", "int columns"),
    blocks=(BLOCK,),
    where=("columns >= 1",),
    values=(*MASKED, "a +inf", "a NaN"),
    passes="(columns + blockDim.x - 1) // blockDim.x",
)

block_pairs = Rule(
    exercise="long_vector",
    kernel="block_pairs",
    parameters=("float x[n]", "float partial[2 * gridDim.x]", "int n"),
    blocks=(BLOCK,),
    where=("n >= 1",),
    edges=OF_THE_GRID,
    values=MASKED,
    aligned=True,
)

merge_partials = Rule(
    exercise="long_vector",
    kernel="merge_partials",
    parameters=("float partial[2 * blocks]", "float total[2]", "int blocks"),
    blocks=(BLOCK,),
    where=("blocks >= 1", "gridDim.x == 1"),
    aligned=True,
)

normalize = Rule(
    exercise="long_vector",
    kernel="normalize",
    parameters=("float x[n]", "float total[2]", "float y[n]", "int n"),
    blocks=(BLOCK,),
    where=("n >= 1",),
    edges=OF_THE_GRID,
    values=MASKED,
    aligned=True,
)

axis = Rule(
    exercise="axis",
    kernel="softmax_axis",
    parameters=(
        "float x[gridDim.x * length * inner]",
        "float y[gridDim.x * length * inner]",
        "int length",
        "int inner",
    ),
    blocks=SHAPES,
    where=("length >= 1", "inner >= 1", "gridDim.y * blockDim.x >= inner"),
    grid=2,
    edges=(("length", "32", "blockDim.y"), ("inner", "blockDim.x")),
    values=(*MASKED, "a NaN"),
    passes="(length + blockDim.y - 1) // blockDim.y",
    rows="gridDim.x * inner",
)

online_lines = Rule(
    exercise="online_lines",
    kernel="online_lines",
    parameters=(
        "float x[rows * columns]",
        "float maximum[rows]",
        "float sum[rows]",
        "int rows",
        "int columns",
    ),
    blocks=(32,),
    where=("rows >= 1", "columns >= 1", "gridDim.x * blockDim.x >= rows"),
    edges=(("rows", "blockDim.x"), ("columns", "32")),
    values=NUMBERS,
    passes="columns",
)

two_by_hand = Rule(
    exercise="two_by_hand",
    kernel="two_by_hand",
    parameters=("float x[2 * n]", "float maximum[n]", "float sum[n]", "int n"),
    blocks=(64, 256),
    where=("n >= 1", "gridDim.x * blockDim.x >= n"),
    values=NUMBERS,
    aligned=True,
    rows="n",
)

one_column = Rule(
    exercise="one_column",
    kernel="one_column",
    parameters=(
        "float x[length * inner]",
        "float y[length * inner]",
        "int length",
        "int inner",
    ),
    blocks=(64,),
    where=("length >= 1", "inner >= 1", "gridDim.x * blockDim.x >= inner"),
    edges=(("length", "32"), ("inner", "32", "blockDim.x")),
    values=NUMBERS,
    passes="length",
    rows="inner",
)

rescale = Rule(
    exercise="rescale",
    kernel="rescale",
    parameters=("float sum[n]", "float from[n]", "float to[n]", "float rescaled[n]", "int n"),
    blocks=(64,),
    where=("n >= 1", "gridDim.x * blockDim.x >= n"),
    values=("ordinary", "huge", "tiny", "a +inf", "a NaN"),
    elementwise=True,
)
