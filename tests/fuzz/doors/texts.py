"""Templates, patterns, ARPA files; and any text given to tokenisers and taggers of every family."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import seqlab
from fuzz.doors.mutators import Mutator, lines
from oracle.foreign_files import CRFPP_TEMPLATE, WAPITI_PATTERNS
from seqlab import text
from seqlab.features import presets

Made = tuple[Callable[[bytes], Any], Sequence[bytes], Mutator | None]

TEMPLATE = "word[0]\nlower(word[-1]) & suffix(word[0], 2)\nedge: shape(word[0]) min=2\nngrams(word[0], 3)\n"
ENGLISH = "Dr. Smith doesn't sleep. He's at 3.50 p.m. (U.S.A.) — “well-known”!\n\na.b@c.org, http://x.y/z?q=1 🙂👍🏽"
SOME = seqlab.demo_corpus("train")[:40]
WORDS = [["The", "dog", "ran", "3.5"], ["é"], []]
COLUMNS = seqlab.Corpus.from_lists(dict.fromkeys(("word", "pos", "chunk"), WORDS))


def _string(data: bytes) -> str:
    """Any bytes as a text; those that are not UTF-8 become halves of surrogate pairs."""
    return data.decode("utf-8", "surrogateescape")


def _template(parse: Callable[[str], seqlab.Template], *seeds: str) -> Made:
    """Parse a template; its attributes are computed for some words."""

    def ask(data: bytes) -> None:
        template = parse(_string(data))
        str(template)
        encoder = seqlab.encode.Encoder(template)
        encoder.fit(COLUMNS)

    return ask, [seed.encode() for seed in seeds], lines


def _templates() -> Made:
    named = [str(getattr(presets, name)) for name in presets.__all__]
    return _template(seqlab.Template.parse, TEMPLATE, *named)


def _crfpp() -> Made:
    return _template(lambda given: seqlab.Template.from_crfpp(given + "\n"), "\n".join(CRFPP_TEMPLATE))


def _wapiti() -> Made:
    more = 'u:%X[0,0]\n*:%t[-1,0,"\\\\u\\\\p+$"]/%m[1,1,"^a.*b?"]'
    return _template(
        lambda given: seqlab.Template.from_wapiti(given + "\n"), "\n".join(WAPITI_PATTERNS), more
    )


def _arpa() -> Made:
    chain = seqlab.MarkovChain(2).fit(SOME[:8].select("pos"))
    target = io.BytesIO()
    chain.save_arpa(target)
    head = b"\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-99\t<s>\t-0.3\n"
    small = head + b"-0.3\t</s>\n-0.3\ta\t-0.1\n\n\\2-grams:\n-0.1\ta a\n\n\\end\\\n"

    def ask(data: bytes) -> None:
        found = seqlab.MarkovChain.from_arpa(io.BytesIO(data))
        found.log_prob(["a"])
        found.next(["a"])
        found.sample(2, seed=1)
        found.save_arpa(io.BytesIO())

    return ask, [small, target.getvalue()], lines


def _tokeniser() -> Made:
    rules, trained = text.RuleTokeniser(), text.TrainedTokeniser.train([text.detokenise(SOME.column("word"))])

    def ask(data: bytes) -> None:
        given = _string(data)
        for tokeniser in (rules, trained):
            document = tokeniser(given)
            for token in document.tokens:
                assert token, "a token is not empty"

    return ask, [ENGLISH.encode(), *(b" ".join(w.encode() for w in s) for s in SOME[:5].column("word"))], None


def _scoring() -> Made:
    """Tokens of any bytes, for a tagger of every family; the first byte says which."""
    quick = seqlab.LBFGS(max_iterations=3)
    taggers: list[Any] = [
        seqlab.CRF("ner", quick).fit(SOME, "chunk"),
        seqlab.CRF("word[0]\nedge: shape(word[0])", quick, order=2).fit(SOME[:8], "chunk"),
        seqlab.MEMM("pos", quick).fit(SOME, "pos"),
        seqlab.LinearTagger("pos", seqlab.Perceptron()).fit(SOME, "pos"),
        seqlab.HMM().fit(SOME, "pos"),
        seqlab.MostFrequentTag().fit(SOME, "pos"),
        text.Pipeline(None, seqlab.CRF("word[0]", quick).fit(SOME, "pos")),
    ]

    def ask(data: bytes) -> None:
        which = data[0] if data else 0
        tagger = taggers[which % len(taggers)]
        given = _string(data[1:])
        if isinstance(tagger, text.Pipeline):
            tagger(given)
            return
        tokens = given.split(" ") if which & 64 else given.split()
        labels = tagger.tag(tokens)
        assert len(labels) == len(tokens), "every token has a label"
        assert set(labels) <= set(tagger.labels_), "labels are those of the tagger"
        if which & 128 and tokens:
            tagger.nbest(tokens, n=2)

    return ask, [bytes([i]) + b"The old man sleeps at 3.5 km/h" for i in range(8)], None


DOORS: dict[str, Callable[[], Made]] = {
    "template": _templates,
    "crfpp_template": _crfpp,
    "wapiti_template": _wapiti,
    "arpa": _arpa,
    "tokeniser": _tokeniser,
    "scoring": _scoring,
}
