"""For which launches the kernels of this lesson must be right."""

from grader.course import MappedArray, Rule

TILES = ("float x[256 * gridDim.x]", "float y[256 * gridDim.x]")
COLUMNS = ("float x[gridDim.x * rows * 128]", "float y[gridDim.x * 128]", "int rows")
EIGHTS = ("rows >= 8", "rows % 8 == 0")

reverse_tiles = Rule(
    exercise="reverse_tiles",
    kernel="reverse_tiles",
    parameters=TILES,
    blocks=(256,),
)

bulk_reverse = Rule(
    exercise="bulk_reverse",
    kernel="bulk_reverse",
    parameters=TILES,
    blocks=(256,),
    aligned=True,
)

copy_pipeline = Rule(
    exercise="copy_pipeline",
    kernel="copy_pipeline",
    parameters=COLUMNS,
    blocks=(128,),
    where=EIGHTS,
    edges=(("rows", "8", "24"),),
    aligned=True,
    passes="rows // 8",
)

bulk_ring = Rule(
    exercise="bulk_ring",
    kernel="bulk_ring",
    parameters=COLUMNS,
    blocks=(128,),
    where=EIGHTS,
    edges=(("rows", "8", "32"),),
    aligned=True,
    passes="rows // 8",
)

triple_tiles = Rule(
    exercise="triple_tiles",
    kernel="triple_tiles",
    parameters=(
        "float x[gridDim.x * tiles * 256]",
        "float y[gridDim.x * tiles * 256]",
        "int tiles",
    ),
    blocks=(256,),
    where=("tiles >= 1",),
    edges=(("tiles", "2"),),
    aligned=True,
    passes="tiles",
)

shared_weights = Rule(
    exercise="shared_weights",
    kernel="shared_weights",
    parameters=("float w[1024]", "float x[1024 * gridDim.x]", "float y[1024 * gridDim.x]"),
    blocks=(256,),
    where=("gridDim.x % 4 == 0",),
    aligned=True,
)

tensor_ring = Rule(
    exercise="tensor_ring",
    kernel="tensor_ring",
    parameters=(
        "half a[32 * gridDim.x * k]",
        "half b[16 * gridDim.y * k]",
        "float c[512 * gridDim.x * gridDim.y]",
        "int k",
    ),
    grid=2,
    blocks=(96,),
    where=("k >= 32", "k % 32 == 0"),
    edges=(("k", "32", "96"),),
    aligned=True,
    passes="k // 32",
)

neighbours = Rule(
    exercise="neighbours",
    kernel="neighbours",
    parameters=(
        "float x[rows * columns]",
        "out float y[rows * columns]",
        "int rows",
        "int columns",
    ),
    grid=2,
    blocks=((32, 8),),
    where=(
        *("rows >= 1", "columns >= 4", "columns % 4 == 0"),
        *("gridDim.x * 32 >= columns", "gridDim.y * 8 >= rows"),
    ),
    edges=(("rows", "8"), ("columns", "32")),
    aligned=True,
    maps=(MappedArray("x", ("rows", "columns"), (10, 40)),),
)

warpgroup = Rule(
    exercise="warpgroup",
    kernel="warpgroup",
    parameters=(
        "half a[64 * gridDim.x * k]",
        "half b[32 * gridDim.y * k]",
        "out float c[2048 * gridDim.x * gridDim.y]",
        "int k",
    ),
    grid=2,
    blocks=(128,),
    where=("k >= 64", "k % 64 == 0"),
    edges=(("k", "64", "192"),),
    aligned=True,
    passes="k // 64",
    maps=(
        MappedArray("a", ("64 * gridDim.x", "k"), (64, 64), 128),
        MappedArray("b", ("32 * gridDim.y", "k"), (32, 64), 128),
    ),
)
