"""Corpora from files and streams, and into them: bytes, blocks, then a format."""
