"""One run's configuration as plain data, its identity, and the checks that need nothing but it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memforest.config.folder import options, settings, unknown
from memforest.core.digests import digest
from memforest.core.errors import ConfigError

if TYPE_CHECKING:
    from memforest.llm.settings import RoleSettings

GROUPS = (
    "dataset",
    "backbone",
    "embedder",
    "compressor",
    "merger",
    "reembedding",
    "retriever",
    "answerer",
    "judge",
    "llm",
)
OPTIONAL = ("answerer", "judge", "llm")
"""Groups whose option `none` is nothing at all: it is in no identity."""
RESERVED = ("name", "traits")
NONE = "none"
KINDS = "kinds"
"""What a backbone provides whose memories have nodes of several kinds."""

MODELS = "llm"
"""The key of a choice's identity that holds its models by role."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen option of a group: its settings with `_target_`, and its traits.

    needs, provides: what it asks of the choices before it, and what it offers those after it;
    uses: run-level settings (ratio, seed, merger) that can change its result; what uses no merger uses no reembedding,
    and the seed is not among them where the settings are those that the YAML's `seedless_with` names;
    execution_only: settings that cannot, or whose content is hashed instead;
    only_with: settings that count only while others have a certain value, or one of several;
    roles: what it asks language models for, one of `core.chat.ROLES` each;
    ignores: run-level settings (k) that cannot change its result although they can that of other options.
    """

    group: str
    name: str
    settings: Mapping[str, Any]
    needs: tuple[str, ...]
    provides: tuple[str, ...]
    uses: tuple[str, ...]
    execution_only: tuple[str, ...]
    only_with: Mapping[str, Mapping[str, Any]]
    roles: tuple[str, ...]
    ignores: tuple[str, ...] = ()

    def identity(self) -> dict[str, Any]:
        """What can change an output: the name and the settings that count, equal numbers written alike."""
        kept = {key: _plain(value) for key, value in self.settings.items() if self._counts(key)}
        return {"name": self.name, **kept}

    def _counts(self, key: str) -> bool:
        return key not in self.execution_only and _hold(self.only_with.get(key, {}), self.settings)


def _hold(wanted: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Whether every named setting has the wanted value, or one of several."""
    return all(settings[name] in _listed(accepted) for name, accepted in wanted.items())


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Everything that one run is made of."""

    choices: Mapping[str, Choice]
    ratio: float
    merge_across_kinds: bool
    k: int
    word_budgets: tuple[int, ...]
    seed: int
    skip_categories: tuple[str, ...]
    answer_incomplete: bool
    failures_in_a_row: int
    workers: int
    outputs: Path

    def __getitem__(self, group: str) -> Choice:
        return self.choices[group]

    def identity(self) -> dict[str, Any]:
        """Settings that can change an output; what the compressor ignores is normalised to null, what is not chosen
        is left out."""
        uses = self["compressor"].uses
        groups: dict[str, Any] = {group: self._identity(group) for group in GROUPS if group not in OPTIONAL}
        if not self.merges:
            groups |= {"merger": None, "reembedding": None}
        return {
            **groups,
            "ratio": _plain(self.ratio) if "ratio" in uses else None,
            "seed": self.seed if "seed" in uses else None,
            **({"merge_across_kinds": self.merge_across_kinds} if self._merges_kinds else {}),
            "k": None if "k" in self["retriever"].ignores else self.k,
            "word_budgets": list(self.word_budgets),
            **self._answering(),
        }

    def _answering(self) -> dict[str, Any]:
        if not self.answers:
            return {}
        chosen = ["answerer", *(["judge"] if self.judges else [])]
        return {**{group: self._identity(group) for group in chosen}, "skip_categories": list(self.skip_categories)}

    def _identity(self, group: str) -> dict[str, Any]:
        """A choice's identity, with that of the models that it asks."""
        choice = self[group]
        models = {role: self.model(role).identity() for role in choice.roles}
        return {**choice.identity(), **({MODELS: models} if models else {})}

    def model(self, role: str) -> RoleSettings:
        """The language model in one role."""
        return model_settings(self["llm"], role)

    @property
    def roles(self) -> tuple[str, ...]:
        """What language models are asked for in this run."""
        working = [group for group, choice in self.choices.items() if choice.roles and self._works(group)]
        return tuple(role for group in working for role in self[group].roles)

    def _works(self, group: str) -> bool:
        idle = {"merger": not self.merges, "answerer": not self.answers, "judge": not self.judges}
        return not idle.get(group, False)

    @property
    def answers(self) -> bool:
        """Whether questions are answered, not only searched."""
        return self["answerer"].name != NONE

    @property
    def judges(self) -> bool:
        """Whether answers are judged."""
        return self.answers and self["judge"].name != NONE

    @property
    def merges(self) -> bool:
        """Whether the compressor merges nodes, and so uses merger and reembedding."""
        return "merger" in self["compressor"].uses

    @property
    def within_kinds(self) -> bool:
        """Whether nodes of several kinds are merged, and each only with its own."""
        return self._merges_kinds and not self.merge_across_kinds

    @property
    def _merges_kinds(self) -> bool:
        return self.merges and KINDS in self["backbone"].provides

    @property
    def effective_ratio(self) -> float:
        """The ratio; 0 for a compressor that ignores it, so that equal runs have equal reports."""
        return self.ratio if "ratio" in self["compressor"].uses else 0.0

    def with_choices(self, **choices: Choice) -> RunSpec:
        """The same run with other choices for some groups."""
        return replace(self, choices={**self.choices, **choices})


