"""What README.md says of commands, files and figures is so."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from typer.main import get_command

from grader import course
from grader.cli.app import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def page(name):
    return (ROOT / "docs" / name).read_text()


def test_every_command_and_every_target_it_names_exists():
    named = set(re.findall(r"[`/]grader ([a-z]+)", README))
    assert named and named <= set(get_command(app).commands)
    targets = set(re.findall(r"(?:`|^ {4})make ([a-z]+)", README, re.M))
    assert targets and all(f"\n{target}:" in (ROOT / "Makefile").read_text() for target in targets)


def test_every_file_it_links_to_exists():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert links and all((ROOT / link).exists() for link in links)


def test_it_lists_every_lesson():
    listed = re.findall(r"^\| (\d\d) [a-z ]+ \|", README, re.M)
    assert listed == [lesson.name[:2] for lesson in course.lessons()]


def test_its_figures_are_those_of_the_pages():
    (forms, inputs) = re.search(
        r"^\| all \| ([\d,]+) \| ([\d,]+) ", page("conformance.md"), re.M
    ).groups()
    assert f"{forms} forms of instructions, {inputs.split(',')[0]} million inputs" in README
    silent = re.search(r"its four tools are silent on (\d+)", page("broken_kernels.md"))[1]
    broken = len([*(ROOT / "tests/broken").glob("*.cu")])
    assert f"{broken} broken kernels" in README and f"is silent on {silent} |" in README


def test_it_says_of_how_many_kernels_the_counters_are_equal():
    counters = page("counters.md")
    compared = sum(
        map(int, re.search(r"^\| load requests \|(.*)\|$", counters, re.M)[1].split("|"))
    )
    table = counters.partition("## Kernels")[2].partition("## What differs")[0]
    differ = len([row for row in table.splitlines() if re.search(r"\*\*[\d,]+ / ", row)])
    assert "not explained" not in counters
    assert f"{compared} kernels'" in README
    assert (
        f"equal for {compared - differ}; for each of the other {differ} the page says why" in README
    )


def test_its_table_of_speed_is_what_was_recorded():
    spec = spec_from_file_location("speed", ROOT / "docs" / "speed.py")
    speed = module_from_spec(spec)
    spec.loader.exec_module(speed)
    board = speed.recorded()
    assert speed.table(board) in README, "run `python docs/speed.py`"
    assert len(speed.picture(board).axes) == 2
