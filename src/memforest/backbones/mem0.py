"""Mem0's memories of a conversation: from exported files, or ingested live through the library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from memforest.backbones.mem0_export import Mem0Record, read_export, time_of
from memforest.backbones.mem0_live import Connection, LiveLibrary, LiveSettings
from memforest.backbones.nodes import Draft, embedded_memory
from memforest.core.checks import require
from memforest.core.digests import digest, file_digest
from memforest.core.errors import ConfigError
from memforest.core.protocols import Embedder, NotRunnable
from memforest.core.types import Memory, Unit


class Source(Protocol):
    """Where the speakers' stores come from."""

    def inputs(self, *, unit: Unit) -> str | NotRunnable:
        """Digest of what is read beyond the unit, or why there is no store of it."""

    def stores(self, *, unit: Unit) -> list[tuple[str, list[Mem0Record]]]:
        """Speakers, in the unit's order, and their records in insertion order."""


class ExportFolder:
    """Files `<speaker>_<conversation index>.json` of Mem0's platform."""

    def __init__(self, *, folder: str | None) -> None:
        if folder is None:
            raise ConfigError("backbone=mem0 reads exported memories; name their folder with backbone.export_dir=DIR")
        if not Path(folder).is_dir():
            raise ConfigError(f"backbone.export_dir={folder} is not a folder")
        # Files are looked up by name, so that a speaker's name can never lead out of the folder.
        self._files = {path.name: path for path in Path(folder).iterdir() if path.is_file()}

    def inputs(self, *, unit: Unit) -> str | NotRunnable:
        """Digest of the unit's export files; not runnable when one is absent."""
        names = [self._file_name(unit, speaker) for speaker in unit.speakers]
        missing = [name for name in names if name not in self._files]
        if missing:
            return NotRunnable(unit.id, f"no export {' and '.join(missing)} in backbone.export_dir")
        return digest([file_digest(self._files[name]) for name in names])

    def stores(self, *, unit: Unit) -> list[tuple[str, list[Mem0Record]]]:
        """The records of each speaker's file."""
        return [(speaker, read_export(self._files[self._file_name(unit, speaker)])) for speaker in unit.speakers]

    @staticmethod
    def _file_name(unit: Unit, speaker: str) -> str:
        return f"{speaker}_{unit.index}.json"


class Mem0:
    """`scope` per_speaker: one memory for each speaker, as Mem0 stores them; pooled: one for both.

    `mode` export reads files of the platform; live ingests histories through the library, which stands in an
    environment of its own (`baselines/mem0`).
    """

    def __init__(
        self,
        *,
        mode: str,
        scope: str,
        export_dir: str | None,
        store_dir: str,
        python: str | None,
        version: int,
        batch_size: int,
        llm_model: str,
        llm_base_url: str,
        llm_key_env: str,
        llm_temperature: float,
        llm_max_tokens: int,
        embedder_model: str,
        embedder_base_url: str,
        embedder_key_env: str,
        embedder_dims: int,
        vector_store: str,
        infer: bool,
        event_time_in_prompt: bool,
        on_failure: str,
    ) -> None:
        require(mode in ("export", "live"), f"backbone.mode must be export or live, got {mode!r}")
        require(scope in ("per_speaker", "pooled"), f"backbone.scope must be per_speaker or pooled, got {scope!r}")
        self._pooled = scope == "pooled"
        settings = LiveSettings(
            llm_model=llm_model,
            llm_temperature=llm_temperature,
            llm_max_tokens=llm_max_tokens,
            embedder_model=embedder_model,
            embedder_dims=embedder_dims,
            vector_store=vector_store,
            infer=infer,
            event_time_in_prompt=event_time_in_prompt,
            on_failure=on_failure,
        )
        connection = Connection(
            llm_base_url=llm_base_url,
            llm_key_env=llm_key_env,
            embedder_base_url=embedder_base_url,
            embedder_key_env=embedder_key_env,
        )
        self._source: Source = (
            ExportFolder(folder=export_dir)
            if mode == "export"
            else LiveLibrary(
                version=version,
                python=python,
                store_dir=store_dir,
                batch_size=batch_size,
                settings=settings,
                connection=connection,
            )
        )

    def inputs(self, *, unit: Unit) -> str | NotRunnable:
        """Digest of the unit's export files, or of the library's versions; not runnable when there is no store."""
        return self._source.inputs(unit=unit)

    def build(self, *, unit: Unit, embedder: Embedder) -> list[Memory]:
        """Memories in the order of the speakers; sources are the sessions whose time a memory carries."""
        stores = [(f"{unit.id}/{speaker}", records) for speaker, records in self._source.stores(unit=unit)]
        if self._pooled:
            records = [record for _, store in stores for record in store]
            stores = [(unit.id, sorted(records, key=time_of))]
        return [self._memory(id=id, records=records, unit=unit, embedder=embedder) for id, records in stores]

    def _memory(self, *, id: str, records: Sequence[Mem0Record], unit: Unit, embedder: Embedder) -> Memory:
        sessions = {session.time: session.id for session in unit.sessions}
        drafts = [
            Draft(
                id=record.id,
                text=record.text,
                sources=_sources(record, sessions),
                time=record.time,
                metadata={"user_id": record.user_id},
            )
            for record in records
        ]
        return embedded_memory(
            drafts, id=id, kind="memory", source_level="session", clock=unit.clock, embedder=embedder
        )


def _sources(record: Mem0Record, sessions: dict[float | None, str]) -> tuple[str, ...]:
    """The session that is known, or the one at the record's time."""
    found = record.session_id or sessions.get(record.time)
    return () if found is None else (found,)
