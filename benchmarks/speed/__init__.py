"""How fast: time per token, ratios to hmmlearn, memory of a long sequence, import time."""

import os

# Figures are of one thread, those of linear algebra as well: NumPy looks here when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
