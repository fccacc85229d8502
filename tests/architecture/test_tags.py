import pytest

from architecture.tags import defined_twice, disagreements, lost_files, sections, tags, untagged
from architecture.tree import CPP, CPP_SUFFIXES, PACKAGE, ROOT, files, text

TESTS = ROOT / "tests"
PAGES = {path.name: text(path) for path in files(ROOT / "docs" / "equations", ".md")}


def test_every_equation_has_derivation_code_and_test():
    code = [*files(CPP, *CPP_SUFFIXES), *files(PACKAGE, ".py")]
    tests = [path for path in files(TESTS, ".py") if "architecture" not in path.parts]
    documented = sections(PAGES)
    assert documented
    found = disagreements(
        documented=documented,
        implemented=frozenset().union(*(tags(text(path)) for path in code)),
        tested=frozenset().union(*(tags(text(path)) for path in tests)),
    )
    assert found == []


def test_no_equation_has_two_sections():
    assert defined_twice(PAGES) == []


def test_index_names_every_equation_and_every_page():
    index = PAGES["README.md"]
    assert sections(PAGES) <= tags(index)
    assert [name for name in PAGES if name != "README.md" and f"]({name})" not in index] == []


def test_files_that_equations_name_exist_and_carry_their_tags():
    assert lost_files(PAGES, lambda path: any(ROOT.glob(path))) == []
    assert untagged(PAGES, lambda path: "".join(map(text, ROOT.glob(path)))) == []


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_search_for_the_recursion_leads_to_one_loop(direction):
    """In cpp/, beside the bindings, the tag stands above the definition and nowhere else."""
    found = [
        path.relative_to(CPP).as_posix()
        for path in files(CPP, *CPP_SUFFIXES)
        if f"eq:{direction}" in tags(text(path)) and "bind" not in path.parts
    ]
    assert found == [f"inference/definition/{direction}.hpp"]


def test_tags_are_read_whole():
    text_with_tags = "// eq:forward   α_t(y) (see eq:log-partition, eq:order-k.) neq:no eq:Upper eq:viterbi-"
    assert tags(text_with_tags) == {"eq:forward", "eq:log-partition", "eq:order-k", "eq:viterbi"}


def test_second_section_of_a_tag_is_noticed():
    pages = {"hmm.md": "## eq:a\n\nsee eq:b\n\n## eq:b\n", "chains.md": "# All\n\n## eq:a\n"}
    assert sections(pages) == {"eq:a", "eq:b"}
    assert defined_twice(pages) == ["eq:a has a section in hmm.md and in chains.md"]
    assert defined_twice({"hmm.md": "## eq:a\n\n## eq:a\n"}) == ["eq:a has a section in hmm.md and in hmm.md"]


def test_file_that_went_away_is_noticed():
    page = "**Code.** `long_run` in `src/here.py`, `gone.cpp`. **Test.** `tests/here_too.py`"
    assert lost_files({"a.md": page}, lambda path: "here" in path) == [
        "docs/equations/a.md: gone.cpp does not exist"
    ]


def test_file_without_the_tag_is_noticed():
    page = "## eq:a\n\n**Code.** `a.py`, `b.py`. **Test.** `c.py`.\n\n## eq:b\n\n**Code.** `b.py`. **Test.** `b.py`.\n"
    read = {"a.py": "eq:b", "b.py": "eq:a eq:b", "c.py": "eq:a-b"}.get
    assert untagged({"x.md": page}, read) == [
        "docs/equations/x.md: no file that eq:a names under **Test.** has the tag"
    ]
    assert len(untagged({"x.md": "## eq:a\n\nno file\n"}, read)) == 2


def test_each_missing_place_is_named():
    everywhere = frozenset({"eq:a", "eq:b"})
    less = frozenset({"eq:a"})
    assert disagreements(documented=everywhere, implemented=everywhere, tested=everywhere) == []
    assert disagreements(documented=everywhere, implemented=less, tested=everywhere) == [
        "eq:b is in docs/equations but nowhere in cpp/ or src/"
    ]
    assert disagreements(documented=everywhere, implemented=everywhere, tested=less) == [
        "eq:b is in docs/equations but in no test"
    ]
    assert disagreements(documented=less, implemented=everywhere, tested=everywhere) == [
        "eq:b is in a test but not in docs/equations",
        "eq:b is in the code but not in docs/equations",
    ]
