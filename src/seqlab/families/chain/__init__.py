"""Markov chains of symbols: n-gram language models."""
