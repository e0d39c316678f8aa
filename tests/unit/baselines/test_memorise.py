"""What M3-Agent's own memorisation needs is looked for first; with stand-ins for it a folder is worked through."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from baselines.m3_agent import memorise

SCRIPT = """
import json, os, sys
from pathlib import Path
assert Path("configs/api_config.json").is_file() and os.environ["PYTHONPATH"] == os.getcwd()
for line in Path(sys.argv[2]).read_text().splitlines():
    job = json.loads(line)
    clips = sorted(path.name for path in Path(job["clip_path"]).iterdir())
    {last}
"""
PYTHON = """
import runpy
if sys.argv[1] == "-c":
    print(1)
else:
    sys.argv.pop(0)
    runpy.run_path(sys.argv[0])
"""
WRITE = 'Path(job["mem_path"]).write_text(json.dumps(clips))'


def tool(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport sys\n{body}\n", "utf-8")
    path.chmod(0o755)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A complete checkout, and every program that is asked."""
    folder, tools = tmp_path / "m3", tmp_path / "tools"
    for name in (*memorise.NEEDED, "mmagent", "configs", "m3_agent"):
        (folder / name).mkdir(parents=True)
    tools.mkdir()
    (folder / "mmagent" / "videograph.py").touch()
    entry = dict.fromkeys(memorise.CONNECTION, "set")
    (folder / "configs" / "api_config.json").write_text(json.dumps({memorise.EMBEDDER: entry}), "utf-8")
    for script, last in zip(memorise.SCRIPTS, ("pass", WRITE), strict=True):
        (folder / script).write_text(SCRIPT.format(last=last), "utf-8")
    tool(tools, "git", f"print({memorise.COMMIT!r})")
    tool(tools, "nvidia-smi", "print('GPU 0')")
    tool(tools, "ffprobe", "print('75.0')")
    tool(tools, "ffmpeg", "open(sys.argv[-1], 'w').write(' '.join(sys.argv))")
    tool(tools, "python", PYTHON)
    monkeypatch.setenv("PATH", str(tools))
    return folder


def videos(folder: Path, *names: str) -> Path:
    made = folder / "videos"
    made.mkdir()
    for name in names:
        (made / f"{name}.mp4").touch()
    return made


def call(tmp_path: Path, checkout: Path, *more: str) -> int:
    given = {"--checkout": checkout, "--out": tmp_path / "out", "--python": tmp_path / "tools" / "python"}
    options = [str(word) for option in given.items() for word in option]
    return memorise.main([str(tmp_path / "videos"), *options, *more])


Printed = pytest.CaptureFixture[str]


def test_every_video_is_cut_and_gets_a_graph(tmp_path: Path, checkout: Path, capsys: Printed) -> None:
    videos(tmp_path, "gym", "study")
    assert call(tmp_path, checkout) == 0
    graphs = tmp_path / "out" / "memory_graphs"
    assert {path.name: json.loads(path.read_text()) for path in graphs.iterdir()} == {
        "gym.pkl": ["0.mp4", "1.mp4", "2.mp4"],
        "study.pkl": ["0.mp4", "1.mp4", "2.mp4"],
    }
    assert "-ss 60 " in (tmp_path / "out" / "clips" / "gym" / "2.mp4").read_text()
    assert "memforest data convert-graph" in capsys.readouterr().out


def test_a_video_that_has_a_graph_is_not_done_again(tmp_path: Path, checkout: Path) -> None:
    videos(tmp_path, "gym", "study")
    done = tmp_path / "out" / "memory_graphs" / "gym.pkl"
    done.parent.mkdir(parents=True)
    done.write_text("kept")
    assert call(tmp_path, checkout) == 0
    assert done.read_text() == "kept"
    assert not (tmp_path / "out" / "clips" / "gym").exists()


def test_a_script_that_fails_ends_it(tmp_path: Path, checkout: Path, capsys: Printed) -> None:
    videos(tmp_path, "gym")
    (checkout / memorise.SCRIPTS[0]).write_text("raise SystemExit(7)")
    assert call(tmp_path, checkout) == 1
    assert "ended with status 7" in capsys.readouterr().err


def test_a_video_of_which_no_graph_is_made_is_named(tmp_path: Path, checkout: Path, capsys: Printed) -> None:
    videos(tmp_path, "gym")
    (checkout / memorise.SCRIPTS[1]).write_text("")
    assert call(tmp_path, checkout) == 1
    assert "no graph was made of gym" in capsys.readouterr().err


def test_nothing_is_computed_where_only_a_check_is_asked(tmp_path: Path, checkout: Path) -> None:
    videos(tmp_path, "gym")
    assert call(tmp_path, checkout, "--check") == 0
    assert not (tmp_path / "out").exists()


def test_all_that_is_missing_is_told_at_once(tmp_path: Path, checkout: Path, capsys: Printed) -> None:
    videos(tmp_path)
    for path in (tmp_path / "tools").iterdir():
        path.unlink()
    (checkout / "speakerlab").rmdir()
    (checkout / "configs" / "api_config.json").write_text(json.dumps({memorise.EMBEDDER: {"api_key": "set"}}))
    assert call(tmp_path, checkout) == 1
    told = capsys.readouterr().err
    for words in (
        "commit: the checkout is at no commit",
        "speakerlab: ",
        "api_config.json: azure_endpoint, api_version, qpm of",
        "ffmpeg: ",
        "ffprobe: ",
        "a GPU: ",
        "packages: ",
        "videos: there is no .mp4",
    ):
        assert f"missing: {words}" in told
    assert "models/" not in told
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_no_checkout_says_where_to_get_it(tmp_path: Path, capsys: Printed) -> None:
    videos(tmp_path, "gym")
    assert call(tmp_path, tmp_path / "nowhere") == 1
    assert memorise.COMMIT in capsys.readouterr().err
