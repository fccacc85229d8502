"""Taggers in general: the questions that each of them answers, and scikit-learn's contract."""
