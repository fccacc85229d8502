"""n-gram models beside nltk.lm: counting, smoothing, and the perplexity of other text.

Both sides get the same lists of words. nltk.lm counts when it is fitted and smooths when it is asked; we do both when
we are fitted, so our times of fitting have more in them. Text is scored with Witten-Bell, since nltk.lm looks through
all its n-grams for each answer of Kneser-Ney. Before anything is timed, probabilities of both sides are compared.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from benchmarks.speed import data
from benchmarks.speed.figure import Figure, Peer, mark, widest_spread
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.table import Table, number
from benchmarks.speed.timing import Timing, measure
from seqlab import MarkovChain
from seqlab.corpus import read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CASE = "ngrams"
TRAIN, TEST = "conll2000/train.txt", "conll2000/test.txt"
ORDERS = (1, 2)
AT_LEAST = 20.0
SCORED = 200  # sentences; nltk.lm takes seconds for all of them

Lists = list[list[str]]


def run(*, quick: bool = False) -> list[Figure]:
    train, test = data.found(TRAIN), data.found(TEST)
    if train is None or test is None:
        print(data.absent(CASE))
        return []
    corpus = read(train)[: 500 if quick else None]
    text, other = corpus.column("word"), read(test).column("word")[: 20 if quick else SCORED]
    seconds = 0.2 if quick else 2.0
    figures = []
    for order in ORDERS:
        chain = MarkovChain(order, "witten-bell").fit(text)
        model = counted("WittenBellInterpolated", order, text)
        check_agreement(order, text, other)
        input_hash = hash_of(corpus.strings("word").codes)
        fitting: dict[str, Callable[[], object]] = {
            "nltk.lm": lambda order=order: counted("WittenBellInterpolated", order, text),
            "seqlab": lambda order=order: MarkovChain(order, "kneser-ney").fit(text),
        }
        scoring: dict[str, Callable[[], object]] = {
            "nltk.lm": lambda order=order, model=model: log_prob(model, order, other),
            "seqlab": lambda chain=chain: chain.perplexity(other, threads=1),
        }
        tokens = corpus.token_count
        figures.append(figure("fit", order, measure(fitting, seconds=seconds), input_hash, tokens))
        tokens = sum(map(len, other))
        figures.append(figure("perplexity", order, measure(scoring, seconds=seconds), input_hash, tokens))
    return figures


def counted(kind: str, order: int, text: Lists) -> Any:
    import nltk.lm
    from nltk.lm.preprocessing import padded_everygram_pipeline

    model = getattr(nltk.lm, kind)(order + 1)
    model.fit(*padded_everygram_pipeline(order + 1, text))
    return model


def log_prob(model: Any, order: int, sentences: Lists) -> float:
    """Natural log-probability of the sentences: what a perplexity is made of."""
    total = 0.0
    for sentence in sentences:
        padded = ["<s>"] * order + sentence + ["</s>"]
        total += sum(model.logscore(padded[t], padded[t - order : t]) for t in range(order, len(padded)))
    return total * math.log(2)


def check_agreement(order: int, text: Lists, other: Lists) -> None:
    """Relative frequencies, where both sides define them: after histories that were seen."""
    chain, model = MarkovChain(order).fit(text), counted("MLE", order, text)
    for sentence in other[:20]:
        for t in range(order, len(sentence)):
            history = sentence[t - order : t]
            if not model.counts[history]:
                continue
            theirs, word = model.score(sentence[t], history), sentence[t]
            found = chain.next(history)
            ours = found[word] if word in chain.symbols_ else 0.0
            if not math.isclose(ours, theirs, rel_tol=1e-12):
                raise AssertionError(f"P({word} | {history}) is {ours}, nltk.lm says {theirs}")


def figure(job: str, order: int, timings: dict[str, Timing], input_hash: str, tokens: int) -> Figure:
    mine, peer = timings["seqlab"], timings["nltk.lm"]
    return Figure(
        case=CASE,
        name=f"{job}, order {order}",
        unit="ms",
        median=mine.median * 1e3,
        spread=mine.spread,
        repetitions=mine.repetitions,
        input_hash=input_hash,
        at_least=AT_LEAST,
        peer=Peer("nltk.lm", peer.median * 1e3, peer.spread, peer.repetitions),
        details={"tokens": tokens},
    )


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [figure for figure in figures if figure.case == CASE]
    if not mine:
        return []
    rows = tuple(
        (
            f"{figure.name}, {figure.details['tokens']:,} tokens",
            "-" if figure.peer is None else number(figure.peer.median),
            number(figure.median),
            mark(f"{figure.ratio:.1f}x", figure),
            f"{figure.at_least:.0f}x",
        )
        for figure in mine
    )
    return [
        Table(
            title="n-gram models: CoNLL-2000 words, CPU ms",
            header=("", "nltk.lm", "seqlab", "ratio", "aim"),
            rows=rows,
            note=(
                f"fit: counts, and ours also Kneser-Ney; perplexity: Witten-Bell. Middle half of the samples within "
                f"{widest_spread(mine)} of the median."
            ),
        )
    ]
