"""Label batches of words from JSON to JSON in the core, without a Python object for each word."""

from __future__ import annotations

import json
from dataclasses import dataclass

from seqlab import _core
from seqlab.corpus import Corpus, StringColumn
from seqlab.errors import SeqlabError
from seqlab.serve.models import Models
from seqlab.serve.problems import from_error
from seqlab.serve.settings import Limits
from seqlab.tagging import Tagger
from seqlab.text.document import WORD


@dataclass(frozen=True, slots=True)
class Labelled:
    """An answer.

    model     the name of the model
    tokens    number of words
    content   the JSON
    """

    model: str
    tokens: int
    content: bytes


def labelled(body: bytes, models: Models, limits: Limits) -> Labelled | None:
    """Label {"batch": [[words], ...], "model": name}; None for any other request, and for what is wrong with it.

    body     as it came
    models   those that are served
    limits   bounds of a request
    """
    read = _core.read_json_batch(body)
    if read is None:
        return None
    name, codes, offsets, pool, longest = read
    if len(offsets) - 1 > limits.batch or longest > limits.tokens:
        return None
    served = models.get(name)
    tagger = served.tagger()
    if served.word_column is None or not isinstance(tagger, Tagger):
        return None
    try:
        ids = tagger._chosen(Corpus({WORD: StringColumn(codes, pool)}, offsets), None, None, 1)
    except SeqlabError as error:
        raise from_error(error) from None
    results = _core.write_json_labels(ids, offsets, served.labels)
    return Labelled(
        served.name, len(codes), b'{"model":%b,"results":%b}' % (json.dumps(served.name).encode(), results)
    )
