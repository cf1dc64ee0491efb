"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

BLOCK = 256
TILE = (32, 8)
PICTURE = ("rows >= 1", "columns >= 1", "gridDim.x * 32 >= columns", "gridDim.y * 8 >= rows")

saxpy = Rule(
    exercise="saxpy",
    kernel="saxpy",
    parameters=("float x[n]", "float y[n]", "float out[n]", "float a", "int n"),
    blocks=(BLOCK,),
    where=("n >= 1", "gridDim.x * blockDim.x >= n"),
)

add_bias = Rule(
    exercise="add_bias",
    kernel="add_bias",
    parameters=(
        "float x[rows * columns]",
        "float bias[columns]",
        "float out[rows * columns]",
        "int rows",
        "int columns",
    ),
    blocks=(TILE,),
    where=PICTURE,
    grid=2,
)

mirror = Rule(
    exercise="mirror",
    kernel="mirrored",
    parameters=(
        "float picture[rows * columns]",
        "float mirror[rows * columns]",
        "int rows",
        "int columns",
    ),
    blocks=(TILE,),
    where=PICTURE,
    grid=2,
)
