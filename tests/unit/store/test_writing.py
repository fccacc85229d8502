"""Writing: the old file or the new one, whatever happens; reading: errors that name the file."""

import errno
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import seqlab
from seqlab import store
from seqlab.errors import OptionError, SeqlabError, StoreError
from seqlab.store import State, reading

OLD = State("toy", {"which": "old"}, {"a": np.zeros(1000)})
NEW = State("toy", {"which": "new"}, {"a": np.ones(1000)})


def names(folder):
    return [path.name for path in folder.iterdir()]


def which(path):
    return store.read(path, verify=True).settings["which"]


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "m"
    store.write(path, OLD)
    store.write(path, NEW)
    assert which(path) == "new"
    assert names(tmp_path) == ["m"]


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_file_alone(tmp_path, monkeypatch, fails):
    path = tmp_path / "m"
    store.write(path, OLD)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, fails, full)
    if fails == "replace":
        monkeypatch.setattr(type(path), "replace", full)
    with pytest.raises(StoreError, match=r"cannot write .*m': No space left on device") as caught:
        store.write(path, NEW)
    assert caught.value.path == str(path)
    assert which(path) == "old"
    assert names(tmp_path) == ["m"]


def test_an_interrupted_write_leaves_no_file_behind(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.write(tmp_path / "m", NEW)
    assert names(tmp_path) == []


def test_a_killed_writer_leaves_the_old_file_or_a_new_one(tmp_path):
    path = tmp_path / "m"
    store.write(path, State("toy", {"which": -1}, {"a": np.full(300_000, -1.0)}))
    program = textwrap.dedent(f"""
        import numpy as np
        from seqlab import store
        for i in range(10**9):
            store.write({str(path)!r}, store.State("toy", {{"which": i}}, {{"a": np.full(300_000, float(i))}}))
            print(i, flush=True)
    """)
    for number in range(8):
        writer = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
        writer.stdout.readline()  # it is at work
        time.sleep(0.003 * number)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        found = store.read(path, verify=True)
        assert (found.arrays["a"] == found.settings["which"]).all()


def test_permissions_of_the_old_file_stay_and_new_ones_follow_the_mask(tmp_path):
    path = tmp_path / "m"
    mask = os.umask(0o027)
    try:
        store.write(path, OLD)
        assert path.stat().st_mode & 0o777 == 0o640
        path.chmod(0o604)
        store.write(path, NEW)
        assert path.stat().st_mode & 0o777 == 0o604
    finally:
        os.umask(mask)


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    store.write(tmp_path / "real" / "m", OLD)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "m")
    store.write(tmp_path / "link", NEW)
    assert (tmp_path / "link").is_symlink()
    assert which(tmp_path / "real" / "m") == "new"


def test_a_file_that_is_read_may_change_and_end(tmp_path, monkeypatch):
    path = tmp_path / "m"
    tagger = seqlab.CRF("word[0]").fit([["a", "b"]], [["X", "Y"]])
    for mapped, most in (
        (True, reading.MAPPED),
        (False, -1),
    ):  # small files are read; map=False reads large ones
        monkeypatch.setattr(reading, "MAPPED", most)
        tagger.save(path)
        read = seqlab.load(path, map=mapped)
        with path.open("r+b") as file:
            file.truncate(100)
        assert read.predict([["a", "b"]]) == [["X", "Y"]]
        assert read.nbest(["b"], 1)[0].labels == ("Y",)
    with pytest.raises(seqlab.errors.OptionError, match="map must be True or False, got 'no'"):
        seqlab.load(path, map="no")


