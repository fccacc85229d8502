"""The directory of a checkpoint: who may use it, what is refused, and what is never believed."""

import errno
import json
import os
import re
import subprocess
import sys
import textwrap

import pytest

import seqlab
from scale.checkpoint.trainings import bits, fitted, half_labelled, sentences, words
from seqlab import CRF, HMM, LBFGS, BaumWelch, Checkpoint, MarkovChain, files
from seqlab.errors import OptionError, StoreError, TrainingWarning
from seqlab.learning import checkpoint as checkpoints
from seqlab.learning.checkpoint import LOCK, MANIFEST, Directory


def trained(place, *, X=None, y="chunk", l2=0.1, learner=None, features="chunk", **options):
    tagger = CRF(features, learner or LBFGS(l2=l2, max_iterations=3), **options.pop("tagger", {}))
    return tagger.fit(sentences() if X is None else X, y, checkpoint=Checkpoint(place, every=0), **options)


# ------------------------------------------------------------------------------------------------ another training


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"l2": 0.5}, r"learner__l2 is 0\.5 here and 0\.1 there\. Repeat"),
        ({"learner": LBFGS(max_iterations=4)}, r"learner__max_iterations is 4 here and 3 there\. Repeat"),
        ({"tagger": {"seed": 7}}, r"seed is 7 here and 0 there\. Repeat"),
        (
            {"tagger": {"seed": 7, "order": 2}},
            r"order is 2 here and 1 there; seed is 7 here and 0 there\. Repeat",
        ),
        ({"features": "pos"}, r"features is 'pos' here and 'chunk' there; features of sentences is"),
        ({"y": "pos"}, r"labels is [0-9a-f]{24} here and [0-9a-f]{24} there"),
        ({"X": sentences(59)}, r"sentences is 59 of \d+ tokens, [0-9a-f]{24} here and 60 of"),
        ({"sample_weight": [2.0] * 60}, r"weights of sentences is [0-9a-f]{24} here"),
        ({"dev": sentences(20)}, r"dev is [0-9a-f]{24} here and nothing there; metric is span_f1 here"),
    ],
)
def test_another_training_is_refused_with_what_differs(other, message, tmp_path):
    trained(tmp_path)
    before = sorted((file.name, file.read_bytes()) for file in tmp_path.iterdir() if file.name != LOCK)
    with pytest.raises(OptionError, match=f"has the checkpoint of another training: {message}") as refused:
        trained(tmp_path, **other)
    assert refused.value.option == "checkpoint"
    assert (
        sorted((file.name, file.read_bytes()) for file in tmp_path.iterdir() if file.name != LOCK) == before
    )


def test_one_word_is_other_data(tmp_path):
    """A word that occurs once may have the same number as another, and all arrays be the same."""
    X, y = [["a", "b", "c"]], [["N", "V", "N"]]
    trained(tmp_path, X=X, y=y, features="pos")
    with pytest.raises(
        OptionError, match=r"sentences is 1 of 3 tokens, \w+ here and 1 of 3 tokens, \w+ there"
    ):
        trained(tmp_path, X=[["a", "b", "z"]], y=y, features="pos")


def test_one_word_is_other_data_beyond_memory(tmp_path):
    y = [["N", "V", "N"]]
    trained(tmp_path, X=iter([["a", "b", "c"]]), y=iter(y), features="pos", max_memory="8G")
    with pytest.raises(OptionError, match=r"training: shards is \w+ here and \w+ there"):
        trained(tmp_path, X=iter([["a", "b", "z"]]), y=iter(y), features="pos", max_memory="8G")


def test_features_that_answer_otherwise_are_other_data(tmp_path):
    def first(sentence, t):
        return [sentence[t]["word"][:n]]

    X, y, n = [["ab", "ac", "ab"]], [["N", "V", "N"]], 1
    trained(tmp_path, X=X, y=y, features=first)
    n = 2
    with pytest.raises(
        OptionError, match=r"training: features of sentences is \w+ here and \w+ there\. Repeat"
    ):
        trained(tmp_path, X=X, y=y, features=first)


def test_another_model_kernel_or_version_is_refused(tmp_path):
    trained(tmp_path)
    with pytest.raises(OptionError, match=r"model is HMM here and CRF there\. Repeat"):
        HMM(2, learner=BaumWelch(max_iterations=2)).fit(words(), checkpoint=tmp_path)
    manifest = checkpoints.read_manifest(tmp_path)
    manifest["facts"] |= {"seqlab": "0.0.7", "kernel": "abacus"}
    manifest["sha256"] = checkpoints._sum(manifest)
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    here = seqlab.inference.kernel()
    with pytest.raises(
        OptionError,
        match=rf"seqlab is \S+ here and 0\.0\.7 there; kernel is {here} here and abacus there \(SEQLAB_KERNEL=abacus",
    ):
        trained(tmp_path)


