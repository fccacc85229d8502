"""`seqlab train` and `seqlab tag` with --workers and --scheduler."""

import pytest

import seqlab
from seqlab import scale

FLAGS = ["--columns", "word,pos,chunk,entity"]
LEARN = [*FLAGS, "--label", "chunk", "--features", "chunk", "-i", "3", "-q"]


@pytest.fixture
def parts(tmp_path):
    train = seqlab.demo_corpus("train")[:200]
    seqlab.write(train[:90], tmp_path / "a.txt")
    seqlab.write(train[90:], tmp_path / "b.txt")
    return [str(tmp_path / name) for name in ("a.txt", "b.txt")]


def test_train_and_tag(parts, shell, tmp_path):
    pytest.importorskip("distributed")
    model, cache, out = (tmp_path / name for name in ("crf.model", "cache", "out"))
    with scale.local_cluster(1) as client:
        place = ["--scheduler", client.scheduler.address]
        _, *told = shell("train", *parts, *LEARN[:-1], "--cache", cache, *place, "-o", model)
        assert "bytes" in "".join(told)
        shell.done("tag", model, *parts, *FLAGS, "-q", "--output-dir", out, *place)
    one = seqlab.CRF("chunk", learner=seqlab.LBFGS(max_iterations=3)).fit(
        seqlab.stream_corpus(parts, columns=("word", "pos", "chunk", "entity")), "chunk", client="threads"
    )
    assert (seqlab.load(model).model_.theta == one.model_.theta).all()
    for path in parts:
        there = (out / path.rpartition("/")[2]).read_text()
        assert there == shell.done("tag", model, path, *FLAGS, "-q")


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--scheduler", "tcp://x:1", "--workers", "2"], "pass one of them"),
        (["--tls-ca", "ca.pem"], "--tls-ca is for a --scheduler tls://"),
        (["--dashboard"], "--dashboard is for a cluster that --workers starts"),
        (["--workers", "2", "-m", "markov"], "trained on one machine"),
        (["--workers", "0"], "--workers"),
    ],
)
def test_what_does_not_belong_together(flags, says, parts, shell, tmp_path):
    (tmp_path / "ca.pem").write_text("x")
    code, _, err = shell("train", *parts, *FLAGS, *flags, "-o", tmp_path / "m")
    assert code == 2
    assert says in " ".join(err.split())


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--workers", "1"], "name their folder with --output-dir"),
        (["--output-dir", "x"], "--output-dir is for a cluster"),
    ],
)
def test_tag_wants_a_folder(flags, says, parts, shell, tmp_path):
    model = tmp_path / "m"
    seqlab.MostFrequentTag().fit(seqlab.demo_corpus("train")[:20], "chunk").save(model)
    code, _, err = shell("tag", model, *parts, *FLAGS, *flags)
    assert code == 2
    assert says in " ".join(err.split())
