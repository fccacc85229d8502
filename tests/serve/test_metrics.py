"""The text of /metrics is what Prometheus reads."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from serve.conftest import Open

LABEL = r'[a-z_]+="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
SAMPLE = re.compile(rf"([a-z_]+)(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\d+(?:\.\d+)?)")


def test_every_line_is_a_sample_of_a_named_metric(service: Open) -> None:
    client = service()
    client.post("/v1/tag", json={"batch": [["Anna"]]})
    client.post("/v1/nbest", json={"tokens": 3})
    client.get("/nothing")
    text = client.get("/metrics").text
    assert text.endswith("\n")
    kinds = dict(re.findall(r"# TYPE (\S+) (\S+)", text))
    assert set(kinds) == set(re.findall(r"# HELP (\S+) .+", text))
    buckets: defaultdict[str, list[float]] = defaultdict(list)
    counts, seen = {}, set()
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()
        assert (name, labels) not in seen
        seen.add((name, labels))
        base = re.sub(r"_(bucket|sum|count)$", "", name)
        assert kinds.get(name) == "counter" or kinds[base] == "histogram"
        if name.endswith("_bucket"):
            buckets[base + labels.rpartition("le=")[0].rstrip(",")].append(float(value))
        elif name.endswith("_count"):
            counts[base + labels] = float(value)
    assert counts
    for series, many in counts.items():
        assert buckets[series] == sorted(buckets[series])
        assert buckets[series][-1] == many


def test_large_counts_are_written_in_full(service: Open, tmp_path: Path) -> None:
    client = service()
    metrics = client.app.app.desk.metrics
    metrics.add("seqlab_tokens_total", 12_345_678, model='a "b"\\\n')
    text = client.get("/metrics").text
    assert 'seqlab_tokens_total{model="a \\"b\\"\\\\\\n"} 12345678\n' in text
