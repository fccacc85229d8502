import pytest

from architecture.silence import SPEAKING_FILES, SPEAKING_ROOMS, spoken
from architecture.tree import PACKAGE, files, text


def test_library_never_prints():
    found = {
        str(path.relative_to(PACKAGE)): lines
        for path in files(PACKAGE, ".py")
        if path.relative_to(PACKAGE).parts[0] not in SPEAKING_ROOMS
        and path.relative_to(PACKAGE).as_posix() not in SPEAKING_FILES
        and (lines := spoken(text(path)))
    }
    assert found == {}


@pytest.mark.parametrize(
    "source",
    ["print('x')", "import sys\nsys.stdout.write('x')", "show = print", "import sys\nout = sys.stderr"],
)
def test_silence_rule_refuses(source):
    assert spoken(source)


@pytest.mark.parametrize("source", ["'print(1)'  # print(1)", "pprint = str", "fingerprint(1)"])
def test_silence_rule_permits(source):
    assert spoken(source) == []
