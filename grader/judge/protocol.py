"""Messages between the judge and its worker: typed structs as MessagePack, never pickle.

A worker is sent an `Opening`, then one `Question` after the other, and answers each with a `Reply`.

A message is 8 bytes of length (big endian) and that many of MessagePack. NumPy arrays travel as
`Array`: raw bytes with dtype and shape. The worker runs what learners wrote, so what comes from it
is taken only in the declared types, and no longer than the reader says.
"""

import math
from typing import Any, BinaryIO, Literal, SupportsFloat

import msgspec
import numpy as np
import numpy.typing as npt

from ..course.model import Rule
from ..cuda.errors import Diagnostic, Message
from ..errors import unless
from ..status import Status
from .playback.strip import Strip

LENGTH = 8
KINDS = "biufcV"  # of dtypes: numbers, and raw bytes for what NumPy has no name for
OTHER_ORDERS = ("forwards", "backwards")  # in which threads run where the order may matter
Arrays = dict[str, npt.NDArray[Any]]
Shapes = dict[str, tuple[tuple[int, ...], str]]  # by name, an array's shape and dtype ("<f4")
Device = Literal["simulator", "compiler", "gpu"]


class ProtocolError(Exception):
    """What came is not a message of the type asked for, or a longer one than it may be."""


class Array(msgspec.Struct, frozen=True):
    """An array: C-contiguous bytes, with what they mean."""

    shape: tuple[int, ...]
    dtype: str
    data: memoryview


class Argument(msgspec.Struct, frozen=True, omit_defaults=True):
    """A launch's argument: a buffer by name, or its tensor map where there is a `box`; or else the
    `value` of a NumPy scalar of `dtype`."""

    buffer: str = ""
    box: tuple[int, ...] = ()
    swizzle: int = 0
    dtype: str = ""
    value: bool | int | float = 0


class LaunchRequest(msgspec.Struct, frozen=True):
    """One launch: `grid` and `block` in one to three dimensions, `shared_mem` in bytes."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    args: tuple[Argument, ...]
    shared_mem: int


class Element(msgspec.Struct, frozen=True, gc=False):
    """An element of a buffer, counted in C order."""

    buffer: str
    index: int


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question about the instructions that compute the elements of some `outputs`. `worth`: for
    how many instructions of a kind one counts, by a regular expression for its opcode. The other
    fields are as in `course.Requirement` and `course.Kind`. `banned`: no such instruction may
    compute an element or an index."""

    outputs: tuple[str, ...]
    worth: dict[str, int]
    at_least: int = 1
    levels: int = 0
    last: bool = False
    banned: bool = False


class Scene(msgspec.Struct, frozen=True):
    """Where something went wrong: in which `launch` of a case, from 1, in which `block` (blockIdx;
    None: not known), in which `order` threads ran, and which `thread` it was (threadIdx; None: not
    known)."""

    launch: int
    block: tuple[int, int, int] | None
    order: str
    thread: tuple[int, int, int] | None = None


class ThreadPlace(msgspec.Struct, frozen=True, gc=False):
    """A thread at work: its block, its number in the block (both linear), the line, and the values
    of that step, where they are known: what it came to, and what it used."""

    block: int
    thread: int
    line: int | None
    values: tuple[float, ...] = ()

    @property
    def who(self) -> str:
        """The thread, in words."""
        return f"thread {self.thread} of block {self.block}"

    @property
    def on(self) -> str:
        """ " on line 7", where the line is known."""
        return f" on line {self.line}" if self.line else ""

    def with_values(self, *values: SupportsFloat) -> "ThreadPlace":
        """The same with the values."""
        return msgspec.structs.replace(self, values=tuple(map(float, values)))


class Recorded(msgspec.Struct, frozen=True):
    """What is to be recorded of a case: `where`, for so many `steps` (instructions) at most, and
    what went wrong there. That is a run that ends with `status` ("": with any), or what it leaves;
    `compared`: that was found out by comparing, and is the element of the array that the kernel
    calls `name`, at `offset` (bytes)."""

    where: Scene
    steps: int
    status: str
    compared: bool
    name: str
    offset: int


