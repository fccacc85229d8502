"""Small models of CRF++ and Wapiti, written in their formats."""

import struct

LABELS = ("O", "B-X", "I-X")

CRFPP_TEMPLATE = ("U0:%x[0,0]", "U1:%x[-1,0]/%x[0,1]", "B", "B1:%x[0,1]")
WAPITI_PATTERNS = ("u:w=%x[0,0]", "*:t=%x[0,1]/%x[-1,1]", "b", 'u:s=%m[0,0,".$"]')


def crfpp(weights, *, labels=LABELS, template=CRFPP_TEMPLATE, cost=1.0, version=100, xsize=2):
    """weights: {attribute: its weights in a row}."""
    places, flat = {}, []
    for name, row in weights.items():
        places[name] = len(flat)
        flat += row
    head = [f"version: {version}", f"cost-factor: {cost}", f"maxid: {len(flat)}", f"xsize: {xsize}"]
    names = [f"{place} {name}" for name, place in places.items()]
    numbers = [f"{weight:.16f}" for weight in flat]
    return "\n".join([*head, "", *labels, "", *template, "", *names, "", *numbers, ""])


def crfpp_binary(weights, *, labels=LABELS, template=CRFPP_TEMPLATE, cost=1.0, xsize=2):
    """The same in its binary form."""
    places, flat = {}, []
    for name, row in weights.items():
        places[name.encode()] = len(flat)
        flat += row
    trie = b"".join(struct.pack("<iI", *unit) for unit in double_array(places))
    texts = [b"".join(text.encode() + b"\0" for text in some) for some in (labels, template)]
    texts[1] += b"\0" * (-sum(map(len, texts)) % 4)
    return b"".join([
        struct.pack("<IidIII", 100, 0, cost, len(flat), xsize, len(trie)),
        *(struct.pack("<I", len(text)) + text for text in texts),
        trie,
        struct.pack(f"<{len(flat)}f", *flat),
    ])  # fmt: skip


def double_array(words):
    """{word: value} as pairs (base, check)."""
    units = {0: [0, 1]}
    used = set()

    def place(children):
        """children: {code: (words that go on so, depth)}; the number of a node whose children all find room."""
        node = 1
        while node in used or any(node + code in units for code in children):
            node += 1
        used.add(node)
        for code in children:
            units[node + code] = [0, node]
        for code, (some, depth) in children.items():
            units[node + code][0] = -1 - words[some[0]] if code == 0 else place(sorted_by(some, depth))
        return node

    def sorted_by(some, depth):
        found = {}
        for word in some:
            found.setdefault(word[depth] + 1 if depth < len(word) else 0, ([], depth + 1))[0].append(word)
        return found

    units[0][0] = place(sorted_by(sorted(words), 0))
    return [units.get(i, [0, 0]) for i in range(max(units) + 257)]


def netstring(text):
    return f"{len(text.encode())}:{text},\n"


def wapiti(weights, *, labels=LABELS, patterns=WAPITI_PATTERNS, kind="2#", more="/0"):
    """weights: {attribute: its weights in a row}."""
    flat = [weight for row in weights.values() for weight in row]
    lines = [f"{i}={float(weight).hex()}\n" for i, weight in enumerate(flat) if weight]
    return "".join([
        f"#mdl#{kind}{len(lines)}\n#rdr#{len(patterns)}/2{more}\n",
        *map(netstring, patterns),
        f"#qrk#{len(labels)}\n",
        *map(netstring, labels),
        f"#qrk#{len(weights)}\n",
        *map(netstring, weights),
        *lines,
    ])  # fmt: skip
