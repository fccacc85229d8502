"""README.md and docs/benchmarks.md say what the stored results say, and the same."""

import re
from dataclasses import replace

import pytest

from benchmarks import pages
from benchmarks.quality import scores
from benchmarks.speed import growth, growth_picture, jobs, record
from benchmarks.speed.cases import CASES

SPEED, ACCURACY = record.read(), record.read(scores.RESULTS)
RENDERED = pages.rendered(SPEED, ACCURACY)


@pytest.mark.parametrize("page", pages.PAGES)
def test_committed_page_is_what_the_stored_results_give(page):
    assert (pages.ROOT / page).read_text(encoding="utf-8") == RENDERED[page], "run python -m benchmarks.pages"


def test_picture_of_growth_is_what_the_stored_results_give():
    figures = [one for one in record.Newest.of(SPEED).figures if one.case == growth.CASE]
    assert growth.PICTURE.read_text(encoding="utf-8") == growth_picture.svg(figures)


def test_pages_agree_on_every_row_they_share():
    rows = [re.findall(r"^\| .* \|$", RENDERED[page], re.MULTILINE) for page in pages.PAGES]
    shared = {row for row in rows[0] if re.search(r"\dx \|$", row)}
    assert len(shared) == len(jobs.figures(record.Newest.of(SPEED).figures))
    assert shared <= set(rows[1])


def test_page_of_benchmarks_has_a_place_for_every_case():
    names = re.findall(r"<!-- begin ([\w-]+) -->", RENDERED["docs/benchmarks.md"])
    assert sorted(names) == sorted([*CASES, "jobs-versions", "accuracy-marks", "speed", "tokens"])


@pytest.mark.parametrize("page", pages.PAGES)
def test_no_prose_repeats_a_figure(page):
    """Ratios and times stand in the tables alone, where they cannot go out of date."""
    prose = pages.PLACE.sub("", RENDERED[page])
    prose = re.sub(r"^```.*?^```", "", prose, flags=re.MULTILINE | re.DOTALL)
    assert not re.findall(r"\d(?:x| times| ns| ms| MB)\b", prose)


TEXT = "# top\n\n<!-- begin jobs -->\nold\n<!-- end jobs -->\n\nbottom\n"


def test_only_the_text_at_its_place_changes_and_twice_is_once():
    once = pages.filled(TEXT, {"jobs": "new"})
    assert once == TEXT.replace("old", "new")
    assert pages.filled(once, {"jobs": "new"}) == once


@pytest.mark.parametrize("text", ["", "<!-- begin jobs -->", "<!-- end jobs -->\n<!-- begin jobs -->"])
def test_page_without_a_place_is_an_error(text):
    with pytest.raises(pages.PlaceError, match="put <!-- begin NAME"):
        pages.filled(text, {"jobs": "new"})


def test_place_that_nobody_fills_is_an_error_that_names_it():
    with pytest.raises(pages.PlaceError, match="'jobs'; there are speed"):
        pages.filled(TEXT, {"speed": "new"})


def test_later_figure_takes_the_place_and_the_page_says_so(tmp_path):
    newest = record.Newest.of(SPEED)
    job = jobs.figures(newest.figures)[0]
    run = replace(newest.run, date="2099-01-02T03:04:05+00:00", commit="abc1234", command="make again")
    (tmp_path / "page.md").write_text(
        "<!-- begin jobs -->\n<!-- end jobs -->\n" + TEXT.replace("jobs", job.case)
    )
    again = [*SPEED, (run, replace(job, median=job.median / 10))]
    text = pages.rendered(again, ACCURACY, ["page.md"], tmp_path)["page.md"]
    assert f"at commit abc1234: '{job.name}'." in " ".join(text.split())
    assert "Made by `make again` on 2099-01-02" in text


@pytest.mark.parametrize(
    ("unit", "value", "shown"),
    [("s", 57.5, "57.5 s"), ("ms", 1234.0, "1.23 s"), ("ms", 42.4, "42.4 ms"), ("ns/token", 2e6, "20.0 ms")],
)
def test_duration_is_that_of_the_whole_job(unit, value, shown):
    job = replace(SPEED[0][1], unit=unit, details={"tokens": 10})
    assert jobs.duration(job, value) == shown
