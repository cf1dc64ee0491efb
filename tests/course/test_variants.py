"""Exercises drawn anew: layouts in C++ and in NumPy, what is refused, what learners get, and kept
variants tried again: a sample here, every one in the slow test."""

import random
import re
from dataclasses import replace
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from grader import course
from grader.course import catalogue, kinds, variants
from grader.course.variants import Anew, Refused
from grader.judge import judge
from tools import variants as trying
from tools.accesses import of_width, rewritten, writer

LESSONS = course.lessons()
EXERCISES = [one for lesson in LESSONS for one in lesson.exercises if one.cases]
LAYOUTS = of_width(1) | of_width(2) | of_width(4)
SAMPLE = 4


def anew(exercise: course.Exercise, **names: str) -> Anew:
    able = trying.arrays(exercise)
    draft = Anew(names, {name: able[name].use for name in names})
    return trying.Text(exercise, draft).anew()


def drawn(exercise: course.Exercise, **names: str) -> course.Exercise:
    return variants.recoded(exercise, anew(exercise, **names))


# --- layouts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_gives_each_element_a_place_of_its_own(name):
    for rows, columns in ((1, 4), (4, 8), (5, 12), (1, 8), (7, 64), (33, 4)):
        found, whole = variants.places(variants.named(name), rows * columns, columns)
        assert len(set(found)) == rows * columns
        assert found.min() >= 0
        assert found.max() < whole


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_the_same_in_cpp_and_in_numpy(name):
    layout, rows, columns = variants.named(name), 6, 8
    write = writer("x", "rows * columns", layout)
    wanted, whole = variants.places(layout, rows * columns, columns)
    second = variants.places(layout, rows * columns, columns, second=True)[0] if layout.sign else 0
    signed = {"": wanted, "+": wanted + second, "-": wanted - second}[layout.sign]
    for index in ("row * columns + column", "column + columns * row", "first + column", "linear"):
        written, found = write(index).replace("/", "//"), []
        for i in range(rows * columns):
            row, column = divmod(i, columns)
            names = {"rows": rows, "columns": columns, "row": row, "column": column}
            names |= {"first": row * columns, "linear": i, "x": np.arange(whole)}
            found.append(eval(written, {}, names))
        np.testing.assert_array_equal(found, signed)


@pytest.mark.parametrize("name", [name for name, one in LAYOUTS.items() if one.sign])
def test_two_numbers_make_an_element_exactly(name):
    layout, rng = variants.named(name), np.random.default_rng(0)
    x = np.array([1.5, -3.25, 0.0, 1e-30, 3e38, np.inf, -np.inf, np.nan], np.float32)
    made = variants.stored(x, layout, 0, 1, rng)
    at, _ = variants.places(layout, x.size, 0)
    second, _ = variants.places(layout, x.size, 0, second=True)
    both = made[at] + made[second] if layout.sign == "+" else made[at] - made[second]
    np.testing.assert_array_equal(both, x)
    finite = np.isfinite(x) & (np.abs(x) < 1e38)
    assert (made[at] != x)[finite].all()  # neither of them alone will do


def test_what_lies_between_the_elements_is_none_of_them():
    x = np.arange(1, 9, dtype=np.float32)
    made = variants.stored(x, variants.named("every second"), 0, 1, np.random.default_rng(0))
    np.testing.assert_array_equal(made[::2], x)
    assert not np.isin(made[1::2], x).all()


# --- accesses ----------------------------------------------------------------------------------

REVERSED = {("k", "x"): writer("x", "n", variants.named("reversed"))}


def changed(body: str, of=REVERSED) -> str:
    source = f"__global__ void k(const float* x, float* y, int n) {{\n{body}\n}}\n"
    return rewritten(source, of).partition("{\n")[2].removesuffix("\n}\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y[i] = x[i];", "y[i] = x[n - 1 - i];"),
        ("y[i] = x[i + 1];", "y[i] = x[n - 1 - (i + 1)];"),
        ("y[threadIdx.x] = a.x[0];  // x[i]", "y[threadIdx.x] = a.x[0];  // x[i]"),
        ("y[i] = *x;", "y[i] = x[n - 1 - 0];"),
        ("const float* in = x + 4 * r;\ny[c] = in[c];", "y[c] = x[n - 1 - (4 * r + c)];"),
        ("atomicAdd(&y[x[i]], 1);", "atomicAdd(&y[x[n - 1 - i]], 1);"),
    ],
)
def test_an_access_is_written_in_the_layout(before, after):
    assert changed(before) == after


