"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

WHOLE_WARPS = tuple(range(32, 1025, 32))
A_WARP_A_ROW = ("rows >= 1", "gridDim.x * (blockDim.x // 32) >= rows")
ANY = ("ordinary", "negative", "far below", "equal", "a -inf", "all -inf", "a +inf", "a NaN")
SCORES = ("ordinary", "negative", "large offset", "equal", "a -inf", "all -inf", "a NaN")
NUMBERS = ("ordinary", "negative", "large offset", "far below", "equal", "a -inf")
ROWS_OF_WARPS = ("rows", "gridDim.x * (blockDim.x // 32)")
MATRICES = ("float x[rows * columns]", "float y[rows * columns]", "int rows", "int columns")

warp_softmax = Rule(
    exercise="warp_softmax",
    kernel="warp_softmax",
    parameters=MATRICES,
    blocks=WHOLE_WARPS,
    where=(*A_WARP_A_ROW, "columns % 4 == 0", "columns >= 4", "columns <= 1024"),
    edges=(ROWS_OF_WARPS, ("columns", "32", "128")),
    values=ANY,
    aligned=True,
    passes="columns // 32 + 1",
)

block_softmax = Rule(
    exercise="block_softmax",
    kernel="block_softmax",
    parameters=MATRICES,
    blocks=WHOLE_WARPS,
    where=("rows >= 1", "columns % 4 == 0", "columns >= 4", "columns <= 12000"),
    shared_mem="4 * columns",
    edges=(("rows", "gridDim.x"), ("columns", "32", "4 * blockDim.x")),
    values=ANY,
    aligned=True,
    passes="(rows + gridDim.x - 1) // gridDim.x * (columns // blockDim.x + 1)",
)

masked_softmax = Rule(
    exercise="masked_softmax",
    kernel="masked_softmax",
    parameters=(
        "float x[rows * keys]",
        "float y[rows * keys]",
        "float scale",
        "int rows",
        "int queries",
        "int keys",
    ),
    blocks=WHOLE_WARPS,
    where=(
        *A_WARP_A_ROW,
        "rows % queries == 0",
        "queries >= 1",
        "keys % 4 == 0",
        "keys >= 4",
        "keys <= 1024",
    ),
    edges=(ROWS_OF_WARPS, ("queries", "rows", "keys"), ("keys", "32", "128")),
    values=SCORES,
    aligned=True,
    passes="keys // 32 + 1",
)

read_once = Rule(
    exercise="read_once",
    kernel="read_once",
    parameters=("float x[gridDim.x * 128]", "float y[gridDim.x * 128]"),
    blocks=(32,),
    values=NUMBERS,
)

one_exchange = Rule(
    exercise="one_exchange",
    kernel="one_exchange",
    parameters=("float x[gridDim.x * 128]", "float y[gridDim.x * 128]"),
    blocks=(128,),
    values=NUMBERS,
)

causal = Rule(
    exercise="causal",
    kernel="causal",
    parameters=("float x[n * n]", "float y[n * n]", "int n"),
    blocks=((32, 8),),
    where=("n >= 1", "gridDim.x * 32 >= n", "gridDim.y * 8 >= n"),
    grid=2,
    edges=(("n", "8", "32"),),
    values=("ordinary", "a +inf", "a NaN"),
    elementwise=True,
)
