"""Settings from a file that flags may give more than once."""

import pytest


@pytest.mark.parametrize("many", [False, True])
def test_the_config_file_may_name_the_development_set(many, shell, folder, tmp_path):
    dev = f'"{folder}/test.txt"'
    text = f"dev = {f'[{dev}, {dev}]' if many else dev}\niterations = 2\n"
    (tmp_path / "settings.toml").write_text(text, encoding="utf-8-sig")  # as editors on Windows save it
    out = shell.done(
        "train", folder / "train.txt", "-o", tmp_path / "m", "--config", tmp_path / "settings.toml"
    )
    assert f"{80 if many else 40} sentences" in out.partition("dev  ")[2]
