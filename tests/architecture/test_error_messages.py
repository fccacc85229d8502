import pytest

from architecture.error_messages import cuts, pasted_places
from architecture.tree import PACKAGE, files, text


@pytest.mark.parametrize("rule", [cuts, pasted_places])
def test_places_of_errors_are_data(rule):
    found = {
        str(path.relative_to(PACKAGE)): lines for path in files(PACKAGE, ".py") if (lines := rule(text(path)))
    }
    assert found == {}


@pytest.mark.parametrize(
    "body",
    [
        "reason = str(error).partition(': ')[2]",
        "text = str(error)\n    reason = text.removeprefix('sentence 3: ')",
        "raise LabelError(f'{error}'.replace('this', 'that'))",
        "found = re.match(NUMBER, str(error))",
        "found = NUMBER.sub('', error.message)",
        "text = error.args[0]\n    raise StoreError(text[3:])",
        "if str(error).startswith('line '):\n        raise",
        "if 'sentence' in str(error):\n        raise",
        "raise type(error)(f'dev: {error}')",
        "error.args[0].split(':')",
    ],
)
@pytest.mark.parametrize(
    "caught", ["CorpusError", "(LabelError, errors.StoreError)", "ValueError", "SeqlabError"]
)
def test_message_rule_refuses(body, caught):
    assert cuts(f"try:\n    f()\nexcept {caught} as error:\n    {body}\n")


@pytest.mark.parametrize(
    "body",
    [
        "raise error.at(offset=3) from None",
        "raise error.inside('dev') from error.__cause__",
        "raise StoreError(f'the template is not sound: {error}') from error",
        "raise StoreError(error.message, place=error.place)",
        "show(str(error))",
    ],
)
def test_message_rule_permits(body):
    assert cuts(f"try:\n    f()\nexcept CorpusError as error:\n    {body}\n") == []
    assert cuts("try:\n    f()\nexcept TypeError as error:\n    str(error).partition(':')\n") == []


def test_place_rule_wants_data():
    assert pasted_places("raise CorpusError(f'sentence {s}: no tokens')")
    assert pasted_places("raise StoreError(f'line {n}: no number' + more)")
    assert pasted_places("raise CorpusError('no tokens', place=Place(s))") == []
    assert pasted_places("raise RuntimeError(f'sentence {s}: never')") == []
