"""Mem0's memories of a LoCoMo conversation, from exported files `<speaker>_<conversation index>.json`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memforest.backbones.mem0_export import Mem0Record, read_export
from memforest.backbones.nodes import Draft, embedded_memory
from memforest.core.digests import digest, file_digest
from memforest.core.errors import ConfigError
from memforest.core.protocols import Embedder, NotRunnable
from memforest.core.types import Memory, Unit


class Mem0:
    """`scope` per_speaker: one memory for each speaker, as Mem0 stores them; pooled: one for both."""

    def __init__(self, *, export_dir: str | None, scope: str) -> None:
        if export_dir is None:
            raise ConfigError("backbone=mem0 reads exported memories; name their folder with backbone.export_dir=DIR")
        if not Path(export_dir).is_dir():
            raise ConfigError(f"backbone.export_dir={export_dir} is not a folder")
        if scope not in ("per_speaker", "pooled"):
            raise ConfigError(f"backbone.scope must be per_speaker or pooled, got {scope!r}")
        # Files are looked up by name, so that a speaker's name can never lead out of the folder.
        self._files = {path.name: path for path in Path(export_dir).iterdir() if path.is_file()}
        self._pooled = scope == "pooled"

    def inputs(self, *, unit: Unit) -> str | NotRunnable:
        """Digest of the unit's export files; not runnable when one is absent."""
        names = [self._file_name(unit, speaker) for speaker in unit.speakers]
        missing = [name for name in names if name not in self._files]
        if missing:
            return NotRunnable(unit.id, f"no export {' and '.join(missing)} in backbone.export_dir")
        return digest([file_digest(self._files[name]) for name in names])

    def build(self, *, unit: Unit, embedder: Embedder) -> list[Memory]:
        """Memories in the order of the speakers; sources are the sessions whose time a memory carries."""
        stores = [
            (f"{unit.id}/{speaker}", read_export(self._files[self._file_name(unit, speaker)]))
            for speaker in unit.speakers
        ]
        if self._pooled:
            records = [record for _, store in stores for record in store]
            stores = [(unit.id, sorted(records, key=lambda record: record.time))]
        return [self._memory(id=id, records=records, unit=unit, embedder=embedder) for id, records in stores]

    def _memory(self, *, id: str, records: Sequence[Mem0Record], unit: Unit, embedder: Embedder) -> Memory:
        sessions = {session.time: session.id for session in unit.sessions}
        drafts = [
            Draft(
                id=record.id,
                text=record.text,
                sources=(sessions[record.time],) if record.time in sessions else (),
                time=record.time,
                metadata={"user_id": record.user_id},
            )
            for record in records
        ]
        return embedded_memory(
            drafts, id=id, kind="memory", source_level="session", clock=unit.clock, embedder=embedder
        )

    @staticmethod
    def _file_name(unit: Unit, speaker: str) -> str:
        return f"{speaker}_{unit.index}.json"
