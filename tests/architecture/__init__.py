"""Rules about the shape of the tree; each is a small function that is also tried on a made-up offender."""
