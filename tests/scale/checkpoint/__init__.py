"""Checkpoints: trainings that are killed, and go on to the same bits.

trainings   one of every learner, and what of a model must be equal
child       a process that trains one of them, to be killed
"""
