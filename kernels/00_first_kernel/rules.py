"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

BLOCK = 256
TILE = (32, 8)
ANY = ("ordinary", "negative", "huge", "tiny", "a +inf", "all -inf", "a NaN")
MODEST = ("ordinary", "negative", "large offset", "a +inf", "a NaN")
TILES = (("rows", "blockDim.y", "32"), ("cols", "blockDim.x"))
PICTURE = ("rows >= 1", "cols >= 1", "gridDim.x * 32 >= cols", "gridDim.y * 8 >= rows")

saxpy = Rule(
    exercise="saxpy",
    kernel="saxpy",
    parameters=("float x[n]", "float y[n]", "float out[n]", "float a", "int n"),
    blocks=(BLOCK,),
    where=("n >= 1", "gridDim.x * blockDim.x >= n"),
    values=MODEST,
    elementwise=True,
)

interleave = Rule(
    exercise="interleave",
    kernel="interleave",
    parameters=("float x[n // 2]", "float y[n // 2]", "float out[n]", "int n"),
    blocks=(BLOCK,),
    where=("n >= 2", "n % 2 == 0", "gridDim.x * blockDim.x >= n"),
    values=ANY,
    elementwise=True,
)

add_bias = Rule(
    exercise="add_bias",
    kernel="add_bias",
    parameters=(
        "float x[rows * cols]",
        "float bias[cols]",
        "float out[rows * cols]",
        "int rows",
        "int cols",
    ),
    blocks=(TILE,),
    where=PICTURE,
    grid=2,
    edges=TILES,
    values=MODEST,
    elementwise=True,
)

mirror = Rule(
    exercise="mirror",
    kernel="mirrored",
    parameters=(
        "float picture[rows * cols]",
        "float mirror[rows * cols]",
        "int rows",
        "int cols",
    ),
    blocks=(TILE,),
    where=PICTURE,
    grid=2,
    edges=TILES,
    values=ANY,
    elementwise=True,
)

SMALL = 64
COVERED = ("n >= 1", "gridDim.x * blockDim.x >= n")

rise = Rule(
    exercise="rise",
    kernel="rise",
    parameters=("float x[n]", "float y[n]", "int n"),
    blocks=(SMALL,),
    where=COVERED,
    values=MODEST,
)

squares = Rule(
    exercise="squares",
    kernel="squares",
    parameters=("float x[n]", "float y[n]", "float mean", "int n"),
    blocks=(SMALL,),
    where=COVERED,
    values=MODEST,
    elementwise=True,
)

darken = Rule(
    exercise="darken",
    kernel="darken",
    parameters=(
        "float picture[rows * cols]",
        "float darker[rows * cols]",
        "int rows",
        "int cols",
    ),
    blocks=(SMALL,),
    where=("rows >= 1", "cols >= 1", "gridDim.x * blockDim.x >= rows * cols"),
)

upside_down = Rule(
    exercise="upside_down",
    kernel="upside_down",
    parameters=(
        "float picture[rows * cols]",
        "float turned[rows * cols]",
        "int rows",
        "int cols",
    ),
    blocks=(TILE,),
    where=("rows >= 1", "cols >= 1", "gridDim.x * 32 >= cols", "gridDim.y * 8 >= rows"),
    grid=2,
    edges=TILES,
)

triple = Rule(
    exercise="triple",
    kernel="triple",
    parameters=("float x[n]", "float y[n]", "int n"),
    blocks=(SMALL,),
    where=COVERED,
    values=ANY,
    elementwise=True,
)
