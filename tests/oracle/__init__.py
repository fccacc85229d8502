"""The slow, obvious truth that the library is held to.

tables      the numbers of one trellis, written down without the library
paths       every labelling with its score, and each answer as a plain sum over them
clear       the recursions in log space, in NumPy, for trellises too large to enumerate
hmm_orders  hidden Markov models of order 2 and 3
textbook    the worked example of the course notes
strategies  hypothesis: random tables
templates   hypothesis: random templates and corpora
training    tasks of training, small enough to enumerate
online      the online learners as plain loops over every labelling
closeness   how near is near enough
"""