def test_what_is_moved_by_fours_is_found_in_groups_of_four():
    of = {("k", "x"): writer("x", "n", variants.named("groups reversed, 4 at once"))}
    before = "const auto* from = reinterpret_cast<const float4*>(x + r * n);\nfloat4 f = from[p];"
    element = "n - 4 - (r * n + 4 * p) / 4 * 4 + (r * n + 4 * p) % 4"
    assert changed(before, of) == f"float4 f = reinterpret_cast<const float4*>(&x[{element}])[0];"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("copy(tile, x + 8 * k, 32);", "copy(tile, &x[8 * k + 16], 32);"),
        ("const float* from = x + n;\ncopy(from, 32);", "copy(&x[n + 16], 32);"),
        ("copy(from(x), 32);", "copy(from(&x[0 + 16]), 32);"),
    ],
)
def test_a_part_that_is_passed_on_begins_where_the_layout_says(before, after):
    of = {("k", "x"): writer("x", "n", variants.named("behind a header, 8 at once"))}
    source = f"__global__ void k(const float* x, float* y, int n) {{\n{before}\n}}\n"
    made = rewritten(source, of, passed={"x"})
    assert made.partition("{\n")[2].removesuffix("\n}\n") == after


TEMPLATE = """template <typename T>
__device__ void f(const T* x, T* y, int n) {
    constexpr int N = 16 / sizeof(T);
    const auto* from = reinterpret_cast<const Pack<T, N>*>(x);
    reinterpret_cast<Pack<T, N>*>(y)[threadIdx.x] = from[threadIdx.x];
}
__global__ void k(const float* x, float* y, int n) { f(x, y, n); }
__global__ void l(const double* x, double* y, int n) { f(x, y, n); }
"""


def test_a_kernel_that_passes_on_all_has_the_body_of_that_function():
    write = writer("x", "n", variants.named("behind a header, 8 at once"))
    made = rewritten(TEMPLATE, {("k", "x"): write, ("l", "x"): write})
    pack = "reinterpret_cast<const Pack<T, N>*>(&x[N * threadIdx.x + 16])[0];"
    assert f"(y)[threadIdx.x] = {pack}" in made
    assert made.endswith(TEMPLATE[TEMPLATE.index("__global__") :])


def test_an_index_is_taken_apart_only_where_its_rest_is_a_column():
    write = writer("x", "m * n", variants.named("each row reversed"))
    assert write("row * n + column") == "x[row * n + n - 1 - column]"
    assert write("row * n + i * 2 * n") == (
        "x[((row * n + i * 2 * n) / n) * n + n - 1 - ((row * n + i * 2 * n) % n)]"
    )


def test_several_names_in_one_declaration_point_to_more_than_one_place():
    with pytest.raises(Refused):
        changed("float *above = x + n, *below = above + 8;\nabove[0] = 1.0f;")


@pytest.mark.parametrize("body", ["y[i] = sum(x, n);", "y[i] = x[i++];", "x += 4;", "y[i] = x[i;"])
def test_what_the_text_does_not_tell_is_refused(body):
    with pytest.raises(Refused):
        changed(body)


# --- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        (
            "out[i] = x[i] + y[i], and x is read once",
            "out[i] = data[i] + y[i], and data is read once",
        ),
        ("The largest of x.", "The largest of data."),
        ("exp(x - m) = exp(x - a.max)", "exp(x - m) = exp(x - a.max)"),
        ("a block of 16 x 16 threads, threadIdx.x", "a block of 16 x 16 threads, threadIdx.x"),
    ],
)
def test_a_sentence_has_the_new_name_where_it_speaks_of_the_array(sentence, wanted):
    assert variants.renamed(sentence, {"x": "data"}) == wanted


def test_words_that_are_no_array_stay_as_they_are():
    sentence = "Finds out what stands in out[i]"
    assert variants.renamed(sentence, {"out": "result"}) == "Finds out what stands in result[i]"


