"""What this notebook is about: lesson() opens its lesson, %%cuda cells give their kernels, and
%%answer cells the answers to questions. A kernel is a Python variable: called, watched, compared
with another."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
from IPython.core.completer import CompletionContext, SimpleMatcherResult, context_matcher
from IPython.display import DisplayHandle, display, publish_display_data

from grader import compilers, course, cuda
from grader.compilers.parameters import parameters
from grader.course import variants, weave
from grader.course.kinds import Choose, WrittenQuestion
from grader.cuda import CudaError, simulator
from grader.cuda.limits import DeviceKernel, Dim, Module, opted_in
from grader.judge.beside import changes
from grader.judge.playback.strip import FIRST_BLOCKS, Blocks
from grader.learner import progress
from grader.say.questions import Prediction
from grader.submissions import intake
from grader.watch.observe import arrays_among
from grader.watch.recording import recording, recordings

from ..errors import unless
from ..whole_files import filed
from . import cards
from .cards import Notice, Page, html_of, joined, prose, sentences

Launch = tuple[Dim | None, Dim | None, tuple[Any, ...], int]  # grid, block, arguments, shared bytes


@dataclass(frozen=True)
class Kernel:
    """One `extern "C" __global__` function. Called as cupy.RawKernel is:

        kernel((grid,), (block,), (args...), shared_mem=0)

    Takes NumPy arrays on the simulated GPU and CuPy arrays on a real one, and changes them in
    place. A launch gets as much dynamic shared memory as it asks for, if the device has it.
    `source` is the text of its cell `%%cuda cell`, the first line left blank. Raises the errors of
    grader.cuda.
    """

    name: str
    source: str
    cell: str = ""

    @cached_property
    def _function(self) -> DeviceKernel:
        module: Module = cuda.RawModule(code=self.source)
        return module.get_function(self.name)

    def __call__(
        self, grid: Dim, block: Dim, args: tuple[object, ...], *, shared_mem: int = 0
    ) -> None:
        with cards.about(self.source, self.cell):
            opted_in(self._function, shared_mem)(grid, block, args, shared_mem=shared_mem)

    def simulate(
        self, grid: Dim, block: Dim, args: tuple[object, ...], shared_mem: int
    ) -> CudaError | None:
        """Launch it on the simulated GPU, on any machine, and return the error that ended it."""
        try:
            with cards.about(self.source, self.cell):
                opted_in(simulator.RawModule(code=self.source).get_function(self.name), shared_mem)(
                    grid, block, args, shared_mem=shared_mem
                )
        except CudaError as error:
            return error
        return None

    def __repr__(self) -> str:
        return f"<CUDA kernel {self.name}: call it as {self.name}((grid,), (block,), (args...))>"


def diff(before: Kernel, after: Kernel) -> cards.Page:
    """The lines that differ between the cells of two kernels, `-` gone and `+` new. The comment
    at the head of a cell is left out."""
    return cards.difference(changes(before.source, after.source))


def watch(
    kernel: Kernel,
    grid: Dim,
    block: Dim,
    args: tuple[Any, ...],
    shared_mem: int = 0,
    blocks: int = 1,
) -> simulator.Run:
    """Launch `kernel` on the simulated GPU, on any machine, and return what was observed:
    `.counters`, `.hazards`, `.printed`, and what pictures are drawn from and `play(run)` plays.

    `args` are those of a call; CuPy arrays are copied to the simulated GPU and back. `blocks` is
    how many blocks, from the first on, `draw.owners` is to show. What the kernel does wrong is
    shown under its source line, and the notebook goes on."""
    unless(
        isinstance(kernel, Kernel),
        Notice("`watch` starts with a kernel, such as a `%%cuda` cell defines."),
    )
    unless(
        isinstance(blocks, int) and blocks > 0,
        Notice(f"`blocks={blocks!r}` should be how many blocks to show, 1 or more."),
    )
    on_host = tuple(cuda.xp.asnumpy(arg) if _on_gpu(arg) else arg for arg in args)
    with simulator.observe(blocks, [recording(FIRST_BLOCKS)]) as run:
        run.source = kernel.source
        run.arrays = arrays_among(
            on_host, tuple(one.name for one in parameters(kernel.source, kernel.name) or ())
        )
        error = kernel.simulate(grid, block, on_host, shared_mem)
    for arg, copy in zip(args, on_host, strict=True):
        if _on_gpu(arg):
            arg.set(copy)
    if run.printed:
        print(run.printed, end="")
    if error:
        display(cards.failure(error))
    for hazard in (one for one in run.hazards if one.warning):
        display(cards.warning(hazard, kernel.source, kernel.cell))
    # An output that shows nothing: what each line cost is for the editor's margin.
    costs = cards.costs(kernel.cell, kernel.source, run.counters.lines)
    publish_display_data({}, {cards.OURS: costs} if costs else {})
    return run


def _on_gpu(arg: object) -> bool:
    return cuda.device == "gpu" and isinstance(arg, cuda.xp.ndarray)


def run_of(what: object, launch: Launch, how: str) -> simulator.Run:
    """The run that `watch` returned, or that of a kernel, launched as `watch` does on copies of its
    arguments; for anything else the Notice `how`. A kernel is launched once more, if something goes
    wrong in a block that was not recorded."""
    grid, block, args, shared_mem = launch
    if isinstance(what, simulator.Run):
        return what
    if not isinstance(what, Kernel) or grid is None or block is None:
        raise Notice(how)
    run = _recorded(what, grid, block, args, shared_mem, FIRST_BLOCKS)
    wrong = next((one.block for one in run.hazards if not one.warning and one.block), None)
    return (
        _recorded(what, grid, block, args, shared_mem, (wrong,))
        if wrong and not any(tuple(wrong) in one.indices for one in recordings(run))
        else run
    )


def _recorded(
    kernel: Kernel,
    grid: Dim,
    block: Dim,
    args: tuple[Any, ...],
    shared_mem: int,
    blocks: Blocks,
) -> simulator.Run:
    copies = {  # on the host, of each array one; what none has written stays so
        id(arg): np.array(cuda.xp.asnumpy(arg) if cuda.device == "gpu" else arg)
        for arg in args
        if hasattr(arg, "dtype") and getattr(arg, "ndim", 0) > 0
    }
    with simulator.observe(observers=[recording(blocks)]) as run:
        run.source = kernel.source
        error = kernel.simulate(
            grid, block, tuple(copies.get(id(arg), arg) for arg in args), shared_mem
        )
    if error and not recordings(run):
        raise error  # it was not launched at all
    return run


# ---- what was opened, typed and checked ----


@dataclass
class NotebookSession:
    """A lesson, and how far this notebook is with it."""

    lesson: course.Lesson
    sources: dict[str, str] = field(default_factory=dict)  # the text last given to a `%%cuda NAME`
    # All kernels that a `%%cuda NAME` has ever defined.
    kernels: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    # By exercise, the titles and texts of hints on what its last check ended in.
    due: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    # The search for the place of its mistake, until it is made; it comes after the first of them.
    searches: dict[str, Callable[[], str]] = field(default_factory=dict)
    asked: dict[str, Prediction] = field(default_factory=dict)  # before the first of these
    hinted: set[tuple[str, str]] = field(default_factory=set)  # exercise and text of those shown
    # By exercise, the card of its last check with the hints that it is given, the display that
    # shows it, and the hints that it shows.
    cards: dict[str, tuple[Callable[[list[Page]], Page], DisplayHandle, list[Page]]] = field(
        default_factory=dict
    )
    hints: Counter[str] = field(default_factory=Counter)  # how many of an exercise were shown
    partial_marks: bool = True  # one fault that the lesson names leaves a part of the points
    # Exercises of any lesson that a warm-up has brought into the notebook, by name.
    warm_up: dict[str, course.Exercise] = field(default_factory=dict)
    is_lessons_own: bool = True  # whether the notebook is that lesson's

    @property
    def exercises(self) -> dict[str, course.Exercise]:
        """All exercises that can be checked in the notebook, by name."""
        return {exercise.name: exercise for exercise in self.lesson.exercises} | self.warm_up

    def exercise(self, name: str) -> course.Exercise:
        """The lesson's exercise `name`; a Notice with the names there are otherwise."""
        return unless(
            self.exercises.get(name),
            Notice(
                f"This lesson has no exercise `{name}`. Its exercises are: "
                f"{', '.join(f'`{one}`' for one in self.exercises)}."
            ),
        )

    def source(self, name: str) -> str:
        """The text last given to `%%cuda name`, or `%%answer name`; a Notice if there is none."""
        magic = self.exercises[name].kind.magic if name in self.exercises else "cuda"
        unless(
            name in self.sources,
            Notice(
                f"Run the cell that begins with `%%{magic} {name}` first. `check` judges that "
                "cell.",
                html_of("button", "Run that cell, then this one", "run", name),
            ),
        )
        return self.sources[name]


