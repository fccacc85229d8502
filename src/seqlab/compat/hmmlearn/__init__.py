"""hmmlearn's names over seqlab's hidden Markov models: `from seqlab.compat.hmmlearn import hmm`.

hmm    CategoricalHMM, GaussianHMM, GMMHMM, MultinomialHMM, PoissonHMM
vhmm   VariationalCategoricalHMM, VariationalGaussianHMM
base   BaseHMM and VariationalBaseHMM with their hooks for subclasses, ConvergenceMonitor
utils, stats   normalize, log_normalize, fill_covars; log_multivariate_normal_density

Needs scikit-learn, as the original does. docs/coming-from/hmmlearn.md lists each difference.
"""

__version__ = "0.3.3"  # of hmmlearn, whose names these are
