from seqlab.views.text import laid_out, left, right


def test_cells_know_wide_characters_and_stay_on_one_line():
    assert right("日本", 6) == "  日本"
    assert left("a\nb", 5) == "a?b  "
    assert left("incomprehensible", 6) == "incom…"


def test_columns_stand_straight_and_a_mark_close_to_its_number():
    rows = [["", "F1", "", "size"], ["日本", "9.5", "**", "12 kB"], ["a", "10.25", "", "3 kB"]]
    assert laid_out(rows, "lrmr") == [
        "         F1      size",
        "日本    9.5 **  12 kB",
        "a     10.25      3 kB",
    ]
