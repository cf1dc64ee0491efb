"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

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
