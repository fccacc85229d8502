"""n-gram models by their definitions: every count taken anew, every formula written out, slow and obvious."""

import math
from collections import Counter

START, END = "<s>", "</s>"


class Definition:
    """P(w | history) for histories that are tuples of symbols, perhaps beginning with the start symbol."""

    def __init__(self, sentences, order, smoothing, symbols, *, end=True, value=0.0, discounts=None):
        self.order, self.smoothing, self.symbols, self.value = order, smoothing, symbols, value
        padded = [(START, *sentence, *((END,) if end else ())) for sentence in sentences]
        self.counts = Counter(
            sentence[i : i + n]
            for sentence in padded
            for n in range(1, order + 2)
            for i in range(len(sentence) - n + 1)
        )
        self.discounts = [discounts or self.estimated(n) for n in range(1, order + 2)]
        self.weights = self.deleted(padded) if smoothing == "interpolated" else []

    def count(self, gram):
        """eq:ngram, or for Kneser-Ney how many symbols stood before it (eq:kneser-ney)."""
        if self.smoothing != "kneser-ney" or len(gram) == self.order + 1 or gram[0] == START:
            return self.counts[gram]
        return sum(1 for other in self.counts if len(other) == len(gram) + 1 and other[1:] == gram)

    def estimated(self, n):
        """eq:discounts"""
        grams = [gram for gram in self.counts if len(gram) == n and gram != (START,)]
        have = Counter(self.count(gram) for gram in grams)
        if not (have[1] and have[2] and have[3]):
            return 0.5, 1.0, 1.5
        y = have[1] / (have[1] + 2 * have[2])
        found = [j - (j + 1) * y * have[j + 1] / have[j] for j in (1, 2, 3)]
        return tuple(found) if all(0 <= d <= j for j, d in enumerate(found, 1)) else (0.5, 1.0, 1.5)

    def followed(self, history):
        return sum(self.counts[*history, v] for v in self.symbols)

    def deleted(self, padded):
        """Weights of the uniform distribution and of histories of 0, 1, ... symbols (eq:deleted-interpolation)."""
        votes = [0.0] * (self.order + 2)
        for sentence in padded:
            for t in range(1, len(sentence)):
                shares = [1 / len(self.symbols)]
                for j in range(min(t, self.order) + 1):
                    history = sentence[t - j : t]
                    rest = self.followed(history) - 1
                    shares.append((self.counts[*history, sentence[t]] - 1) / rest if rest else 0.0)
                votes[max(j for j, share in enumerate(shares) if share == max(shares))] += 1
        kept = [max(vote / sum(votes), 1e-3) for vote in votes]
        return [one / sum(kept) for one in kept]

    def mixed(self, w, history):
        """The frequencies of all lengths of history that were seen, by their weights."""
        total, whole = self.weights[0] / len(self.symbols), self.weights[0]
        for j in range(len(history) + 1):
            end = history[len(history) - j :]
            if self.followed(end):
                total += self.weights[j + 1] * self.counts[*end, w] / self.followed(end)
                whole += self.weights[j + 1]
        return total / whole

    def p(self, w, history):
        history = tuple(history)[-self.order :]
        if self.smoothing == "interpolated":
            return self.mixed(w, history)
        after = {v: self.count((*history, v)) for v in self.symbols}
        after = {v: c for v, c in after.items() if c > 0}
        total, types = sum(after.values()), len(after)
        if self.smoothing == "add-lambda":
            return (after.get(w, 0) + self.value) / (total + self.value * len(self.symbols))
        shorter = 1 / len(self.symbols) if not history else None
        if not history and (types == len(self.symbols) or self.smoothing == "mle"):
            return after.get(w, 0) / total
        if shorter is None:
            if not total:
                return self.p(w, history[1:])
            shorter = self.p(w, history[1:]) if self.smoothing != "mle" else 0.0
        c = after.get(w, 0)
        if self.smoothing == "mle":
            return c / total
        if self.smoothing == "witten-bell":  # eq:witten-bell
            return (c + types * shorter) / (total + types)
        taken = self.discounts[len(history)]  # eq:kneser-ney
        passed = sum(taken[min(v, 3) - 1] for v in after.values())
        return ((c - taken[min(c, 3) - 1] if c else 0.0) + passed * shorter) / total

    def log_prob(self, sentence, *, end=True):
        """The chain rule, by hand."""
        total, history = 0.0, [START]
        for w in [*sentence, *([END] if end else [])]:
            found = self.p(w, history)
            total += math.log(found) if found > 0 else -math.inf
            history.append(w)
        return total
