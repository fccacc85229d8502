"""Check the built-in corpus against its guide: python tools/check_demo_corpus.py [folder] [--counts].

Every rule here stands in words in docs/demo-corpus.md. A complaint names the file, the line, the rule and what to do.
A sentence that breaks a rule for a good reason is listed in ALLOWED; an entry that nothing needs is a complaint too.
The tables are in tools/demo_corpus_rules.py.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from demo_corpus_rules import (
    ADVP_WITHOUT_ADVERB,
    ALLOWED,
    BEFORE_DETERMINER,
    CHUNKS,
    CLOSED,
    CONJP,
    DATES,
    ENTITIES,
    FLOATING,
    GROUPS,
    HAVE_BE,
    HEADS,
    LABELS,
    MEASURES,
    NUMBERS,
    OUTSIDE,
    POSSESSIVES,
    QUANTITIES,
    SHAPES,
    TITLES,
    UPOS,
    VERBS_IN_PP,
    VERBS_IN_SBAR,
    WORDS,
)

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "src" / "seqlab" / "corpus" / "demo"
GUIDE = ROOT / "docs" / "demo-corpus.md"
PARTS = ("train", "test")
AT_LEAST = {"sentences": 1_000, "tokens": 12_000}  # in the train part
RUN = 8  # words in a row that no two sentences share


@dataclass(frozen=True, slots=True)
class Token:
    """One line: the word and its three labels."""

    word: str
    pos: str
    chunk: str
    entity: str

    @property
    def lower(self) -> str:
        """The word in small letters."""
        return self.word.lower()


@dataclass(frozen=True, slots=True)
class Sentence:
    """Tokens, and where the first one stands."""

    part: str
    line: int
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        """The words, with blanks between."""
        return " ".join(token.word for token in self.tokens)


@dataclass(frozen=True, slots=True)
class Complaint:
    """One breach of one rule."""

    place: str
    rule: str
    said: str
    text: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}: {self.said}" + (f"   [{self.text}]" if self.text else "")


Said = Iterator[tuple[str, int, str]]  # rule, token, what is wrong


def parse(part: str, lines: Sequence[str]) -> tuple[list[Sentence], list[Complaint]]:
    """Sentences of the lines of one part; lines without four cells are left out and complained about."""
    sentences, complaints, tokens = [], [], []
    for number, line in enumerate([*lines, ""], start=1):
        cells = line.split("\t")
        if line and (len(cells) != 4 or not all(cells) or line != line.strip() or " " in line):
            said = f"wanted word, pos, chunk, entity with single tabs, got {line!r}"
            complaints.append(Complaint(f"{part}.txt:{number}", "columns", said))
        elif line:
            tokens.append(Token(*cells))
        elif tokens:
            sentences.append(Sentence(part, number - len(tokens), tuple(tokens)))
            tokens = []
        elif number <= len(lines):
            complaints.append(Complaint(f"{part}.txt:{number}", "columns", "two blank lines in a row"))
    return sentences, complaints


def spans(tags: Sequence[str]) -> list[tuple[str, int, int]]:
    """(type, begin, end) of every IOB2 span; an I- that continues nothing begins one."""
    found: list[tuple[str, int, int]] = []
    for t, tag in enumerate(tags):
        if tag[:2] == "I-" and found and found[-1][2] == t and found[-1][0] == tag[2:]:
            found[-1] = (tag[2:], found[-1][1], t + 1)
        elif tag != "O":
            found.append((tag[2:], t, t + 1))
    return found


def check_tags(tokens: Sequence[Token]) -> Said:
    """Known tags only, and every I- continues a span of its own type."""
    for layer, types in (("chunk", CHUNKS), ("entity", ENTITIES)):
        known, before = {"O"} | {f"{side}-{name}" for side in "BI" for name in types}, "O"
        for t, token in enumerate(tokens):
            tag = getattr(token, layer)
            if tag not in known:
                yield "tags", t, f"unknown {layer} tag {tag!r}"
            elif tag[0] == "I" and before[2:] != tag[2:]:
                yield "iob2", t, f"{layer} tag {tag} follows {before}"
            before = tag
    for t, token in enumerate(tokens):
        if token.pos not in UPOS:
            yield "tags", t, f"unknown part of speech {token.pos!r}"


def check_words(tokens: Sequence[Token]) -> Said:
    """Closed-class words have one of their tags, numbers are NUM, capitals are names."""
    for t, token in enumerate(tokens):
        may = WORDS.get(token.lower)
        if may and token.pos not in may and not (token.pos == "PROPN" and token.entity != "O"):
            yield "words", t, f"{token.word} is {token.pos}, wanted one of {sorted(may)}"
        if not may and token.pos in CLOSED:
            yield "words", t, f"{token.word} is not among the words that may be {token.pos}"
        number = re.search(r"\d", token.word) or NUMBERS.intersection(token.lower.split("-"))
        if token.pos == "NUM" and not number:
            yield "words", t, f"{token.word} is NUM but no number"
        if re.fullmatch(r"[\d.,:]*\d", token.word) and token.pos != "NUM":
            yield "words", t, f"{token.word} is a number, but {token.pos}"
        inner = t > 0 and tokens[t - 1].pos not in {"PUNCT", "X"}
        capital = re.fullmatch(r"[A-ZÀ-Ž][a-zà-ž]+", token.word)
        if inner and capital and token.pos != "PROPN" and token.entity == "O":
            yield "words", t, f"{token.word} has a capital but is neither PROPN nor in an entity"


def check_neighbours(tokens: Sequence[Token]) -> Said:
    """The tag of a word fits the word that follows."""
    for t, (token, following) in enumerate(zip(tokens, [*tokens[1:], Token("", "", "O", "O")], strict=True)):
        if token.lower == "to" and token.pos == "PART" and following.pos not in {"VERB", "AUX", "ADV"}:
            yield "neighbours", t, f"to is PART before {following.word}/{following.pos}, wanted an infinitive"
        gerund = following.chunk == "B-VP" and following.word.endswith("ing")
        if token.lower == "to" and token.pos == "ADP" and following.pos in {"VERB", "AUX"} and not gerund:
            yield "neighbours", t, f"to is ADP before {following.word}/{following.pos}, wanted PART in its VP"
        if token.pos == "SCONJ" and token.lower in {"before", "after", "since"} and gerund:
            yield "neighbours", t, f"{token.word} before a gerund is ADP in a PP"
        if token.pos == "DET" and following.chunk[:2] != "I-" and token.lower not in FLOATING:
            yield "neighbours", t, f"{token.word} is DET but ends its chunk; alone it is PRON"
        if token.lower in HAVE_BE and token.pos == "VERB" and following.lower in {"been", "n't"}:
            yield "neighbours", t, f"{token.word} before {following.word} is AUX"


def check_chunks(tokens: Sequence[Token]) -> Said:
    """Each chunk holds what its type may hold, and nothing else is outside."""
    for t, token in enumerate(tokens):
        if token.chunk == "O" and token.pos not in OUTSIDE:
            yield "chunks", t, f"{token.word}/{token.pos} is outside every chunk"
    for name, begin, end in spans([token.chunk for token in tokens]):
        inside = tokens[begin:end]
        shape = "".join(f"{token.pos} " for token in inside)
        if not re.fullmatch(SHAPES.get(name, ""), shape):
            yield "chunks", begin, f"a {name} cannot be {shape.strip()}"
        yield from _inside(name, begin, inside)
    yield from _seams(tokens)


def _seams(tokens: Sequence[Token]) -> Said:
    """Two chunks that touch where one would do."""
    for t in range(1, len(tokens)):
        before, token = tokens[t - 1], tokens[t]
        seam = (before.chunk[2:], token.chunk, before.pos, token.pos)
        if seam == ("NP", "B-NP", "ADJ", "NOUN") and before.lower not in QUANTITIES:
            yield "seams", t, f"{before.word} and {token.word} belong to one NP"
        if before.pos == "AUX" and token.lower in {"not", "n't"} and token.chunk != "I-VP":
            yield "seams", t, f"{token.word} belongs to the VP of {before.word}"
        if seam[:3] == ("VP", "B-VP", "AUX"):
            yield "seams", t, f"{before.word} and {token.word} belong to one VP"


def _inside(name: str, begin: int, inside: Sequence[Token]) -> Said:
    text = " ".join(token.lower for token in inside)
    if name == "CONJP" and text not in CONJP:
        yield "chunks", begin, f"{text!r} is not in the list of CONJP"
    if name == "ADVP" and not any(token.pos == "ADV" for token in inside) and text not in ADVP_WITHOUT_ADVERB:
        yield "chunks", begin, f"{text!r} is an ADVP without an adverb"
    verbs = {token.lower for token in inside if token.pos == "VERB"}
    if (name == "PP" and verbs - VERBS_IN_PP) or (name == "SBAR" and verbs - VERBS_IN_SBAR):
        yield "chunks", begin, f"{text!r} holds a verb"
    if name == "NP":
        yield from _noun_phrase(begin, inside)


def _noun_phrase(begin: int, inside: Sequence[Token]) -> Said:
    tags = {token.pos for token in inside}
    if not tags & HEADS and inside[0].lower not in {"'s", "'"}:
        yield "chunks", begin, "an NP without a head"
    if tags <= {"ADJ", "ADV"} and inside[-1].lower not in QUANTITIES:
        yield "chunks", begin, f"{inside[-1].word} alone is an ADJP"
    for i, token in enumerate(inside):
        before = inside[i - 1].lower if i else ""
        if i and token.lower in {"'s", "'"} and token.pos == "PART":
            yield "chunks", begin + i, "a possessive marker begins an NP of its own"
        opens = token.pos == "DET" or (token.pos == "PRON" and token.lower in POSSESSIVES)
        floats = token.lower in FLOATING and i + 1 == len(inside)
        if i and opens and before not in BEFORE_DETERMINER and token.entity == "O" and not floats:
            yield "chunks", begin + i, f"{token.word} stands inside an NP, after {before!r}"
        around = {before, token.lower} | {inside[i + 1].lower if i + 1 < len(inside) else ""}
        if token.pos == "ADP" and not around & MEASURES:
            yield "chunks", begin + i, f"{token.word} is a preposition inside an NP"
        if token.pos == "PART" and token.lower == "not" and i:
            yield "chunks", begin + i, "not stands inside an NP"


def check_groups(tokens: Sequence[Token]) -> Said:
    """Fixed groups of words are one chunk."""
    lower = [token.lower for token in tokens]
    for group, types in GROUPS.items():
        members = group.split("_")
        for t in range(len(tokens) - len(members) + 1):
            if lower[t : t + len(members)] != members:
                continue
            tags = [token.chunk for token in tokens[t : t + len(members)]]
            whole = tags[0][2:] in types and all(tag == f"I-{tags[0][2:]}" for tag in tags[1:])
            if not whole:
                wanted = " or ".join(sorted(types))
                yield "groups", t, f"{' '.join(members)} is {' '.join(tags)}, wanted one {wanted}"


def check_entities(tokens: Sequence[Token]) -> Said:
    """No titles, no dates; PROPN outside is a title, a date or a label; nationalities are MISC."""
    for name, begin, end in spans([token.entity for token in tokens]):
        inside = tokens[begin:end]
        if name == "PER" and inside[0].word in TITLES:
            yield "entities", begin, f"{inside[0].word} is a title: leave it out of the PER"
        if any(token.word in DATES for token in inside):
            yield "entities", begin, "months and weekdays are never entities"
        if not any(token.pos in {"PROPN", "ADJ"} for token in inside):
            yield "entities", begin, f"{name} without a PROPN"
        if any(token.pos == "ADJ" for token in inside) and name != "MISC":
            yield "entities", begin, f"an adjective in {name}: parts of names are PROPN"
        if inside[0].pos == "PUNCT" or inside[-1].pos == "PUNCT":
            yield "entities", begin, "an entity neither begins nor ends with punctuation"
    for t, token in enumerate(tokens):
        if token.pos == "PROPN" and token.entity == "O" and token.word not in TITLES | DATES | LABELS:
            yield "entities", t, f"{token.word} is PROPN but no entity"


def check_names(sentences: Iterable[Sentence]) -> Iterator[Complaint]:
    """The same name has the same type everywhere."""
    types: defaultdict[str, dict[str, Sentence]] = defaultdict(dict)
    for sentence in sentences:
        for name, begin, end in spans([token.entity for token in sentence.tokens]):
            types[" ".join(token.word for token in sentence.tokens[begin:end])].setdefault(name, sentence)
    for name, places in types.items():
        if len(places) > 1:
            last = list(places.values())[-1]
            said = f"{name} is {' and '.join(sorted(places))}"
            yield Complaint(f"{last.part}.txt:{last.line}", "names", said, last.text)


def check_repeats(sentences: Iterable[Sentence]) -> Iterator[Complaint]:
    """No sentence twice, in one part or in both, and no long run of words shared by two."""
    seen: dict[tuple[str, ...], Sentence] = {}
    for sentence in sentences:
        plain = tuple(t.lower for t in sentence.tokens if t.pos not in {"PUNCT", "NUM", "SYM"})
        runs = {plain[i : i + RUN] for i in range(len(plain) - RUN + 1)} | {("", *plain)}
        double = next((seen[run] for run in runs if run in seen), None)
        if double:
            said = f"same as or much like {double.part}.txt:{double.line}"
            yield Complaint(f"{sentence.part}.txt:{sentence.line}", "repeats", said, sentence.text)
        seen.update(dict.fromkeys(runs, sentence))


def counts(sentences: Sequence[Sentence]) -> str:
    """The table of docs/demo-corpus.md."""
    parts = {part: [s for s in sentences if s.part == part] for part in PARTS}
    rows = [("sentences", [len(parts[part]) for part in PARTS])]
    rows.append(("tokens", [sum(len(s.tokens) for s in parts[part]) for part in PARTS]))
    for layer, types in (("entity", ENTITIES), ("chunk", CHUNKS)):
        for name in types:
            numbers = []
            for part in PARTS:
                found = Counter(tag for s in parts[part] for tag in (getattr(t, layer) for t in s.tokens))
                numbers.append(found[f"B-{name}"])
            rows.append((f"{layer} {name}", numbers))
    lines = ["| | train | test | all |", "|---|---:|---:|---:|"]
    lines += [f"| {name} | {a:,} | {b:,} | {a + b:,} |" for name, (a, b) in rows]
    return "\n".join(lines)


def check_counts(sentences: Sequence[Sentence], guide: str) -> Iterator[Complaint]:
    """The guide prints today's numbers, and the train part is large enough."""
    if counts(sentences) not in guide:
        said = "the table of counts is out of date: put in what tools/check_demo_corpus.py --counts prints"
        yield Complaint(GUIDE.name, "counts", said)
    train = [s for s in sentences if s.part == "train"]
    size = {"sentences": len(train), "tokens": sum(len(s.tokens) for s in train)}
    for what, least in AT_LEAST.items():
        if size[what] < least:
            yield Complaint("train.txt", "counts", f"{size[what]} {what}, wanted at least {least}")


