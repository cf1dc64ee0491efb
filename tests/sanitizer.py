"""What NVIDIA's compute-sanitizer says of the broken and the clean kernels, beside what we say.

    PYTHONPATH=. python tests/sanitizer.py run      on a GPU: writes docs/broken_kernels.json;
                                                    run NAME ...: measures only these anew
    PYTHONPATH=. python tests/sanitizer.py table    anywhere: makes docs/broken_kernels.md from it

Every broken kernel runs once as it is and once under each tool, each time in a process of its
own with a time limit, since some hang and some crash. Kernels that never end are left out. The
correct ones run together in one process a tool.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from kernel_files import HERE, KernelFile, broken, clean, run

DOCS = HERE.parent / "docs"
RESULTS, TABLE = DOCS / "broken_kernels.json", DOCS / "broken_kernels.md"
# Each tool with what gives it its best chance: a gap between buffers, so that running over the
# end of one does not land in the next.
TOOLS = {"memcheck": ("--padding", "256"), "racecheck": (), "initcheck": (), "synccheck": ()}
TIME_LIMIT = 30  # seconds for one broken kernel
TOGETHER_LIMIT = 170  # seconds for all correct ones under one tool
_MESSAGE = re.compile(r"^========= (?! |COMPUTE-SANITIZER|\w+ SUMMARY|Program hit|Target)(.+)$")
_LINE = re.compile(r"kernel\.cu:(\d+)")


def measure(names: tuple[str, ...]) -> dict:
    """Runs the correct kernels, and the broken ones of these names or, without names, all; the
    results as JSON-ready data."""
    kernels = [one for one in broken() if one.status != "timeout"]
    kernels = [one for one in kernels if one.name in names or not names]
    with ThreadPoolExecutor(max(2, (os.cpu_count() or 2) - 2)) as pool:
        # First without a tool: this also leaves every compiled kernel in the cache.
        alone = list(pool.map(_alone, kernels))
        together = {tool: pool.submit(_together, tool) for tool in (None, *TOOLS)}
        reports = {
            tool: list(pool.map(lambda kernel, tool=tool: _report(kernel, tool), kernels))
            for tool in TOOLS
        }
    found = {
        kernel.name: {"alone": alone[at]} | {tool: reports[tool][at] for tool in TOOLS}
        for at, kernel in enumerate(kernels)
    }
    version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True)
    return {
        "device": _device(),
        "sanitizer": version.stdout.strip().splitlines()[-1],
        "broken": found,
        "correct": {tool or "alone": future.result() for tool, future in together.items()},
    }


def _alone(kernel: KernelFile) -> str:
    """How a broken kernel ends on the device when nobody watches: "right", "wrong", "hangs", or
    the error."""
    text = _output(None, kernel.name, TIME_LIMIT)
    if text is None:
        return "hangs"
    lines = [line for line in text.splitlines() if line.startswith(f"{kernel.id}: ")]
    return lines[0].partition(": ")[2] if lines else "crashes"


def _report(kernel: KernelFile, tool: str) -> dict:
    """A tool's first message on a broken kernel and the source lines that it names."""
    text = _output(tool, kernel.name, TIME_LIMIT)
    if text is None:
        return {"message": "hangs", "lines": []}
    return next(iter(messages(text)), {"message": None, "lines": []})


def _together(tool: str | None) -> list[str]:
    """What is said of all the correct kernels: wrong results, or a tool's complaints."""
    text = _output(tool, "correct", TOGETHER_LIMIT)
    if text is None:
        return [f"not done after {TOGETHER_LIMIT} s"]
    if tool:
        return [f"{one['message']} ({one['lines']})" for one in messages(text)]
    return [line for line in text.splitlines() if not line.endswith(": right")]


def _output(tool: str | None, which: str, limit: int) -> str | None:
    """What `run_only` prints, and what the tool prints of it; None if it took too long."""
    watched = ["compute-sanitizer", "--tool", tool, *TOOLS[tool]] if tool else []
    command = [*watched, sys.executable, __file__, "only", which]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        return process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None


def messages(text: str) -> list[dict]:
    """A tool's messages, each with the lines of the kernel that it names."""
    found: list[dict] = []
    for line in text.splitlines():
        if head := _MESSAGE.match(line):
            found.append({"message": head[1], "lines": []})
        if found and (place := _LINE.search(line)):
            lines = found[-1]["lines"]
            lines += [int(place[1])] if int(place[1]) not in lines else []
    return [one for one in found if one["lines"] or "rror" in one["message"]]