def model_settings(llm: Choice, role: str) -> RoleSettings:
    """What the choice of `llm` says of one role."""
    # NumPy comes with it, and a mistake in a command is met before that is loaded.
    from memforest.llm.settings import role_settings

    return role_settings(llm.settings, role, presets=_preset)


def _preset(name: str) -> Mapping[str, Any]:
    """The settings of a file of conf/llm. Raises ConfigError for a name that is none."""
    if name not in options("llm"):
        raise unknown("the preset", str(name), options("llm"))
    return settings("llm", name)


def run_id(identity: Mapping[str, Any], *, data: str) -> str:
    """A readable slug and a hash of settings and data."""
    compressor, merger = identity["compressor"]["name"], identity["merger"]
    parts = [identity["dataset"]["name"], identity["backbone"]["name"], compressor]
    if identity["ratio"] is not None:
        parts.append(f"{identity['ratio']:g}")
    if merger is not None:
        parts.append(merger["name"])
    parts.append(identity["retriever"]["name"])
    parts += [identity[group]["name"] for group in ("answerer", "judge") if group in identity]
    if identity["seed"] is not None:
        parts.append(f"seed{identity['seed']}")
    return "-".join(parts) + "-" + digest({"settings": identity, "data": data})[:10]


def parse_choice(group: str, raw: Mapping[str, Any]) -> Choice:
    """One group's composed settings."""
    traits = raw.get("traits") or {}
    uses = tuple(traits.get("uses", ()))
    if "seedless_with" in traits and _hold(traits["seedless_with"], raw):
        uses = tuple(use for use in uses if use != "seed")
    return Choice(
        group=group,
        name=raw["name"],
        settings={key: value for key, value in raw.items() if key not in RESERVED},
        needs=tuple(traits.get("needs", ())),
        provides=tuple(traits.get("provides", ())),
        uses=uses,
        execution_only=tuple(traits.get("execution_only", ())),
        only_with=traits.get("only_with", {}),
        roles=tuple(traits.get("roles", ())),
        ignores=tuple(traits.get("ignores", ())),
    )


