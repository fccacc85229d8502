"""Measurements of seqlab beside its peers; `python -m benchmarks.speed` runs them."""
