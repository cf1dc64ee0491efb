"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

BLOCK = 128
COPIED = ("ordinary", "a +inf", "a NaN")
DIMENSIONS = (("dims", "3"), ("first",))
UP_TO_8 = ("dims >= 0", "dims <= 8")
OWN_ELEMENT = ("count >= 1", "gridDim.x * blockDim.x >= count")

expand_2d = Rule(
    exercise="expand_2d",
    kernel="expand_2d",
    parameters=(
        "float x[(rows - 1) * row_stride + (cols - 1) * col_stride + 1]",
        "float out[rows * cols]",
        "int rows",
        "int cols",
        "int row_stride",
        "int col_stride",
    ),
    blocks=(BLOCK,),
    where=("rows >= 1", "cols >= 1", "gridDim.x * blockDim.x >= rows * cols"),
    edges=(("row_stride",), ("col_stride",)),
    values=COPIED,
    elementwise=True,
)

expand = Rule(
    exercise="expand",
    kernel="expand",
    parameters=(
        "float x[]",
        "float out[count]",
        "int shape[]",
        "int strides[]",
        "int dims",
        "unsigned first",
        "int count",
    ),
    blocks=(BLOCK,),
    where=(*OWN_ELEMENT, *UP_TO_8),
    contents=(
        "`shape` and `strides` have `dims` elements; each size is at least 1, their product at "
        "least `first + count`; no index computed from them is outside of `x`"
    ),
    edges=DIMENSIONS,
    values=COPIED,
    elementwise=True,
)

where = Rule(
    exercise="where",
    kernel="where",
    parameters=(
        "unsigned char cond[]",
        "float x[]",
        "float y[]",
        "float out[n]",
        "int shape[]",
        "int cond_strides[]",
        "int x_strides[]",
        "int y_strides[]",
        "int dims",
        "int n",
    ),
    blocks=(BLOCK,),
    where=("n >= 1", "gridDim.x * blockDim.x >= n", *UP_TO_8),
    contents=(
        "`shape` and the strides have `dims` elements; each size is at least 1, their product is "
        "`n`; no index computed from them is outside of its array"
    ),
    edges=DIMENSIONS,
    values=COPIED,
    elementwise=True,
)

fast_expand = Rule(
    exercise="fast_expand",
    kernel="fast_expand",
    parameters=(
        "float x[]",
        "float out[count]",
        "unsigned shape[]",
        "unsigned multipliers[]",
        "int shifts[]",
        "int strides[]",
        "int dims",
        "unsigned first",
        "int count",
    ),
    blocks=(BLOCK,),
    where=(*OWN_ELEMENT, *UP_TO_8),
    contents=(
        "`shape`, `multipliers`, `shifts` and `strides` have `dims` elements; each size is at "
        "least 1, their product is at least `first + count`; `first + count` is at most 2^31; no "
        "index computed from them is outside of `x`"
    ),
    edges=DIMENSIONS,
    values=COPIED,
    elementwise=True,
)

one_for_all = Rule(
    exercise="one_for_all",
    kernel="one_for_all",
    parameters=("float x[n]", "float factor[1]", "float out[n]", "int n"),
    blocks=(64,),
    where=("n >= 1", "gridDim.x * blockDim.x >= n"),
    values=COPIED,
    elementwise=True,
)

outer_sum = Rule(
    exercise="outer_sum",
    kernel="outer_sum",
    parameters=("float a[rows]", "float b[cols]", "float out[rows * cols]", "int rows", "int cols"),
    blocks=((32, 8),),
    where=("rows >= 1", "cols >= 1", "gridDim.x * 32 >= cols", "gridDim.y * 8 >= rows"),
    grid=2,
    edges=(("rows", "blockDim.y", "32"), ("cols", "blockDim.x")),
    values=COPIED,
    elementwise=True,
)

three_coordinates = Rule(
    exercise="three_coordinates",
    kernel="three_coordinates",
    parameters=(
        "float x[(n // (rows * cols) - 1) * plane_stride + (rows - 1) * row_stride"
        " + (cols - 1) * col_stride + 1]",
        "float out[n]",
        "int rows",
        "int cols",
        "int plane_stride",
        "int row_stride",
        "int col_stride",
        "int n",
    ),
    blocks=(64,),
    where=("n >= 1", "rows >= 1", "cols >= 1", "n % (rows * cols) == 0", "gridDim.x * 64 >= n"),
    edges=(
        ("rows", "32"),
        ("cols", "32"),
        ("plane_stride",),
        ("row_stride",),
        ("col_stride",),
    ),
)
