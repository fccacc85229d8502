"""Drawings in characters, and text that fits its columns."""
