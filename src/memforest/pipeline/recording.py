"""All replies that finished runs rest on, in one file from which they can be repeated without a model."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from memforest.config.compose import components, reply_cache
from memforest.config.recorded import recorded_spec
from memforest.core.errors import ReplayError, StoreError
from memforest.llm.recording import write_recording
from memforest.pipeline.plan import backbone_inputs, make_plan
from memforest.pipeline.run import execute
from memforest.store.runs import RUN, StoredRun


def record_runs(runs: Sequence[StoredRun], out: Path, *, extra: Sequence[str]) -> int:
    """Write the replies of `runs` to `out`; returns how many there are.

    Each run is done again in a folder that is thrown away, from kept replies alone, so that the file is known to hold
    all it needs and nothing else; replies that could not be used are among them. `extra` are overrides that say where
    data and replies lie. Raises StoreError for a run without models, or with calls that brought nothing at all,
    ReplayError where a reply is gone.
    """
    keys: set[str] = set()
    for run in runs:
        keys |= set(_keys(run, extra))
    outputs = runs[0].folder.parents[1]
    spec = recorded_spec(runs[0].read(RUN)["settings"], extra=extra, outputs=outputs)
    return write_recording(reply_cache(spec["llm"], outputs=outputs), keys, out)


def _keys(run: StoredRun, extra: Sequence[str]) -> Sequence[str]:
    outputs = run.folder.parents[1]
    settings = run.read(RUN)["settings"]
    kept = reply_cache(recorded_spec(settings, extra=extra, outputs=outputs)["llm"], outputs=outputs)
    with tempfile.TemporaryDirectory() as folder:
        again = [*extra, "answer_incomplete=true", f"llm.cache_folder={kept.resolve()}"]
        spec = recorded_spec(settings, extra=again, outputs=Path(folder))
        parts = components(spec)
        dataset = parts.dataset.load()
        try:
            execute(make_plan(spec, dataset, backbone_inputs(parts, dataset)), parts, dataset)
        except ReplayError as error:
            if run.retryable:
                raise StoreError(f"{run.id} has failed calls; make them again first with the run's command") from error
            raise
    if not parts.ledger.keys:
        raise StoreError(f"{run.id} asked no language model, so there is nothing to record")
    return parts.ledger.keys