def test_a_large_file_is_mapped(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAPPED", 100)
    path = tmp_path / "m"
    store.write(path, State("toy", {}, {"a": np.zeros(1000)}))
    state = store.read(path)
    with path.open("r+b") as file:
        file.seek(-8, 2)
        file.write(b"\xff" * 8)
    assert np.isnan(state.array("a", np.float64, (None,), mapped=True)[-1])
    assert not store.read(path, mapped=False).array("a", np.float64, (None,)).flags.owndata


def test_numbers_are_checked_on_a_copy(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAPPED", 100)
    path = tmp_path / "m"
    store.write(path, State("toy", {}, {"a": np.zeros(1000, np.int32)}))
    numbers = store.read(path).numbers("a", (None,), 1)
    with path.open("r+b") as file:
        file.seek(-4, 2)
        file.write(b"\xff" * 4)
    assert not numbers.any()


def test_arrays_of_a_file_that_was_replaced_stay_what_they_were(tmp_path):
    path = tmp_path / "m"
    store.write(path, OLD)
    mapped = store.read(path).arrays["a"]
    store.write(path, NEW)
    assert not mapped.any()


def test_a_mapped_state_can_be_written_over_its_own_file(tmp_path):
    path = tmp_path / "m"
    store.write(path, NEW)
    store.write(path, store.read(path))
    assert which(path) == "new"


def test_places_where_no_file_can_be_are_named(tmp_path):
    with pytest.raises(StoreError, match=r"cannot write .*: No such file or directory"):
        store.write(tmp_path / "none" / "m", OLD)
    with pytest.raises(StoreError, match="it is there already and is no file"):
        store.write(tmp_path, OLD)
    with pytest.raises(StoreError, match=r"cannot read .*: No such file or directory") as caught:
        store.read(tmp_path / "none")
    assert caught.value.path == str(tmp_path / "none")
    with pytest.raises(StoreError, match=r"cannot read .*: Is a directory"):
        store.read(tmp_path)
    for wrong in (None, 3, b"m", "", "a\0b"):
        with pytest.raises(StoreError, match="the path of a model file is wanted"):
            store.read(wrong)
        with pytest.raises(StoreError, match="the path of a model file is wanted"):
            store.write(wrong, OLD)


def test_a_name_as_long_as_the_system_allows_can_be_written(tmp_path):
    path = tmp_path / ("m" * 255)
    store.write(path, OLD)
    assert which(path) == "old"
    path = tmp_path / ("ü" * 127)
    store.write(path, OLD)
    assert which(path) == "old"


def test_the_error_comes_back_from_another_process():
    error = pickle.loads(pickle.dumps(StoreError("no", path="m")))
    assert (str(error), error.path) == ("no", "m")
    assert isinstance(error, SeqlabError)
    assert isinstance(error, ValueError)


class Toy:
    def __init__(self, number):
        self.number = number

    def state(self):
        return State("toy", {"number": self.number})

    @classmethod
    def from_state(cls, state):
        if state.function("module:f")() is None:
            raise OptionError("nothing")
        return cls(state.setting("number", int))


def test_models_are_saved_and_loaded_by_kind(tmp_path):
    path = tmp_path / "m"
    store.save(Toy(3), path)
    assert store.load(path, {"toy": Toy.from_state}, functions={"f": lambda: 1}).number == 3
    assert store.load(path, {"toy": Toy.from_state}, functions={"module:f": int}, verify=True).number == 3
    with pytest.raises(StoreError, match=r"m: models of kind 'toy' are unknown here, only 'crf', 'hmm'"):
        store.load(path, {"hmm": Toy.from_state, "crf": Toy.from_state})
    with pytest.raises(StoreError, match=r"m: nothing") as caught:
        store.load(path, {"toy": Toy.from_state}, functions={"f": lambda: None})
    assert caught.value.path == str(path)
    with pytest.raises(StoreError, match="what the file says does not fit together: KeyError: 'number'"):
        store.load(path, {"toy": lambda state: {}[next(iter(state.settings))]})
    with pytest.raises(StoreError, match="a model that can be stored is wanted, got 3"):
        store.save(3, path)


def test_functions_are_never_looked_up_by_what_a_file_says(tmp_path):
    path = tmp_path / "m"
    store.save(Toy(3), path)
    with pytest.raises(
        StoreError, match=r"'module:f', and a model file holds no code; pass load\(\.\.\., functions="
    ):
        store.load(path, {"toy": Toy.from_state})
    with pytest.raises(StoreError, match=r"functions\['module:f'\] should be a function, got 3"):
        store.load(path, {"toy": Toy.from_state}, functions={"f": 3})
