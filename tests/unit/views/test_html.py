import re

import pytest

from seqlab.views import html
from seqlab.views.palette import DARK, LIGHT


def test_a_page_is_whole_needs_nothing_else_and_is_written(tmp_path):
    page = html.page("A < B", ["<p>one</p>", "<p>two</p>"], tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert page.startswith("<!doctype html>")
    assert "<title>A &lt; B</title>" in page
    assert "<h1>A &lt; B</h1>\n<p>one</p>\n<p>two</p>" in page
    assert not re.search(r"https?:|url\(|@import|<script", page)


def test_a_page_has_the_inks_of_pictures_and_no_others():
    page = html.page("", [])
    assert set(re.findall(r"#[0-9a-f]{6}\b", page)) == {*LIGHT.values(), *DARK.values()}
    defined = set(re.findall(r"(--[a-z-]+):", page))
    assert set(re.findall(r"var\((--[a-z-]+)", page)) - {"--share"} <= defined


def test_a_table_escapes_everything_and_leaves_empty_groups_out():
    made = html.table(["<model>"], [html.row("<b>", ["1 & 2"], kind="best")], [])
    assert made.count("<tbody>") == 1
    assert '<th scope="col">&lt;model&gt;</th>' in made
    assert '<tr class="best"><th scope="row">&lt;b&gt;</th><td>1 &amp; 2</td></tr>' in made


@pytest.mark.parametrize("kind", ["", "scores"])
def test_a_table_may_have_a_kind(kind):
    assert (f'<table class="{kind}">' if kind else "<table>") in html.table(["a"], kind=kind)