def parse_spec(raw: Mapping[str, Any], *, working: Collection[str] = GROUPS) -> RunSpec:
    """A composed configuration as plain data -> RunSpec. Raises ConfigError with all problems at once.

    `working`: the groups that do something; what the others need of each other does not matter.
    """
    spec = RunSpec(
        choices={group: parse_choice(group, raw[group]) for group in GROUPS},
        ratio=raw["ratio"],
        merge_across_kinds=raw["merge_across_kinds"],
        k=raw["k"],
        word_budgets=_listed(raw["word_budgets"]),
        seed=raw["seed"],
        skip_categories=_listed(raw["skip_categories"]),
        answer_incomplete=raw["answer_incomplete"],
        failures_in_a_row=raw["failures_in_a_row"],
        workers=raw["workers"],
        outputs=Path(str(raw["paths"]["outputs"])),
    )
    problems = [*_value_problems(spec), *_pairing_problems(spec, working)]
    if problems:
        raise ConfigError("\n".join(problems))
    return spec


def _plain(value: Any) -> Any:
    """1.0 as 1: equal numbers have equal hashes."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _listed(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def seed_problem(seed: object) -> str | None:
    """What is wrong with a seed; None when nothing is."""
    return None if _is_whole(seed) and 0 <= seed < 2**32 else f"seed={seed} must be a whole number from 0 to 2^32 - 1"  # type: ignore[operator]


def ratio_problem(ratio: object) -> str | None:
    """What is wrong with a ratio; None when nothing is."""
    if _is_number(ratio) and 0 <= ratio < 1:  # type: ignore[operator]
        return None
    return f"ratio={ratio} is not in [0, 1): it is the share of nodes removed, 0.3 keeps 70 % of them"


def _value_problems(spec: RunSpec) -> Sequence[str]:
    problems = [problem] if (problem := ratio_problem(spec.ratio)) else []
    if str(spec.outputs) in ("", ".", "None"):
        problems.append("paths.outputs must name a folder")
    if not all(isinstance(name, str) for name in spec.skip_categories):
        problems.append(f"skip_categories={list(spec.skip_categories)} must be names of categories")
    for name in ("merge_across_kinds", "answer_incomplete"):
        if not isinstance(getattr(spec, name), bool):
            problems.append(f"{name}={getattr(spec, name)} must be true or false")
    for name in ("k", "workers", "failures_in_a_row"):
        value = getattr(spec, name)
        if not _is_whole(value) or value < 1:
            problems.append(f"{name}={value} must be a whole number of at least 1")
    if problem := seed_problem(spec.seed):
        problems.append(problem)
    if any(not _is_whole(budget) or budget < 1 for budget in spec.word_budgets):
        problems.append(f"word_budgets={list(spec.word_budgets)} must be whole numbers of at least 1")
    return problems


def _pairing_problems(spec: RunSpec, working: Collection[str]) -> Sequence[str]:
    """Needs that the choice before does not provide, in one sentence that names both."""
    problems = []
    for provider, users in (
        ("dataset", ("backbone", "answerer", "judge")),
        ("backbone", ("compressor", "retriever")),
    ):
        for user in users:
            if not {provider, user} <= set(working):
                continue
            lacking = [need for need in spec[user].needs if need not in spec[provider].provides]
            if lacking:
                problems.append(
                    f"{user}={spec[user].name} needs {' and '.join(lacking)}, "
                    f"which {provider}={spec[provider].name} does not provide"
                )
    if not spec.answers and spec["judge"].name != NONE:
        problems.append(f"judge={spec['judge'].name} judges answers, and answerer=none gives none; choose an answerer")
    return [*problems, *_model_problems(spec)]


def _model_problems(spec: RunSpec) -> list[str]:
    """Roles of the run for which no model is chosen. Raises ConfigError for settings of a role that cannot be."""
    if spec["llm"].name != NONE or spec.roles:
        for role in spec["llm"].settings["roles"] or ():
            spec.model(role)
    return [
        f"{group}={choice.name} asks a language model, and none is chosen for the role {role}; choose one with llm=NAME"
        for group, choice in spec.choices.items()
        for role in choice.roles
        if role in spec.roles and spec.model(role).provider == NONE
    ]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
