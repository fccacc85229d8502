import pytest

from benchmarks.speed.table import WIDTH, Table, number, percent

TABLE = Table(
    "A title", ("", "seqlab", "aim"), (("one", "1.00 *", "8x"), ("two|", "22", "-")), note="word " * 40
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.1234, "0.123"),
        (4.564, "4.56"),
        (9.996, "10.0"),
        (51.24, "51.2"),
        (99.96, "100"),
        (2370.4, "2,370"),
    ],
)
def test_number_has_three_significant_digits(value, text):
    assert number(value) == text


def test_negative_numbers_keep_their_sign():
    assert number(-1.5) == "-1.50"


def test_percent_of_an_unknown_share_is_a_dash():
    assert percent(None) == "-"
    assert percent(0.314) == "31 %"


def test_text_lines_up_and_stays_within_80_columns():
    lines = TABLE.text().splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert lines[2:5] == ["       seqlab   aim", "one    1.00 *    8x", "two|       22     -"]


def test_markdown_escapes_what_would_break_a_cell():
    lines = TABLE.markdown().splitlines()
    assert lines[2:6] == [
        "|  | seqlab | aim |",
        "| --- | ---: | ---: |",
        r"| one | 1.00 \* | 8x |",
        r"| two\| | 22 | - |",
    ]


def test_a_row_of_the_wrong_width_is_refused():
    with pytest.raises(ValueError, match="zip"):
        Table("t", ("a", "b"), (("1",),)).text()