def run_only(name: str) -> None:
    """In a child process: one broken kernel, or all the correct ones; prints how each ended."""
    import cupy

    from grader.cuda import gpu

    cupy.cuda.set_allocator(None)  # no pool: the tools see every buffer as one allocation
    together = [one.twin() for one in broken()] + clean()
    alone = [one for one in broken() if one.name == name]
    for kernel in together if name == "correct" else alone:
        try:
            after = run(kernel, gpu.RawModule, cupy.empty, cupy.asarray)
            cupy.cuda.Device().synchronize()
            ending = "right" if kernel.is_right(after) else "wrong"
        except Exception as error:
            ending = str(error).splitlines()[0][:90]
        print(f"{kernel.id}: {ending}", flush=True)


def _device() -> str:
    import cupy

    return cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()


def table(results: dict | None) -> str:
    """The page docs/broken_kernels.md; without results, only our side of it."""
    kernels = sorted(broken(), key=lambda kernel: (kernel.status, kernel.name))
    sides = ["Kernel", "The mistake", "Warpwise says"]
    if results:
        sides += [f"Alone on an {results['device']}", "compute-sanitizer says", "More from us"]
    rows = [f"| {' | '.join(sides)} |", "|---" * len(sides) + "|"]
    for kernel in kernels:
        cells = [f"[{kernel.name}](../tests/broken/{kernel.name}.cu)", kernel.words, _ours(kernel)]
        if results:
            seen = results["broken"].get(kernel.name)
            cells += _theirs(kernel, seen) if seen else ["not run: it never ends", "", "all"]
        rows.append(f"| {' | '.join(cells)} |")
    return (
        f"{_INTRODUCTION.format(count=len(kernels))}\n{_summary(results)}\n"
        + "\n".join(rows)
        + "\n"
    )


def _ours(kernel: KernelFile) -> str:
    lines = " and ".join(str(line) for line in (kernel.line, kernel.other_line) if line)
    return f"{kernel.status}, line {lines}" if lines else kernel.status


def _theirs(kernel: KernelFile, seen: dict) -> list[str]:
    said = {tool: seen[tool] for tool in TOOLS if seen[tool]["message"]}
    text = "; ".join(_quoted(tool, one) for tool, one in said.items()) or "nothing"
    return [seen["alone"], text, _more(kernel, said)]


def _quoted(tool: str, one: dict) -> str:
    message = one["message"].partition(" at ")[0].rstrip(".")
    lines = f" (line {', '.join(map(str, one['lines']))})" if one["lines"] else ""
    return f"{tool}: {message}{lines}"


def _more(kernel: KernelFile, said: dict) -> str:
    if not any(one["message"] != "hangs" for one in said.values()):
        return "all"
    known = {line for one in said.values() for line in one["lines"]}
    return "" if kernel.line is None or kernel.line in known else "the line"


def _summary(results: dict | None) -> str:
    if not results:
        return "compute-sanitizer has not been run yet.\n"
    found = results["broken"]
    rows = [_theirs(kernel, found[kernel.name]) for kernel in broken() if kernel.name in found]
    more, endings = Counter(row[2] for row in rows), Counter(row[0] for row in rows)
    complaints = "\n".join(
        f"- {tool}: " + ("; ".join(dict.fromkeys(said)) if said else "nothing")
        for tool, said in results["correct"].items()
    )
    return (
        f"{results['sanitizer']}, {results['device']}. {len(rows)} of the kernels end. For these, "
        f"its four tools are silent on {more['all']}, and name another line or none on "
        f"{more['the line']}. {endings['right']} of the kernels gave the right result although "
        f"they are wrong.\n\nFor the correct kernels (every twin, and those of tests/clean/) it "
        f"says:\n\n{complaints}\n"
    )


_INTRODUCTION = """# Broken kernels, and who notices

These {count} small kernels have one mistake each. Learners and published code make such mistakes.
For each kernel the simulated GPU must report the status and the line below. It must report nothing
for the correct twin (`-DFIXED`). `tests/watch/test_broken.py` checks both.

`python tests/sanitizer.py table` makes this page. The last columns are the results of `python
tests/sanitizer.py run` on a real GPU, with compute-sanitizer's memcheck, racecheck, initcheck and
synccheck.
"""


def main(command: str, *names: str) -> None:
    if command == "run":
        results = measure(names)
        if names:
            known = json.loads(RESULTS.read_text())
            if results["device"] != known["device"]:
                count = len(results["broken"])
                results["device"] = f"{known['device']} ({count} of them: {results['device']})"
            results["broken"] = dict(sorted((known["broken"] | results["broken"]).items()))
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    elif command == "only":
        run_only(*names)
    if command in ("run", "table"):
        results = json.loads(RESULTS.read_text()) if RESULTS.exists() else None
        TABLE.write_text(table(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
