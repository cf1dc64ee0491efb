"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

WHOLE_WARPS = tuple(range(32, 1025, 32))
MAGNITUDES = ("ordinary", "negative", "zeros", "huge", "tiny", "a +inf", "a NaN")
WARPS = ("rows", "blockDim.x // 32")
A_WARP_A_ROW = ("rows >= 1", "columns >= 1", "gridDim.x * (blockDim.x // 32) >= rows")


def rows_of(kernel: str, kind: str, pack: int) -> Rule:
    """A row has at most 4,096 bytes, in packs of 16 with so many elements each."""
    return Rule(
        exercise="any_type",
        kernel=kernel,
        parameters=(
            f"{kind} x[rows * columns]",
            f"{kind} y[rows * columns]",
            "int rows",
            "int columns",
        ),
        blocks=WHOLE_WARPS,
        where=(*A_WARP_A_ROW, f"columns % {pack} == 0", f"columns <= {256 * pack}"),
        edges=(WARPS, ("columns", f"{pack}", f"{32 * pack}")),
        values=("ordinary", "negative", "zeros", "a +inf", "a NaN"),
        aligned=True,
        passes=f"(columns + {32 * pack} - 1) // {32 * pack}",
    )


scale_packed = Rule(
    exercise="scale_packed",
    kernel="scale_packed",
    parameters=("float x[n]", "float y[n]", "float factor", "int n"),
    blocks=(128,),
    where=("n >= 1", "4 * gridDim.x * blockDim.x >= n"),
    most=2**28,  # so that 4 * p is an int for every thread p of the grid
    edges=(("n", "4", "128", "4 * blockDim.x"),),
    values=MAGNITUDES,
    elementwise=True,
    aligned=True,
)

row_absmax = Rule(
    exercise="row_absmax",
    kernel="row_absmax",
    parameters=("float x[rows * columns]", "float absmax[rows]", "int rows", "int columns"),
    blocks=WHOLE_WARPS,
    where=A_WARP_A_ROW,
    edges=(WARPS, ("columns", "4", "32", "128")),
    values=MAGNITUDES,
    aligned=True,
    passes="(columns + 31) // 32",
)

warp_per_row = Rule(
    exercise="warp_per_row",
    kernel="warp_per_row",
    parameters=("float x[rows * columns]", "float y[rows * columns]", "int rows", "int columns"),
    blocks=WHOLE_WARPS,
    where=(*A_WARP_A_ROW, "columns % 4 == 0", "columns <= 1024"),
    edges=(WARPS, ("columns", "4", "32", "128")),
    values=MAGNITUDES,
    aligned=True,
    passes="(columns + 127) // 128",
)

scale_halves = rows_of("scale_halves", "half", 8)
scale_floats = rows_of("scale_floats", "float", 4)
scale_doubles = rows_of("scale_doubles", "double", 2)

fours = Rule(
    exercise="fours",
    kernel="fours",
    parameters=("float x[n]", "float y[n]", "int n"),
    blocks=(64,),
    where=("n % 4 == 0", "n >= 4", "4 * gridDim.x * blockDim.x >= n"),
    edges=(("n", "128", "4 * blockDim.x"),),
    values=MAGNITUDES,
    elementwise=True,
    aligned=True,
)

one_load = Rule(
    exercise="one_load",
    kernel="one_load",
    parameters=("float x[4 * count]", "float y[4 * count]", "int count"),
    blocks=(64,),
    where=("count >= 1", "gridDim.x * blockDim.x >= count"),
    values=MAGNITUDES,
    elementwise=True,
    aligned=True,
)

no_waiting = Rule(
    exercise="no_waiting",
    kernel="no_waiting",
    parameters=("float x[gridDim.x * blockDim.x]", "float y[gridDim.x * blockDim.x]"),
    blocks=(128,),
    values=("ordinary", "negative", "zeros", "huge", "tiny", "a +inf"),
    rows="4 * gridDim.x",
)
