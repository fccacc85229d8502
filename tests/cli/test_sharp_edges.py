"""Options that would have no effect, arguments in the wrong order, inputs without a sentence."""

import json
import shutil

import numpy as np
import pytest

import seqlab
from seqlab import store
from seqlab.cli.terminal import for_shell


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n"])
@pytest.mark.parametrize(
    "options", [(), ("--json",), ("--spans",), ("--nbest", 2), ("--labels-only",), ("--to", "jsonl")]
)
def test_nothing_in_nothing_out(shell, crf, content, options):
    comments = ("--comments",) if content.startswith("#") else ()
    assert shell("tag", crf, *options, *comments, stdin=content) == (0, "", "")


def test_nothing_goes_to_a_file_too(shell, crf, folder, tmp_path):
    (tmp_path / "empty").write_text("")
    shell.done("tag", crf, tmp_path / "empty", "-o", tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b""
    whole = shell.done("tag", crf, folder / "plain.txt")
    assert shell.done("tag", crf, tmp_path / "empty", folder / "plain.txt", tmp_path / "empty") == whole


def test_comments_alone_stay_what_they_are_in_place(shell, crf, tmp_path):
    (tmp_path / "x").write_text("# mine\n")
    shell.done("tag", crf, tmp_path / "x", "-o", tmp_path / "x", "--comments")
    assert (tmp_path / "x").read_text() == "# mine\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--to jsonl --labels-only", "--labels-only has a form of its own"),
        ("--to jsonl --nbest 2", "--nbest has a form of its own"),
        ("--to jsonl --all-marginals", "--all-marginals has a form of its own"),
        ("--to conll --spans", "--spans has a form of its own"),
        ("--to conll --json", "--json has a form of its own"),
        ("--json --labels-only", "--labels-only has no effect beside --json"),
        ("--nbest 2 --decode posterior", "--decode has no effect on the lists of --nbest"),
        ("--nbest 2 --decode beam --beam 3", "--decode has no effect on the lists of --nbest"),
    ],
)
def test_tag_ignores_no_option(shell, crf, folder, options, said):
    assert said in shell.refused("tag", crf, folder / "plain.txt", *options.split())


def test_an_encoding_does_not_spoil_a_sentence(shell, crf):
    sentence = ("--format", "slash", "-s", "café/NOUN")
    out = shell("tag", crf, *sentence, "--encoding", "latin-1", "--json")[1]
    assert json.loads(out)["tokens"] == ["café"]


@pytest.mark.parametrize(
    ("what", "options"),
    [
        ("moves", "--nbest 2"),
        ("moves", "--sentence x"),
        ("moves", "--number 1"),
        ("moves", "--plates"),
        ("moves", "--label chunk"),
        ("moves", "--format conll"),
        ("moves", "--threads 2"),
        ("learning", "--most 3"),
        ("learning", "--top 3"),
        ("trellis", "--top 3"),
        ("trellis", "--as table"),
        ("trellis", "--label chunk"),
        ("confusion", "--nbest 2"),
        ("confusion", "--sentence x"),
        ("reliability", "--most 3"),
    ],
)
def test_draw_ignores_no_option(shell, crf, tmp_path, what, options):
    told = shell.refused("draw", what, crf, "-o", tmp_path / "x.svg", *options.split())
    assert (
        f"{options.split()[0] if '--as' not in options else '--form'} means nothing to a picture of {what}"
        in told
    )


def test_a_picture_and_json_are_not_one_stream(shell, crf):
    assert "would both write to standard output" in shell.refused("draw", "graph", "hmm", "-o", "-", "--json")


def test_one_sentence_is_not_two(shell, crf, folder):
    for command in (("explain", crf), ("draw", "trellis", crf)):
        told = shell.refused(*command, "-s", "The man", "--number", 0)
        assert "--number picks a sentence of a file" in told


@pytest.mark.parametrize("option", ["--label B-NP", "--rival B-NP", "--rows 3"])
def test_explain_ignores_no_option(shell, crf, folder, option):
    told = shell.refused("explain", crf, folder / "test.txt", *option.split())
    assert f"{option.split()[0]} is for one word; name it with --at" in told


@pytest.mark.parametrize("command", ["eval", "tag"])
def test_a_model_behind_the_corpus_is_noticed(shell, crf, folder, command):
    told = shell.refused(command, folder / "test.txt", crf)
    assert f"{crf} is a model and {folder / 'test.txt'} is none: the model comes first" in told
    assert f"seqlab {command} {crf} {folder / 'test.txt'}" in told


def test_a_metric_without_a_rival_is_refused(shell, crf, folder):
    assert "--metric is for --against" in shell.refused(
        "eval", crf, folder / "test.txt", "--metric", "accuracy"
    )


