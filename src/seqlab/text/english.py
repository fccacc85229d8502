"""Words of English that rules of tokens and sentences know: abbreviations, and words that begin sentences."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Followed by a name or a number: the period behind them never ends a sentence.
TITLES = _words(
    """
    mr mrs ms mx dr prof st rev fr hon gen col lt maj capt cpt cmdr adm sgt pvt gov sen rep reps sens pres supt det
    insp messrs mme mlle herr mt ft no nos vol vols fig figs eq eqs sec secs ch pp pt ed eds art arts cf vs v approx ca
    e.g i.e viz resp incl esp
    """
)
# They may stand at the end of a sentence, too.
ABBREVIATIONS = _words(
    """
    etc inc ltd corp co bros llc plc dept univ assn ave blvd rd apt bldg jr sr esq ph.d m.d b.a m.a d.c u.s u.k u.n e.u
    a.m p.m a.d b.c jan feb mar apr jun jul aug sept sep oct nov dec mon tue tues wed thu thur thurs fri sat sun
    al est min max avg tel ext misc oz lb lbs hr hrs mph sq
    """
)
STARTERS = _words(
    """
    the a an this that these those there here he she it we they you i his her its our their my your who what when where
    why how which if but and or so yet for in on at by from with as after before while although because since until
    once then however also still now today yesterday meanwhile moreover no not never all both each every some any many
    most one two several according despite during under over between among some such
    """
)
