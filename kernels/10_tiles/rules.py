"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

COPIED = ("ordinary", "a +inf", "a NaN")
MATRIX = ("float x[rows * cols]", "float y[cols * rows]", "int rows", "int cols")
PRODUCT = ("float a[m * k]", "float b[k * n]", "float c[m * n]", "int m", "int n", "int k")
ANY_SHAPE = ("rows >= 1", "cols >= 1")
BY_TILE = ("gridDim.x * 32 >= cols", "gridDim.y * 32 >= rows")

naive_transpose = Rule(
    exercise="naive_transpose",
    kernel="naive_transpose",
    parameters=MATRIX,
    grid=2,
    blocks=((32, 8),),
    where=(*ANY_SHAPE, "gridDim.x * 32 >= cols", "gridDim.y * 8 >= rows"),
)

transpose = Rule(
    exercise="transpose",
    kernel="transpose",
    parameters=MATRIX,
    grid=2,
    blocks=((32, 8),),
    where=(*ANY_SHAPE, *BY_TILE),
    values=COPIED,
)

swizzle = Rule(
    exercise="swizzle",
    kernel="swizzle",
    parameters=MATRIX,
    grid=2,
    blocks=((32, 8),),
    where=(*ANY_SHAPE, *BY_TILE),
)

product = Rule(
    exercise="product",
    kernel="product",
    parameters=PRODUCT,
    grid=2,
    blocks=((16, 16),),
    where=("m >= 1", "n >= 1", "k >= 1", "gridDim.x * 16 >= n", "gridDim.y * 16 >= m"),
    edges=(("m", "blockDim.y"), ("n", "blockDim.x"), ("k", "blockDim.x", "32")),
    passes="k // 16 + 1",
)

register_tile = Rule(
    exercise="register_tile",
    kernel="register_tile",
    parameters=PRODUCT,
    grid=2,
    blocks=((16, 16),),
    where=(
        *("m % 64 == 0", "n % 64 == 0", "k >= 8", "k % 8 == 0"),
        *("gridDim.x * 64 == n", "gridDim.y * 64 == m"),
    ),
    edges=(("m", "64"), ("n", "64"), ("k", "8")),
    aligned=True,
    passes="k // 8",
)

two_buffers = Rule(
    exercise="two_buffers",
    kernel="two_buffers",
    parameters=PRODUCT,
    grid=2,
    blocks=((16, 16),),
    where=(
        *("m % 16 == 0", "n % 16 == 0", "k >= 16", "k % 16 == 0"),
        *("gridDim.x * 16 == n", "gridDim.y * 16 == m"),
    ),
    edges=(("m", "16"), ("n", "16"), ("k", "16")),
    passes="k // 16",
)
