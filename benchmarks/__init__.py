"""Measurements of seqlab beside its peers; `python -m benchmarks.speed` and `python -m benchmarks.quality` run them."""
