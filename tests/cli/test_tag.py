import functools
import gzip
import io
import json
import math
import os
import signal
import subprocess
import sys

import pytest
from pytest import approx

import seqlab
from oracle import conlleval
from seqlab import corpus as corpora_room

SEQLAB = [sys.executable, "-m", "seqlab"]


@pytest.fixture
def small_blocks(monkeypatch):
    """Files are read some sentences at a time."""
    monkeypatch.setattr(corpora_room, "stream", functools.partial(seqlab.stream, block=1 << 11))


def rows(text):
    return [line.split("\t") for line in text.split("\n")]


def test_output_is_the_input_with_one_more_column(shell, folder, crf, corpora):
    out = shell.done("tag", crf, folder / "test.txt")
    predicted = seqlab.load(crf).predict(corpora[1])
    labels = [[*sentence, ""] for sentence in predicted]
    flat = [label for sentence in labels for label in sentence]
    given = (folder / "test.txt").read_text().split("\n")[:-1]
    assert out.split("\n")[:-1] == [
        f"{line}\t{label}" if line else "" for line, label in zip(given, flat, strict=True)
    ]


def test_files_without_labels_are_tagged_alike(shell, folder, crf):
    with_labels = rows(shell.done("tag", crf, folder / "test.txt"))
    without = rows(shell.done("tag", crf, folder / "plain.txt"))
    assert [row[-1] for row in with_labels] == [row[-1] for row in without]
    assert {len(row) for row in without} == {1, 3}


def test_the_output_pipes_into_conlleval(shell, folder, crf, corpora):
    out = shell.done("tag", crf, folder / "test.txt")
    sentences = [[line.split("\t") for line in block.split("\n")] for block in out.strip("\n").split("\n\n")]
    gold = [[row[-2] for row in sentence] for sentence in sentences]
    found = [[row[-1] for row in sentence] for sentence in sentences]
    right = sum(
        len(set(conlleval.chunks(g)) & set(conlleval.chunks(f))) for g, f in zip(gold, found, strict=True)
    )
    total = sum(len(conlleval.chunks(g)) for g in gold) + sum(len(conlleval.chunks(f)) for f in found)
    report = seqlab.load(crf).evaluate(corpora[1], "chunk")
    assert 2 * right / total == approx(report.figures["span_f1"])
    assert json.loads(shell.done("eval", "-", "--json", stdin=out))["figures"]["span_f1"] == approx(
        2 * right / total
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_and_threads_change_nothing(threads, shell, folder, crf, tmp_path, small_blocks):
    whole = shell.done("tag", crf, folder / "test.txt", "-o", tmp_path / "out.txt", "--threads", threads)
    assert whole == ""
    reference = seqlab.load(crf).annotate(seqlab.read(folder / "test.txt"))
    seqlab.write(reference, tmp_path / "reference.txt")
    assert (tmp_path / "out.txt").read_bytes() == (tmp_path / "reference.txt").read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        "The\tDET\nman\tNOUN\n",
        "The\tDET\nman\tNOUN",
        "The DET\nman NOUN\n\n\n\nIt PRON\n",
        "The\tDET\r\nman\tNOUN\r\n\r\nIt\tPRON\r\n",
        "-DOCSTART-\t-X-\n\nThe\tDET\n\n-DOCSTART-\t-X-\n\nIt\tPRON\n\n",
        "\ufeffThe\tDET\nman\tNOUN\n",
    ],
)
def test_what_is_no_token_stays_as_it_was(content, shell, crf):
    code, out, _ = shell("tag", crf, stdin=content)
    assert code == 0
    given, made = content.split("\n"), out.split("\n")
    assert len(given) == len(made)
    for before, after in zip(given, made, strict=True):
        token = before.strip("\r") and not before.startswith("-DOCSTART-")
        end = "\r" if before.endswith("\r") else ""
        assert after.startswith(before.removesuffix("\r"))
        assert (len(after) > len(before)) == bool(token)
        assert after.endswith(end)


def test_gzip_in_and_out(shell, folder, crf, tmp_path):
    packed = tmp_path / "test.txt.gz"
    packed.write_bytes(gzip.compress((folder / "test.txt").read_bytes()))
    shell.done("tag", crf, packed, "-o", tmp_path / "out.gz")
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()).decode() == shell.done(
        "tag", crf, folder / "test.txt"
    )


