"""A process that trains one model and writes its bits; test_kills.py kills it."""

import sys
import warnings

from scale.checkpoint.trainings import bits, sentences
from seqlab import CRF, HMM, LBFGS, MEMM, SGD, BaumWelch, Checkpoint, LinearTagger, Perceptron, StructuredSVM
from seqlab.files import write_whole

CASES = {
    "l2": lambda: CRF("chunk", LBFGS(max_iterations=30)),
    "l1": lambda: CRF("chunk", LBFGS(l1=0.3, max_iterations=30)),
    "memm": lambda: MEMM("chunk", LBFGS(max_iterations=30)),
    "sgd": lambda: CRF("chunk", SGD(epochs=12, averaged=True)),
    "perceptron": lambda: LinearTagger("chunk", Perceptron(epochs=15)),
    "svm": lambda: LinearTagger("chunk", StructuredSVM(epochs=15)),
    "order 2": lambda: CRF("chunk", LBFGS(max_iterations=15), order=2),
    "restarts": lambda: HMM(6, learner=BaumWelch(max_iterations=30, restarts=4), threads=2),
}


def main(name, place, out):
    """Train the case of this name with its checkpoint in `place`, if any, and write the bits of the model to `out`."""
    warnings.simplefilter("ignore")
    corpus, model = sentences(200), CASES[name]()
    data = (corpus.column("word"),) if isinstance(model, HMM) else (corpus, "chunk")
    options = {"checkpoint": Checkpoint(place, every=0)} if place else {}
    print("ready", flush=True)  # noqa: T201
    write_whole(out, bits(model.fit(*data, **options)))  # a kill may come here, too


if __name__ == "__main__":
    main(*sys.argv[1:])