def test_a_kernel_has_the_new_name_in_code_and_in_its_comment():
    source = "//   x     float[n], threadIdx.x\nvoid f(float* x) { x[threadIdx.x] = a.x; }  // x[0]"
    assert trying.called(source, {"x": "data"}) == (
        "//   data  float[n], threadIdx.x\n"
        "void f(float* data) { data[threadIdx.x] = a.x; }  // data[0]"
    )


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.id)
def test_no_sentence_of_a_variant_calls_an_array_by_its_old_name(exercise):
    for one in variants.variants(exercise):
        new = variants.recoded(exercise, one)
        heading, _, body = new.solution.partition("//\n")
        said = [
            body,
            *new.hints,
            *(case.name for case in new.cases),
            *(each.why for case in new.cases for each in (*case.budgets, *case.requires)),
            *(parameter for rule in new.rules for parameter in rule.parameters),
        ]
        for old, name in one.names.items():
            assert f"`{name}` is what the lesson calls `{old}`." in heading
            left = [text for text in said if re.search(rf"(?<![\w.])(?<!\d ){old}\b(?!')", text)]
            assert not left, (one, left[0])


# --- exercises ---------------------------------------------------------------------------------


def test_a_given_line_that_reaches_for_the_array_becomes_the_learners():
    exercise = course.exercise("03_shuffle_reduction/warp_sum")
    made = anew(exercise, x="reversed")
    handed_out = kinds.Write().handed_out(variants.recoded(exercise, made).solution)
    x = made.names.get("x", "x")
    assert f"element i of {x} is {x}[n - 1 - i]" in handed_out
    assert f"{x}[n - 1 - i] : 0.0f" not in handed_out
    assert handed_out.count(kinds.YOURS) == 2  # that line, and the loop


@pytest.mark.parametrize(
    ("name", "array", "length"),
    [
        ("12_attention/backward", "k", "keys * 32"),
        ("08_project/top_four", "value", "rows * 4"),
        ("11_async_copies/two_roles", "x", "gridDim.x * rows * 128"),
        ("11_async_copies/warpgroup", "c", "64 * gridDim.x * (32*gridDim.y)"),
    ],
)
def test_rows_and_columns_are_those_that_the_text_has(name, array, length):
    exercise = course.exercise(name)
    assert set(trying.arrays(exercise)[array].use.lengths.values()) == {length}


def test_the_first_lines_say_which_element_lies_where():
    heading = kinds.Write().handed_out(
        drawn(course.exercise("12_attention/backward"), dk="columns first").solution
    )
    assert "//   element row * 32 + column of dk is dk[column * keys + row]\n" in heading


def test_inputs_and_expected_outputs_lie_where_the_layouts_say():
    exercise = course.exercise("00_first_kernel/saxpy")
    variant = drawn(exercise, x="every second, the odd ones", out="reversed")
    for one, other in zip(exercise.cases, variant.cases, strict=True):
        mine, ours = (each.problem(np.random.default_rng(1)) for each in (one, other))
        for name, array in mine.inputs.items():
            step = slice(1, None, 2) if name.startswith("x") else slice(None)
            np.testing.assert_array_equal(ours.inputs[name][step], array)
        for name, expected in mine.outputs.items():
            np.testing.assert_array_equal(ours.outputs[name].value[::-1], expected.value)


def test_a_variant_has_the_points_the_cases_and_the_rules_of_its_exercise():
    for exercise in EXERCISES:
        variant = variants.vary(exercise, 1) if variants.variants(exercise) else exercise
        assert variant.points == exercise.points
        assert [one.points for one in variant.cases] == [one.points for one in exercise.cases]
        assert [one.kernel for one in variant.rules] == [one.kernel for one in exercise.rules]


HAVE_OPERATIONS = [one for one in EXERCISES if one.operations]


@pytest.mark.parametrize("exercise", HAVE_OPERATIONS, ids=lambda one: one.id)
def test_an_operation_changes_the_solution_and_what_the_cases_expect(exercise):
    for operation in trying.operations(exercise)[1:]:
        other = operation.of(exercise)
        assert other.solution != exercise.solution
        assert other.points == exercise.points and not other.hints
        assert any(
            not same(mine.problem, ours.problem)
            for mine, ours in zip(exercise.cases, other.cases, strict=True)
        )


def same(one, other) -> bool:
    """Whether two cases have the same arrays and launches, and expect the same."""
    mine, ours = (draw(np.random.default_rng(3)) for draw in (one, other))
    shapes = [[(launch.grid, launch.block) for launch in each.launches] for each in (mine, ours)]
    arrays = [
        {name: one.value for name, one in each.outputs.items()} | each.inputs
        for each in (mine, ours)
    ]
    names = arrays[0].keys()
    return (
        shapes[0] == shapes[1]
        and names == arrays[1].keys()
        and all(np.array_equal(arrays[0][name], arrays[1][name]) for name in names)
    )


