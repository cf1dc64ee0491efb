"""What README.md and the pages say about commands, names, files and figures is true."""

import re
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from typer.main import get_command

from grader import course
from grader.cli.app import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINES = 100  # a README that is longer is not read


def page(name):
    return (ROOT / "docs" / name).read_text()


def test_readme_is_short_and_names_commands_and_targets():
    assert len(README.splitlines()) <= LINES
    assert "`grader new" in README and "`make test`" in README


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_command_and_every_target_that_a_page_names_exists(path):
    text = path.read_text()
    named = set(re.findall(r"(?:[`/]|^ {4}\$? ?)grader ([a-z]+)", text, re.M))
    assert named <= set(get_command(app).commands)
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"(?:`|^ {4})make ([a-z]+)", text, re.M))
    assert {target for target in targets if f"\n{target}:" not in makefile} == set()


def exists(name):
    """Whether a dotted name leads to a module, or to something in one."""
    module, *rest = name.split(".")
    thing = import_module(module)
    for part in rest:
        inner = f"{thing.__name__}.{part}" if hasattr(thing, "__path__") else ""
        if hasattr(thing, part):
            thing = getattr(thing, part)
        elif inner and find_spec(inner):
            thing = import_module(inner)
        else:
            return False
    return True


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_dotted_name_of_the_grader_that_a_page_names_exists(path):
    names = set(re.findall(r"\bgrader(?:\.[A-Za-z_]\w*)+", path.read_text()))
    files = {name for name in names if name.endswith((".py", ".toml"))}
    assert {name for name in names - files if not exists(name)} == set()


def test_the_example_of_the_simulated_gpu_names_what_there_is():
    assert exists("grader.cuda.simulator.RawModule") and exists("grader.cuda.simulator.observe")
    assert "from grader.cuda import simulator" in page("simulated-gpu.md")
    assert "simulator.RawModule(code=source)" in README


def test_every_file_it_links_to_exists():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert links and all((ROOT / link.partition("#")[0]).exists() for link in links)


def test_it_lists_every_lesson():
    listed = re.findall(r"^\| (\d\d) [a-z ]+ \|", README, re.M)
    assert listed == [lesson.name[:2] for lesson in course.lessons()]


@pytest.mark.parametrize("text", [README, page("simulated-gpu.md")], ids=["README", "page"])
def test_its_figures_are_those_of_the_pages(text):
    (forms, inputs) = re.search(
        r"^\| all \| ([\d,]+) \| ([\d,]+) ", page("conformance.md"), re.M
    ).groups()
    assert f"{forms} forms of instructions, {inputs.split(',')[0]} million inputs" in text
    silent = re.search(r"its four tools are silent on (\d+)", page("broken_kernels.md"))[1]
    broken = len([*(ROOT / "tests/broken").glob("*.cu")])
    assert f"{broken} broken kernels" in text and f"is silent on {silent} |" in text


@pytest.mark.parametrize("text", [README, page("simulated-gpu.md")], ids=["README", "page"])
def test_it_says_for_how_many_kernels_the_counters_are_equal(text):
    counters = page("counters.md")
    compared = sum(
        map(int, re.search(r"^\| load requests \|(.*)\|$", counters, re.M)[1].split("|"))
    )
    table = counters.partition("## Kernels")[2].partition("## What differs")[0]
    differ = len([row for row in table.splitlines() if re.search(r"\*\*[\d,]+ / ", row)])
    assert "not explained" not in counters
    assert f"{compared} kernels'" in text
    assert (
        f"equal for {compared - differ}; for each of the other {differ} the page says why" in text
    )


def test_its_table_of_speed_is_what_was_recorded():
    spec = spec_from_file_location("speed", ROOT / "docs" / "speed.py")
    speed = module_from_spec(spec)
    spec.loader.exec_module(speed)
    board = speed.recorded()
    assert speed.table(board) in page("fast_kernels.md"), "run `python docs/speed.py`"
    assert len(speed.picture(board).axes) == 2
