"""Linear models: conditional random fields, maximum-entropy Markov models, perceptrons and support vector machines."""
