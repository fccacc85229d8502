"""The colours of pictures and pages, for light and dark backgrounds.

Colours come from the palette of Okabe and Ito, which colour-blind readers tell apart; those for dark paper are lighter
forms of the same. Colour is never the only sign: curves also differ in their dashes, and numbers stand in the cells.
"""

from __future__ import annotations

_INKS = {  # on light and on dark paper
    "paper": ("#ffffff", "#0d1117"),
    "ink": ("#1f2328", "#e6edf3"),
    "faint": ("#59636e", "#9da7b3"),
    "grid": ("#dde2e7", "#2b323b"),
    "shade": ("#c9d1d9", "#454e59"),
    "blue": ("#0072b2", "#64b8f5"),
    "vermilion": ("#c4530a", "#ff9d66"),
    "green": ("#00795a", "#2fc79b"),
    "purple": ("#a34d86", "#e39bc4"),
    "amber": ("#b07a00", "#f0b429"),
    "sky": ("#2f8fc6", "#9cd2f7"),
}
LIGHT, DARK = ({name: pair[paper] for name, pair in _INKS.items()} for paper in (0, 1))
SERIES = ("blue", "vermilion", "green", "purple", "amber", "sky")
STRONGEST = 0.55  # opacity of a shade behind text
DASHES = ("", "7 4", "2 3", "10 3 2 3", "5 2 1 2 1 2", "14 4")


def style_sheet(theme: str) -> str:
    """Return CSS for the classes of the colours: text and areas in .sl-f-ink, lines in .sl-s-ink."""
    light, dark = (
        "\n".join(
            f".sl-f-{name} {{ fill: {ink} }} .sl-s-{name} {{ stroke: {ink} }}" for name, ink in inks.items()
        )
        for inks in (LIGHT, DARK)
    )
    if theme == "auto":
        return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
    return dark if theme == "dark" else light


def variables() -> str:
    """Return the colours as CSS variables: --blue, and --blue-rgb for shades of it."""
    light, dark = (
        " ".join(
            f"--{name}: {colour}; --{name}-rgb: {' '.join(map(str, bytes.fromhex(colour[1:])))};"
            for name, colour in inks.items()
        )
        for inks in (LIGHT, DARK)
    )
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
