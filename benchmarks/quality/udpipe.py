"""UDPipe 1 beside our tokeniser: `python udpipe.py TRAIN DEV TEXTS [MODEL]` trains it and prints tokens of texts.

A script of its own, which needs ufal.udpipe and nothing of seqlab, so that any Python that has it may run it. TEXTS is
a JSON list; out comes a JSON object with "documents" (a list of sentences of [begin, end, joined] each). MODEL
is one that was trained before, with the options below: then nothing is trained.
"""

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from ufal import udpipe

OPTIONS = "dimension=64;epochs=60;initialization_range=0.5;batch_size=50;learning_rate=0.002;dropout=0.1"
OPTIONS += ";early_stopping=1"
RANGE = re.compile(r"TokenRange=(\d+):(\d+)")


def sentences_of(path: str) -> Any:
    reader, found, error = (
        udpipe.InputFormat.newConlluInputFormat(),
        udpipe.Sentences(),
        udpipe.ProcessingError(),
    )
    reader.setText(Path(path).read_text(encoding="utf-8"))
    while True:
        sentence = udpipe.Sentence()
        if not reader.nextSentence(sentence, error):
            return found
        found.append(sentence)


def trained(train: Any, dev: Any) -> Any:
    error, none = udpipe.ProcessingError(), udpipe.Trainer.NONE
    made = udpipe.Trainer.train("morphodita_parsito", train, dev, OPTIONS, none, none, error)
    if error.occurred():
        raise RuntimeError(error.message)
    path = Path("model.udpipe")
    path.write_bytes(made if isinstance(made, bytes) else made.encode("latin1"))
    return udpipe.Model.load(str(path))


def tokens_of(sentence: Any, text: str) -> list[tuple[int, int, bool]]:
    """Places of the words of a sentence; parts of a multiword token follow each other where they spell it."""
    multiword = {one.idFirst: one for one in sentence.multiwordTokens}
    rows, inside, words = [], 0, list(sentence.words)
    for word in words[1:]:
        if word.id <= inside:
            continue
        token = multiword.get(word.id, word)
        begin, end = map(int, RANGE.search(token.misc).groups())
        if token is word:
            rows.append((begin, end, False))
            continue
        inside = token.idLast
        forms = [one.form for one in words[token.idFirst : token.idLast + 1]]
        if "".join(forms) != text[begin:end]:
            rows.append((begin, end, False))
            continue
        for number, form in enumerate(forms):
            rows.append((begin, begin + len(form), number > 0))
            begin += len(form)
    return rows


def cut(model: Any, text: str) -> list[Any]:
    tokeniser, found, error = model.newTokenizer("ranges"), [], udpipe.ProcessingError()
    tokeniser.setText(text)
    while True:
        sentence = udpipe.Sentence()
        if not tokeniser.nextSentence(sentence, error):
            return found
        found.append(tokens_of(sentence, text))


def main(train: str, dev: str, texts: str, ready: str = "") -> None:
    began = time.process_time()
    model = udpipe.Model.load(ready) if ready else trained(sentences_of(train), sentences_of(dev))
    seconds = None if ready else time.process_time() - began
    began, given = time.process_time(), json.loads(Path(texts).read_text(encoding="utf-8"))
    documents = [cut(model, text) for text in given]
    rate = sum(map(len, given)) / (time.process_time() - began) / 1e6
    told = {"documents": documents, "seconds": seconds, "rate": rate, "options": OPTIONS}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
