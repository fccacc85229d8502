import xml.etree.ElementTree as ET

import numpy as np
import pytest

from benchmarks.speed import growth, growth_picture
from benchmarks.speed.figure import Figure
from benchmarks.speed.table import WIDTH
from seqlab import _core


def figures():
    for axis, points in (("tokens", (211_727, 3_387_632)), ("labels", (9, 500))):
        for n, at in enumerate(points):
            for dtype in growth.LOSSES:
                details = {"axis": axis, "at": at, "dtype": dtype, "tokens": at, "weights": 5}
                yield Figure("growth", f"{axis} {at}", "ms", 40.0 * 16**n, 0.1, 3, "abc", details=details)


def test_repeated_data_is_worth_as_many_times_its_objective():
    one = growth.synthetic(5, 3, quick=True)
    values = []
    for data in (one, growth.repeated(one, 3)):
        task, size = data.task()
        theta = np.random.default_rng(0).normal(size=size)
        values.append(_core.Likelihood64(task)(theta, np.empty_like(theta), 1))
    assert values[1] == pytest.approx(3 * values[0], rel=1e-12)


def test_synthetic_data_has_the_labels_and_attributes_asked_for():
    data = growth.synthetic(7, 4, quick=True)
    assert set(np.diff(data.indptr)) == {4}
    assert set(data.gold) == set(range(7))
    assert data.ids.min() >= 0
    assert data.ids.max() < growth.NAMES
    assert data.offsets[-1] == data.tokens == len(data.indptr) - 1


def test_table_of_growth_fits():
    [table] = growth.tables(list(figures()))
    assert max(map(len, table.text().splitlines())) <= WIDTH
    assert growth.tables([]) == []


def test_picture_has_a_panel_an_axis_and_a_dot_a_figure():
    picture = growth_picture.svg(list(figures()))
    root = ET.fromstring(picture)
    space = {"s": "http://www.w3.org/2000/svg"}
    assert len(root.findall("s:rect", space)) == 2
    assert len(root.findall("s:circle", space)) == 8
    width = float(root.attrib["viewBox"].split()[2])
    assert all(0 <= float(dot.attrib["cx"]) <= width for dot in root.findall("s:circle", space))


def test_scale_is_logarithmic():
    scale = growth_picture.Scale([1, 100], 0, 100)
    assert scale(10) == pytest.approx(50)
    assert scale.ticks() == [1, 10, 100]


@pytest.mark.parametrize(("value", "text"), [(9, "9"), (211_727, "212k"), (3_387_632, "3.39M")])
def test_numbers_below_an_axis_are_short(value, text):
    assert growth_picture.short(value) == text


def test_nothing_is_drawn_without_figures(monkeypatch, tmp_path):
    monkeypatch.setattr(growth, "PICTURE", tmp_path / "pictures" / "growth.svg")
    growth.draw([])
    assert not growth.PICTURE.exists()
    growth.draw(list(figures()))
    assert growth.PICTURE.read_text().startswith("<svg")