def test_labels_the_model_has_never_heard_of(shell, crf, folder, tmp_path):
    strange = seqlab.read(folder / "test.txt", columns=("word", "pos", "chunk"))
    strange = strange.with_column("chunk", [[f"X{y}" for y in labels] for labels in strange.column("chunk")])
    seqlab.write(strange, tmp_path / "strange.txt")
    code, out, said = shell("eval", crf, tmp_path / "strange.txt")
    assert code == 0
    assert "the model knows none of the gold labels" in said
    assert "accuracy" in out


def test_a_scheme_is_advised_as_the_shell_writes_it():
    assert for_shell("correct them, or pass scheme=None to") == "correct them, or pass --scheme none to"


# ------------------------------------------------------------------------------------------------ CoNLL-U


def test_convert_to_conllu_says_what_helps(shell, folder, tmp_path):
    told = shell.refused(
        "convert", folder / "train.txt", tmp_path / "x.conllu", "--columns", "word,pos,chunk"
    )
    assert "CoNLL-U has no place for column 'chunk'" in told
    assert "leave it out with --select, or rename it with --rename" in told
    assert "--columns" not in told
    columns = ("--columns", "word,pos,chunk")
    shell.done("convert", folder / "train.txt", tmp_path / "x.conllu", *columns, "--select", "word,pos")
    shell.done("convert", folder / "train.txt", tmp_path / "y.conllu", *columns, "--rename", "chunk=xpos")
    made = seqlab.read(tmp_path / "y.conllu")
    assert made.column("xpos") == seqlab.read(folder / "train.txt", columns=("word", "pos", "chunk")).column(
        "chunk"
    )


def test_a_new_name_needs_an_old_one(shell, folder, tmp_path):
    assert (
        "OLD=NEW is wanted" in shell("convert", folder / "train.txt", tmp_path / "x", "--rename", "chunk")[2]
    )
    assert "no column 'no'" in shell.refused(
        "convert", folder / "train.txt", tmp_path / "x", "--rename", "no=x"
    )


def test_chunks_go_to_misc(shell, crf, folder):
    out = shell.done("tag", crf, folder / "plain.txt", "--to", "conllu")
    rows = [line.split("\t") for line in out.splitlines() if line]
    assert all(row[9].startswith("Chunk=") for row in rows)
    assert {row[3] for row in rows} <= {"DET", "NOUN", "VERB", "_"} | {
        row[3] for row in rows if "-" not in row[3]
    }
    assert not any("-" in row[3] for row in rows)


def test_misc_keeps_what_it_had(shell, crf):
    line = "1\tThe\tthe\tDET\t_\t_\t0\troot\t_\tSpaceAfter=No\n\n"
    out = shell.done(
        "tag", crf, "--columns", "word,pos,misc", "--format", "conllu", "--to", "conllu", stdin=line
    )
    assert out.split("\t")[9].strip() == "SpaceAfter=No|Chunk=B-NP"


def test_parts_of_speech_go_to_upos(shell, folder, tmp_path):
    columns = ("--columns", "word,pos,chunk")
    shell.done("train", folder / "train.txt", *columns, "-l", "pos", "-m", "baseline", "-o", tmp_path / "m")
    out = shell.done("tag", tmp_path / "m", "-s", "The man", "--to", "conllu")
    assert [line.split("\t")[3] for line in out.splitlines() if line] == ["DET", "NOUN"]


# ------------------------------------------------------------------------------------------------ inspect, train


@pytest.mark.parametrize("value", [np.nan, np.inf, {"epochs": 3}, {"files": 7}, [1]])
@pytest.mark.parametrize("name", ["command", "pruned", "note"])
def test_any_record_can_be_looked_at(shell, crf, tmp_path, name, value):
    state = store.read(crf)
    store.write(tmp_path / "m", state.replaced(record={**state.record, name: value}))
    for options in ((), ("--json",)):
        code, out, said = shell("inspect", tmp_path / "m", *options)
        assert code in {0, 2}
        assert "Traceback" not in said
        if code == 0 and options:
            assert json.loads(out, parse_constant=pytest.fail)["kind"] == "crf"


def test_every_number_of_an_epoch_has_a_head(shell, folder, tmp_path):
    out = shell.done("train", folder / "train.txt", "-o", tmp_path / "m", "-m", "svm", "-i", 6)
    lines = out.splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith("iteration")]
    with_objective = next(i for i, line in enumerate(lines) if line.split()[:1] == ["5"])
    last = max(i for i in heads if i < with_objective)
    assert "objective" in lines[last]
    assert "duality gap" in lines[last]
    assert len(lines[with_objective]) == len(lines[last])


def test_memory_is_not_the_file(crf, tmp_path):
    shutil.copy(crf, tmp_path / "m")
    state = store.read(crf)

    def short(_):
        raise MemoryError("Unable to allocate 9.3 GiB")

    with pytest.raises(seqlab.errors.StoreError) as caught:
        store.load(tmp_path / "m", {state.kind: short})
    assert "there is not enough memory for this model (Unable to allocate 9.3 GiB)" in str(caught.value)
