"""What differs between two models, bit by bit."""

import numpy as np

from seqlab.store.reading import read


def differences(one, other, tmp_path):
    """Names of what differs in the files of two models, apart from times."""
    states = []
    for model in (one, other):
        model.save(tmp_path / "model")
        states.append(read(tmp_path / "model", mapped=False))
    first, second = states
    names = {*first.arrays, *second.arrays}
    wrong = [
        name
        for name in names
        if name not in first.arrays
        or name not in second.arrays
        or not np.array_equal(first.arrays[name], second.arrays[name])
    ]
    return wrong + [key for key in first.settings if first.settings[key] != second.settings.get(key)]
