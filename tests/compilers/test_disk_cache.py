"""Results on disk: what a hostile process, a full disk or another version wrote is never used."""

import hashlib
import hmac
import os
import pickle
from pathlib import Path

import msgspec
import pytest

from grader.compilers import Program
from grader.disk_cache import DiskCache

PROGRAM = Program(b".entry k", {"f<1>": "mangled"})
KEY, OTHER = "ab" * 32, "cd" * 32
SECRET = b"what hidden cases are drawn from"


class Hostile:
    """Makes a folder in the working directory if anybody unpickles it."""

    def __reduce__(self):
        return os.mkdir, ("escaped",)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return DiskCache(tmp_path / "cache")


def forged(content, key=KEY, secret=b""):
    """An entry as one writes it who knows how its first line is made."""
    digest = hmac.new(secret, f"{key}\n".encode() + content, hashlib.sha256).hexdigest()
    return digest.encode() + b"\n" + content


def test_what_was_added_is_read(cache):
    cache.add(KEY, PROGRAM)
    assert cache.read(KEY, Program) == PROGRAM
    assert cache.read(OTHER, Program) is None


def test_what_is_added_later_counts(cache):
    cache.add(KEY, {"points": 1})
    cache.add(KEY, {"points": 2})
    assert cache.read(KEY, dict) == {"points": 2}


HOSTILE = {
    "a pickle": pickle.dumps(Hostile()),
    "of another type": msgspec.msgpack.encode([1, 2]),
    "with a number for its code": msgspec.msgpack.encode({"code": 7, "names": {}}),
    "without its names": msgspec.msgpack.encode({"code": b""}),
    "with bytes after its end": msgspec.msgpack.encode(PROGRAM) + b"\0",
    "with text that is no UTF-8": msgspec.msgpack.encode(PROGRAM).replace(b"mangled", b"\xff" * 7),
    "deeper than a reader goes": b"\x91" * 100_000 + b"\0",
    "longer than it is": b"\xc6\xff\xff\xff\xff",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("kind", [Program, object])
def test_a_hostile_entry_is_no_program(cache, content, kind):
    cache.folder.mkdir()
    (cache.folder / KEY).write_bytes(forged(content))
    value = cache.read(KEY, kind)
    assert kind is object or value is None
    assert not isinstance(value, Hostile)
    assert not Path("escaped").exists()


def test_an_entry_of_which_any_byte_is_missing_is_a_miss(cache):
    cache.add(KEY, PROGRAM)
    whole = (cache.folder / KEY).read_bytes()
    for end in range(len(whole)):
        (cache.folder / KEY).write_bytes(whole[:end])
        assert cache.read(KEY, Program) is None


def test_an_entry_that_was_swapped_for_another_is_a_miss(cache):
    cache.add(OTHER, PROGRAM)
    (cache.folder / OTHER).rename(cache.folder / KEY)
    assert cache.read(KEY, Program) is None


def test_a_sealed_entry_can_be_written_only_by_those_who_know_the_secret(cache):
    cache.add(KEY, {"points": 1}, SECRET)
    assert cache.read(KEY, dict, SECRET) == {"points": 1}
    assert cache.read(KEY, dict) is None
    (cache.folder / KEY).write_bytes(forged(msgspec.msgpack.encode({"points": 9})))
    assert cache.read(KEY, dict, SECRET) is None


def test_an_entry_that_cannot_be_written_leaves_nothing_behind(cache):
    (cache.folder / KEY / "in the way").mkdir(parents=True)
    with pytest.raises(OSError):
        cache.add(KEY, PROGRAM)
    assert [path.name for path in cache.folder.iterdir()] == [KEY]
    assert cache.read(KEY, Program) is None


def test_the_least_recently_used_entries_go_first(tmp_path):
    for age, name in enumerate("abcdefgh"):
        (tmp_path / name).write_bytes(bytes(100))
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    DiskCache(tmp_path, 800).evict()
    assert len(list(tmp_path.iterdir())) == 8
    DiskCache(tmp_path, 799).evict()
    assert sorted(path.name for path in tmp_path.iterdir()) == list("abcde")


def test_nothing_is_removed_from_a_cache_without_a_limit(tmp_path):
    cache = DiskCache(tmp_path)
    for number in range(4):
        cache.add(f"{number * 64:02x}", bytes(1000))
    assert len(list(tmp_path.iterdir())) == 4
