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
