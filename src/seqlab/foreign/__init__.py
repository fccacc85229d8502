"""Convert models of other programs: CRFsuite, CRF++ and Wapiti."""

from __future__ import annotations

from seqlab.foreign.converting import convert_model

__all__ = ["convert_model"]
