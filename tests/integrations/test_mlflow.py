"""The example of docs/integrations/mlflow.md, run with MLflow."""

import warnings
from pathlib import Path

import pytest

mlflow = pytest.importorskip("mlflow")
PAGE = Path(__file__).parents[2] / "docs" / "integrations" / "mlflow.md"


@pytest.mark.filterwarnings("ignore")  # its own
def test_the_page_logs_loads_and_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")
    example = PAGE.read_text().split("```text\n")[1].split("```")[0]
    names: dict[str, object] = {"__name__": "page"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(example, names)
    served = names["served"]
    text = "Anna Weber lives in New York."
    (spans,) = served.predict([text])
    assert [(one["begin"], one["end"], one["label"]) for one in spans] == [(0, 10, "PER"), (20, 28, "LOC")]
    assert served.predict(pandas.DataFrame({"text": [text]})) == [spans]
    (run,) = mlflow.search_runs(output_format="list")
    assert 0 < run.data.metrics["span_f1"] <= 1
    assert "objective" in run.data.metrics
    assert run.data.params["learner"]