class CaseRequest(msgspec.Struct, frozen=True, eq=False, tag="case"):
    """What the worker is told of a case: never what is expected. Its `inputs` are arrays by name,
    `outputs` and `scratch` buffers that it makes.
    `steps`: how many instruction steps it may take; `order`: in which the simulated GPU's threads
    run; `orders`: in which they run once more, where what they do may depend on who comes first;
    `begins`: the buffers that lie in a larger one, behind so many of its elements; `room`: so many
    elements before and behind every input can be read, too. `followed`: the elements that it is to
    tell the making of, `asked` what else it is to tell of the ways to the results, `recorded`: the
    steps that it is to tell; `path`: the thread of the last launch whose path it is to tell.
    `tolerated`: the status of hazards that do not end it; `counted`: whether more is counted than
    the paths of its threads."""

    inputs: dict[str, np.ndarray]
    outputs: Shapes
    scratch: Shapes
    launches: tuple[LaunchRequest, ...]
    steps: int
    order: str = "lockstep"
    orders: tuple[str, ...] = ()
    begins: dict[str, int] = {}
    room: int = 0
    followed: tuple[Element, ...] = ()
    asked: tuple[Asked, ...] = ()
    recorded: Recorded | None = None
    path: ThreadPlace | None = None
    tolerated: str = ""
    counted: bool = True

    @property
    def further_orders(self) -> tuple[str, ...]:
        """The orders beside its own in which it leaves arrays to be compared."""
        return (*OTHER_ORDERS, *self.orders) if self.tolerated else self.orders


class Examine(msgspec.Struct, frozen=True, tag="examine"):
    """A search for a launch within the `rules` that goes wrong. Those are tried first at whose
    sizes a right kernel, the `solution`, does nothing special; then Z3 reasons, if `effort` is more
    than 0. `effort` and `trials` are seconds, and `compared` outputs, as `analysis` has them."""

    rules: tuple[Rule, ...]
    solution: str
    compared: dict[str, dict[str, int]]
    effort: float
    trials: float


class Opening(msgspec.Struct, frozen=True):
    """The first message to a worker: the `source` that all questions will be about. `device`:
    "simulator" compiles it and answers questions on the simulated GPU, "compiler" compiles it for
    hardware and sends what came out, "gpu" runs the `cubin` that another one has sent. `more`:
    other sources that questions name; a compiler that is a program cannot be started later.
    `options` are the compiler's."""

    device: Device
    source: str
    seconds: float  # of the CPU's time, to compile
    latest: int  # seconds of its CPU's time after which the process is killed
    memory_bytes: int
    file_bytes: int
    architecture: str = ""
    cubin: bytes = b""
    more: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


class Question(msgspec.Struct, frozen=True, eq=False):
    """What a worker is asked about its source: a case, or a search over every size."""

    about: CaseRequest | Examine
    kernels: tuple[str, ...]  # that the source must define
    seconds: float  # of the CPU's time, for this question
    latest: int  # seconds of its CPU's time after which the process is killed


class Used(msgspec.Struct, frozen=True, gc=False):
    """`count` neighbouring elements, from `first` on, that a value was made of, each as often as a
    sum would hold it, and who loaded the first of them. `last`: where that was used for the last
    time, if no output came of it; `kept`: the element that the last result of it was stored in."""

    first: Element
    count: int
    times: int
    loaded: ThreadPlace
    last: ThreadPlace | None = None
    kept: Element | None = None


