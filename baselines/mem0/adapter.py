"""Feeds a history to the real Mem0 library, one add after the other. Runs in an environment of its own.

    python -I adapter.py --versions      prints the versions of the libraries that matter, as one JSON object
    python -I adapter.py FOLDER          carries out FOLDER/job.json

`job.json` holds `line` (1 or 2, the major version of mem0ai), `settings`, `connection` and `adds`, a list of
`{user_id, session, timestamp, date, messages}`. Each add that is done becomes one line of `adds.jsonl`, and its state
a checkpoint `at-<adds done>/`, so that the same command after a kill begins at the first add that is not done, with
the store as it was before it. In the end `done/` holds `adds.jsonl`, `memories.json` and the library's `store/`.

One JSON object a line goes to standard output: `{"add": 3, "of": 10}`. The process ends when its standard input does,
so that it never outlives the one that started it. Exit status 3 means that an add failed where `on_failure` is `stop`.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import metadata
from pathlib import Path
from typing import Any

LIBRARIES = ("mem0ai", "qdrant-client", "faiss-cpu")
STOPPED = 3
EVENTS = ("ADD", "UPDATE", "DELETE", "NONE")
REDIRECTING = ("OPENROUTER_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL")
"""Environment variables by which the library would talk to another server than the job names."""

SWALLOWED = (
    "Empty response from LLM",
    "Unexpected fact shape",
    "Failed to embed",
    "Failed to insert",
    "Failed to save",
    "Batch entity",
)
"""How warnings begin behind which the library drops something."""

_RUN_DATE = re.compile(r"(?<=Today's date is )\d{4}-\d{2}-\d{2}")
_EVERYTHING = 1_000_000


class Watch(logging.Handler):
    """What went wrong during one add: what the library raises, and what it only logs."""

    def __init__(self) -> None:
        super().__init__(level=logging.WARNING)
        self.clear()

    def clear(self) -> None:
        """Begin a new add."""
        self.reasons: list[str] = []
        self.calls = {"llm": 0, "embedder": 0}
        self.tokens = {"prompt": 0, "completion": 0}

    def fail(self, reason: str) -> None:
        """Note a reason, once."""
        if reason not in self.reasons:
            self.reasons.append(reason)

    def emit(self, record: logging.LogRecord) -> None:
        """A logged error is a failure; of the warnings those that stand for something dropped."""
        message = record.getMessage()
        if record.name.startswith("mem0") and (record.levelno >= logging.ERROR or message.startswith(SWALLOWED)):
            self.fail(message.split(":")[0][:80])

    def response(self, _llm: object, response: Any, _parameters: object) -> None:
        """Called by the library with each raw response."""
        if response.choices[0].finish_reason == "length":
            self.fail("llm: reply cut off")
        if getattr(response.choices[0].message, "refusal", None):
            self.fail("llm: refused")
        if response.usage is not None:
            self.tokens["prompt"] += response.usage.prompt_tokens or 0
            self.tokens["completion"] += response.usage.completion_tokens or 0


def versions() -> dict[str, str]:
    """Installed versions; libraries that are not there are left out."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def open_memory(job: dict[str, Any], store: Path, watch: Watch) -> Any:
    """The library's Memory over `store`, watched."""
    from mem0 import Memory

    settings, connection = job["settings"], job["connection"]
    dimensions = settings["embedder_dims"]
    kind = settings["vector_store"]
    folder = {"collection_name": "mem0", "embedding_model_dims": dimensions, "path": str(store / kind)}
    llm = {
        "model": settings["llm_model"],
        "temperature": settings["llm_temperature"],
        "max_tokens": settings["llm_max_tokens"],
        "openai_base_url": connection["llm_base_url"],
        "api_key": _key(connection["llm_key_env"]),
    }
    embedder = {
        "model": settings["embedder_model"],
        "embedding_dims": dimensions,
        "openai_base_url": connection["embedder_base_url"],
        "api_key": _key(connection["embedder_key_env"]),
    }
    memory = Memory.from_config(
        {
            "vector_store": {"provider": kind, "config": folder | ({"on_disk": True} if kind == "qdrant" else {})},
            "llm": {"provider": "openai", "config": llm},
            "embedder": {"provider": "openai", "config": embedder},
            "history_db_path": str(store / "history.db"),
        }
    )
    _watch_llm(memory.llm, watch, line=job["line"])
    _watch_embedder(memory.embedding_model, watch)
    return memory