_session: NotebookSession | None = None


def current() -> NotebookSession:
    return unless(
        _session,
        Notice(
            "No lesson is open: run the notebook's first code cell. In an exam no lesson can be "
            "opened, and `check` does not work: write your answers and run `grader submit`."
        ),
    )


# ---- lesson(): the first thing a notebook calls ----

_DEVICES = {
    "simulator": (
        "No GPU here: kernels run on the simulated GPU. It checks every memory access, and its "
        "results are true. Only its times say nothing about a real GPU."
    ),
    "gpu": (
        "Kernels run on this machine's GPU; `check` and `watch` use the simulated GPU first, "
        "which sees every memory access."
    ),
}


def lesson(name: str, partial_marks: bool = True, variants: str = "") -> None:
    """Open the lesson `name`, e.g. "02_tree_reduction": teaches the notebook `%%cuda`, tells
    `check` and `hint` where the exercises are, and says which device kernels run on.
    `partial_marks`: whether one fault that the lesson names leaves a part of the points.
    `variants`: the class's key, by which each learner gets own variants of the exercises. They are
    written into the notebook's file, in place of cells that nobody has changed."""
    global _session
    opened = _open(name)
    opened, said = _with_variants(opened, variants) if variants else (opened, Page("", ""))
    if _session is None or _session.lesson.path != opened.path:
        _session = NotebookSession(opened)
    # Running the set-up cell again forgets nothing.
    _session.lesson, _session.is_lessons_own = opened, True
    _session.partial_marks = partial_marks
    display(joined(_opened(opened), said))


