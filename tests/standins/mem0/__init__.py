"""Stands in for the Mem0 library where its environment is not there: what the adapter touches of it, and no more.

Every fact is obeyed: `change 0 to TEXT` updates the first memory, `forget 0` deletes it, `die` kills the process the
first time, anything else is added. `say TEXT` is what the model then replies instead; `break` makes it raise.
"""

from __future__ import annotations

import json
import logging
import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mem0.memory import utils

logger = logging.getLogger(__name__)


class Model:
    """Replies with the facts of its user's lines."""

    def __init__(self) -> None:
        self.config = SimpleNamespace(response_callback=None)

    def generate_response(self, *, messages: list[dict[str, str]]) -> str:
        """A reply as mem0ai 1.x expects it."""
        with Path(os.environ["STANDIN_CALLS"]).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(messages) + "\n")
        facts = [line.split(": ", 2)[2] for line in messages[-1]["content"].splitlines() if line.startswith("user: ")]
        for fact in facts:
            if fact == "break":
                raise RuntimeError("the model broke")
            if fact.startswith("say"):
                return fact.removeprefix("say").strip()
        return json.dumps({"facts": facts})


class Embedder:
    """Asked once a fact."""

    def embed(self, text: str) -> list[float]:
        """A vector."""
        if text == "no vector":
            raise ValueError(text)
        return [float(len(text))]


class Rows:
    """The stored memories, in a file that is written at every change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(exist_ok=True, parents=True)
        self.rows: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []

    def save(self) -> None:
        """Write all rows."""
        self._path.write_text(json.dumps(self.rows))

    def list(self, *, filters: dict[str, str], limit: int) -> list[list[SimpleNamespace]]:
        """Rows of a user, newest first."""
        mine = [row for row in self.rows if row["payload"]["user_id"] == filters["user_id"]]
        return [[SimpleNamespace(**row) for row in reversed(mine[:limit])]]


class Memory:
    """As in mem0ai 1.x."""

    def __init__(self, path: Path) -> None:
        assert os.environ["MEM0_TELEMETRY"] == "False"
        self.llm = Model()
        self.embedding_model = Embedder()
        self.vector_store = Rows(path)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Memory:
        """A memory in the configured folder."""
        return cls(Path(config["vector_store"]["config"]["path"]) / "rows.json")

    def add(
        self, messages: list[dict[str, str]], *, user_id: str, metadata: dict[str, Any], infer: bool
    ) -> dict[str, Any]:
        """Facts first, then what each asks for; errors in a fact are logged and swallowed."""
        print("libraries may chatter")
        conversation = "".join(f"{message['role']}: {message['content']}\n" for message in messages)
        prompts = [{"role": "system", "content": utils.USER_MEMORY_EXTRACTION_PROMPT}]
        reply = self.llm.generate_response(messages=[*prompts, {"role": "user", "content": conversation}])
        try:
            facts = json.loads(reply)["facts"] if infer else []
        except (ValueError, TypeError, KeyError) as error:
            logger.error("Error in new_retrieved_facts: %s", error)
            facts = []
        results = []
        for fact in facts:
            try:
                results += self._obey(fact, {**metadata, "user_id": user_id})
            except (ValueError, IndexError) as error:
                logger.error("Error processing memory action: %s", error)
        return {"results": results}

    def _obey(self, fact: str, payload: dict[str, Any]) -> list[dict[str, str]]:
        mine = [row for row in self.vector_store.rows if row["payload"]["user_id"] == payload["user_id"]]
        words = fact.split()
        if fact == "die" and not Path(os.environ["STANDIN_DIED"]).exists():
            Path(os.environ["STANDIN_DIED"]).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        self.embedding_model.embed(fact)
        if words[0] == "forget":
            self.vector_store.rows.remove(mine[int(words[1])])
            event = {"event": "DELETE", "id": mine[int(words[1])]["id"], "memory": fact}
        elif words[0] == "change":
            changed = mine[int(words[1])]
            changed["payload"] = {**payload, "data": " ".join(words[3:])}
            event = {"event": "UPDATE", "id": changed["id"], "memory": changed["payload"]["data"]}
        else:
            row = {"id": os.urandom(8).hex(), "payload": {**payload, "data": fact}}
            self.vector_store.rows.append(row)
            event = {"event": "ADD", "id": row["id"], "memory": fact}
        self.vector_store.save()
        return [] if fact == "quietly" else [event]

    def close(self) -> None:
        """Nothing is open."""
