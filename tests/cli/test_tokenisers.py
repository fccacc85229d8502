"""Tokenisers through the front door: trained, evaluated, inside a pipeline; the demo model."""

import json

import pytest

import seqlab
from seqlab.families import builtin

CONLLU = """\
# newdoc id = d{0}
# text = Anna{0} didn't go. She stayed!
1\tAnna{0}\t_\tPROPN\t_\t_\t_\t_\t_\t_
2-3\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdid\t_\tAUX\t_\t_\t_\t_\t_\t_
3\tn't\t_\tPART\t_\t_\t_\t_\t_\t_
4\tgo\t_\tVERB\t_\t_\t_\t_\t_\tSpaceAfter=No
5\t.\t_\tPUNCT\t_\t_\t_\t_\t_\t_

# text = She stayed!
1\tShe\t_\tPRON\t_\t_\t_\t_\t_\t_
2\tstayed\t_\tVERB\t_\t_\t_\t_\t_\tSpaceAfter=No
3\t!\t_\tPUNCT\t_\t_\t_\t_\t_\t_

"""


@pytest.fixture(scope="module")
def treebank(tmp_path_factory):
    path = tmp_path_factory.mktemp("trees") / "en.conllu"
    path.write_text(
        "".join(CONLLU.format(i).replace(" She stayed!\n1\tAnna", "\n1\tAnna") for i in range(40))
    )
    return path


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache of its own, in which the demo model is made once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def own_cache(cache, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return cache


def test_a_tokeniser_is_trained_and_scored(shell, treebank, tmp_path):
    model = tmp_path / "tokens.model"
    out = shell.done("train", treebank, "-m", "tokeniser", "--dev", treebank, "-o", model)
    assert "40 documents, 80 sentences, 320 tokens" in out
    assert "sentences     1.0000   1.0000   1.0000       80" in out
    facts = json.loads(shell.done("eval", model, treebank, "--json"))
    assert facts["tokens"]["gold"] == facts["words"]["gold"] - 40
    assert facts["words"]["f1"] == 1
    assert shell.done("tag", model, "-s", "Bob didn't go. She stayed!").split("\n\n")[1] == "She\nstayed\n!"
    assert "TrainedTokeniser(" in shell.done("inspect", model)
    assert json.loads(shell.done("inspect", model, "--json"))["kind"] == "trained tokeniser"
    told = json.loads(
        shell.done("train", treebank, "-m", "tokeniser", "-o", model, "-i", "2", "--l2", "1", "--json")
    )
    assert told["train"]["sentences"] == 80


def test_a_tokeniser_learns_from_tokens_beside_their_text(shell, tmp_path):
    (tmp_path / "raw.txt").write_text("It is--so.\nNot here. " * 50)
    (tmp_path / "tokens.txt").write_text("It is -- so .\nNot here .\n" * 50)
    model = tmp_path / "t.model"
    shell.done(
        "train",
        tmp_path / "tokens.txt",
        "-f",
        "text",
        "-m",
        "tokeniser",
        "--text",
        tmp_path / "raw.txt",
        "-o",
        model,
    )
    assert shell.done("tag", model, "-s", "Not here--so. It is.") == "Not\nhere\n--\nso\n.\n\nIt\nis\n.\n\n"


@pytest.mark.parametrize("which", ["rules", "train", "file"])
def test_a_tagger_is_trained_with_a_tokeniser_inside(shell, treebank, tmp_path, which):
    if which == "file":
        which = tmp_path / "own.model"
        shell.done("train", treebank, "-m", "tokeniser", "-o", which)
    model = tmp_path / "english.model"
    shell.done("train", treebank, "-l", "upos", "-m", "perceptron", "--tokeniser", which, "-o", model, "-q")
    pipe = seqlab.load(model)
    assert isinstance(pipe, seqlab.Pipeline)
    assert pipe.names == ("upos",)
    assert shell.done("tag", model, stdin="She stayed!") == "She\tPRON\nstayed\tVERB\n!\tPUNCT\n\n"
    report = json.loads(shell.done("eval", model, treebank, "--json"))
    assert report["labels"]["upos"]["f1"] > 0.95


def test_eval_from_raw_text_has_all_layers(shell, treebank, tmp_path):
    names = seqlab.CRF("ner", seqlab.SGD(epochs=2)).fit(seqlab.demo_corpus("train"), "entity")
    names.save(tmp_path / "names.model")
    out = shell.done("eval", tmp_path / "names.model", "demo:test", "--raw")
    assert [line.split("  ")[0].rstrip() for line in out.splitlines()[1:]] == [
        "tokens", "words", "sentences", "entity labels", "entity spans",
    ]  # fmt: skip
    assert "--bootstrap has no meaning" in shell.refused(
        "eval", tmp_path / "names.model", "demo:test", "--raw", "--bootstrap", "9"
    )


def test_flags_without_a_meaning_are_refused(shell, treebank, tmp_path):
    train = ("train", treebank, "-o", tmp_path / "m", "-m", "tokeniser")
    assert "--order means nothing to --model tokeniser" in shell.refused(*train, "--order", "2")
    assert "-p 'x' is none of epochs" in shell.refused(*train, "-p", "x=1")
    assert "--text is for --model tokeniser" in shell.refused(
        "train", treebank, "--text", "x", "-o", tmp_path / "m"
    )
    seqlab.MarkovChain().fit([["a", "b"]]).save(tmp_path / "chain.model")
    message = shell.refused(
        "train", treebank, "-l", "upos", "--tokeniser", tmp_path / "chain.model", "-o", tmp_path / "m"
    )
    assert "--tokeniser is rules, train (on the same files) or a file of a tokeniser" in message


def test_the_demo_model_works_in_the_first_minute(shell, own_cache):
    code, out, err = shell("tag", "en-demo", "--raw", stdin="Anna Weber lives in New York.")
    assert code == 0
    assert out.splitlines()[0] == "Anna\tPROPN\tB-NP\tB-PER"
    assert err.startswith(
        "seqlab: en-demo is a small model to try things with; F1 from raw text on 304 sentences"
    )
    assert shell("tag", "en-demo", "-q", "-s", "Anna left.")[2] == ""
    kept = list(own_cache.rglob("*.model"))
    assert len(kept) == 1
    again = seqlab.load("en-demo")
    assert again("Anna left.").to_dict() == builtin.en_demo()("Anna left.").to_dict()
    assert "entities 0." in again.about
    assert "en-demo" in shell.done("inspect", "en-demo")
    assert seqlab.load("en-demo", seqlab.Pipeline).names == ("pos", "chunk", "entity")
    kept[0].write_bytes(b"broken")  # is made again
    assert seqlab.load("en-demo").about == again.about
    assert kept[0].read_bytes() != b"broken"


def test_the_demo_model_needs_no_cache(monkeypatch, tmp_path, own_cache):
    made = seqlab.load("en-demo")
    monkeypatch.setattr(builtin, "_trained", lambda: made)
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert seqlab.load("en-demo") is made


def test_a_file_of_that_name_comes_first(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    seqlab.RuleTokeniser().save("en-demo")
    assert seqlab.load("en-demo") == seqlab.RuleTokeniser()
