"""Mixture models: clustering of observations without order."""
