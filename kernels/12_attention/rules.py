"""For which launches the kernels of this lesson must be right."""

from grader.course import Rule

WHOLE_WARPS = tuple(range(32, 1025, 32))

causal_scores = Rule(
    exercise="causal_scores",
    kernel="causal_scores",
    parameters=(
        "float q[32 * queries]",
        "float k[32 * keys]",
        "float s[queries * keys]",
        "float scale",
        "int queries",
        "int keys",
    ),
    grid=2,
    blocks=((32, 8),),
    where=(
        *("queries >= 1", "keys >= queries"),
        *("gridDim.x * 32 >= keys", "gridDim.y * 8 >= queries"),
    ),
    edges=(("queries", "8"), ("keys", "32", "queries")),
)

one_row = Rule(
    exercise="one_row",
    kernel="one_row",
    parameters=(
        "float q[32 * gridDim.x]",
        "float k[32 * keys]",
        "float v[32 * keys]",
        "float y[32 * gridDim.x]",
        "float scale",
        "int keys",
    ),
    blocks=WHOLE_WARPS,
    where=("keys >= 1", "keys <= 12000"),
    shared_mem="4 * keys",
    edges=(("keys", "32", "blockDim.x"),),
    passes="keys // blockDim.x + 1",
)

QKV = (
    "float q[32 * queries]",
    "float k[32 * keys]",
    "float v[32 * keys]",
    "float y[32 * queries]",
)
COUNTS = ("float scale", "int queries", "int keys")

one_query = Rule(
    exercise="one_query",
    kernel="one_query",
    parameters=(*QKV, *COUNTS),
    blocks=(32, 64, 128),
    where=("queries >= 1", "keys >= 1", "gridDim.x * blockDim.x >= queries"),
    edges=(("queries", "blockDim.x"), ("keys", "32")),
    passes="keys",
)

FINITE = ("ordinary", "negative", "equal")

tiled = Rule(
    exercise="tiled",
    kernel="tiled",
    parameters=(*QKV, "float lse[queries]", *COUNTS),
    blocks=(128,),
    where=("queries >= 1", "keys >= 1", "gridDim.x * 16 >= queries"),
    edges=(("queries", "4", "16"), ("keys", "32")),
    values=FINITE,
    passes="keys // 32 + 1",
)

causal_tiles = Rule(
    exercise="causal_tiles",
    kernel="causal_tiles",
    parameters=(*QKV, *COUNTS),
    blocks=(32,),
    where=("queries >= 1", "keys >= queries", "gridDim.x * 32 >= queries"),
    edges=(("queries", "32"), ("keys", "32", "queries")),
    passes="keys",
)

ragged = Rule(
    exercise="ragged",
    kernel="ragged",
    parameters=(
        *("float q[]", "float k[]", "float v[]", "float y[]"),
        *("int q_from[gridDim.y + 1]", "int k_from[gridDim.y + 1]", "float scale"),
    ),
    grid=2,
    blocks=(32,),
    where=("gridDim.y <= 4096",),
    contents=(
        "offsets begin at 0 and never decrease; the last ones are the numbers of all queries and "
        "of all keys; no sequence has more than `32 * gridDim.x` queries"
    ),
)

tensor_tile = Rule(
    exercise="tensor_tile",
    kernel="tensor_tile",
    parameters=(
        "half q[512 * gridDim.x]",
        "half k[32 * keys]",
        "half v[32 * keys]",
        "float y[512 * gridDim.x]",
        "float lse[16 * gridDim.x]",
        "float scale",
        "int keys",
    ),
    blocks=(32,),
    where=("keys >= 16", "keys % 16 == 0"),
    edges=(("keys", "16"),),
    aligned=True,
    passes="keys // 16",
)

SAVED = (
    "float q[32 * queries]",
    "float k[32 * keys]",
    "float v[32 * keys]",
    "float dy[32 * queries]",
    "float lse[queries]",
    "float delta[queries]",
)
SOME = ("queries >= 1", "keys >= 1")

deltas = Rule(
    exercise="backward",
    kernel="deltas",
    parameters=(
        "float y[32 * queries]",
        "float dy[32 * queries]",
        "float delta[queries]",
        "int queries",
    ),
    blocks=(128,),
    where=("queries >= 1", "gridDim.x * 4 >= queries"),
    edges=(("queries", "4"),),
)

key_gradients = Rule(
    exercise="backward",
    kernel="key_gradients",
    parameters=(*SAVED, "float dk[32 * keys]", "float dv[32 * keys]", *COUNTS),
    blocks=(128,),
    where=(*SOME, "gridDim.x * 4 >= keys"),
    edges=(("queries", "32"), ("keys", "4")),
    passes="queries",
)

query_gradients = Rule(
    exercise="backward",
    kernel="query_gradients",
    parameters=(*SAVED, "float dq[32 * queries]", *COUNTS),
    blocks=(128,),
    where=(*SOME, "gridDim.x * 4 >= queries"),
    edges=(("queries", "4"), ("keys", "32")),
    passes="keys",
)
