from architecture.sizes import EXCEPTIONS, LIMIT, too_long
from architecture.tree import CPP_SUFFIXES, ROOT, files, text


def test_no_source_file_is_too_long():
    lengths = {
        path.relative_to(ROOT).as_posix(): len(text(path).splitlines())
        for folder in ("cpp", "src", "tests", "benchmarks", "tools")
        for path in files(ROOT / folder, ".py", ".sh", *CPP_SUFFIXES)
    }
    assert lengths
    assert too_long(lengths, EXCEPTIONS) == []


def test_size_rule_refuses_long_files_and_stale_exceptions():
    assert len(too_long({"a.py": LIMIT + 1}, {})) == 1
    assert len(too_long({"a.py": LIMIT + 1}, {"a.py": ""})) == 1
    assert len(too_long({"a.py": LIMIT}, {"a.py": "a table"})) == 1
    assert len(too_long({}, {"gone.py": "a table"})) == 1


def test_size_rule_permits_short_files_and_written_exceptions():
    assert too_long({"a.py": LIMIT, "b.py": LIMIT + 1}, {"b.py": "a table"}) == []
