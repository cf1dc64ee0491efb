"""What marks hang on: whatever decides one changes the cache key, and nothing else does."""

import shutil
from importlib import metadata

import pytest

from grader import course
from grader.classroom import judges

LESSON = "04_safe_softmax"
PACKAGE = judges.PACKAGE
SHOWN = ["notebook/cards.py", "bench/speed.py", "classroom/slides/__init__.py", "classroom/demo.py"]


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The grader and a lesson, to be touched."""
    root = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__", "reveal")
    shutil.copytree(PACKAGE, root / "grader", ignore=ignored)
    shutil.copytree(course.KERNELS / LESSON, root / "kernels" / LESSON, ignore=ignored)
    return root


@pytest.fixture
def named(copied, monkeypatch):
    """The cache key of the copy as it is at the moment."""
    monkeypatch.setattr(judges, "PACKAGE", copied / "grader")
    monkeypatch.setattr(judges.files_of, "__defaults__", ((), (), copied / "grader"))

    def now():
        forget()
        return judges.cache_key(copied / "kernels", LESSON)

    yield now
    forget()


def forget():
    judges._grader.cache_clear()
    judges._of_the_judge.cache_clear()


def changes(path, name):
    """Whether a line more at the end of a file makes `name()` another one."""
    before, content = name(), path.read_bytes()
    path.write_bytes(content + b"\n# touched\n")
    try:
        return name() != before
    finally:
        path.write_bytes(content)


def test_every_file_of_the_judge_the_simulator_and_the_compiler_counts(copied, named):
    package = copied / "grader"
    names = ("compilers", "cuda", "judge", "machine", "ptx", "say", "watch")
    rooms = [path for room in names for path in (package / room).rglob("*")]
    modules = ("model", "tolerances", "references", "inputs")
    alone = [package / "course" / f"{name}.py" for name in modules]
    files = [path for path in rooms + alone if path.is_file()]
    taking_part = judges.files_of(
        f"grader.course.{name}" for name in ("tolerances", "references", "inputs")
    )
    assert len(files) > 80
    assert set(files) <= set(taking_part)
    tried = [*files[::16], *alone, package / "compilers/include/prelude.h"]
    assert [path for path in tried if not changes(path, named)] == []


def test_a_module_that_is_new_counts_once_something_imports_it(copied, named):
    new = copied / "grader/inputs_of_tomorrow.py"
    new.write_text("# nothing yet\n")
    assert not changes(new, named)
    references = copied / "grader/course/references.py"
    content = references.read_text()
    references.write_text(content + "\n\ndef later():\n    from .. import inputs_of_tomorrow\n")
    assert changes(new, named)
    references.write_text(content)
    new.unlink()


def test_of_what_is_installed_beside_the_grader_nothing_counts(copied, named):
    """As in site-packages, where `cuda` is a package without an __init__.py, and numpy lies."""
    before = named()
    for name in ("cuda/pathfinder/__init__.py", "numpy/__init__.py", "msgspec.py"):
        (copied / name).parent.mkdir(parents=True, exist_ok=True)
        (copied / name).write_text("import grader.classroom.demo\n")
    assert named() == before
    for name in ("cuda", "numpy"):
        shutil.rmtree(copied / name)
    (copied / "msgspec.py").unlink()


def test_a_lesson_s_code_counts_and_a_file_beside_it(copied, named):
    lesson = copied / "kernels" / LESSON
    data = lesson / "rows.npy"
    data.write_bytes(b"1")
    files = [lesson / "exercises.py", data, *lesson.glob("*.cu")]
    assert [path for path in files if not changes(path, named)] == []
    data.unlink()


def test_prose_pictures_and_what_is_shown_or_timed_do_not_count(copied, named):
    lesson = copied / "kernels" / LESSON
    picture = lesson / "rows.svg"
    picture.write_text("<svg/>")
    (lesson / "README.md").write_text("For authors.")
    names = ("lesson.md", "README.md", "rows.svg", "benchmarks.py", "shown.py", "measured.json")
    names += ("variants.json",)
    files = [lesson / name for name in names if (lesson / name).is_file()]
    files += [path for path in (copied / "grader" / one for one in SHOWN) if path.is_file()]
    assert len(files) >= 6
    assert [path for path in files if changes(path, named)] == []


@pytest.mark.parametrize(
    "file",
    ["submissions/intake", "classroom/plugin", "classroom/verdicts"],
)
def test_how_answers_are_found_and_entered_counts_for_the_gradebook(copied, named, file):
    assert changes(copied / f"grader/{file}.py", lambda: (named(), judges.marking())[1])


@pytest.mark.parametrize(
    "of", ["python", "numpy", "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-cccl-cu12", "ziglang"]
)
def test_versions_count(named, monkeypatch, of):
    before, known = named(), judges.versions()
    if of != "python" and not any(metadata.distributions(name=of)):
        pytest.skip(f"{of} IS NOT HERE: whether its version counts was not tried")
    assert of in dict(known)
    newer = tuple((name, "99.9" if name == of else version) for name, version in known)
    monkeypatch.setattr(judges, "versions", lambda: newer)
    assert named() != before