def check(sentences: Sequence[Sentence], guide: str) -> list[Complaint]:
    """All complaints that are not allowed, and all allowances that nothing needs."""
    found: list[Complaint] = []
    for sentence in sentences:
        for rule in (check_tags, check_words, check_neighbours, check_chunks, check_groups, check_entities):
            for name, t, said in rule(sentence.tokens):
                found.append(Complaint(f"{sentence.part}.txt:{sentence.line + t}", name, said, sentence.text))
    found += [*check_names(sentences), *check_repeats(sentences), *check_counts(sentences, guide)]
    used = {key for key in ALLOWED for c in found if c.rule == key[0] and key[1] in c.text}
    left = [c for c in found if not any(c.rule == rule and text in c.text for rule, text in used)]
    stale = [key for key in ALLOWED if key not in used]
    return left + [
        Complaint("ALLOWED", rule, f"nothing needs the exception for {text!r}") for rule, text in stale
    ]


def main(arguments: Sequence[str]) -> int:
    """Print the complaints, or the counts; 1 when there are complaints."""
    folder = Path(next((a for a in arguments if not a.startswith("-")), FOLDER))
    sentences: list[Sentence] = []
    complaints: list[Complaint] = []
    for part in PARTS:
        lines = (folder / f"{part}.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
        read, broken = parse(part, lines)
        sentences += read
        complaints += broken
    if "--counts" in arguments:
        print(counts(sentences))
        return 0
    complaints += check(sentences, GUIDE.read_text(encoding="utf-8"))
    print(*complaints, sep="\n")
    print(
        f"{len(sentences)} sentences, {sum(len(s.tokens) for s in sentences)} tokens, {len(complaints)} complaints"
    )
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
