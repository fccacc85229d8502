"""One of everything that a notebook shows."""

import warnings
from functools import cache

import numpy as np
from sklearn.linear_model import LogisticRegression

import seqlab
from seqlab.corpus import demo_corpus

SENTENCE = ["The", "old", "man", "the", "boat"]


@cache
def objects():
    train, test = demo_corpus("train")[:60], demo_corpus("test")[:20]
    few = seqlab.LBFGS(max_iterations=4)
    rng = np.random.default_rng(0)
    vectors = [rng.normal(size=(6, 2)) for _ in range(5)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        crf = seqlab.CRF("pos", few).fit(train, "pos", dev=test)
        entities = seqlab.CRF("ner", few).fit(train, "entity")
        plain = seqlab.LinearTagger("word[0]", seqlab.Perceptron(epochs=2)).fit(train, "pos")
        second = seqlab.CRF("word[0]", few, order=2).fit(train, "pos")
        return {
            "corpus": train,
            "sentence": train[0],
            "token": train[0][0],
            "crf": crf,
            "second": second,
            "unfitted": seqlab.CRF(),
            "perceptron": plain,
            "memm": seqlab.MEMM("word[0]", few).fit(train, "pos"),
            "hmm": seqlab.HMM().fit(train, "pos"),
            "first_hmm": seqlab.HMM(order=1, smoothing="mle").fit(train, "pos"),
            "hidden": seqlab.HMM(2, seqlab.Gaussian(), learner=seqlab.BaumWelch(max_iterations=3)).fit(
                vectors
            ),
            "local": seqlab.LocalTagger(LogisticRegression(), "word[0]").fit(train, "pos"),
            "baseline": seqlab.MostFrequentTag().fit(train, "pos"),
            "chain": seqlab.MarkovChain().fit(train.column("word")),
            "reranker": seqlab.Reranker(plain, n=4).fit(train, "pos"),
            "mixture": seqlab.MultinomialMixture(2, epochs=3).fit([["a", "b"], ["c"], ["a"]]),
            "means": seqlab.GaussianMeans(2, epochs=3).fit(rng.normal(size=(20, 2))),
            "report": crf.evaluate(test),
            "spans": entities.evaluate(test, bootstrap=20),
            "history": crf.history_,
            "trellis": crf.trellis(SENTENCE),
            "posterior": crf.posterior(SENTENCE),
            "nbest": crf.nbest(SENTENCE, 3),
            "unnormalised": plain.nbest(SENTENCE, 3),
            "samples": crf.sample(SENTENCE, 3),
            "explanation": crf.explain(SENTENCE, 1),
            "margin": plain.explain(SENTENCE, 1),
            "pruned": crf.prune(keep=0.3, dev=test).pruned_,
            "check": seqlab.check(train, dev=train[:2]),
            "tuning": seqlab.tune(
                seqlab.CRF("word[0]", few), train, "pos", search={"learner__l2": [0.1, 1.0]}, folds=2
            ),
            "comparison": seqlab.compare(
                train, test, ["baseline", "hmm"], "pos", bootstrap=20, trials=20, threads=1
            ),
        }
