"""Two engines under one face: tables, which EM finds, and counts of labelled words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.counting import Counting
from seqlab.families.hmm.emissions import Categorical
from seqlab.families.hmm.engines.counts import CountsEngine, more_than_tables
from seqlab.families.hmm.engines.engine import Engine, FitOptions
from seqlab.families.hmm.engines.tables import TablesEngine
from seqlab.families.hmm.fit import HiddenModel
from seqlab.families.hmm.tables import HiddenMarkov
from seqlab.families.hmm.training_set import TrainingSet

if TYPE_CHECKING:
    from seqlab.families.hmm.tagger import HMM

__all__ = ["Engine", "FitOptions", "engine_for", "engine_of"]

TABLES, COUNTS = TablesEngine(), CountsEngine()
_ENGINES: dict[type, Engine] = {HiddenMarkov: TABLES, CountedHMM: COUNTS}


def engine_of(model: HiddenModel) -> Engine:
    """Return the engine that answers with this model."""
    return _ENGINES[type(model)]


def engine_for(hmm: HMM, data: TrainingSet) -> Engine:
    """Choose the engine that learns: counts where every word has its label and more than tables is asked."""
    emissions = data.emissions
    fits = data.full and data.words and type(emissions) is Categorical and emissions.symbols is None
    free = hmm.learner is None and hmm.states is None and hmm.init is None
    counts = isinstance(hmm.learner, Counting) or (fits and free and more_than_tables(hmm))
    engine: Engine = COUNTS if counts else TABLES
    engine.refuse(hmm, data)
    return engine
