"""Taggers that label each token by itself or given the label before: classifiers, and the most frequent label."""
