"""Small models of CRF++ and Wapiti, written in their text formats."""

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
