"""Accuracy on public corpora, with presets and defaults as they come."""
