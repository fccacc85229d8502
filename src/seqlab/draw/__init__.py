"""Drawings: functions that return text for a terminal, and pictures (SVG)."""

from seqlab.draw.charts import (
    confusion_picture,
    learning_picture,
    line_picture,
    reliability_picture,
    track_picture,
)
from seqlab.draw.graphical import graphical_model_picture
from seqlab.draw.mixtures import mixture_picture
from seqlab.draw.plane import boundary_picture
from seqlab.draw.states import state_diagram
from seqlab.draw.tables import tables_picture
from seqlab.draw.text import posterior_text, trellis_text
from seqlab.draw.transitions import transition_picture
from seqlab.draw.trellis import trellis_picture
from seqlab.views.canvas import ASCII, UNICODE, Canvas, Glyphs, Ink, Style, log_score, probability
from seqlab.views.picture import Picture
from seqlab.views.text import beside, clip, text_width

__all__ = ["ASCII", "UNICODE", "Canvas", "Glyphs", "Ink", "Picture", "Style"]
__all__ += ["beside", "boundary_picture", "clip", "confusion_picture", "graphical_model_picture"]
__all__ += ["learning_picture", "line_picture", "log_score", "mixture_picture", "posterior_text"]
__all__ += ["probability", "reliability_picture", "state_diagram", "tables_picture", "text_width"]
__all__ += ["track_picture", "transition_picture", "trellis_picture", "trellis_text"]