class Op(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An instruction of the kernel: its PTX opcode, its line and those of the calls that it was
    inlined through, innermost first."""

    opcode: str
    line: int | None
    calls: tuple[int, ...] = ()


class SliceSteps(msgspec.Struct, frozen=True, eq=False):
    """All values behind an element, as steps: those that a step was computed from come before it.

    By step: `op`, the number of its instruction in `ops` (-1: it lay in memory), the `value` it
    came to, where its `operands` (numbers of steps) begin and, one further on, end (`first`; a
    constant has none), and the `block` and `thread` that did it. A value from memory was element
    `index` of the buffer with the number `buffer` in `buffers` (-1: of no buffer).
    """

    ops: tuple[Op, ...] = ()
    op: np.ndarray = msgspec.field(default_factory=lambda: np.zeros(0, np.int64))
    value: np.ndarray = msgspec.field(default_factory=lambda: np.zeros(0))
    first: np.ndarray = msgspec.field(default_factory=lambda: np.zeros(1, np.int64))
    operands: np.ndarray = msgspec.field(default_factory=lambda: np.zeros(0, np.int64))
    block: np.ndarray = msgspec.field(default_factory=lambda: np.zeros(0, np.int64))
    thread: np.ndarray = msgspec.field(default_factory=lambda: np.zeros(0, np.int64))
    buffers: tuple[str, ...] = ()
    buffer: np.ndarray = msgspec.field(default_factory=lambda: np.zeros(0, np.int64))
    index: np.ndarray = msgspec.field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def is_sound(self) -> bool:
        """Whether its parts belong together: a worker tells it that has run a learner's kernel."""
        by_step, steps = (self.op, self.block, self.thread, self.buffer, self.index), self.op.size
        if not (
            all(one.shape == (steps,) for one in (*by_step, self.value))
            and self.first.shape == (steps + 1,)
            and self.operands.ndim == 1
            and all(one.dtype == np.int64 for one in (*by_step, self.first, self.operands))
            and self.value.dtype.kind == "f"
        ):
            return False
        counts = np.diff(self.first)
        if self.first[0] or (counts < 0).any() or self.first[-1] != len(self.operands):
            return False
        return all(
            bool(one.all())
            for one in (
                (self.op >= -1) & (self.op < len(self.ops)),
                (self.buffer >= -1) & (self.buffer < len(self.buffers)),
                (self.operands >= 0) & (self.operands < np.repeat(np.arange(steps), counts)),
            )
        )


class Choice(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A comparison by which a value was chosen: its PTX opcode, the thread that chose, the two
    numbers, which of them stand in the code, whether it held, what was taken, and what was not."""

    opcode: str
    place: ThreadPlace
    values: tuple[float, float]
    fixed: tuple[bool, bool]
    holds: bool
    taken: float
    refused: float


# A value that came by a shuffle: its PTX opcode, who got it, and whether it was that thread's own.
Crossing = tuple[str, ThreadPlace, bool]
# A branch or a choice that depended on an element: the element, its value, and the thread.
Decision = tuple[Element, float, ThreadPlace]


class Made(msgspec.Struct, frozen=True):
    """What became of one element. `stored`: who wrote it last (None: nobody). `used`: what it was
    made of, in order; `cut`: there was more than is told. `origin`: the element that was handed on
    to it, "constant" for what is in the code, "" for what was computed; `origin_line`: where
    that was done. `nan`: where the first NaN was computed, of what `operands`. `whole`: nothing
    was done on the way that is not followed. `summed`: what it was made of by other ways than
    through a maximum or a minimum. `behind`: all values behind it, step by step; `choices`: what
    some of them were chosen by. `shuffles`: the first of each kind on the way; `decisions`: those
    of the thread that stored it. `index`: of an element that was handed on, all values behind the
    place that it was loaded from. `loads`: by instruction each element that it loaded, how often,
    and who did so first; () where they are too many. `peers`: what the threads of the block had
    where the thread that stored it had that value."""

    stored: ThreadPlace | None = None
    used: tuple[Used, ...] = ()
    cut: bool = False
    origin: Element | Literal["constant", ""] = ""
    origin_line: int | None = None
    nan: ThreadPlace | None = None
    operands: tuple[float, ...] = ()
    whole: bool = True
    summed: tuple[Used, ...] = ()
    behind: SliceSteps = SliceSteps()
    choices: tuple[Choice, ...] = ()
    shuffles: tuple[Crossing, ...] = ()
    decisions: tuple[Decision, ...] = ()
    index: SliceSteps = SliceSteps()
    loads: tuple[Used, ...] = ()
    peers: dict[int, float] = {}


class ThreadPath(msgspec.Struct, frozen=True):
    """What a thread did in a launch: the comparisons of its last branches, in order; the buffers
    that it `used`; and the first elements that it stored in them, each with the line."""

    branches: tuple[Choice, ...] = ()
    used: tuple[str, ...] = ()
    stored: tuple[tuple[Element, int | None], ...] = ()


class Way(msgspec.Struct, frozen=True):
    """The answer to an `Asked`: `short` elements break the rule. This is the `first` of them, and
    only `passed` instructions of the kind computed it. `part`: the input element that shows it.
    `place`: the thread that loaded that, or stored the element, or executed a banned instruction.
    `by`: how a thread got another thread's result without a shuffle ("shared memory", "global
    memory", "an atomic"), at `place`; "" if it loaded everything itself."""

    short: int = 0
    first: Element | None = None
    passed: int = 0
    part: Element | None = None
    place: ThreadPlace | None = None
    by: str = ""


class Tried(msgspec.Struct, frozen=True):
    """A launch in which a kernel goes wrong; `numbers` are its whole-number parameters by name."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    numbers: dict[str, int]


class Examined(msgspec.Struct, frozen=True):
    """What is known of every size: `proved`, or a launch that was `tried` and goes wrong, or `why`
    neither, with the `lines` of what could not be excluded. `reasoned`: only Z3 found the launch,
    so that it moves no mark."""

    proved: bool = False
    tried: Tried | None = None
    reasoned: bool = False
    why: str = ""
    lines: tuple[int, ...] = ()


class Ran(msgspec.Struct, frozen=True, tag="ran"):
    """The compilation, or one case, came to its end. `counters` are totals, `costs` counter -> the
    line that costs most and how much, `opcodes` PTX opcode -> warp instructions, `steps` what it
    took of those it may take; `arrays` by name are to be judged, "input/x" (what is in x now),
    "output/y", and "written/y" (bool, which elements of y a kernel wrote) or, on hardware,
    "second/y"; where it was run in other `orders` too, "ORDER/y"; `left` says, by the number of a
    launch (from 1), what earlier ones have left changed; `made` is the making of the elements that
    were `followed`, `ways` the answers to what was `asked`; `too_long`: it takes too much to follow
    the case; `strip` has the steps of what was `recorded`, `path` that of a thread; `examined` is
    what reasoning about every size came to; `warnings` are the compiler's; `cubin` is its program
    for hardware; `causes` are those of what was `tolerated`."""

    counters: dict[str, int] = {}
    costs: dict[str, tuple[int, int]] = {}
    opcodes: dict[str, int] = {}
    steps: int = 0
    arrays: dict[str, np.ndarray] = {}
    left: dict[int, str] = {}
    made: tuple[Made, ...] = ()
    ways: tuple[Way, ...] = ()
    too_long: bool = False
    strip: Strip | None = None
    path: ThreadPath | None = None
    examined: Examined | None = None
    warnings: tuple[Diagnostic, ...] = ()
    cubin: bytes = b""
    causes: tuple[str, ...] = ()


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """It did not: a verdict's `status`, its message in `parts` and its `line`, of a source that
    does not compile the `diagnostics`, of a run that was stopped the `counters` up to then, of a
    race the `other_line`, the compiler's `warnings`, and of a run `where` it went wrong.
    `broken_off`: in the middle of something, so that its worker answers nothing more."""

    status: Status
    parts: Message
    line: int | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    counters: dict[str, int] = {}
    other_line: int | None = None
    warnings: tuple[Diagnostic, ...] = ()
    where: Scene | None = None
    broken_off: bool = False

    @property
    def message(self) -> str:
        return str(self.parts)


Reply = Ran | Failed


def encode(message: Opening | Question | Reply) -> bytes:
    """One message as bytes, its length in front."""
    body = _ENCODER.encode(message)
    return len(body).to_bytes(LENGTH, "big") + body


def take_reply(buffer: bytearray, longest: int) -> Reply | None:
    """The first whole reply off the front of `buffer`; None while it is incomplete. ProtocolError
    for one of more than `longest` bytes, or that is none."""
    if len(buffer) < LENGTH:
        return None
    end = LENGTH + int.from_bytes(buffer[:LENGTH], "big")
    unless(
        end <= LENGTH + longest,
        ProtocolError(f"a message of {end - LENGTH:,} bytes, where {longest:,} are the most"),
    )
    if len(buffer) < end:
        return None
    body = bytes(buffer[LENGTH:end])
    del buffer[:end]
    try:
        return _REPLIES.decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ProtocolError(str(error)) from error


def read_opening(stream: BinaryIO) -> Opening:
    """The first message that a worker finds on its `stream`."""
    return _OPENINGS.decode(_body(stream))


def read_question(stream: BinaryIO) -> Question | None:
    """The next question; None when the judge has no more."""
    body = _body(stream)
    return _QUESTIONS.decode(body) if body else None


def _body(stream: BinaryIO) -> bytes:
    return stream.read(int.from_bytes(stream.read(LENGTH), "big"))


def _to_bytes(value: object) -> Array:
    if not isinstance(value, np.ndarray):
        raise NotImplementedError(f"{type(value)} does not travel")
    return Array(
        value.shape, value.dtype.str, np.ascontiguousarray(value).reshape(-1).view(np.uint8).data
    )


def _from_bytes(kind: type, value: object) -> npt.NDArray[Any]:
    """The array that travelled, in memory of its own. ValueError, which msgspec makes one of its
    own, where bytes, shape and dtype do not belong together."""
    array = msgspec.convert(value, Array)
    dtype = np.dtype(array.dtype)
    unless(
        min(array.shape, default=0) >= 0
        and dtype.kind in KINDS
        and math.prod(array.shape) * dtype.itemsize == array.data.nbytes,
        ValueError(f"{array.shape} of {array.dtype} in {array.data.nbytes} bytes"),
    )
    return np.frombuffer(array.data, dtype).reshape(array.shape).copy()


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_to_bytes)
_REPLIES: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply, dec_hook=_from_bytes)
_OPENINGS = msgspec.msgpack.Decoder(Opening)
_QUESTIONS = msgspec.msgpack.Decoder(Question, dec_hook=_from_bytes)
