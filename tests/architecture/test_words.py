import pytest

from architecture.tree import CPP, CPP_SUFFIXES, PACKAGE, ROOT, files, text
from architecture.words import vague_comments, vague_docstrings


def test_docstrings_begin_with_a_verb_or_a_noun():
    found = {str(path.relative_to(ROOT)): vague_docstrings(text(path)) for path in files(PACKAGE, ".py")}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_cpp_comments_begin_with_a_verb_or_a_noun():
    found = {str(path.relative_to(ROOT)): vague_comments(text(path)) for path in files(CPP, *CPP_SUFFIXES)}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "words", ["What it is", "Who asks", "Whoever asks", "The same for rows", "As above", "How"]
)
def test_word_rule_refuses(words):
    assert vague_docstrings(f'def f():\n    """{words}."""')
    assert vague_docstrings(f'"""{words}."""')
    assert vague_docstrings(f'class C:\n    """\n    {words}.\n    """')
    assert vague_comments(f"int x;\n    // {words}.\nint f();")


@pytest.mark.parametrize("words", ["Compute what is wanted", "However odd", "Whole sentences"])
def test_word_rule_permits(words):
    assert vague_docstrings(f'def f():\n    """{words}.\n\n    What follows is text.\n    """') == []
    assert vague_comments(f"// {words},\n// whether long or short.\nint f();") == []
