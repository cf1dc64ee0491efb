"""What happens in a launch, as events that observers are told of.

The engine knows no observer by name. Where something happens it tells those who listen:

    wave.events.fence(at, lanes, wide)

An observer is a subclass of `Observer` with a method for each event it wants to hear of; who does
not override an event is not asked, and what nobody hears of costs nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..cuda.errors import CudaError
from .lanes import Groups, Lanes, Step
from .memory.access import Access, Accessed, Hit, Landing, Values


@dataclass(frozen=True)
class Undefined:
    """Operands for which an instruction's result is undefined: `where(*sources)` is true of
    them, which is an `error` and has the name `fault`."""

    where: Callable[..., np.ndarray]
    error: type[CudaError]
    fault: str


class Rebind(Exception):
    """An observer wants to follow instructions that it had no interest in before: all steps are
    made anew, and what stands at `at` is executed again."""

    def __init__(self, at: int):
        self.at = at


class Observer:
    """Told of what happens. `at` is the index of an instruction in `wave.kernel.instructions`,
    whose entry in the table is its `form`; `lanes` are positions in the wave. Of lanes at one
    instruction, those with lower numbers come first where that matters (atomics)."""

    def begin_wave(self, first_block: int) -> None:
        """Blocks from number `first_block` on begin; the lanes belong to them now."""

    def follow(self, at: int, step: Step) -> Step:
        """What is to be done instead of `step`, which is called with all lanes that come to the
        instruction, also those that its guard holds back. Asked once, when its code is first come
        to, and again after `Rebind`; the step itself if it is of no interest."""
        return step

    def execute(self, at: int, step: Step) -> Step:
        """The same of the step that is called with those lanes alone that its guard lets act."""
        return step

    def run(self, first: int, last: int, lanes: Lanes) -> None:
        """Lanes are about to pass the instructions from `first` to `last`, without a branch."""

    def guard(self, at: int, lanes: Lanes, chosen: np.ndarray) -> None:
        """Of the lanes that came to a guarded instruction, those `chosen` (bool) act."""

    def branch(self, at: int, lanes: Lanes, taken: np.ndarray) -> None:
        """Lanes are at a conditional branch, which those `taken` (bool) take."""

    def read(self, access: Access, hit: Hit) -> None:
        """Lanes are about to use what lies in memory."""

    def write(self, access: Access, hit: Hit, values: Values) -> None:
        """Lanes are about to store `values`; memory still holds what it held."""

    def access(self, done: Accessed) -> None:
        """Lanes have read, written or updated memory. Registers that are loaded still hold what
        they held."""

    def gathered(self, at: int, inside: np.ndarray) -> None:
        """A copy engine is about to read the elements of a box that are `inside` of their tensor
        (bool), and to bring all of them."""

    def copy(self, access: Access, hit: Hit, values: Values) -> None:
        """Lanes have issued an asynchronous copy of `values`, which may be there from now on; a
        `write` and an `access` follow when somebody has waited for it."""

    def undefined(self, at: int, lane: int, what: Undefined) -> None:
        """A lane computes what has no defined result."""

    def shuffle(self, at: int, lanes: Lanes, source: np.ndarray) -> None:
        """Each of these lanes is about to get a value from the lane `source`, perhaps itself."""

    def shuffled(self, at: int, lanes: Lanes, source: np.ndarray) -> None:
        """They have got it."""

    def gather(self, at: int, lanes: np.ndarray, masks: np.ndarray) -> None:
        """Lanes have come to a warp-wide operation for the lanes that `masks` (one for every lane
        of the wave) name, and some of these are not there yet."""

    def collective(self, at: int, lanes: Lanes, masks: np.ndarray) -> None:
        """Lanes have come together with all that `masks` name, for a warp-wide operation, and are
        about to combine what they have."""

    def warp_barrier(self, at: int, lanes: Lanes, masks: np.ndarray) -> None:
        """Lanes have met with those of their warps that `masks` name."""

    def fence(self, at: int, lanes: Lanes, wide: bool) -> None:
        """Lanes pass a fence, which the whole device sees if it is `wide`."""

    def arrive(self, at: int, lanes: np.ndarray, barrier: int) -> None:
        """Lanes have come to barrier number `barrier`, which is for some warps of the block."""

    def opening(self, barrier: int, groups: Groups) -> None:
        """All that barrier number `barrier` waits for have come; `groups` are about to pass."""

    def barrier(self, at: int, lanes: Lanes, part: int | None) -> None:
        """Lanes pass a barrier of their block, or the one numbered `part` that is for some warps
        of it. `__syncthreads_count` and the like have left their result."""

    def close(self, barrier: int, blocks: np.ndarray) -> None:
        """Barrier number `barrier` begins anew in those `blocks` (bool) of the wave."""

    def cluster_barrier(self, at: int, lanes: np.ndarray) -> None:
        """Lanes pass a barrier of their cluster."""

    def arrived(self, at: int, hit: Hit, phases: np.ndarray) -> None:
        """Lanes have arrived, as a release, at the mbarriers that they hit, in these phases."""

    def sent(self, at: int, landing: Landing) -> None:
        """Lanes have issued what an mbarrier will be told of once it is there."""

    def landed(self, landing: Landing, barrier: int, phase: int) -> None:
        """That is there, and is counted in this phase of the mbarrier at this place (in units of
        8 bytes of the wave's shared memory)."""

    def phase_over(self, at: int, lanes: Lanes, barriers: np.ndarray, phases: np.ndarray) -> None:
        """Lanes have seen that these phases of these mbarriers (one a lane) are over."""

    def products_over(self, at: int, lanes: np.ndarray, warps: int) -> None:
        """Lanes have waited for products, which have ended for all of their groups of `warps`."""

    def exit(self, lanes: Lanes) -> None:
        """Threads have left the kernel."""

    def complete(self) -> None:
        """The launch has come to its end; what goes wrong in a run does not let it."""

    def end(self) -> None:
        """Nothing more will happen, whether the launch has come to its end or not."""


class Events:
    """What happens is told by a method of its name: it calls those of the observers that want to
    hear of it, in their order. `listeners` has them by event."""

    def __init__(self, observers: Sequence[Observer] = ()):
        self.attend(observers)

    def attend(self, observers: Sequence[Observer]) -> None:
        """From now on these observers hear of events, and no others."""
        self.observers = observers
        self.listeners = {
            name: [getattr(observers[at], name) for at in those]
            for name, those in _listening(*map(type, observers)).items()
        }
        for name, listeners in self.listeners.items():
            setattr(self, name, _telling(listeners))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        raise AttributeError(f"there is no event called {name}")


@cache
def _listening(*kinds: type[Observer]) -> dict[str, list[int]]:
    """By event, which of observers of these classes, one after the other, hear of it."""
    return {
        name: [at for at, kind in enumerate(kinds) if getattr(kind, name) is not event]
        for name, event in vars(Observer).items()
        if not name.startswith("_")
    }


def _telling(listeners: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """What calls them all, in their order."""

    def tell(*what: Any) -> None:
        for listener in listeners:
            listener(*what)

    return listeners[0] if len(listeners) == 1 else tell
