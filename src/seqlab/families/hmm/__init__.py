"""Hidden Markov models, by counting labelled words or by expectation maximisation."""