def _with_variants(opened: course.Lesson, key: str) -> tuple[course.Lesson, Page]:
    """The lesson with the learner's variants, and what is said of them. They are written into the
    notebook's file."""
    own, path = variants.mine(opened, key), Path(f"{opened.name}.ipynb")
    drawn = {one.name: one for one in own.exercises if variants.asked(one) is one}
    said = f"You have your own variant of {', '.join(f'`{name}`' for name in drawn)}."
    if not path.is_file():
        return own, sentences(f"{said} It is missing here, as there is no {path} in this folder.")
    notebook = nbformat.read(path, as_version=4)
    unchanged = {
        name: drawn[name]
        for cell in notebook.cells
        if (name := weave.grade_id(cell)) in drawn
        for one in [opened.exercise(name)]
        if cell.source == weave.cuda_cell(name, opened.handed_out(one), one.kind.magic)
    }
    if unchanged:
        weave.hand_out(notebook, opened, unchanged)
        filed(path, weave.text(notebook))
        said += (
            f" The text is in {path} now. Choose *File > Reload Notebook from Disk*, then run this "
            "cell again."
        )
    return own, sentences(said)


def add(lesson_name: str, name: str) -> course.Exercise:
    """From now on an exercise of any lesson can be checked in this notebook too, each day drawn
    anew, unless it is of the notebook's own lesson."""
    global _session
    opened = _open(lesson_name)
    _session = _session or NotebookSession(opened, is_lessons_own=False)
    exercise, is_own = opened.exercise(name), lesson_name == _session.lesson.name
    if not (is_own and _session.is_lessons_own) and variants.variants(exercise, opened.path.parent):
        drawn = variants.vary(exercise, progress.now().toordinal(), opened.path.parent)
        exercise = replace(drawn, name=name, id=exercise.id)  # what its cell and `check` call it
    _session.warm_up[name] = exercise
    return exercise


def _open(name: str) -> course.Lesson:
    """The lesson `name`, in a notebook that knows `%%cuda` from now on."""
    shell = cards.shell()
    cards.install(shell)
    shell.magics_manager.register_function(_cuda, "cell", "cuda")
    shell.magics_manager.register_function(_answer, "cell", "answer")
    if _no_python not in shell.Completer.custom_matchers:
        shell.Completer.custom_matchers.append(_no_python)
    return course.lesson(name, compiler=compilers.chosen_name())


def _opened(lesson: course.Lesson) -> Page:
    """Which lesson this is, what was done of it, and links to the notebooks of those before and
    after it that lie in this folder."""
    done = progress.of(lesson.name).passed
    passed = ", ".join(f"`{one.name}`" for one in lesson.exercises if one.name in done)
    names = course.names(lesson.path.parent)
    at = names.index(lesson.name)
    beside = {
        name: f"{word}: {course.lesson(name, lesson.path.parent).title}"
        for word, there in {"Previous": names[:at][-1:], "Next": names[at + 1 : at + 2]}.items()
        for name in there
        if Path(f"{name}.ipynb").is_file()
    }
    links = " · ".join(f'<a href="{name}.ipynb">{prose(text)}</a>' for name, text in beside.items())
    return joined(
        cards.line("note", lesson.title, _DEVICES[cuda.device]),
        sentences(f"Passed so far: ✓ {passed}." if passed else ""),
        Page(
            f'<div style="margin: 4px 0">{links}</div>' if links else "",
            " · ".join(beside.values()),
        ),
    )


