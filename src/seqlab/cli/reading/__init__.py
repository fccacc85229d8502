"""Input of commands: corpora, texts with places, raw text, numbers."""
