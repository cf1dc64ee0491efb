"""What to do about a race on the way of a flag, a ticket or a lock: a fence or a barrier."""

from __future__ import annotations

from ...watch.races.ordering import epoch_of
from .evidence import Evidence, Race
from .signals import Strong, Told


class FlagAdviser:
    """Says where what one thread tells another by a flag is not in order."""

    def __init__(self, seen: Evidence):
        self.seen = seen

    def told(self, race: Race, between_blocks: bool) -> Told | None:
        """How one of the two told the other that it was done; None where nobody did."""
        signals = self.seen.races.signals
        since = epoch_of(race.conflict.other)
        told = signals.told(since, race.theirs, race.mine)
        code = self.seen.wave.kernel.instructions
        if not told or not code[told.sight.at].written:  # an atomic that finds nothing out
            return None
        waits = told.sight.kind == "load" or code[told.sight.at].form.compares
        # Within a block an atomic may count, and tell nobody anything.
        return told if between_blocks or (race.theirs == race.mine and waits) else None

    def waits_for_a_flag(self, race: Race) -> bool:
        """Whether a thread reads, again and again, what another sets without a barrier."""
        code = self.seen.wave.kernel.instructions
        read, set_ = (race.other_at, race.at) if race.wrote else (race.at, race.other_at)
        if not code[read].form.reads or race.both_wrote or not self.seen.flow.repeats(read):
            return False
        strong = code[set_].form.volatile or self.seen.atomic(set_)
        return strong and (race.place.count == 1 or code[read].form.volatile)

    def flag(self, race: Race) -> str:
        """Of the flag itself, where `waits_for_a_flag`."""
        read, set_ = (race.other_at, race.at) if race.wrote else (race.at, race.other_at)
        volatile = self.seen.wave.kernel.instructions[read].form.volatile
        if not volatile:
            return (
                f"If line {self.seen.line(read)} waits for it, it must read it as `volatile` or by "
                "an atomic: the compiler may read a plain variable once and keep it."
            )
        fence = "`__threadfence_block()`" if race.mine == race.theirs else "`__threadfence()`"
        return (
            "It is `volatile`, so each access goes to memory, but that puts none in order: put a "
            f"{fence} between the data that it announces and line {self.seen.line(set_)}; or use a "
            "barrier."
        )

    def signalled(self, race: Race, told: Told, between_blocks: bool) -> str:
        """Where the way from one access to the other, by what was told, is broken; "" where that
        cannot be said."""
        fence = "`__threadfence()`" if between_blocks else "`__threadfence_block()`"
        since, post = epoch_of(race.conflict.other), self.seen.line(told.post.at)
        own = told.poster == race.other
        fences = self.seen.races.signals.fences_of(told.poster, race.theirs)
        before = [one for one in fences if one.epoch < told.post.epoch]
        ordering = [
            one
            for one in before
            if (own and one.epoch > since) or one.barrier(told.poster) >= since
        ]
        what = f"line {race.other_line}"
        if any(one.wide or not between_blocks for one in ordering):
            return self._reader(race, told, fence)
        if ordering:
            line = self.seen.line(ordering[-1].at)
            return (
                f"The `__threadfence_block()` on line {line} holds for its own block only: another "
                f"block may see line {post} before {what}. Put a {fence} between the two."
            )
        if not own and told.post.barrier(told.poster) < since:
            return self._one_for_all(race, told, fence, before)
        late = [one for one in fences if one.epoch > told.post.epoch]
        another = "block" if between_blocks else "thread"
        return self._no_fence(race, post, late, another, fence)

    def _no_fence(
        self, race: Race, post: int | None, late: list[Strong], another: str, fence: str
    ) -> str:
        """Between what was done and line `post`, which tells of it, no fence lies; `late`: those
        that come after."""
        put = f"Put a {fence} between line {race.other_line} and line {post}."
        if late:
            return (
                f"The fence on line {self.seen.line(late[0].at)} comes too late: another {another} "
                f"may see line {post} before line {race.other_line}. {put}"
            )
        return (
            f"Line {post} tells the other {another} that it is done, but may be seen before line "
            f"{race.other_line} is. {put}"
        )

    def _one_for_all(self, race: Race, told: Told, fence: str, before: list[Strong]) -> str:
        """One thread posts for others of its block, and has not waited for them."""
        who = self.seen.thread(told.poster)
        post = self.seen.line(told.post.at)
        until = f"the fence on line {self.seen.line(before[-1].at)}" if before else f"line {post}"
        then = "" if before else f", and then a {fence},"
        return (
            f"Line {post} speaks for the whole block, but thread {who} has not waited for the "
            f"others: its fence covers what it did itself, and what others did before a barrier. "
            f"Put a `__syncthreads()`{then} between line {race.other_line} and {until}."
        )

    def _reader(self, race: Race, told: Told, fence: str) -> str:
        """The writer's side is in order: the reader's is not. Who saw the flag needs a fence before
        it reads, and others a barrier that it comes to afterwards."""
        sight = self.seen.line(told.sight.at)
        if told.seer == race.me:
            signals = self.seen.races.signals
            fences = signals.fences_of(told.seer, race.mine)
            if any(one.epoch > told.sight.epoch for one in fences):
                return ""
            return (
                f"What is read on line {race.line} may be older than what line {sight} saw: put a "
                f"{fence} between line {sight} and line {race.line}."
            )
        if epoch_of(self.seen.races.ordering.synced["block"][race.me]) >= told.sight.epoch:
            return ""
        return (
            f"Thread {self.seen.thread(told.seer)} saw on line {sight} that it is done, but this "
            f"thread has not waited for it: put a `__syncthreads()` between line {sight} and line "
            f"{race.line}."
        )
