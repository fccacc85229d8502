import pytest

from benchmarks.speed import readme
from benchmarks.speed.record import Run
from benchmarks.speed.table import Table

RUN = Run(
    date="2026-01-02T03:04:05+00:00",
    commit="abc1234",
    command="make bench",
    kernel="avx512",
    machine={"cpu": "some processor", "cores": 2},
    versions={"python": "3.11.7", "numpy": "2.4.6"},
)
TEXT = f"# top\n\n{readme.BEGIN}\nold\ntable\n{readme.END}\n\nbottom\n"


def test_only_the_text_between_the_markers_changes():
    changed = readme.replace_between(TEXT, "new")
    assert changed == f"# top\n\n{readme.BEGIN}\nnew\n{readme.END}\n\nbottom\n"


def test_replacing_twice_is_replacing_once():
    once = readme.replace_between(TEXT, "new")
    assert readme.replace_between(once, "new") == once


@pytest.mark.parametrize("text", ["", readme.BEGIN, readme.END, f"{readme.END} {readme.BEGIN}"])
def test_missing_markers_are_an_error_that_names_them(text):
    with pytest.raises(readme.MarkerError, match="speed:begin"):
        readme.replace_between(text, "new")


def test_section_names_command_date_commit_machine_and_kernel(tmp_path):
    path = tmp_path / "README.md"
    path.write_text(TEXT)
    readme.write(path, RUN, [Table("Speed", ("", "ms"), (("viterbi", "1.0"),))])
    text = path.read_text()
    for part in (
        "`make bench`",
        "2026-01-02",
        "abc1234",
        "some processor",
        "avx512",
        "numpy 2.4.6",
        "| viterbi | 1.0 |",
    ):
        assert part in text
    assert "old" not in text