@pytest.mark.parametrize("other", [{"restarts": 3}, {"tolerance": 0.5}])
def test_another_em_is_refused(other, tmp_path):
    HMM(2, learner=BaumWelch(max_iterations=2)).fit(words(), checkpoint=tmp_path)
    name, value = next(iter(other.items()))
    with pytest.raises(OptionError, match=f"learner__{name} is {value} here and"):
        HMM(2, learner=BaumWelch(max_iterations=2, **other)).fit(words(), checkpoint=tmp_path)


def test_labels_known_in_part_are_data_too(tmp_path):
    HMM(learner=BaumWelch(max_iterations=1), smoothing=0.1).fit(words(), half_labelled(), checkpoint=tmp_path)
    other = half_labelled()
    other[0][0] = "X"
    with pytest.raises(OptionError, match="labels is"):
        HMM(learner=BaumWelch(max_iterations=1), smoothing=0.1).fit(words(), other, checkpoint=tmp_path)


FACTS = """
import json, sys
from seqlab import CRF, HMM, LBFGS, BaumWelch, Constraints, Dirichlet, GaussianMixture, Template, presets, read
from seqlab.features import functions
from seqlab.learning.identity import digest, facts_of


def own(sentence, t):
    return ["x"]


sets = {word: {"N", "V", "A", "D"} for word in "abcdefgh"}
models = [
    CRF(presets.ner + own, constraints=Constraints([("A", "B"), ("C", "D")], {"X", "Y", "Z"}), allowed=sets),
    CRF(Template.parse("word[0]\\nsuffix(word[0], 2)"), class_weight={"A": 2.0, "B": 1.0}),
    HMM(2, GaussianMixture(components=3), smoothing=Dirichlet(transitions=0.5), learner=BaumWelch(tied=[("A", "B")])),
]
print(json.dumps([facts_of(model, metric=own, data=digest(sets["a"] == 1, {"a": 1.5})) for model in models]))
"""


