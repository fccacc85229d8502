"""The library is silent: it returns strings and objects, and only the command line writes them out."""

import ast

SPEAKING_ROOMS = frozenset({"cli"})
SPEAKING_FILES = frozenset(
    {
        "serve/logs.py",  # the log of the service
        "learning/monitor.py",  # shows progress, only when asked to
        "scale/progress.py",
        # As the originals do, where a user has said verbose, or dump without a file.
        "compat/hmmlearn/monitor.py",
        "compat/pycrfsuite/tagger.py",
        "compat/pycrfsuite/trainer.py",
        "compat/sklearn_crfsuite/estimator.py",
        "compat/sklearn_crfsuite/trainer.py",
    }
)
STREAMS = frozenset({"stdout", "stderr", "__stdout__", "__stderr__"})


def spoken(source: str) -> list[int]:
    """Lines that call print or touch the standard streams."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        prints = isinstance(node, ast.Name) and node.id == "print"
        streams = isinstance(node, ast.Attribute) and node.attr in STREAMS
        if prints or streams:
            lines.append(node.lineno)
    return sorted(lines)
