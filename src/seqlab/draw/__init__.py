"""Drawings: functions that return text for a screen, and pictures (SVG) for everything else."""

from seqlab.draw.graphical import graphical_model_picture
from seqlab.draw.heat import confusion_picture
from seqlab.draw.lattice import trellis_picture
from seqlab.draw.lines import learning_picture, line_picture
from seqlab.draw.posterior import posterior_text
from seqlab.draw.reliability import reliability_picture
from seqlab.draw.tracks import track_picture
from seqlab.draw.transitions import transition_picture
from seqlab.draw.trellis import trellis_text
from seqlab.views.svg.picture import Picture
from seqlab.views.text.canvas import Canvas
from seqlab.views.text.style import ASCII, UNICODE, Glyphs, Ink, Style, log_score, probability
from seqlab.views.text.width import beside, clip, text_width

__all__ = [
    "ASCII",
    "UNICODE",
    "Canvas",
    "Glyphs",
    "Ink",
    "Picture",
    "Style",
    "beside",
    "clip",
    "confusion_picture",
    "graphical_model_picture",
    "learning_picture",
    "line_picture",
    "log_score",
    "posterior_text",
    "probability",
    "reliability_picture",
    "text_width",
    "track_picture",
    "transition_picture",
    "trellis_picture",
    "trellis_text",
]
