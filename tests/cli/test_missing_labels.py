"""Files in which labels are missing, through the front door."""

import pytest

from seqlab.cli import main


@pytest.mark.parametrize("kind", ["crf", "hmm"])
def test_labels_that_are_missing_train_and_are_evaluated(kind, tmp_path, capsys):
    table, model = tmp_path / "t.csv", str(tmp_path / "m.model")
    table.write_text("sentence,word,tag\n1,Ann,B-per\n1,left,O\n2,Bob,\n2,ran,O\n")
    columns = tmp_path / "t.txt"
    columns.write_text("Ann\tB-per\nleft\tO\n\nBob\t_\nran\tO\n")
    for arguments in ([str(table)], [str(columns), "--missing", "_"]):
        assert not main(["train", *arguments, "-m", kind, "-o", model, "-q"])
        assert not main(["eval", model, *arguments])
        assert "1 token without a gold label left out" in capsys.readouterr().out


def test_a_table_is_tagged_under_one_header(tmp_path, capsys):
    model = str(tmp_path / "m.model")
    table = tmp_path / "t.csv"
    for text in (
        "sentence,word,tag\n1,Ann,P\n1,left,O\n2,Bob,P\n3,ran,O\n",
        "word,tag\nAnn,P\nleft,O\n\nBob,P\n\nran,O\n",
    ):
        table.write_text(text)
        assert not main(["train", str(table), "-m", "baseline", "-o", model, "-q"])
        capsys.readouterr()
        assert not main(["tag", model, str(table)])
        lines = [line and f"{line},{line.rpartition(',')[2]}" for line in text.splitlines()]
        expected = "\n".join(lines).replace("tag,tag", "tag,predicted") + "\n"
        assert capsys.readouterr().out == expected
    plain = tmp_path / "t.txt"
    plain.write_text("Ann left\nBob ran\n")
    assert not main(["tag", model, str(plain), "-f", "text", "--to", "csv"])
    assert capsys.readouterr().out == "sentence,word,predicted\n0,Ann,P\n0,left,O\n1,Bob,P\n1,ran,O\n"
