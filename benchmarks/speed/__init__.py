"""How fast: time per token, ratios to hmmlearn, memory of a long sequence, import time."""
