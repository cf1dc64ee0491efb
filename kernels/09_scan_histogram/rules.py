"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

WHOLE_WARPS = tuple(range(32, 1025, 32))
SUMMED = ("ordinary", "negative", "large offset", "tiny", "a +inf", "a NaN")
OWN_ELEMENT = ("n >= 1", "gridDim.x * blockDim.x >= n")

running_total = Rule(
    exercise="running_total",
    kernel="running_total",
    parameters=("float x[n]", "float y[n]", "int n"),
    blocks=(1,),
    where=("n >= 1", "gridDim.x == 1"),
    values=("ordinary", "a +inf", "a NaN"),
)

doubling = Rule(
    exercise="doubling",
    kernel="doubling",
    parameters=("float x[blockDim.x]", "float y[blockDim.x]"),
    blocks=tuple(range(32, 257, 32)),
    where=("gridDim.x == 1",),
    values=SUMMED,
)

up_and_down = Rule(
    exercise="up_and_down",
    kernel="up_and_down",
    parameters=("float x[blockDim.x]", "float y[blockDim.x]"),
    blocks=(32, 64, 128, 256),
    where=("gridDim.x == 1",),
    values=SUMMED,
)

block_scan = Rule(
    exercise="block_scan",
    kernel="block_scan",
    parameters=("float x[n]", "float inclusive[n]", "float exclusive[n]", "int n"),
    blocks=WHOLE_WARPS,
    where=OWN_ELEMENT,
    edges=(("n", "32", "blockDim.x", "gridDim.x * blockDim.x"),),
    values=SUMMED,
)

look_back = Rule(
    exercise="look_back",
    kernel="scan_grid",
    parameters=(
        "float x[n]",
        "float y[n]",
        "float own[gridDim.x]",
        "float up_to[gridDim.x]",
        "unsigned state[gridDim.x] = 0",
        "unsigned counts[2] = 0",
        "int n",
    ),
    blocks=tuple(range(32, 257, 32)),
    where=(*OWN_ELEMENT, "gridDim.x <= 16"),
    values=("ordinary", "negative", "a +inf"),
)

segments = Rule(
    exercise="segments",
    kernel="segments",
    parameters=("float x[n]", "bool head[n]", "float y[n]", "int n"),
    blocks=WHOLE_WARPS,
    where=OWN_ELEMENT,
    values=("ordinary", "negative", "large offset", "tiny"),
)

compact = Rule(
    exercise="compact",
    kernel="compact",
    parameters=("float x[n]", "float y[n]", "out int count[1]", "int n"),
    blocks=WHOLE_WARPS,
    where=("n >= 1", "gridDim.x == 1"),
    edges=(("n", "32", "blockDim.x"),),
    values=("ordinary", "a +inf", "a NaN"),
)

clear = Rule(
    exercise="private_bins",
    kernel="clear",
    parameters=("out int bins[256]",),
    blocks=(256,),
    where=("gridDim.x == 1",),
)

private_bins = Rule(
    exercise="private_bins",
    kernel="private_bins",
    parameters=("unsigned char values[n]", "int bins[256]", "int n"),
    blocks=(256,),
    where=("n >= 1",),
    contents="all of `bins` are 0 before the launch",
    edges=(("n", "32", "blockDim.x", "gridDim.x * blockDim.x"),),
)

together = Rule(
    exercise="together",
    kernel="together",
    parameters=("unsigned char values[n]", "out int bins[256]", "int n"),
    blocks=(256,),
    where=("n >= 1", "gridDim.x == 1"),
    edges=(("n", "32", "blockDim.x"),),
)
