"""Encoders and models of every kind, small enough to be cut and changed byte by byte."""

import numpy as np

from seqlab.corpus import Corpus
from seqlab.encode import Encoder
from seqlab.families.linear.model import EdgeWeights, LinearModel
from seqlab.features import Template
from seqlab.store import State
from seqlab.store.codec import state_of, value_of
from seqlab.tagging.door.constraints import Rules

TRAIN = Corpus.from_lists(
    word=[["the", "old", "man", "the", "Zürich"], [], ["old", "a\0b", "🙂", "the"]],
    pos=[["D", "N", "V", "D", "N"], [], ["N", "X\n", "🙂", "D"]],
)
OTHER = Corpus.from_lists(word=[["the", "Unseen", "🙂", "old"], ["man"]], pos=[["D"] * 4, ["N"]])
MIXED = Corpus.from_lists(
    word=[["a", "b"]], bag=[[{"x": 2.0}, {"y": 1.0, "x": 0.5}]], vec=[np.array([[1.0, 2.0], [0.5, -1.0]])]
)
LEXICON = {"old man": "X", "Zürich": "place", "🙂": "face"}
EDGES = """
word[0] min=2
both: word[-1] & word[0] & word[1]
edge: word[0]
bias
in(word[0], names)
gazetteer(lower(word[0]), names)
position
"""


def own(sentence, t):
    yield sentence["word"][t]
    yield "length", len(sentence["word"][t])


def encoders() -> dict[str, tuple[Encoder, object]]:
    """Fitted encoders, each with something to encode."""
    templates = {
        "template": Template.parse("word[0]\nsuffix(word[0], 1)\nword[-1] & pos[0]"),
        "edges": Template.parse(EDGES, lexicons={"names": LEXICON}),
        "crfpp": Template.from_crfpp("U%x[-1,0]\nU%x[0,0]\nU%x[0,1]\nB\nB%x[0,0]\n", columns=["word", "pos"]),
        "wapiti": Template.from_wapiti('*w=%X[0,0]\nu:%m[0,0,".?.?$"]/%x[-5,0]\nb\n', columns=["word"]),
        "nothing kept": Template.parse("word[0] min=99999999999999"),
    }
    made: dict[str, tuple[Encoder, object]] = {}
    for name, template in templates.items():
        encoder = Encoder(template)
        encoder.fit(TRAIN, "pos")
        made[name] = encoder, OTHER
    function = Encoder(own, min_count=2)
    function.fit(TRAIN, "pos")
    made["function"] = function, OTHER
    bags = Encoder()
    bags.fit([[{"a": 1, "b": 2.5, "\0": 1}, ["c", "d"]]], [["X", "Y"]])
    made["bags"] = bags, [[["a", "d", "z"]], [], [["\0"]]]
    mixed = Encoder("word[0]")
    mixed.fit(MIXED)
    made["mixed"] = mixed, MIXED
    made["fresh"] = Encoder("chunk", min_count=3), None
    return made


def linear(labels: tuple[str, ...], attributes: int, *, second: bool = False, edges: int = 0) -> LinearModel:
    """A model with weights drawn by lot."""
    rng = np.random.default_rng(7)
    L = len(labels)
    counts = rng.integers(0, L + 1, attributes)
    label = [np.sort(rng.choice(L, count, replace=False)) for count in counts]
    begin = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    rules = Rules(rng.random((L, L)) < 0.1, np.zeros(L, bool), rng.random(L) < 0.1)
    seen = rng.random((L, L)) < 0.7
    edge = None
    if edges:
        edge = EdgeWeights(
            np.arange(edges + 1, dtype=np.int64),
            rng.integers(0, L * L, edges).astype(np.int32),
            rng.normal(size=edges),
        )
    model = LinearModel(
        labels=labels,
        begin=begin,
        label=np.concatenate([np.zeros(0, int), *label]).astype(np.int32),
        weights=rng.normal(size=int(begin[-1])),
        moves=np.where(seen, rng.normal(size=(L, L)), 0),
        move_seen=seen,
        rules=rules,
        edge=edge,
    )
    if not second:
        return model
    triple_seen = rng.random((L, L, L)) < 0.5
    return LinearModel(
        **{
            name: getattr(model, name)
            for name in model.__slots__
            if name not in {"_scorers", "triples", "triple_seen"}
        }
        | {"coarse": model, "keep": 0.001},
        triples=np.where(triple_seen, rng.normal(size=(L, L, L)), 0),
        triple_seen=triple_seen,
    )


class Toy:
    """The least that a tagger keeps: an encoder and a model."""

    def __init__(self, encoder: Encoder, model: LinearModel) -> None:
        self.encoder, self.model = encoder, model

    def state(self) -> State:
        parts = {"encoder": self.encoder.state(), "model": state_of(self.model)}
        return State("toy", {"options": {"l2": 0.1}}, {}, {"epochs": 3}).with_parts(parts)

    @classmethod
    def from_state(cls, state: State) -> "Toy":
        encoder = Encoder.from_state(state.part("encoder", "encoder"))
        sizes = {"K": encoder.size, "E": encoder.edge_size}
        return cls(encoder, value_of(LinearModel, state.part("model", "linear model"), sizes))


def toy(*, second: bool = False) -> Toy:
    """A whole model over a template with label pairs and a lexicon."""
    encoder = encoders()["edges"][0]
    return Toy(encoder, linear(encoder.labels, encoder.size, second=second, edges=encoder.edge_size))
