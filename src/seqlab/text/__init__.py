"""Raw text: tokens, sentences, labels and spans with their places in the text.

Names are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.text.alignment import label_tokens
    from seqlab.text.annotated import corpus_of, documents_of, read_documents, write_documents
    from seqlab.text.conllu import read_conllu, write_conllu
    from seqlab.text.document import Document, Layer, Sentence, Span, Token
    from seqlab.text.files import read_text, stream_text
    from seqlab.text.gold import align, detokenise
    from seqlab.text.pipeline import Pipeline
    from seqlab.text.rules import RuleTokeniser, split_sentences, tokenise
    from seqlab.text.trained import TrainedTokeniser
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "alignment": ("label_tokens",),
            "annotated": ("corpus_of", "documents_of", "read_documents", "write_documents"),
            "document": ("Document", "Layer", "Sentence", "Span", "Token"),
            "files": ("read_text", "stream_text"),
            "conllu": ("read_conllu", "write_conllu"),
            "gold": ("align", "detokenise"),
            "pipeline": ("Pipeline",),
            "rules": ("RuleTokeniser", "split_sentences", "tokenise"),
            "trained": ("TrainedTokeniser",),
        },
    )

__all__ = ["Document", "Layer", "Pipeline", "RuleTokeniser", "Sentence", "Span", "Token", "TrainedTokeniser"]
__all__ += [
    "align",
    "corpus_of",
    "detokenise",
    "documents_of",
    "label_tokens",
    "read_conllu",
    "read_documents",
]
__all__ += ["read_text", "split_sentences", "stream_text", "tokenise", "write_conllu", "write_documents"]
