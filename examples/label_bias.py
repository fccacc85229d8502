"""Label bias: an MEMM falls for it, a CRF does not.

    python examples/label_bias.py

Two words share their first letter, and a label says which word one is in, and where:

              i
         r ┌─1───2─┐ b
      start        3
         r └─4───5─┘ b
              o

So *rib* is labelled 1 2 3 and *rob* 4 5 3. The r tells nothing; the second letter decides. *rob* is the more common
word. After 1 only 2 may come, and after 4 only 5. An MEMM shares out probability 1 among the labels that may follow:
here all of it goes to the only one, whatever letter is read. The letter that decides is never asked. A CRF weighs the
whole word. (After Bottou 1991, and Lafferty, McCallum and Pereira 2001.)
"""

from __future__ import annotations

import itertools
import math

from seqlab import CRF, MEMM, Constraints

LABELS = "12345"
PATHS = {"rib": "123", "rob": "453"}
COUNTS = {"rib": 40, "rob": 60}
LEGAL = {pair for path in PATHS.values() for pair in itertools.pairwise(path)}


def training() -> tuple[list[list[str]], list[list[str]]]:
    """Letters and labels of every word, as often as it occurs."""
    words = [word for word, count in COUNTS.items() for _ in range(count)]
    return [list(word) for word in words], [list(PATHS[word]) for word in words]


def trained(kind: type[CRF | MEMM], *, machine: bool = True) -> CRF | MEMM:
    """A model of the words; with `machine`, moves that no word makes are forbidden in training and after."""
    rules = Constraints(
        forbidden_moves=[(a, b) for a in LABELS for b in LABELS if (a, b) not in LEGAL],
        forbidden_starts=["2", "3", "5"],
    )
    X, y = training()
    return kind("word[0]", constraints=rules if machine else None).fit(X, y)


def readings(model: CRF | MEMM, word: str, n: int = 2) -> list[tuple[str, float]]:
    """The n most probable labellings with their probabilities."""
    found = []
    for path in model.nbest(list(word), n):
        assert path.log_prob is not None  # noqa: S101  (both models have probabilities)
        found.append(("".join(map(str, path.labels)), math.exp(path.log_prob)))
    return found


def main() -> None:
    """Print what both models read."""
    print(f"training: {COUNTS['rib']} times rib = 1 2 3, {COUNTS['rob']} times rob = 4 5 3\n")
    for machine in (True, False):
        print("only the moves of the two words are legal" if machine else "all moves are legal")
        print("  model  word  best      next      right?")
        for kind in (MEMM, CRF):
            model = trained(kind, machine=machine)
            for word, right in PATHS.items():
                best, second = (f"{path} {chance:.3f}" for path, chance in readings(model, word))
                verdict = "yes" if model.tag(list(word)) == list(right) else "NO"
                print(f"  {kind.__name__:<5}  {word}   {best} {second} {verdict}")
        print()
    memm, crf = trained(MEMM), trained(CRF)
    print("why: the chance of the first label 4 when more and more of rib is read")
    for read in ("r", "ri", "rib"):
        chances = (model.posterior(list(read)).label(0, "4") for model in (memm, crf))
        print("  {:<4} MEMM {:.3f}   CRF {:.3f}".format(read, *chances))


if __name__ == "__main__":
    main()
