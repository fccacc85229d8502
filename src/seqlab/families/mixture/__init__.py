"""Mixtures: observations without order, in groups."""
