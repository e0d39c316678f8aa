"""`memforest data generate` writes a file that the loader of LoCoMo's schema reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from memforest.cli import main
from memforest.datasets.locomo import Locomo


def test_a_generated_file_is_read_back_with_the_asked_counts(tmp_path: Path) -> None:
    out = tmp_path / "synthetic.json"
    main(["data", "generate", str(out), "units=2", "sessions=3", "questions_per_unit=10"])
    loaded = Locomo(path=str(out), data_folder="").load()
    assert [len(unit.sessions) for unit in loaded.units] == [3, 3]
    assert len(loaded.questions) == 20


@pytest.mark.parametrize("words", [["units=0"], ["unit=2"], ["units=many"]])
def test_a_bad_setting_writes_nothing(tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "synthetic.json"
    with pytest.raises(SystemExit):
        main(["data", "generate", str(out), *words])
    assert "unit" in capsys.readouterr().err
    assert not out.exists()


def test_an_existing_file_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "synthetic.json"
    out.write_text("mine")
    with pytest.raises(SystemExit):
        main(["data", "generate", str(out)])
    assert out.read_text() == "mine"
    assert "is not overwritten" in capsys.readouterr().err
