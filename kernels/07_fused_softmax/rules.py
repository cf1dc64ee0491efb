"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

WHOLE_WARPS = tuple(range(32, 1025, 32))
A_WARP_A_ROW = ("rows >= 1", "gridDim.x * (blockDim.x // 32) >= rows")
MATRICES = ("float x[rows * columns]", "float y[rows * columns]", "int rows", "int columns")

warp_softmax = Rule(
    exercise="warp_softmax",
    kernel="warp_softmax",
    parameters=MATRICES,
    blocks=WHOLE_WARPS,
    where=(*A_WARP_A_ROW, "columns % 4 == 0", "columns >= 4", "columns <= 1024"),
)

block_softmax = Rule(
    exercise="block_softmax",
    kernel="block_softmax",
    parameters=MATRICES,
    blocks=WHOLE_WARPS,
    where=("rows >= 1", "columns % 4 == 0", "columns >= 4"),
    shared_mem="4 * columns",
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
)

read_once = Rule(
    exercise="read_once",
    kernel="read_once",
    parameters=("float x[128 * gridDim.x]", "float y[128 * gridDim.x]"),
    blocks=(32,),
)

one_exchange = Rule(
    exercise="one_exchange",
    kernel="one_exchange",
    parameters=("float x[128 * gridDim.x]", "float y[128 * gridDim.x]"),
    blocks=(128,),
)

causal = Rule(
    exercise="causal",
    kernel="causal",
    parameters=("float x[n * n]", "float y[n * n]", "int n"),
    blocks=((32, 8),),
    where=("n >= 1", "gridDim.x * 32 >= n", "gridDim.y * 8 >= n"),
    grid=2,
)
