from seqlab.views.text import align_points, bands, centre


def test_bands_fill_the_room_and_lose_nothing():
    assert bands([4, 4, 4, 4, 4], 8) == [range(2), range(2, 4), range(4, 5)]
    assert bands([4, 4], 100) == [range(2)]
    assert bands([], 10) == []


def test_a_column_too_wide_stands_alone():
    assert bands([3, 99, 3], 10) == [range(1), range(1, 2), range(2, 3)]


def test_decimal_points_stand_under_each_other():
    assert align_points(["-10.5", "2.25", "", "7"]) == ["-10.5", "  2.25", "", "  7"]


def test_centre_leans_left_and_never_goes_below_zero():
    assert [centre(3, room) for room in (2, 3, 4, 5, 6)] == [0, 0, 0, 1, 1]