def test_facts_are_the_same_in_every_process():
    """Sets have another order in every process, and objects another address."""
    told = {
        subprocess.run(
            [sys.executable, "-c", FACTS],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(told) == 1
    assert " at 0x" not in told.pop()


# ------------------------------------------------------------------------------------------------ the directory


def test_two_trainings_cannot_share_a_directory(tmp_path):
    told = []

    def second(_epoch):
        with pytest.raises(StoreError) as refused:
            trained(tmp_path)
        told.append(str(refused.value))

    trained(tmp_path, callbacks=second)
    assert told
    assert all(f"is in use by another training (process {os.getpid()} on" in one for one in told)
    trained(tmp_path)  # and is free again


def test_the_lock_of_a_process_that_was_killed_is_gone(tmp_path):
    script = """
        import os, signal, sys
        from seqlab.learning.checkpoint import Checkpoint, Directory
        Directory(Checkpoint(sys.argv[1])).__enter__()
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script), tmp_path], check=False)
    assert done.returncode == -9
    trained(tmp_path)


def test_files_of_the_user_are_left_alone(tmp_path):
    mine = {"seqlab.txt": b"mine", "model.safetensors": b"mine", "order-1.a.safetensors": b"mine"}
    for name, content in mine.items():
        (tmp_path / name).write_bytes(content)
    trained(tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in mine} == mine
    assert len(list(tmp_path.iterdir())) == len(mine) + 3


@pytest.mark.parametrize("name", [MANIFEST, "seqlab-order-1.a.safetensors"])
def test_files_of_the_user_with_our_names_are_refused(name, tmp_path):
    (tmp_path / name).write_bytes(b"mine")
    with pytest.raises(StoreError, match="give this training another"):
        trained(tmp_path)
    assert (tmp_path / name).read_bytes() == b"mine"


def test_a_directory_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(
        StoreError, match=r"cannot keep checkpoints in '.*file/inside': (Not a directory|File exists)"
    ):
        trained(tmp_path / "file" / "inside")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "checkpoint must be the path of a directory, got 3"),
        ("", "checkpoint must be the path of a directory, got ''"),
        ("a\0b", "cannot be the name of a file"),
    ],
)
def test_what_is_no_path_is_refused(given, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        CRF("pos").fit([["a"]], [["N"]], checkpoint=given)


def test_every_must_be_a_number():
    with pytest.raises(OptionError, match="every must be"):
        Checkpoint("dir", every=-1)


# ------------------------------------------------------------------------------------------------ damage


def unfinished(place):
    """A checkpoint in the midst of a training; its files."""

    def leave(epoch):
        if epoch.iteration == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        trained(place, callbacks=leave)
    return next(place.glob("seqlab-order-1.*"))


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.99, 1.0])
def test_a_flipped_bit_is_found(share, tmp_path):
    file = unfinished(tmp_path)
    content = bytearray(file.read_bytes())
    content[min(int(share * len(content)), len(content) - 1)] ^= 4
    file.write_bytes(content)
    with pytest.raises(StoreError, match="the checkpoint is damaged, and is not used") as refused:
        trained(tmp_path)
    assert refused.value.path == str(file)


def test_a_state_cut_short_or_gone_is_found(tmp_path):
    file = unfinished(tmp_path)
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(StoreError, match="the checkpoint is damaged, and is not used"):
        trained(tmp_path)
    file.unlink()
    with pytest.raises(StoreError, match=r"the checkpoint is damaged, and is not used.*No such file"):
        trained(tmp_path)
    file.write_bytes(content)
    assert bits(trained(tmp_path)) == bits(trained(tmp_path / "other"))


def test_a_sound_state_that_the_manifest_does_not_name_is_found(tmp_path):
    file = unfinished(tmp_path)
    trained(tmp_path / "other")
    file.write_bytes(next((tmp_path / "other").glob("seqlab-order-1.*")).read_bytes())
    with pytest.raises(StoreError, match=r"the checkpoint is damaged, and is not used.*its checksum differs"):
        trained(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"iteration": 1', '"iteration": 2'),
        lambda text: text.replace("seqlab-order", "../seqlab-order"),
        lambda text: "[]",
        lambda text: text.replace('"version": 1', '"version": 9'),
    ],
)
def test_a_changed_manifest_is_found(change, tmp_path):
    unfinished(tmp_path)
    text = (tmp_path / MANIFEST).read_text()
    (tmp_path / MANIFEST).write_text(change(text))
    assert change(text) != text
    with pytest.raises(StoreError, match=r"damaged|has format 9, this seqlab reads 1"):
        trained(tmp_path)


def test_a_state_of_another_shape_is_an_error_of_ours(tmp_path):
    """Sound files that say nonsense: as if written by a program with a fault."""
    file = unfinished(tmp_path)
    state = seqlab.store.read(file, mapped=False)
    state.arrays["learner.here.x"] = state.arrays["learner.here.x"][:-1]
    manifest = checkpoints.read_manifest(tmp_path)
    manifest["runs"]["order-1"]["sha256"] = seqlab.store.write(file, state)
    (tmp_path / MANIFEST).write_text(json.dumps({**manifest, "sha256": checkpoints._sum(manifest)}))
    with pytest.raises(
        StoreError, match=r"the checkpoint does not fit this training: here\.x has another length"
    ):
        trained(tmp_path)


# ------------------------------------------------------------------------------------------------ a full disk


@pytest.fixture
def full_disk(monkeypatch):
    """Every write fails from the n-th on."""
    written, count = os.fsync, [0]

    def after(n):
        def failing(handle):
            count[0] += 1
            if count[0] > n:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            written(handle)

        monkeypatch.setattr(files.os, "fsync", failing)

    return after


@pytest.mark.parametrize("n", range(2, 12))
def test_on_a_full_disk_training_goes_on_and_the_earlier_checkpoint_stays(
    n, tmp_path, full_disk, monkeypatch
):
    whole = bits(trained(tmp_path / "whole"))
    place = tmp_path / "full"
    with monkeypatch.context():
        full_disk(n)
        with pytest.warns(
            TrainingWarning, match=r"no checkpoint of iteration \d: .*No space left.*training goes on"
        ):
            assert bits(trained(place)) == whole
    monkeypatch.undo()
    assert bits(trained(place)) == whole


def test_a_disk_that_is_full_from_the_beginning_is_told_at_once(tmp_path, full_disk):
    full_disk(0)
    with pytest.raises(StoreError, match=r"cannot write '.*seqlab-checkpoint\.json': No space left"):
        trained(tmp_path)


# ------------------------------------------------------------------------------------------------ how often


def test_without_every_checkpoints_take_a_small_part_of_the_time(tmp_path, monkeypatch):
    """A clock that only writing moves: the next one is due when 20 times as long has gone by."""
    now = [0.0]
    monkeypatch.setattr(checkpoints.time, "monotonic", lambda: now[0])
    saved = []

    def save(_self, _name, _state, iteration, *, done):
        saved.append(iteration)
        now[0] += 2.0

    monkeypatch.setattr(Directory, "save", save)
    with Directory(Checkpoint(tmp_path)) as directory:
        run = checkpoints.Run(directory, "one")
        for iteration in range(200):
            now[0] += 1.0
            if run.due:
                run.save(None, iteration)
    assert saved == [0, 40, 80, 120, 160]


def test_every_says_how_many_seconds(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(checkpoints.time, "monotonic", lambda: now[0])
    with Directory(Checkpoint(tmp_path, every=5)) as directory:
        run, due = checkpoints.Run(directory, "one"), []
        for second in range(12):
            now[0] = float(second)
            if run.due:
                due.append(second)
                run._since = now[0]
    assert due == [5, 10]


def test_counting_takes_a_checkpoint_and_stores_nothing(tmp_path):
    HMM().fit(words(), sentences().column("pos"), checkpoint=tmp_path / "hmm")
    MarkovChain().fit(words(), checkpoint=tmp_path / "chain")
    assert not list(tmp_path.iterdir())
    with pytest.raises(OptionError, match="checkpoint must be"):
        MarkovChain().fit(words(), checkpoint=3)


def test_a_finished_training_keeps_only_its_weights(tmp_path):
    model = fitted("l2", checkpoint=Checkpoint(tmp_path, every=0))
    state = seqlab.store.read(next(tmp_path.glob("seqlab-order-1.*")))
    assert set(state.arrays) == {"theta"}
    assert (state.arrays["theta"] == model.model_.theta).all()
