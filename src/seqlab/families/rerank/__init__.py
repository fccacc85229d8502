"""Re-ranking of the n best labellings of another tagger."""
