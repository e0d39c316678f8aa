"""A store that the real Mem0 library wrote is made smaller, and the library works with the smaller one."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memforest.backbones.mem0_environment import interpreter
from memforest.cli import main
from tests.e2e.real_mem0 import DIMENSION, build, lines
from tests.mem0_script import obedient
from tests.openai_server import OpenAIServer
from tests.unit.exchange.stores import fingerprint, points_of

pytestmark = pytest.mark.slow
LIBRARY = """
import json, os, sys
line, folder, url, home = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=home)
from mem0 import Memory
model = {"openai_base_url": url, "api_key": "none", "model": "m"}
memory = Memory.from_config({
    "vector_store": {"provider": "qdrant", "config": {
        "path": folder, "on_disk": True, "collection_name": "mem0", "embedding_model_dims": DIMENSION}},
    "llm": {"provider": "openai", "config": model},
    "embedder": {"provider": "openai", "config": {**model, "embedding_dims": DIMENSION}},
    "history_db_path": os.path.join(home, "history.db"),
})
def search(query, user):
    scope = {"user_id": user, "limit": 10} if line == 1 else {"filters": {"user_id": user}, "top_k": 10}
    return memory.search(query, **scope)["results"]
"""
SEARCH = """
said = "Ada: I live in Paris, play the violin, moved to Berlin. Ben: I have a cat, my cat is old, I like tea, see you"
hits = {user: search(said, user) for user in ("Ada_3", "Ben_3")}
print(json.dumps(hits))
"""
CHANGE = """
hit = search("Ada: I live in Paris", "Ada_3")[0]
memory.update(hit["id"], "changed text")
other = search("Ben: I have a cat", "Ben_3")[0]
memory.delete(other["id"])
print(json.dumps([memory.get(hit["id"]), memory.get(other["id"])]))
"""
HOLD = """
print("{}", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(obedient, dimension=DIMENSION).serving() as running:
        yield running


def command(server: OpenAIServer, folder: Path, line: int, program: str) -> list[str]:
    code = LIBRARY.replace("DIMENSION", str(DIMENSION)) + program
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    python = str(interpreter(None, line=line))
    return [python, "-I", "-c", code, str(line), str(folder), server.url, str(home)]


def library(server: OpenAIServer, folder: Path, line: int, program: str) -> Any:
    done = subprocess.run(command(server, folder, line, program), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def written(server: OpenAIServer, tmp_path: Path, line: int) -> Path:
    build(server.url, tmp_path / "stores", line)
    (folder,) = (tmp_path / "stores").iterdir()
    return folder / "store" / "qdrant"


def compress(source: Path, out: Path) -> None:
    main(["compress", str(source), "--method", "memforest", "--ratio", "0.5", "--out", str(out)])


@lines(1, 2)
def test_the_library_finds_the_merged_memories_of_the_smaller_store(
    server: OpenAIServer, tmp_path: Path, line: int
) -> None:
    source = written(server, tmp_path, line)
    before = fingerprint(source)
    compress(source, tmp_path / "smaller")
    assert fingerprint(source) == before
    kept = {fields["id"]: fields for fields in points_of(tmp_path / "smaller")}
    originals = {fields["id"] for fields in points_of(source)}
    assert (len(originals), len(kept)) == {1: (5, 3), 2: (8, 4)}[line]
    hits = library(server, tmp_path / "smaller", line, SEARCH)
    found = [hit for user in hits.values() for hit in user]
    assert {hit["id"] for hit in found} == set(kept)
    assert all(hit["memory"] == kept[hit["id"]]["payload"]["data"] for hit in found)
    assert all(user == hit["user_id"] for user, mine in hits.items() for hit in mine)
    merged = [hit for hit in found if hit["id"] not in originals]
    assert merged
    assert all(set(hit["metadata"]["merged_from"]) <= originals for hit in merged)


@lines(1, 2)
def test_the_library_changes_and_deletes_in_the_smaller_store(server: OpenAIServer, tmp_path: Path, line: int) -> None:
    compress(written(server, tmp_path, line), tmp_path / "smaller")
    count = len(points_of(tmp_path / "smaller"))
    changed, deleted = library(server, tmp_path / "smaller", line, CHANGE)
    assert changed["memory"] == "changed text"
    assert deleted is None
    assert len(points_of(tmp_path / "smaller")) == count - 1


@lines(1, 2)
def test_a_store_that_the_library_has_open_is_refused(
    server: OpenAIServer, tmp_path: Path, line: int, capsys: pytest.CaptureFixture[str]
) -> None:
    source = written(server, tmp_path, line)
    holding = command(server, source, line, HOLD)
    with subprocess.Popen(holding, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "{}\n"
        with pytest.raises(SystemExit):
            compress(source, tmp_path / "smaller")
        process.stdin.close()
    assert "is open in another program" in capsys.readouterr().err
    compress(source, tmp_path / "smaller")
