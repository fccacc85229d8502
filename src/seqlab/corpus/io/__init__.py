"""Read and write corpora: bytes, blocks, then a format."""