def test_other_encodings_come_back_as_they_came(shell, crf, tmp_path):
    (tmp_path / "in.txt").write_bytes("café\tNOUN\n".encode("latin-1"))
    shell.done("tag", crf, tmp_path / "in.txt", "--encoding", "latin-1", "-o", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_bytes().startswith("café\tNOUN\tB-".encode("latin-1"))


# ------------------------------------------------------------------------------------------------ formats


def test_a_sentence_of_the_command_line(shell, baseline):
    out = shell.done("tag", baseline, "--sentence", "The man is here .")
    assert [row[0] for row in rows(out)[:5]] == ["The", "man", "is", "here", "."]
    assert rows(out)[0][1] == "B-NP"


def test_plain_text_becomes_columns(shell, baseline):
    assert shell.done("tag", baseline, "--format", "text", stdin="The man\nThe\n") == (
        "The\tB-NP\nman\tI-NP\n\nThe\tB-NP\n\n"
    )


def test_a_line_that_may_be_a_sentence_is_remarked(shell, baseline):
    code, out, said = shell("tag", baseline, stdin="The old man .\n")
    assert (code, out[:14], out.count("\n")) == (0, "The old man . ", 1)
    assert "<stdin>:1: one line of 4 cells was read as one token" in said
    assert "pass --format text" in said
    for flags, stdin in ((["-f", "conll"], "The old man .\n"), ([], "The DET\n"), ([], "The a b\nold a b\n")):
        assert shell("tag", baseline, *flags, stdin=stdin)[2] == ""


def test_universal_tags_taken_for_others_are_remarked_once(shell, folder, crf, small_blocks):
    conllu = "1\tThe\tthe\tDET\tDT" + "\t_" * 5 + "\n2\tman\tman\tNOUN\tNN" + "\t_" * 5 + "\n\n"
    code, _, said = shell("tag", crf, stdin=conllu * 50)
    assert code == 0
    assert said.count("the model reads a column 'pos', and 'upos' was taken for it") == 1
    assert shell("tag", crf, "--columns", "word=1,pos=4", stdin=conllu)[2] == ""


@pytest.mark.parametrize("command", [("tag", "-"), ("inspect", "-"), ("explain", "-", "-s", "a")])
def test_a_model_cannot_come_from_standard_input(command, shell):
    assert "a model is read from a file, not from standard input" in shell.refused(
        *command, stdin="The DET\n"
    )


def test_slashes_in_and_out(shell, crf):
    out = shell.done("tag", crf, "--format", "slash", "--to", "slash", stdin="The/DET man/NOUN\n")
    assert out == "The/B-NP man/I-NP\n"
    assert (
        shell.done("tag", crf, stdin="The/DET man/NOUN sees/VERB him/PRON\n").splitlines()[1]
        == "man\tNOUN\tI-NP"
    )


def test_every_format_can_be_written(shell, crf, folder):
    labels = shell.done("tag", crf, folder / "plain.txt", "--labels-only").split()
    for goal, column in (("conllu", "misc"), ("jsonl", "predicted"), ("slash", "label"), ("conll", "label")):
        out = shell.done("tag", crf, folder / "plain.txt", "--to", goal)
        names = ("word", "pos", "label") if goal == "conll" else None
        made = seqlab.read(io.BytesIO(out.encode()), goal, columns=names)
        found = [label.removeprefix("Chunk=") for sentence in made.column(column) for label in sentence]
        assert found == labels


def test_json_lines_get_a_key(shell, crf):
    line = json.dumps({"word": ["The", "man"], "pos": ["DET", "NOUN"], "id": 7})
    found = json.loads(shell.done("tag", crf, stdin=line + "\n"))
    assert found["predicted"] == ["B-NP", "I-NP"]
    assert found["word"] == ["The", "man"]


CONLLU = "# text = The man\n1\tThe\tthe\tX\t_\t_\t2\tdet\t_\t_\n2\tman\tman\tX\t_\t_\t0\troot\t_\t_\n\n"


def test_conllu_gets_the_labels_in_their_column(shell, folder, tmp_path):
    lines = CONLLU.replace("\tX\t_\t_\t2", "\tDET\t_\t_\t2").replace("\tX\t", "\tNOUN\t")
    (tmp_path / "train.conllu").write_text(lines * 3)
    shell.done("train", tmp_path / "train.conllu", "-o", tmp_path / "m", "--model", "perceptron", "-i", 3)
    assert seqlab.load(tmp_path / "m").column_ == "upos"
    (tmp_path / "new.conllu").write_text(CONLLU)
    assert shell.done("tag", tmp_path / "m", tmp_path / "new.conllu") == lines
    assert shell.done("tag", tmp_path / "m", "-s", "The man", "--to", "slash") == "The/DET man/NOUN\n"
    columns = "The\tDET\nman\tX\n\n"
    assert shell.done("tag", tmp_path / "m", stdin=columns) == "The\tDET\tDET\nman\tX\tNOUN\n\n"
    assert "accuracy                     0.5000" in shell.done("eval", tmp_path / "m", "-", stdin=columns)


def test_crfsuite_files_are_tagged(shell, tmp_path):
    (tmp_path / "a.crfsuite").write_text("X\tw=a\tb\nY\tw=b\n\nX\tw=a\n\n")
    shell.done("train", tmp_path / "a.crfsuite", "-o", tmp_path / "m", "--label", "label", "-i", 20)
    assert shell.done("tag", tmp_path / "m", tmp_path / "a.crfsuite") == "X\tX\nY\tY\n\nX\tX\n\n"


# ------------------------------------------------------------------------------------------------ more than labels


def test_labels_only(shell, folder, crf):
    whole = rows(shell.done("tag", crf, folder / "test.txt"))
    assert shell.done("tag", crf, folder / "test.txt", "--labels-only") == "\n".join(row[-1] for row in whole)


def test_nbest_is_that_of_python(shell, folder, crf, corpora):
    out = shell.done("tag", crf, folder / "plain.txt", "--nbest", "3")
    blocks = out.split("\n\n")[:-1]
    paths = [path for sentence in corpora[1] for path in seqlab.load(crf).nbest(sentence, 3)]
    assert len(blocks) == len(paths)
    for block, path in zip(blocks, paths, strict=True):
        head, *lines = block.split("\n")
        assert float(head.split()[2]) == approx(math.exp(path.log_prob), abs=1e-6)
        assert [line.split("\t")[-1] for line in lines] == list(path.labels)
    assert [block.split()[1] for block in blocks[:3]] == ["0", "1", "2"]


def test_marginals_are_those_of_python(shell, folder, crf, corpora):
    out = shell.done("tag", crf, folder / "plain.txt", "--marginals")
    tagger = seqlab.load(crf)
    chances = [p for sentence in tagger.predict_marginals(corpora[1]) for p in sentence]
    cells = [line.split("\t")[-1] for line in out.split("\n") if line]
    for cell, chance in zip(cells, chances, strict=True):
        label, _, number = cell.rpartition(":")
        assert float(number) == approx(chance[label], abs=1e-6)
    every = shell.done("tag", crf, folder / "plain.txt", "--all-marginals").split("\n")[0].split("\t")
    assert len(every) == 2 + 1 + len(tagger.labels_)
    assert every[3].startswith(every[2] + ":")


def test_spans_have_the_probability_of_the_posterior(shell, folder, crf, corpora):
    out = [line.split("\t") for line in shell.done("tag", crf, folder / "plain.txt", "--spans").splitlines()]
    tagger = seqlab.load(crf)
    wanted = []
    for i, sentence in enumerate(corpora[1]):
        posterior = tagger.posterior(sentence)
        for span in seqlab.tags.spans(tagger.tag(sentence)):
            chance = posterior.span(span.start, span.end, span.type)
            wanted.append((i, span, chance, " ".join(sentence["word"][span.start : span.end])))
    assert len(out) == len(wanted)
    for row, (i, span, chance, text) in zip(out, wanted, strict=True):
        assert row[:4] == [str(i), str(span.start), str(span.end), span.type]
        assert float(row[4]) == approx(chance, abs=1e-6)
        assert row[5] == text


def test_json_has_everything_that_was_asked_for(shell, folder, crf, small_blocks):
    lines = shell.done("tag", crf, folder / "plain.txt", "--json", "--spans").splitlines()
    assert len(lines) == 40
    found = json.loads(lines[0])
    assert set(found) == {"tokens", "labels", "spans"}
    assert len(found["tokens"]) == len(found["labels"])
    assert set(found["spans"][0]) == {"begin", "end", "type", "probability", "text"}
    found = json.loads(shell.done("tag", crf, folder / "plain.txt", "--json", "--nbest", 2).splitlines()[0])
    assert [set(path) for path in found["nbest"]] == [{"labels", "score", "log_prob"}] * 2
    found = json.loads(
        shell.done("tag", crf, folder / "plain.txt", "--json", "--all-marginals").splitlines()[0]
    )
    assert sum(found["marginals"][0].values()) == approx(1.0)


def test_a_model_without_probabilities_says_so(shell, folder, perceptron):
    said = shell.refused("tag", perceptron, folder / "plain.txt", "--marginals")
    assert "Perceptron learns scores, not probabilities" in said
    assert shell.done("tag", perceptron, folder / "plain.txt", "--spans").split("\t")[4] == "-"
    head = shell.done("tag", perceptron, folder / "plain.txt", "--nbest", 2).split("\n")[0]
    assert head.startswith("# 0 ")


def test_other_ways_to_decode(shell, folder, crf, corpora):
    tagger = seqlab.load(crf)
    for flags, way in (
        (["--decode", "posterior"], {"decode": "posterior"}),
        (["--decode", "beam", "--beam", 2], {"decode": "beam", "beam": 2}),
    ):
        out = shell.done("tag", crf, folder / "plain.txt", "--labels-only", *flags).split()
        assert out == [label for sentence in tagger.predict(corpora[1], **way) for label in sentence]
    assert "belong together" in shell.refused("tag", crf, folder / "plain.txt", "--beam", 2)


# ------------------------------------------------------------------------------------------------ refused


def test_a_bad_model_is_refused_by_name(shell, folder, crf, tmp_path):
    whole = crf.read_bytes()
    for content, words in (
        (whole[: len(whole) // 2], "cut short"),
        (whole[:100], "cut short"),
        (b"", "no model file"),
        (b"no model at all", "no model file"),
    ):
        (tmp_path / "m").write_bytes(content)
        said = shell.refused("tag", tmp_path / "m", folder / "test.txt")
        assert str(tmp_path / "m") in said
        assert words in said
    assert "No such file" in shell.refused("tag", tmp_path / "none", folder / "test.txt")
    assert "this is no file" in shell.refused("tag", tmp_path, folder / "test.txt") or True


def test_bad_input_is_named_with_its_line(shell, folder, crf, tmp_path, small_blocks):
    lines = (folder / "plain.txt").read_text().splitlines()
    lines[300] = "a b c d e"
    (tmp_path / "broken.txt").write_text("\n".join(lines))
    (tmp_path / "out.txt").write_text("old")
    said = shell.refused("tag", crf, tmp_path / "broken.txt", "-o", tmp_path / "out.txt", "--threads", 2)
    assert f"{tmp_path}/broken.txt:301: " in said
    assert (tmp_path / "out.txt").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.txt", "out.txt"]


def test_a_column_that_features_need_is_missed_with_file_and_line(shell, crf):
    said = shell.refused("tag", crf, "--sentence", "The man")
    assert "--sentence:1" in said
    assert "'pos'" in said


def test_a_missing_file_is_refused(shell, crf):
    assert "nowhere.txt" in shell.refused("tag", crf, "nowhere.txt")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_pipe_gets_every_byte(unbuffered, crf, folder, tmp_path):
    many = tmp_path / "many.txt"
    many.write_bytes((folder / "test.txt").read_bytes() * 40)
    out = subprocess.check_output(
        [*SEQLAB, "tag", crf, many], env={**os.environ, "PYTHONUNBUFFERED": unbuffered}
    )
    assert out.count(b"\n") == many.read_bytes().count(b"\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_a_closed_pipe_is_quiet(unbuffered, crf, folder, tmp_path):
    many = tmp_path / "many.txt"
    many.write_bytes((folder / "test.txt").read_bytes() * 40)
    command, env = [*SEQLAB, "tag", crf, many], {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as running:
        running.stdout.read(10)
        running.stdout.close()
        said = running.stderr.read()
        code = running.wait()
    assert said == b""
    assert code in {128 + signal.SIGPIPE, -signal.SIGPIPE}


def test_tagging_needs_no_rich_and_no_learner_of_another_kind(crf, folder):
    program = f"""if True:
        import sys
        from seqlab.cli import main
        main(["tag", {str(crf)!r}, {str(folder / "plain.txt")!r}, "-o", "/dev/null"])
        print([name for name in ("rich", "seqlab.evaluation.report", "seqlab.families.rerank",
                             "seqlab.families.linear.explain.asking")
               if name in sys.modules])
    """
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "[]\n"


@pytest.mark.parametrize("name", ["nosuch", "hex"])
def test_an_encoding_that_is_none_is_refused(name, shell, crf, folder):
    for argv in (["tag", crf, folder / "test.txt"], ["check", folder / "test.txt"]):
        assert f"unknown encoding '{name}'" in shell.refused(*argv, "--encoding", name)


def test_labels_in_the_place_of_a_column_that_the_model_reads_are_doubted(
    shell, crf, folder, corpora, tmp_path
):
    seqlab.write(corpora[1].select("word", "chunk"), tmp_path / "labelled.txt")
    code, _, said = shell("tag", crf, tmp_path / "labelled.txt")
    assert code == 0
    assert "the model reads word pos, and the last column was taken for 'pos', but it holds labels" in said
    assert shell("tag", crf, folder / "test.txt")[2] == shell("tag", crf, folder / "plain.txt")[2] == ""
