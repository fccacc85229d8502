"""A short use of an installed seqlab: train, tag, save, load, ask. `make wheel` and the wheels of CI run it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import seqlab
from seqlab import CRF, HMM, _core, inference

train, test = seqlab.demo_corpus("train"), seqlab.demo_corpus("test")
crf = CRF("ner", constraints="IOB2").fit(train, "entity")
tokens = ["Anna", "Weber", "lives", "in", "New", "York"]
labels = crf.tag(tokens)
if labels != ["B-PER", "I-PER", "O", "O", "B-LOC", "I-LOC"]:
    sys.exit(f"unexpected labels: {labels}")

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "names.model"
    crf.save(path)
    again = seqlab.load(path)
    if again.predict(test) != crf.predict(test):
        sys.exit("a model that was saved and loaded answers otherwise")

attributes = [[{"word": word, "length": len(word)} for word in sentence.tokens] for sentence in train[:200]]
parts = [list(sentence["pos"]) for sentence in train[:200]]
given = CRF().fit(attributes, parts)  # dicts of attributes, as python-crfsuite takes them
if given.score(attributes, parts) < 0.9:
    sys.exit("attributes are not learned")
if not 0.0 < HMM().fit(train, "pos").posterior(tokens).node.max() <= 1.0:
    sys.exit("an HMM has no posterior")

trellis = seqlab.Trellis(np.random.default_rng(1).normal(size=(30, 9)), np.zeros((9, 9)))
for kernel in inference.kernels():
    with inference.use_kernel(kernel):
        found = inference.log_partition(trellis)
    if abs(found - np.logaddexp.reduce(inference.forward(trellis)[-1])) > 1e-10:
        sys.exit(f"kernel {kernel} disagrees with the definition")

print(
    f"seqlab {seqlab.__version__}, {Path(_core.__file__).name}, kernels {', '.join(inference.kernels())}: all well"
)
