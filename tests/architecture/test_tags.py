from architecture.tags import disagreements, tags
from architecture.tree import CPP, CPP_SUFFIXES, PACKAGE, ROOT, files, text

TESTS = ROOT / "tests"


def test_every_equation_has_derivation_code_and_test():
    code = [*files(CPP, *CPP_SUFFIXES), *files(PACKAGE, ".py")]
    tests = [path for path in files(TESTS, ".py") if "architecture" not in path.parts]
    documented = tags(text(ROOT / "docs" / "equations.md"))
    assert documented
    found = disagreements(
        documented=documented,
        implemented=frozenset().union(*(tags(text(path)) for path in code)),
        tested=frozenset().union(*(tags(text(path)) for path in tests)),
    )
    assert found == []


def test_tags_are_read_whole():
    text_with_tags = "// eq:forward   α_t(y) (see eq:log-partition, eq:order-k.) neq:no eq:Upper eq:viterbi-"
    assert tags(text_with_tags) == {"eq:forward", "eq:log-partition", "eq:order-k", "eq:viterbi"}


def test_each_missing_place_is_named():
    everywhere = frozenset({"eq:a", "eq:b"})
    less = frozenset({"eq:a"})
    assert disagreements(documented=everywhere, implemented=everywhere, tested=everywhere) == []
    assert disagreements(documented=everywhere, implemented=less, tested=everywhere) == [
        "eq:b is in docs/equations.md but nowhere in cpp/ or src/"
    ]
    assert disagreements(documented=everywhere, implemented=everywhere, tested=less) == [
        "eq:b is in docs/equations.md but in no test"
    ]
    assert disagreements(documented=less, implemented=everywhere, tested=everywhere) == [
        "eq:b is in a test but not in docs/equations.md",
        "eq:b is in the code but not in docs/equations.md",
    ]