def _key(variable: str) -> str:
    """The key that the environment holds; servers that need none accept any."""
    return os.environ.get(variable) or "none"


def _watch_llm(llm: Any, watch: Watch, *, line: int) -> None:
    ask = llm.generate_response

    def generate_response(*args: Any, **named: Any) -> Any:
        messages = named["messages"] if "messages" in named else args[0]
        extracting = messages[0]["role"] == "system"
        watch.calls["llm"] += 1
        try:
            reply = ask(*args, **named)
        except Exception as error:
            watch.fail(f"llm: {type(error).__name__}")
            raise
        problem = reply_problem(reply, key="facts" if line == 1 and extracting else "memory", line=line)
        if problem is not None:
            watch.fail(f"llm: {problem}")
        return reply

    llm.generate_response = generate_response
    llm.config.response_callback = watch.response


def reply_problem(reply: object, *, key: str, line: int) -> str | None:
    """What is wrong with a model's reply that the library would take for "nothing to do"; None when nothing is."""
    from mem0.memory.utils import extract_json, remove_code_blocks

    if not isinstance(reply, str) or not reply.strip():
        return "empty reply"
    try:
        parsed = json.loads(remove_code_blocks(reply), strict=False)
    except ValueError:
        try:
            parsed = json.loads(extract_json(reply), strict=False)
        except ValueError:
            return "malformed reply"
    items = parsed.get(key) if isinstance(parsed, dict) else None
    if not isinstance(items, list):
        return f"reply without {key}"
    if key == "memory" and not all(isinstance(item, dict) for item in items):
        return "malformed reply"
    if key == "memory" and line == 1 and not all(item.get("event") in EVENTS for item in items):
        return "reply with an unknown event"
    return None


def _watch_embedder(embedder: Any, watch: Watch) -> None:
    embed = embedder.embed

    def watched(*args: Any, **named: Any) -> Any:
        watch.calls["embedder"] += 1
        try:
            return embed(*args, **named)
        except Exception as error:
            watch.fail(f"embedder: {type(error).__name__}")
            raise

    embedder.embed = watched


def date_setter(line: int) -> Callable[[str | None], None]:
    """A function that puts a session's date where the library's prompts have the date of the run.

    Raises RuntimeError when this version of the library has it elsewhere.
    """
    from mem0.memory import main, utils

    if line == 1:
        original = utils.USER_MEMORY_EXTRACTION_PROMPT
        if not _RUN_DATE.search(original):
            raise RuntimeError("event_time_in_prompt: this mem0ai has no run date in its extraction prompt")

        def in_system_prompt(date: str | None) -> None:
            utils.USER_MEMORY_EXTRACTION_PROMPT = _RUN_DATE.sub(date or "unknown", original)

        return in_system_prompt
    generate = main.generate_additive_extraction_prompt

    def in_user_prompt(date: str | None) -> None:
        dates = {"current_date": date or "unknown", "timestamp": date or "unknown"}
        main.generate_additive_extraction_prompt = lambda *args, **named: generate(*args, **{**named, **dates})

    return in_user_prompt


def add(memory: Any, item: dict[str, Any], watch: Watch, *, infer: bool) -> dict[str, Any]:
    """One call of the library; what it did and what went wrong."""
    watch.clear()
    given = {"timestamp": item["timestamp"], "session": item["session"]}
    extra = {key: value for key, value in given.items() if value is not None}
    events: list[dict[str, str]] = []
    try:
        done = memory.add(item["messages"], user_id=item["user_id"], metadata=extra, infer=infer)
        events = [
            {"event": result["event"], "id": str(result["id"]), "memory": result["memory"]}
            for result in done["results"]
        ]
    except Exception as error:
        # What a library raises is its own affair: whatever it is, this add is counted as failed.
        watch.fail(f"add: {type(error).__name__}")
        logging.getLogger(__name__).exception("add failed")
    return {
        "user_id": item["user_id"],
        "session": item["session"],
        "events": events,
        "calls": watch.calls,
        "tokens": watch.tokens,
        "failures": watch.reasons,
    }


