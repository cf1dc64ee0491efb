"""Notes of every value that a launch computes what it is made of."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial, reduce
from itertools import product
from typing import Any

import numpy as np
from msgspec.structs import replace

from ...machine.events import Observer
from ...machine.lanes import WARP, Lanes, Step, fill, lane_index
from ...machine.memory.access import Access, Accessed, Hit, Values, by_place
from ...machine.memory.spaces import Store
from ...machine.naming import plain
from ...ptx.flow import passes
from ...ptx.numbers import size_of
from ...ptx.program import (
    Carries,
    Flow,
    Instruction,
    Operand,
    Register,
    address_of,
    components,
    symbol_of,
)
from ..findings import FindingReport, bytes_of
from . import Graph, TooLong

LIBRARY = "library_"  # what names of the library's functions begin with, compiled as calls
MOST_BYTES = 1 << 24  # of memory that is followed


class Slicer(Observer):
    """Adds a launch's values to a `graph`, which may hold those of earlier launches."""

    def __init__(self, graph: Graph, report: FindingReport):
        wave = report.wave
        self.wave, self.code = wave, wave.kernel.instructions
        self._given: dict[str, list[str]] = {}  # to functions of the library, by what takes results
        self.graph, self._begin = graph, graph.enter([*self._named()], wave.geometry.threads)
        outside = [store for store in wave.flat.stores if store is not wave.heap.store]
        if sum(len(store.data) for store in outside) > MOST_BYTES:
            raise TooLong
        for store in outside:
            if not (store.writable and store.address in graph.memories):
                graph.begin_memory(store.address, len(store.data))
        lanes = wave.geometry.lanes
        self._nodes: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(lanes, np.int32))
        self._thread = np.zeros(lanes, np.int64)
        self._none = np.zeros(lanes, np.int32)
        self._fetched = np.zeros((lanes, 16), np.int32)  # by asynchronous copies
        # Of a copy engine: the nodes of the bytes that it has taken, and see `gathered`.
        self._taken, self._inside = np.zeros((0, 1), np.int32), dict[int, np.ndarray]()
        self._passed: dict[str, np.ndarray] = defaultdict(self._none.copy)  # nodes, to calls

    def _named(self) -> Iterator[Instruction]:
        """The code, in which "call.powf" or the like computes the result of a function of the
        library."""
        names: dict[str | None, str] = {}
        for one in self.code:
            slot = passes(one, self.wave.linked)
            if one.form.flow is Flow.CALL and len(one.operands) > 2:
                result, function, given, *_ = one.operands
                slot, name = symbol_of(components(result)[0]), plain(symbol_of(function))
                if name.startswith(LIBRARY):
                    names[slot] = f"call.{name.removeprefix(LIBRARY)}"
                    self._given[slot] = [symbol_of(part) for part in components(given)]
            elif slot in names and one.form.carries is Carries.LOADED:
                form = replace(one.form, opcode=names[slot], transfers=())
                one = replace(one, form=replace(form, carries=Carries.COMPUTED))
            yield one

    def begin_wave(self, first_block: int) -> None:
        geometry = self.wave.geometry
        self._thread = (
            first_block + geometry.block_of_lane
        ) * geometry.threads + geometry.thread_of_lane
        fill(self._nodes.values(), 0)
        for memory in (self.wave.shared, self.wave.local):
            self.graph.memories.pop(_address(memory.store), None)

    def execute(self, at: int, step: Step) -> Step:
        form, outs = self.code[at].form, self._outs(self.code[at])
        slot = passes(self.code[at], self.wave.linked)
        if slot and (slot in self._given or form.carries is Carries.STORED):
            return self._called(at, slot, step)
        if not outs:
            return step
        return (
            self._valued(outs, step, form.collective)
            if form.collective or form.carries is Carries.LOADED or form.atomic
            else self._computed(at, outs, step)
        )

    def shuffled(self, at: int, lanes: Lanes, source: np.ndarray) -> None:
        instruction, index = self.code[at], lane_index(lanes)
        sent = self._of(instruction.operands[1])[source]
        moved = (source != index) | (
            self.graph.detailed and instruction.form.has("up", "down", "bfly")
        )
        sent[moved] = self._add(at, index[moved], sent[moved])
        self._outs(instruction)[0][1][index] = sent

    def collective(self, at: int, lanes: Lanes, masks: np.ndarray) -> None:
        """What lanes combine other than by a shuffle is made of all that they bring."""
        if self.code[at].form.carries is not Carries.ACROSS:
            index = lane_index(lanes)
            self._together(at, index, index // WARP << 32 | masks[index].astype(np.int64))

    def branch(self, at: int, lanes: Lanes, taken: np.ndarray) -> None:
        guard = self.code[at].guard
        if self.graph.detailed and guard:
            index = lane_index(lanes)
            made = self._add(at, index, self._nodes[guard.name][index])  # may move all values
            self.graph.value[made] = taken

    def barrier(self, at: int, lanes: Lanes, part: int | None) -> None:
        """`__syncthreads_count` and the like."""
        if self._outs(self.code[at]):
            index = lane_index(lanes)
            self._together(at, index, self.wave.geometry.block_of_lane[index])

    def access(self, done: Accessed) -> None:
        access, hit, kind, failed = done.access, done.hit, done.kind, done.failed
        instruction = self.code[access.at]
        is_brought = access.bulk and self.graph.detailed and hit.space == "shared"
        if access.bulk and self.graph.detailed and kind == "load":
            self._taken = self._memory(hit.store)[bytes_of(access, hit)]
        elif (access.bulk and not is_brought) or instruction.form.collective:
            self._opaque(access, hit, kind)
        elif kind == "load":
            self._load(access, hit, instruction)
        elif kind == "atomic":
            self._update(access, hit, instruction, failed)
        elif not (access.asynchronous or access.bulk):  # see `copy`
            self._store(access, hit, instruction)

    def gathered(self, at: int, inside: np.ndarray) -> None:
        self._inside[at] = inside

    def copy(self, access: Access, hit: Hit, values: Values) -> None:
        """Who reads what is copied before it is there has a race; else it might be there now."""
        if access.bulk and not (self.graph.detailed and hit.space == "shared"):
            return self._opaque(access, hit, "store")
        if not (access.bulk or self.code[access.at].form.reads):
            return self._store(access, hit, self.code[access.at])
        fetched = self._fetched[lane_index(hit.lanes), : access.width]
        if access.bulk:
            inside = self._inside.get(access.at, np.ones(len(self._taken), bool))
            every = np.zeros((len(inside), fetched.size // len(inside)), np.int32)
            every[inside] = self._taken[: np.count_nonzero(inside)]
            fetched = every.reshape(fetched.shape)
        self._memory(hit.store)[bytes_of(access, hit)] = fetched

    def _called(self, at: int, slot: str, step: Step) -> Step:
        """What a function of the library is given, and its result, which is made of that, whatever
        the function does inside."""
        first, second, *_ = self.code[at].operands

        def given(lanes: Lanes) -> None:
            self._passed[slot][lanes] = self._of(second)[lanes]
            step(lanes)

        def called(lanes: Lanes) -> None:
            step(lanes)
            made = self._add(
                at, lane_index(lanes), *(self._passed[name][lanes] for name in self._given[slot])
            )
            name = symbol_of(first)
            self.graph.value[made] = self.wave.registers.storage(name)[lanes]
            self._nodes[name][lanes] = made

        return called if slot in self._given else given

    def _computed(self, at: int, outs: list[tuple[str, np.ndarray]], step: Step) -> Step:
        make, storage = self._maker(at), self.wave.registers.storage(outs[0][0])

        def computed(lanes: Lanes) -> Any:
            made, result = make(lanes), step(lanes)
            self.graph.value[made] = storage[lanes]
            fill((nodes for _, nodes in outs), made, lanes)
            return result

        return computed

    def _maker(self, at: int) -> Callable[[Lanes], np.ndarray]:
        """Of a set of lanes, the nodes of what an instruction computes."""
        instruction = self.code[at]
        if instruction.form.carries is Carries.CHOSEN:
            return self._chosen(at, instruction)
        used = [self._of(Register(name)) for name in dict.fromkeys(instruction.read)]
        used += [self._none] * (2 - len(used))

        def make(lanes: Lanes) -> np.ndarray:
            index = lane_index(lanes)
            *parts, last = (nodes[index] for nodes in used)
            return self._add(at, index, reduce(partial(self._side_by_side, index), parts), last)

        return make

    def _chosen(self, at: int, instruction: Instruction) -> Callable[[Lanes], np.ndarray]:
        *sources, predicate = instruction.operands[1:]
        one, other = (self._of(source) for source in sources)
        chooses = self._of(predicate)
        holds = self.wave.registers.read(predicate, "pred")
        bits = f"b{8 * size_of(instruction.form.type)}"
        first, second = (self.wave.registers.read(source, bits) for source in sources)

        def make(lanes: Lanes) -> np.ndarray:
            chosen = np.where(holds[lanes], one[lanes], other[lanes])
            made = self._add(at, lane_index(lanes), chosen, chooses[lanes])
            if self.graph.detailed:
                refused = np.where(holds[lanes], second[lanes], first[lanes])
                self.graph.refused.append((int(made[0]), refused.astype(np.uint64)))
            return made

        return make

    def _valued(self, outs: list[tuple[str, np.ndarray]], step: Step, collective: bool) -> Step:
        """The step, after which nodes get the values that registers then hold; after a `collective`
        one those of the lanes that go on."""

        def valued(lanes: Lanes) -> Any:
            result = step(lanes)
            for (name, nodes), group in product(
                outs, [group for _, group in result] if collective else [lanes]
            ):
                made = nodes[group]
                known = made > 0
                self.graph.value[made[known]] = self.wave.registers.storage(name)[group][known]
            return result

        return valued

    def _load(self, access: Access, hit: Hit, instruction: Instruction) -> None:
        index, memory = lane_index(hit.lanes), self._memory(hit.store)
        address = self._where(instruction, index)
        parts = [self._read(access, hit, memory, index, c) for c in range(access.components)]
        if instruction.form.carries is not Carries.LOADED:
            for component, nodes in enumerate(parts if access.size > 1 else ()):
                place = component * access.size
                self._fetched[index, place : place + access.size] = self._add(
                    access.at, index, nodes, address
                )[:, None]
            return
        for target, nodes in zip(components(instruction.operands[0]), parts, strict=False):
            if isinstance(target, Register) and target.name != "_":
                self._nodes[target.name][index] = self._add(access.at, index, nodes, address)

    def _store(self, access: Access, hit: Hit, instruction: Instruction) -> None:
        index, memory = lane_index(hit.lanes), self._memory(hit.store)
        address = self._where(instruction, index)
        for component, source in enumerate(components(instruction.operands[1])):
            stored = self._of(source)[index]
            made = self._add(access.at, index, stored, address)
            self.graph.value[made] = self.graph.value[np.maximum(stored, 0)]
            memory[bytes_of(access, hit, component)] = made[:, None]

    def _update(
        self, access: Access, hit: Hit, instruction: Instruction, failed: np.ndarray | None
    ) -> None:
        """Lanes that meet at one address come one after the other."""
        memory, index = self._memory(hit.store), lane_index(hit.lanes)
        place = instruction.form.transfers[0][0]
        sources = [components(one) for one in instruction.operands[place + 1 :]]
        targets = components(instruction.operands[0]) if place else ()
        for component in range(access.components):
            given = [self._of(source[component])[index] for source in sources]
            found = np.zeros(len(index), np.int32)
            # No two lanes of one turn are at the same element; first come first served.
            order, starts, sizes = by_place(hit.element)
            for number in range(int(sizes.max())):
                turn = np.sort(order[starts[sizes > number] + number])
                where = bytes_of(access, hit, component)[turn]
                old = memory[where[:, 0]]
                found[turn] = old
                kept = failed[turn] if failed is not None else np.zeros(len(turn), bool)
                made_of = [old, *(one[turn] for one in given[:1])]  # an arrival brings no number
                if access.compares:
                    made_of = [given[1][turn], old]
                elif instruction.form.has("exch"):
                    made_of = made_of[1:]
                memory[where[~kept]] = self._add(access.at, index[turn], *made_of)[~kept][:, None]
            if place and isinstance(target := targets[component], Register):
                self._nodes[target.name][index] = self._add(access.at, index, found)

    def _read(
        self, access: Access, hit: Hit, memory: np.ndarray, index: np.ndarray, component: int
    ) -> np.ndarray:
        """What lies there; of several values side by side a node of the first and the last."""
        nodes = memory[bytes_of(access, hit, component)]
        first = nodes[:, 0]
        untouched = first[:, None] - np.arange(access.size)
        single = ((nodes == first[:, None]) | (nodes == untouched)).all(axis=1)
        if not single.all():
            first, mixed = first.copy(), ~single
            first[mixed] = self._side_by_side(index[mixed], first[mixed], nodes[mixed, -1])
        return first

    def _opaque(self, access: Access, hit: Hit, kind: str) -> None:
        self.graph.whole = False
        if kind != "load":
            self._memory(hit.store)[bytes_of(access, hit)] = 0

    def _together(self, at: int, index: np.ndarray, groups: np.ndarray) -> None:
        used = [self._of(Register(name))[index] for name in dict.fromkeys(self.code[at].read)]
        brought = reduce(partial(self._side_by_side, index), used or [self._none[index]])
        for group in np.unique(groups):
            members = np.flatnonzero(groups == group)
            made = brought[members]
            while len(made) > 1:
                half = len(made) // 2
                made = np.concatenate(
                    [
                        self._side_by_side(index[members[:half]], made[:half], made[-half:]),
                        made[half:-half],
                    ]
                )
            everywhere = np.repeat(made, len(members))
            for _, nodes in self._outs(self.code[at]):
                nodes[index[members]] = self._add(at, index[members], everywhere)

    def _add(
        self, at: int, lanes: np.ndarray, left: np.ndarray, right: np.ndarray | int = 0
    ) -> np.ndarray:
        return self.graph.add(self._begin + at, self._thread[lanes], left, right)

    def _side_by_side(self, lanes: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        return self.graph.add(0, self._thread[lanes], first, last)

    def _where(self, instruction: Instruction, index: np.ndarray) -> np.ndarray:
        position, _ = instruction.form.transfers[-1]
        base = address_of(instruction.operands[position]).base
        return self._of(base)[index] if base else self._none[index]

    def _outs(self, instruction: Instruction) -> list[tuple[str, np.ndarray]]:
        return [(name, self._nodes[name]) for name in instruction.written if name != "_"]

    def _of(self, operand: Operand) -> np.ndarray:
        """The nodes of an operand, by lane; of what is no register, 0."""
        return self._nodes[operand.name] if isinstance(operand, Register) else self._none

    def _memory(self, store: Store) -> np.ndarray:
        return self.graph.memory(_address(store), len(store.data))


def _address(store: Store) -> int:
    """What a memory is known by: shared and local memory have no address of their own."""
    return store.address or -id(store)
