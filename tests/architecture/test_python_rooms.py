import pytest

from architecture.python_rooms import violations
from architecture.tree import PACKAGE, files, text


def module_name(path):
    parts = ["seqlab", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_rooms_import_downwards_only():
    paths = list(files(PACKAGE, ".py"))
    assert paths
    found = [
        sentence
        for path in paths
        for sentence in violations(text(path), module_name(path), is_package=path.stem == "__init__")
    ]
    assert found == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("seqlab.trellis.trellis", "from seqlab.inference import viterbi"),
        ("seqlab.trellis.trellis", "import seqlab.inference.viterbi as v"),
        ("seqlab.trellis.trellis", "from seqlab import inference"),
        ("seqlab.trellis.trellis", "from ..inference import viterbi"),
        ("seqlab.trellis.trellis", "def late():\n    from seqlab.cli import main"),
        ("seqlab.trellis.trellis", "import importlib\nimportlib.import_module('seqlab.cli')"),
        ("seqlab.trellis.trellis", "from importlib import import_module\nimport_module('seqlab.' + name)"),
        ("seqlab.trellis.trellis", "import_module(f'{package}.batch')"),
        ("seqlab.trellis", "from seqlab.lazy import when_used\nwhen_used('seqlab.cli', {'main': ['main']})"),
        ("seqlab.trellis", "from seqlab import lazy\nlazy.when_used(package=__name__, homes={})"),
        ("seqlab.lazy", "import_module(name)"),
        ("seqlab.lazy", "import_module(f'seqlab.{name}')"),
        ("seqlab.lazy", "import_module(f'{package}{name}')"),
        ("seqlab.lazy", "from seqlab.errors import OptionError"),
        ("seqlab.inference.path", "from seqlab import Trellis"),
        ("seqlab.inference.path", "import seqlab"),
        ("seqlab.draw.trellis", "from seqlab.families.linear.explain import why"),
        ("seqlab.views.picture", "from seqlab.draw import trellis_picture"),
        ("seqlab.views.html", "from seqlab.evaluation import Report"),
        ("seqlab.errors", "from seqlab.arrays import scores"),
        ("seqlab.inference.path", "from seqlab.unheard import of"),
        ("seqlab.unheard.of", ""),
        ("seqlab.families.hmm.tagger", "from seqlab.families.linear.model import LinearModel"),
        ("seqlab.tagging.tagger", "from seqlab.families.hmm import tagger"),
    ],
)
def test_room_rule_refuses(module, source):
    assert len(violations(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("seqlab.inference.viterbi", "from seqlab.trellis import Trellis\nfrom seqlab import _core, errors"),
        ("seqlab.inference.viterbi", "from seqlab.inference.path import Path"),
        ("seqlab.inference.viterbi", "from .path import Path\nimport numpy as np"),
        ("seqlab.arrays", "from seqlab.errors import ShapeError"),
        ("seqlab.cli.demo", "from seqlab import Trellis\nfrom seqlab.draw import text"),
        ("seqlab.families.rerank.tagger", "from seqlab.families.hmm.tagger import HMM"),
        ("seqlab.families.hmm.tagger", "from seqlab.families.hmm.tables import HiddenMarkov"),
        ("seqlab", "import importlib\nimportlib.import_module(f'seqlab.{name}')"),
        ("seqlab.lazy", "from importlib import import_module\nimport_module(f'{package}.{name}')"),
        (
            "seqlab.trellis",
            "from seqlab.lazy import when_used\nwhen_used(__name__, {'batch': ['TrellisBatch']})",
        ),
    ],
)
def test_room_rule_permits(module, source):
    assert violations(source, module) == []


def test_relative_import_in_a_package_starts_at_the_package():
    assert violations("from .path import Path", "seqlab.inference", is_package=True) == []
    assert violations("from ..draw import text", "seqlab.inference", is_package=True) != []
