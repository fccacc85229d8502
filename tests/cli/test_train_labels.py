"""Labels of training that are refused or deserve a word."""


def test_labels_that_break_the_constraints_are_named_with_file_and_line(shell, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("a\tO\n\nb\tO\nc\tI-X\nd\tB-X\n\n")
    code, _, err = shell("train", path, "-o", tmp_path / "m", "--constraints", "IOB2")
    assert code == 2
    assert err.startswith(f"seqlab: {path}:4: the label 'I-X' after 'O' breaks --constraints IOB2; ")
    assert "seqlab convert --scheme ... --repair conlleval" in err


def test_a_column_with_one_label_only_is_warned_of(shell, tmp_path):
    (tmp_path / "same.txt").write_text("a\tX\t_\nb\tY\t_\n\n")
    out = shell.done(
        "train",
        tmp_path / "same.txt",
        "-o",
        tmp_path / "m",
        "--columns",
        "word,ner,upos",
        "--model",
        "baseline",
    )
    assert "warning   every token has the label '_'; --label names another column: word, ner" in out


def test_a_label_without_a_name_is_warned_of(shell, tmp_path):
    (tmp_path / "odd.txt").write_text("a\tO\nb\t\nc\tX\n\n")
    out = shell.done("train", tmp_path / "odd.txt", "-o", tmp_path / "m", "--model", "baseline")
    assert f"warning   1 token without a label, the first at {tmp_path}/odd.txt:2" in out
