"""What the demo corpus may hold, as tables; docs/demo-corpus.md has them in words."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


def table(text: str) -> dict[str, frozenset[str]]:
    """{word: values} from lines of "values: words"."""
    rows = (line.strip().split(": ", 1) for line in text.strip().split("\n"))
    return {word: words(values) for values, listed in rows for word in listed.split()}


UPOS = words("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X")
CHUNKS = ("NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ")
ENTITIES = ("PER", "LOC", "ORG", "MISC")

# Closed classes: all the tags a word may have. Words of names (PROPN inside an entity) are not looked up.
WORDS = table(
    """
    DET: a an the every whichever
    DET PRON: another each some these those what whatever which
    DET PRON ADV: all this
    DET PRON SCONJ: that
    DET PRON CCONJ: both neither
    DET PRON CCONJ ADV: either
    DET ADV: any
    DET ADV INTJ: no
    DET NOUN ADV: half
    PRON: i you he she it we they me him her us them my your his its our their hers ours yours theirs myself
    PRON: yourself himself herself itself ourselves yourselves themselves who whom whose whoever none anybody
    PRON: anyone anything everybody everyone everything nobody nothing somebody someone something
    PRON NOUN: mine
    PRON NUM NOUN: one
    PRON ADV: there
    AUX: am are be been being is was were 'm 're can ca could might must ought shall should would wo 'll 'd
    NOUN AUX: will
    PROPN AUX: may
    AUX VERB: have has had having 've do does did
    PRON AUX PART: 's
    PART: not n't '
    PART ADP: to
    CCONJ: and or nor &
    CCONJ ADP: but
    CCONJ ADV: yet
    SCONJ: although if unless whereas whether
    NOUN SCONJ: while
    SCONJ ADP: because for than until
    SCONJ ADP ADV: after as before since
    VERB SCONJ ADP: like
    SCONJ ADV: once so though
    ADP: aboard across against amid among at beneath beside besides beyond by despite during except from into
    ADP: near of onto per through throughout toward towards underneath unlike upon versus via with within
    ADP: without
    ADP ADV: about above along around behind below between down in off on out over under up
    NOUN ADP ADV: inside outside
    ADV: when where why how whenever wherever never always often too also again soon now then maybe perhaps
    ADV: almost ago however already away together
    ADJ ADV: very else more most less least much enough
    NOUN: today tomorrow yesterday tonight others ones
    ADJ: such other many several few fewer same
    VERB ADJ: own
    ADJ ADP: due
    NOUN ADP: opposite till
    NOUN ADP ADJ ADV: past round
    ADP: minus
    NOUN CCONJ: plus
    NOUN SCONJ: cause
    PRON: u ur any1
    AUX: r
    PART: na nt
    SYM: $ € £ % :) :( :-) :-( ;) :d :p <3 </3
    PUNCT: . , ? ! ?? !! ; : ( ) " -- ...
    """
)

# No word has one of these tags unless it is listed above.
CLOSED = words("DET PRON AUX PART CCONJ SCONJ ADP SYM PUNCT")
NUMBERS = words(
    "zero nil one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion"
)

# What a chunk is made of: a pattern over its tags, each followed by a blank.
SHAPES = {
    "NP": r"((DET|PRON|ADJ|NOUN|PROPN|NUM|ADV|SYM|X|CCONJ|PART|ADP) )*(NOUN|PROPN|PRON|NUM|ADJ|SYM|X|DET|PART|ADV) ",
    "VP": r"((ADV|PART|AUX|VERB|CCONJ) )*(AUX|VERB) (PART )?",
    "PP": r"(PART )?((ADV|ADJ|NOUN|VERB) )*(ADP (ADP )?|VERB )",
    "ADVP": r"((DET|PART|ADV|ADP|ADJ|NOUN|CCONJ) )*(ADV|ADJ|PRON|NOUN|PART) ",
    "ADJP": r"((DET|PART|ADV|ADJ|NOUN|CCONJ) )*ADJ (ADV )?",
    "SBAR": r"((PART|ADV|ADP|VERB|SCONJ) )*(SCONJ|VERB|NOUN) ",
    "PRT": r"ADP ",
    "CONJP": r"((ADV|CCONJ|PART) )*(ADV|ADP|PART) ",
    "INTJ": r"(INTJ )+|ADV ADJ ",
}
OUTSIDE = {"PUNCT", "CCONJ", "SYM", "X"}
HEADS = {"NOUN", "PROPN", "PRON", "NUM", "ADJ", "X"}
VERBS_IN_PP = words("according including regarding owing compared given")
VERBS_IN_SBAR = {"provided", "given"}
FLOATING = {"all", "both", "another"}  # us all, you both, one another
HAVE_BE = words("have has had 've do does did")
POSSESSIVES = words("my your his its our their whose")
BEFORE_DETERMINER = words(
    "all both half such what twice not even only just about nearly almost hardly exactly quite merely simply "
    "under over to than once mainly especially"
)
# Adjectives that stand alone as an NP.
QUANTITIES = words("many most much few fewer more less enough little other first")
CONJP = {"as well as", "rather than", "not only", "but also", "but not", "much less", "not"}
ADVP_WITHOUT_ADVERB = {
    "at least", "at first", "at last", "at all", "not at all", "of course", "above all", "in general", "in particular",
    "for free", "no matter", "not",
}  # fmt: skip

# Word groups that are one chunk of one of these types wherever they stand together.
GROUPS = table(
    """
    PP: because_of instead_of out_of apart_from such_as due_to according_to owing_to except_for thanks_to
    SBAR: even_if even_though as_if as_though so_that now_that given_that provided_that in_case as_soon_as
    NP ADVP: at_least
    ADVP: of_course at_once at_last at_first at_all by_far above_all in_general in_particular for_free
    CONJP: as_well_as rather_than but_also
    NP: each_other one_another no_one
    """
)

TITLES = words(
    "Mr. Mrs. Ms. Miss Dr. Prof. Professor Herr Lord Lady Sir King Queen Prince Princess President Minister "
    "Secretary Mayor Judge Captain Colonel General Lieutenant Inspector Detective Archbishop Sister Coach Chief "
    "Engineer Aunt Uncle Grandfather Prime Finance Foreign Interior"
)
DATES = words(
    "January February March April May June July August September October November December "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday wednesday "
    "Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays Sundays"
)
LABELS = {"Print", "Quiet", "Hours", "C"}  # commands, settings and columns: PROPN, but no entity
MEASURES = {"least", "most", "than", "to"}  # what may stand before or after ADP inside an NP

# (rule, words of the sentence): why it may stay
ALLOWED = {
    ("groups", "did nearly as well as the other"): "a comparison, not a conjunction",
    ("seams", "the more likely a female is to answer"): "the infinitive belongs to likely, not to is",
    ("groups", "only as well as the key is guarded"): "a comparison, not a conjunction",
}
