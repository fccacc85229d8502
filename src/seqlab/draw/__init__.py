"""Drawings of trellises and probabilities: functions that return text."""

from seqlab.draw.canvas import Canvas
from seqlab.draw.posterior import posterior_text
from seqlab.draw.style import ASCII, UNICODE, Glyphs, Ink, Style, log_score, probability
from seqlab.draw.trellis import trellis_text
from seqlab.textwidth import beside, clip, text_width

__all__ = [
    "ASCII",
    "UNICODE",
    "Canvas",
    "Glyphs",
    "Ink",
    "Style",
    "beside",
    "clip",
    "log_score",
    "posterior_text",
    "probability",
    "text_width",
    "trellis_text",
]
