"""What a person sees of a run: notices, the plan, the result."""

from __future__ import annotations

from memforest.config.compose import components
from memforest.config.folder import root_settings, settings, unknown
from memforest.config.spec import NONE, RunSpec, parse_choice
from memforest.core.protocols import LoadedDataset
from memforest.pipeline.plan import make_plan, noticed
from memforest.pipeline.run import execute
from memforest.report.result import result_lines
from memforest.store.runs import StoredRun


def run_and_print(spec: RunSpec) -> StoredRun:
    """Carry out a run and its uncompressed reference; the last line printed is the run's folder.

    The reference is searched, never answered: no model is paid for what nobody asked for.
    """
    parts = components(spec)
    dataset = parts.dataset.load()
    _require_categories(spec, dataset)
    inputs, dataset = noticed(parts, dataset)
    plan = make_plan(spec, dataset, inputs)
    nothing = {group: parse_choice(group, settings(group, NONE)) for group in ("compressor", "answerer", "judge")}
    full_spec = spec.with_choices(**nothing)
    full = plan if spec["compressor"].name == NONE else make_plan(full_spec, dataset, inputs)
    for notice in dataset.notices:
        print(f"notice: {notice}")
    print("plan:")
    reference = full.lines(after=plan) if full is not plan else []
    for line in [*plan.lines(), *reference, *plan.absent_lines()]:
        print(f"  {line}", flush=True)
    run = execute(plan, parts, dataset, say=lambda line: print(f"  {line}", flush=True))
    uncompressed = run if full is plan else execute(full, components(full_spec), dataset)
    print()
    print("\n".join(result_lines(run, uncompressed)))
    print(f"run: {run.folder}", flush=True)
    return run


def _require_categories(spec: RunSpec, dataset: LoadedDataset) -> None:
    """Raises ConfigError for a category to skip that the data does not have; the default's need not be there."""
    usual = root_settings()["skip_categories"]
    for name in spec.skip_categories:
        if name not in dataset.categories and name not in usual:
            raise unknown("the category of skip_categories", name, dataset.categories)
