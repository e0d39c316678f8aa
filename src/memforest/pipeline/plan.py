"""What a run will do: which artifacts are there, which will be computed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from memforest.config.compose import Components
from memforest.config.spec import RunSpec, run_id
from memforest.core.digests import digest
from memforest.core.listing import listed
from memforest.core.protocols import LoadedDataset, NoticingBackbone, NotRunnable
from memforest.pipeline.stages import BUILD, COMPRESS, SEARCH, UnitWork, data_digest, unit_works
from memforest.store.artifacts import ArtifactStore
from memforest.store.runs import RunStore, StoredRun


@dataclass(frozen=True, eq=False)
class Plan:
    """One run, its work, and what is already there.

    `stages` is the digest of all stage keys; `unfinished` is the run where calls failed in it that are made again.
    """

    spec: RunSpec
    run_id: str
    data: str
    works: tuple[UnitWork, ...]
    stages: str
    finished: StoredRun | None
    unfinished: StoredRun | None
    stale: bool
    cached: dict[str, int]

    @property
    def runnable(self) -> tuple[UnitWork, ...]:
        """Units that can be built."""
        return tuple(work for work in self.works if work.missing is None)

    def lines(self, *, after: Plan | None = None) -> list[str]:
        """The plan in words; `after` is a plan that is carried out before, with the same units."""
        if self.finished is not None:
            return [f"{self.run_id}: finished, nothing to compute"]
        lines = [f"{self.run_id}: {self._state()}"]
        units = len(self.runnable)
        for stage in (BUILD, COMPRESS):
            shared = after is not None and after.finished is None and _keys(self, stage) == _keys(after, stage)
            missing = units - self.cached[stage]
            text = f"{self.cached[stage]} of {units} units cached, {missing} to compute"
            lines.append(f"  {stage:<9}{'shared with the run above' if shared and missing else text}")
        lines.append(f"  {SEARCH:<9}{sum(len(work.questions) for work in self.runnable):,} questions")
        return lines

    def _state(self) -> str:
        if self.unfinished is not None:
            calls = sum(self.unfinished.retryable.values())
            return f"{calls:,} failed calls to make again, attempt {self.unfinished.attempts + 1}"
        return "stale, computed anew beside the old one" if self.stale else "to compute"

    def absent_lines(self) -> list[str]:
        """Units that cannot be built, and why; many for one reason are one line."""
        units: dict[str, list[str]] = defaultdict(list)
        for work in self.works:
            if work.missing is not None:
                units[work.missing.reason].append(work.missing.unit_id)
        return [f"not runnable: {listed(ids)}, {reason}" for reason, ids in units.items()]


def _keys(plan: Plan, stage: str) -> list[str]:
    return [work.keys[stage] for work in plan.runnable]


def make_plan(spec: RunSpec, dataset: LoadedDataset, inputs: list[str | NotRunnable]) -> Plan:
    """Compare what the run needs with what the outputs folder holds."""
    works = tuple(unit_works(spec, dataset, inputs))
    data = data_digest(dataset, inputs)
    identity = run_id(spec.identity(), data=data)
    stages = digest([work.keys for work in works])
    artifacts, runs = ArtifactStore(spec.outputs), RunStore(spec.outputs)
    finished, published = runs.finished(identity, stages=stages), runs.published(identity, stages=stages)
    return Plan(
        spec=spec,
        run_id=identity,
        data=data,
        works=works,
        stages=stages,
        finished=finished,
        unfinished=None if finished is not None else published,
        stale=published is None and runs.published(identity) is not None,
        cached={
            stage: sum(artifacts.has(stage, work.keys[stage]) for work in works if work.missing is None)
            for stage in (BUILD, COMPRESS)
        },
    )


def backbone_inputs(parts: Components, dataset: LoadedDataset) -> list[str | NotRunnable]:
    """What the backbone reads beside each unit, or why it cannot build it."""
    return [parts.backbone.inputs(unit=unit) for unit in dataset.units]


def noticed(parts: Components, dataset: LoadedDataset) -> tuple[list[str | NotRunnable], LoadedDataset]:
    """`backbone_inputs`, and the dataset with what the backbone has to say of its files among the notices."""
    backbone = parts.backbone
    if not isinstance(backbone, NoticingBackbone):
        return backbone_inputs(parts, dataset), dataset
    inputs: list[str | NotRunnable] = []
    said: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for unit in dataset.units:
        inputs.append(backbone.inputs(unit=unit))
        for notice in backbone.notices(unit=unit) if isinstance(inputs[-1], str) else ():
            what, _, which = notice.partition(": ")
            said[what].append((unit.id, which))
    lines = (
        f"{what}: {listed([f'{which} in {unit}'.strip() for unit, which in units])}" for what, units in said.items()
    )
    return inputs, replace(dataset, notices=(*dataset.notices, *lines))