def stored(memory: Any, users: list[str], *, line: int) -> dict[str, list[dict[str, Any]]]:
    """What the vector store holds for each user: id and payload."""
    limit = {"limit" if line == 1 else "top_k": _EVERYTHING}
    found = {}
    for user in users:
        listed = memory.vector_store.list(filters={"user_id": user}, **limit)
        rows = listed[0] if listed and isinstance(listed[0], list) else listed
        found[user] = [{"id": str(row.id), "payload": row.payload} for row in rows]
    return found


def checkpoints(folder: Path) -> list[tuple[int, Path]]:
    """Complete checkpoints with the number of adds done, fewest first."""
    return sorted((int(path.name.removeprefix("at-")), path) for path in folder.glob("at-*"))


def checkpoint(folder: Path, work: Path, done: int) -> None:
    """Keep the state after `done` adds, and no earlier one. No client writes between two adds."""
    earlier = checkpoints(folder)
    beside = folder / "next"
    shutil.rmtree(beside, ignore_errors=True)
    shutil.copytree(work, beside)
    beside.rename(folder / f"at-{done:06d}")
    for _, path in earlier:
        shutil.rmtree(path)


def resume(folder: Path) -> tuple[Path, int]:
    """The working folder as the last checkpoint had it, and how many adds are done."""
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    kept = checkpoints(folder)
    if kept:
        shutil.copytree(kept[-1][1], work)
        return work, kept[-1][0]
    (work / "store").mkdir(parents=True)
    (work / "adds.jsonl").touch()
    return work, 0


def ingest(folder: Path, job: dict[str, Any]) -> int:
    """All adds that are not done yet, then the export. Returns the exit status."""
    work, done = resume(folder)
    settings, adds = job["settings"], job["adds"]
    watch = Watch()
    logging.basicConfig(level=logging.WARNING)
    logging.getLogger().addHandler(watch)
    memory = open_memory(job, work / "store", watch)
    set_date = date_setter(job["line"]) if settings["event_time_in_prompt"] else lambda date: None
    for number, item in enumerate(adds[done:], done + 1):
        set_date(item["date"])
        record = add(memory, item, watch, infer=settings["infer"])
        if record["failures"] and settings["on_failure"] == "stop":
            say({"add": number, "of": len(adds), "stopped": record["failures"]})
            return STOPPED
        with (work / "adds.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
        checkpoint(folder, work, number)
        say({"add": number, "of": len(adds)})
    users = list(dict.fromkeys(item["user_id"] for item in adds))
    memories = stored(memory, users, line=job["line"])
    _close(memory)
    (work / "memories.json").write_text(json.dumps(memories, ensure_ascii=False), encoding="utf-8")
    work.rename(folder / "done")
    return 0


def _close(memory: Any) -> None:
    client = getattr(memory.vector_store, "client", None)
    if client is not None:
        client.close()
    memory.close()


def say(message: dict[str, Any]) -> None:
    """One line for whoever started this."""
    print(json.dumps(message), file=sys.__stdout__, flush=True)


def _end_with_standard_input() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(1)


def main(argument: str) -> int:
    """Entry of the command."""
    if argument == "--versions":
        say(versions())
        return 0
    folder = Path(argument)
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    installed = versions().get("mem0ai", "none")
    if installed.split(".", maxsplit=1)[0] != str(job["line"]):
        raise RuntimeError(f"this environment has mem0ai {installed}, and the job asks for {job['line']}.x")
    # All three are read when the library is imported.
    os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder / "home"))
    for variable in REDIRECTING:
        os.environ.pop(variable, None)
    threading.Thread(target=_end_with_standard_input, daemon=True).start()
    # Standard output is ours alone; whatever a library prints goes to the log.
    with redirect_stdout(sys.stderr):
        return ingest(folder, job)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
