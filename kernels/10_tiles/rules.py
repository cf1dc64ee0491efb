"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

COPIED = ("ordinary", "a +inf", "a NaN")
NUMBERS = ("ordinary",)
MATRIX = ("float x[rows * cols]", "float y[cols * rows]", "int rows", "int cols")
PRODUCT = ("float a[m * k]", "float b[k * n]", "float c[m * n]", "int m", "int n", "int k")
ANY_SHAPE = ("rows >= 1", "cols >= 1")

turned = Rule(
    exercise="turned",
    kernel="turned",
    parameters=MATRIX,
    blocks=((32, 8),),
    where=(*ANY_SHAPE, "gridDim.x * 32 >= cols", "gridDim.y * 8 >= rows"),
)

transpose = Rule(
    exercise="transpose",
    kernel="transpose",
    parameters=MATRIX,
    blocks=((32, 8),),
    where=(*ANY_SHAPE, "gridDim.x * 32 >= cols", "gridDim.y * 32 >= rows"),
    values=COPIED,
)

swizzle = Rule(
    exercise="swizzle",
    kernel="swizzle",
    parameters=MATRIX,
    blocks=((32, 8),),
    where=(*ANY_SHAPE, "gridDim.x * 32 >= cols", "gridDim.y * 32 >= rows"),
)

product = Rule(
    exercise="product",
    kernel="product",
    parameters=PRODUCT,
    blocks=((16, 16),),
    where=(
        *("m >= 1", "n >= 1", "k >= 1", "k <= 64"),
        "gridDim.x * 16 >= n",
        "gridDim.y * 16 >= m",
    ),
    values=NUMBERS,
)

register_tile = Rule(
    exercise="register_tile",
    kernel="register_tile",
    parameters=PRODUCT,
    blocks=((16, 16),),
    where=(
        *("k >= 8", "k % 8 == 0", "k <= 1024"),
        *("gridDim.x * 64 == n", "gridDim.y * 64 == m"),
    ),
)

two_buffers = Rule(
    exercise="two_buffers",
    kernel="two_buffers",
    parameters=PRODUCT,
    blocks=((16, 16),),
    where=(
        *("k >= 16", "k % 16 == 0", "k <= 1024"),
        *("gridDim.x * 16 == n", "gridDim.y * 16 == m"),
    ),
)