def test_a_maximum_in_place_of_a_sum_expects_the_maximum():
    exercise = course.exercise("02_tree_reduction/interleaved")
    anew = trying.Text(exercise, Anew(operation="maximum")).anew()
    variant = variants.recoded(exercise, anew)
    problem = variant.cases[0].problem(np.random.default_rng(1))
    assert problem.outputs["partial"].value == [problem.inputs["x"].max()]
    assert problem.inputs["x"].max() < 0  # so that a maximum that begins with 0 shows


@pytest.mark.parametrize("exercise", HAVE_OPERATIONS, ids=lambda one: one.id)
def test_of_the_variants_of_an_exercise_with_operations_a_quarter_has_another(exercise):
    known = variants.variants(exercise)
    assert 4 * sum(bool(one.operation) for one in known) >= len(known)


def test_each_lesson_has_exercises_with_operations():
    assert {one.id[:2] for one in HAVE_OPERATIONS} >= {f"{number:02}" for number in range(11)}


# What names of cases say of the numbers in one of the arrays.
SAID = {
    r"-inf|minus infinity": lambda x: np.isneginf(x).any(),
    r"(?<!-)\binf\b|(?<!an )(?<!minus )infinity": lambda x: np.isposinf(x).any(),
    r"infinities|an infinity": lambda x: np.isinf(x).any(),
    r"NaN|not-a-number": lambda x: np.isnan(x).any(),
    r"zeros": lambda x: (x == 0).any(),
    r"negative numbers|below (0|zero)": lambda x: (x.max(axis=-1) < 0).any(),
    r"positive numbers|above (0|zero)": lambda x: (x.min(axis=-1) > 0).any(),
    r"both signs": lambda x: x.min() < 0 < x.max(),
    r"below -1e(20|30)": lambda x: x.min() < -1e30 or finite(x).min() < -1e20,
    r"above 1e(20|30)": lambda x: x.max() > 1e30 or finite(x).max() > 1e20,
    r"lowest float": lambda x: x.min() < -3e38,
    r"largest (floats?|magnitudes)\b": lambda x: np.abs(finite(x)).max() > 2e38,
    r"(about|offsets?) -": lambda x: finite(x).mean() < -90,
    r"about \d": lambda x: finite(x).mean() > 90,
    r"large offsets": lambda x: np.abs(np.median(x)) > 900,
    r"heavy tails": lambda x: np.abs(x).max() > 30 * np.median(np.abs(x)),
}


def finite(x):
    return x[np.isfinite(x)] if np.isfinite(x).any() else np.sign(x)


def untrue(exercise) -> list[str]:
    """The names of cases that are not true of their numbers."""
    return [
        one.name
        for one in exercise.cases
        for pattern, holds in SAID.items()
        if re.search(pattern, one.name)
        and not any(
            holds(x.astype(np.float64))
            for x in one.problem(np.random.default_rng(5)).inputs.values()
            if x.dtype.kind in "if" and x.size
        )
    ]


def test_the_names_of_cases_are_true_of_every_operation():
    for exercise in HAVE_OPERATIONS:
        for operation in trying.operations(exercise):
            assert (exercise.id, operation.name, untrue(operation.of(exercise))) == (
                exercise.id,
                operation.name,
                [],
            )


# What an operation is, as operations.toml says it, and what no comment and no case may speak of.
NOT_SAID = {
    r"not the sum\b|not sums\b": r"\b([Ss]ums?|[Aa]dds?)\b",
    r"softmin|smallest|minimum": (
        r"\b(maximum|maxima|[Ss]oftmax(?!\(-)|the largest (of|x|any|all|at|far))\b"
    ),
}


def test_no_text_of_an_operation_speaks_of_the_exercises_own():
    for exercise in HAVE_OPERATIONS:
        for operation in trying.operations(exercise)[1:]:
            one = operation.of(exercise)
            comments = re.findall(r"//.*", one.kind.handed_out(one.solution))
            reasons = [each.why for case in one.cases for each in (*case.budgets, *case.requires)]
            shown = [*comments, *reasons, *(case.name for case in one.cases)]
            for said, never in NOT_SAID.items():
                if re.search(said, operation.says):
                    found = [text for text in shown if re.search(never, text)]
                    assert (one.id, operation.name, found) == (one.id, operation.name, [])


