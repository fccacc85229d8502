"""tune(checkpoint=): the journal of what is done, and the state of what runs, in one directory."""

import pytest

from scale.checkpoint.trainings import bits, sentences
from seqlab import CRF, LBFGS, Checkpoint, tune
from seqlab.errors import OptionError, StoreError
from seqlab.learning import checkpoint as checkpoints

MODEL = CRF("word[0]", LBFGS(max_iterations=6, start_epochs=0))
SEARCH = {"learner__l2": [0.1, 1.0]}


def searched(place, **options):
    options = {"search": SEARCH, "folds": 2, "jobs": 1, "threads": 1, "seed": 3} | options
    return tune(MODEL, sentences(), "pos", checkpoint=place, **options)


def results(found):
    trials = [(one.params, one.scores, one.train_scores, one.error) for one in found.trials]
    return trials, found.best.params, bits(found.model)


def test_a_search_with_a_checkpoint_finds_the_same(tmp_path):
    assert results(searched(tmp_path)) == results(searched(None))
    left = sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file())
    assert left[-1] == "seqlab-journal.jsonl"
    assert all(
        name.startswith("refit/seqlab-") for name in left[:-1]
    )  # trials that are done have left nothing


@pytest.mark.parametrize("n", [1, 3, 6, 11, 25, 37])
def test_a_search_that_was_killed_goes_on_within_a_training(n, tmp_path, killing):
    whole, place = results(searched(None)), Checkpoint(tmp_path, every=0)
    killing(n)
    with pytest.raises(killing.Killed):
        searched(place)
    left = killing(10**9)
    assert results(searched(place)) == whole
    # Five trainings, each stored at the start, after six iterations and at the end; what was stored is not done again.
    assert 10**9 - left[0] <= 5 * 8 - n
    killing(1)
    assert results(searched(place)) == whole  # nothing is left to do


def test_ctrl_c_ends_a_search_and_no_training_counts_as_finished(tmp_path, killing, monkeypatch):
    whole = results(searched(None))
    save, told = checkpoints.Directory.save, []

    def interrupting(self, *state, **more):
        save(self, *state, **more)
        told.append(state)
        if len(told) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints.Directory, "save", interrupting)
    with pytest.raises(KeyboardInterrupt):
        searched(Checkpoint(tmp_path, every=0))
    monkeypatch.setattr(checkpoints.Directory, "save", save)
    assert results(searched(Checkpoint(tmp_path, every=0))) == whole


def test_a_damaged_state_ends_the_search_and_is_not_written_down_as_a_failed_trial(tmp_path, killing):
    place = Checkpoint(tmp_path, every=0)
    killing(3)
    with pytest.raises(killing.Killed):
        searched(place)
    killing.never()
    file = next(tmp_path.glob("trial-*/seqlab-order-1.*"))
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    with pytest.raises(StoreError, match="the checkpoint is damaged"):
        searched(place)
    file.write_bytes(content)
    assert results(searched(place)) == results(searched(None))


def test_a_journal_and_a_checkpoint_are_one_too_many(tmp_path):
    with pytest.raises(OptionError, match="checkpoint= has a journal of its own; leave out resume="):
        searched(tmp_path / "place", resume=tmp_path / "journal")


def test_another_search_is_refused(tmp_path):
    searched(tmp_path)
    with pytest.raises(OptionError, match="the journal is of another search: its seed is 3, now it is 4"):
        searched(tmp_path, seed=4)
