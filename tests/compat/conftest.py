import pytest

from seqlab import demo_corpus

TRAIN, TEST = demo_corpus("train")[:60], demo_corpus("test")[:20]


def features(words, t):
    """A token in the styles that users have: strings, numbers, switches, nested dicts and lists."""
    word = words[t]
    return {
        "bias": 1.0,
        "lower": word.lower(),
        "shape": {"title": word.istitle(), "length": len(word) / 10, "end": [word[-2:], word[-3:]]},
        "before": words[t - 1].lower() if t else "BOS",
        "after": {words[t + 1].lower()} if t + 1 < len(words) else set(),
    }


def data(corpus):
    words = [list(sentence["word"]) for sentence in corpus]
    X = [[features(one, t) for t in range(len(one))] for one in words]
    return X, [list(sentence["pos"]) for sentence in corpus]


@pytest.fixture(scope="session")
def train():
    return data(TRAIN)


@pytest.fixture(scope="session")
def test():
    return data(TEST)
