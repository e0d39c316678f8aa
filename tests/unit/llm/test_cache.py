"""Kept replies: their address, and two processes in one folder."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memforest.core.chat import ChatRequest, Message
from memforest.core.digests import digest
from memforest.core.types import Json
from memforest.llm.cache import Entry, asked, entry_json, parse_entry, path_of
from memforest.llm.completions import RawReply, Usage
from memforest.llm.flights import Flights
from tests.unit.llm.support import YES_OR_NO, ask, chat, files

ROOT = Path(__file__).parents[3]
IDENTITY: Mapping[str, Json] = {"model": "m", "temperature": 0}


def entry(**changes: Any) -> Entry:
    raw = RawReply("text with ✓", "stop", None, "m-1", "fp", Usage(5, 1, 2))
    parts = {"asked": asked(identity=IDENTITY, request=ask()), "raw": raw, "usage": Usage(5, 1, 2), "seconds": 0.5}
    return Entry(**{**parts, "repaired": None, **changes})


@pytest.mark.parametrize(
    "other",
    [
        ask("Who is Bo?"),
        ask(sample=1),
        ask(schema=YES_OR_NO),
        ChatRequest(ask().messages[:1]),
        ChatRequest((Message("user", "Be brief."), *ask().messages[1:])),
    ],
)
def test_all_that_is_asked_is_in_the_address(other: ChatRequest) -> None:
    assert digest(asked(identity=IDENTITY, request=other)) != digest(asked(identity=IDENTITY, request=ask()))


def test_the_address_of_a_request_is_pinned() -> None:
    assert entry().key == "2ef06f00b282c74408d29330e225db65fe4be44d7a296bc05a6a0d8b13833811"


def test_an_entry_is_read_as_it_was_written_and_reads_well() -> None:
    for one in (entry(), entry(usage=None, repaired="{bad"), entry(raw=RawReply("t", None, None, None, None, None))):
        content = json.loads(json.dumps(entry_json(one)))
        assert parse_entry(content, key=one.key, where="here") == one
    assert set(entry_json(entry())) == {"format", "key", "asked", "reply", "usage", "seconds", "repaired", "sha256"}


SCRIPT = """
import sys
from pathlib import Path
from tests.unit.llm.support import ask, chat
model = chat(Path(sys.argv[1]))
print(sorted(model.ask(request=ask(f"{n} {'word ' * 2000}")).text[-20:] for n in range(40))[0])
"""


def test_two_processes_in_one_folder_leave_whole_files_and_nothing_else(tmp_path: Path) -> None:
    running = [
        subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for _ in range(2)
    ]
    assert len({process.communicate(timeout=120)[0] for process in running}) == 1
    assert [process.returncode for process in running] == [0, 0]
    kept = files(tmp_path)
    assert len(kept) == 40
    for file in kept:
        content = json.loads(file.read_bytes())
        assert file == path_of(tmp_path, content["key"])
        parse_entry(content, key=content["key"], where=str(file))
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path not in kept] == []


def test_an_error_of_shared_work_reaches_all_and_is_forgotten() -> None:
    flights = Flights()

    def broken() -> int:
        raise ValueError("once")

    with pytest.raises(ValueError, match="once"):
        flights.share("key", broken)
    assert flights.share("key", lambda: 3) == (3, False)


def test_one_folder_for_a_reply_is_named_by_two_letters_of_its_address(tmp_path: Path) -> None:
    chat(tmp_path).ask(request=ask())
    (file,) = files(tmp_path)
    assert file.parent.name == file.stem[:2]
    assert len(file.stem) == 64