# ---- %%cuda NAME: a notebook cell of CUDA C++ ----


@context_matcher(identifier="warpwise.cuda", priority=1000)
def _no_python(context: CompletionContext) -> SimpleMatcherResult:
    """In a CUDA cell no names of Python are offered; the editor offers CUDA's."""
    return {"completions": [], "suppress": context.full_text.lstrip().startswith("%%cuda")}


def _cuda(line: str, cell: str) -> None:
    """%%cuda NAME: compile the cell, and make a variable of each of its kernels.

    NAME is what check(), hint() and the grader call this cell. Lines are counted as JupyterLab
    does, with `%%cuda NAME` the first."""
    name, lesson, shell = _name(line), current(), cards.shell()
    if name in lesson.warm_up and name not in lesson.sources:
        shell.set_next_input(f'check("{name}")')  # a cell below this one
    source = lesson.sources[name] = _source(cell)
    # What the cell defined before has this text now: a launch says what is wrong with it, and no
    # old kernel runs in its place.
    shell.push({entry: Kernel(entry, source, name) for entry in lesson.kernels[name]})
    with cards.about(source, name):
        entries = re.findall(r"\.entry\s+([\w$]+)", compilers.compile_ptx(source).text)
    plain = dict.fromkeys(entry for entry in entries if not entry.startswith("_Z"))
    shell.push({entry: Kernel(entry, source, name) for entry in plain})
    lesson.kernels[name] |= set(plain)
    exercises = lesson.exercises.keys()
    if name not in exercises and (meant := sorted(exercises & set(plain))):
        display(
            cards.line(
                "warning",
                "Compiled",
                f'but `check("{meant[0]}")` does not see it: that judges the cell whose first '
                f"line is `%%cuda {meant[0]}`, and here it is `%%cuda {name}`.",
            )
        )
    elif plain:
        display(cards.line("success", "Compiled", ", ".join(f"`{entry}`" for entry in plain)))
    else:
        why = (
            'write `extern "C"` before `__global__`, or C++ adds the parameter types to its name.'
            if entries
            else 'a kernel starts with `extern "C" __global__ void`.'
        )
        display(cards.line("warning", f"`{name}` compiles, but has no kernel to call", why))
    if name in exercises:
        with suppress(CudaError):  # a launch will tell
            simulator.prepare(source)  # for the check() that comes next


def _answer(line: str, cell: str) -> None:
    """%%answer NAME: keep the cell's text as the answer to a question. It is never run."""
    name, lesson = line.strip(), current()
    kind = lesson.exercise(name).kind
    unless(
        isinstance(kind, WrittenQuestion),
        Notice(f"`{name}` is a kernel: begin its cell with `%%cuda {name}`."),
    )
    lesson.sources[name] = _source(cell)
    if isinstance(kind, Choose) and kind.shuffled:
        # As many hubs have but one home folder's name, the hub's own name for the learner first.
        rows = kind.listed(os.environ.get("JUPYTERHUB_USER", str(Path.home())))
        display({"text/markdown": rows, "text/plain": rows}, raw=True)
    display(cards.line("note", "Next", f'Run `check("{name}")`.'))


def _source(body: str) -> str:
    """The source of the cell that runs now, of which IPython hands on the `body`: without the
    magic's line, and without blank ones before it."""
    history = cards.shell().history_manager
    typed = history.input_hist_raw[-1:] if history else []
    source = intake.cuda_source(typed[0]) if typed else ""
    return source if source.strip() == body.strip() else intake.below_magic(body)


def _name(line: str) -> str:
    name = line.strip()
    unless(
        name,
        Notice(
            "This cell needs a name: write `%%cuda NAME` in its first line, for example "
            "`%%cuda my_kernel`."
        ),
    )
    unless(
        name.isidentifier() and name.isascii(),
        Notice(
            f"`{name}` cannot name a cell: after `%%cuda` comes one word of letters, digits and "
            "underscores, for example `%%cuda my_kernel`."
        ),
    )
    return name