def test_one_fault_leaves_the_same_points_where_cases_have_other_names():
    exercise, lesson = course.exercise("02_tree_reduction/max"), course.lesson("02_tree_reduction")
    anew = trying.Text(exercise, Anew(operation="minimum")).anew()
    [mistake] = [one for one in lesson.wrong_kernels if one.name == "unfinished_tile"]
    mine = variants.own(exercise, {exercise.name: msgspec.json.encode(anew).decode()})
    parts = [
        judge(one, source, root=lesson.path.parent).partial
        for one, source in (
            (exercise, mistake.source),
            (mine, trying.Text(exercise, anew).source(mistake.source)),
        )
    ]
    assert parts[0] and parts[0] == parts[1]


def test_a_seed_is_always_the_same_variant():
    exercise = EXERCISES[0]
    one, same, other = (variants.vary(exercise, seed).solution for seed in (2, 2, 3))
    assert one == same != other


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.id)
def test_no_two_variants_are_alike(exercise):
    seen = [trying.differs(exercise, one) for one in (Anew(), *variants.variants(exercise))]
    assert len(seen) == len(set(seen))


def test_every_exercise_has_twenty_variants_or_six_if_it_is_short():
    few = {
        one.id: len(variants.variants(one))
        for one in EXERCISES
        if len(variants.variants(one)) < (20 if isinstance(one.kind, kinds.Write) else 6)
    }
    assert not few  # why, `python -m tools.variants` says


# --- what learners get -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A lesson of each kind of exercise as learners may have it."""
    root = tmp_path_factory.mktemp("published") / "kernels"
    chosen = [one for one in LESSONS if one.name[:2] in ("00", "01", "06")]
    for lesson in chosen:
        for name, content in catalogue.handed_out(lesson):
            path = root / lesson.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return SimpleNamespace(root=root, lessons=chosen)


def test_a_course_without_solutions_hands_out_the_same_variants(published):
    for lesson in published.lessons:
        theirs = course.lesson(lesson.name, published.root)
        for exercise in lesson.exercises:
            for seed, _ in enumerate(variants.variants(exercise)[:SAMPLE]):
                ours = variants.vary(exercise, seed)
                blank = variants.vary(theirs.exercise(exercise.name), seed, published.root)
                lines, others = (
                    sorted(one.kind.handed_out(one.solution).splitlines()) for one in (ours, blank)
                )
                assert lines == others  # those to put in order may stand in another order
                assert ours.rules == blank.rules


def test_nothing_that_is_published_has_a_line_that_a_variants_solution_adds(published):
    texts = "".join(
        "".join(path.read_text(errors="ignore").split()) for path in published.root.rglob("*.*")
    )
    for lesson in published.lessons:
        for exercise in lesson.exercises:
            for seed, _ in enumerate(variants.variants(exercise)[:SAMPLE]):
                variant = variants.vary(exercise, seed)
                known = "".join((lesson.handed_out(variant) + exercise.solution).split())
                for line in "".join(kinds.answers(variant.solution)).splitlines():
                    bare = "".join(line.split())
                    assert bare in known or bare not in texts


# --- the variants that are kept ----------------------------------------------------------------

KEPT = [one for one in EXERCISES if variants.variants(one)]


def again(exercise: course.Exercise, number: int) -> None:
    """The judge says of a kept variant what it said when it was found."""
    lesson = course.lesson(exercise.id.partition("/")[0])
    trying.require(lesson, exercise, variants.variants(exercise)[number])  # or it raises Refused


@pytest.mark.parametrize("exercise", random.Random(38).sample(KEPT, SAMPLE), ids=lambda one: one.id)
def test_a_variants_solution_passes_and_its_mistakes_do_not(exercise):
    again(exercise, len(exercise.id) % len(variants.variants(exercise)))


@pytest.mark.slow
@pytest.mark.parametrize("exercise", KEPT, ids=lambda one: one.id)
def test_of_every_variant_the_solution_passes_and_the_mistakes_do_not(exercise):
    for number, _ in enumerate(variants.variants(exercise)):
        again(exercise, number)


def test_a_variant_whose_cases_let_a_mistake_pass_is_refused():
    exercise = course.exercise("00_first_kernel/saxpy")
    only_points = exercise.cases[:1]
    weak = replace(exercise, cases=only_points, size_points=0.0)
    with pytest.raises(Refused, match="do not catch"):
        trying.tried(course.lesson("00_first_kernel"), weak, anew(weak, x="reversed"))
