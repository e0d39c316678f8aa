"""What the contract tests share: every option as a component, memories of awkward shapes, and one way to compress."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import yaml
from hydra.utils import get_class

from memforest.config.compose import compose, instantiate
from memforest.config.folder import conf_folder, options, settings
from memforest.config.spec import NONE, RESERVED, Choice, parse_choice
from memforest.core.chat import Chat
from memforest.core.graph import Entity, MemoryGraph
from memforest.core.protocols import Compressor, Merger
from memforest.core.types import Memory, target_count
from memforest.embedding.hashing import Hashing
from memforest.pipeline.compression import CompressedMemory, compress_memories
from memforest.pipeline.known_merges import KnownMerges
from tests.builders import DAY, START, memory, node
from tests.chats import copying

WORDS = (
    *("lantern", "harbour", "violin", "orchard", "copper", "meadow", "glacier", "walnut", "ferry", "saddle"),
    *("amber", "quarry", "thistle", "compass", "barley", "lighthouse", "velvet", "canyon", "pepper", "anvil"),
)
PROVIDED = {"compressor": ("text", "time", "graph")}
"""What the memories below offer to a group where that is more than text and time; they have a graph too, but times of
chats. An option that needs more has contract tests of its own."""

EMBEDDER = Hashing(buckets=16)
RATIOS = (0.0, 0.3, 0.5, 0.7, 0.9, 0.99)
COUNTS = (0, 1, 2, 3, 17, 60)


@cache
def choice(group: str, option: str) -> Choice:
    """An option with its composed settings."""
    return parse_choice(group, compose([f"{group}={option}"])[group])


def component(group: str, option: str) -> Any:
    """A new instance of an option; one that asks a model gets one that repeats what it is given."""
    return built(group, option, copying()) if option in asking(group) else instantiate(choice(group, option))


def built(group: str, option: str, chat: Chat, **changes: Any) -> Any:
    """An option with its settings, some of them changed; `chat` if it asks a model."""
    arguments = {key: value for key, value in settings(group, option).items() if key not in RESERVED} | changes
    made = get_class(arguments.pop("_target_"))
    return made(**arguments, chat=chat) if option in asking(group) else made(**arguments)


def components_of(group: str) -> list[str]:
    """Options with a component behind them."""
    return [option for option in options(group) if option != NONE]


def asking(group: str) -> list[str]:
    """Options that ask a language model."""
    return [option for option in options(group) if settings(group, option)["traits"].get("roles")]


def without_model(group: str) -> list[str]:
    """Usable options that ask no model."""
    return [option for option in usable(group) if option not in asking(group)]


def usable(group: str) -> list[str]:
    """Options that need no more than the memories below have."""
    provided = set(PROVIDED.get(group, ("text", "time")))
    return [option for option in options(group) if set(choice(group, option).needs) <= provided]


def marked(group: str, names: Sequence[str]) -> list[Any]:
    """Options for `parametrize`; those that are another option with other settings are left to `make test-all`."""
    raw = {name: yaml.safe_load((conf_folder() / group / f"{name}.yaml").read_text("utf-8")) for name in names}
    return [pytest.param(name, marks=pytest.mark.slow if "defaults" in raw[name] else ()) for name in names]


OWN_TARGET = ("memforest_released_m3", "memforest_released_mem0", "streammeco_released")
"""The compressors that aim at more nodes than M, as their released code does."""


def goal(option: str, report: Mapping[str, Any], *, count: int, ratio: float) -> int:
    """Nodes that a compressor must leave: M, or what it reports to aim at where it has a target of its own."""
    exact = target_count(count=count, ratio=ratio) if option in using("ratio") else count
    if option not in OWN_TARGET:
        return exact
    aimed: int = report["method_target"]
    assert exact <= aimed <= count
    return aimed


def using(trait: str) -> list[str]:
    """Compressors whose result may change with `trait`."""
    return [option for option in usable("compressor") if trait in choice("compressor", option).uses]


def dropping() -> list[str]:
    """Merging compressors whose settings say that they drop nodes too."""
    return [option for option in using("merger") if choice("compressor", option).settings.get("drop")]


def _memory(texts: Sequence[str], times: Sequence[float | None], *, id: str = "m") -> Memory:
    """Every third node is linked to one of two voices."""
    vectors = EMBEDDER.embed(texts=texts).vectors
    nodes = [
        node(f"n{place}", text, vector=vector, time=time, sources=(f"D1:{place}", f"D2:{place}"))
        for place, (text, time, vector) in enumerate(zip(texts, times, vectors, strict=True))
    ]
    edges = tuple((f"{place % 2}", f"n{place}", 1.0 + place % 4) for place in range(0, len(nodes), 3))
    graph = MemoryGraph(entities=(Entity("0", "voice"), Entity("1", "voice")), edges=edges)
    return replace(memory(nodes, id=id), graph=graph)


def _texts(count: int) -> list[str]:
    return [
        f"{WORDS[place % 20]} {WORDS[place * place % 17]} {WORDS[place * 7 % 13]} {place % 5}" for place in range(count)
    ]


def _sessions(count: int) -> list[float | None]:
    return [START + DAY * (place // 4) for place in range(count)]


def plain(count: int, *, id: str = "m") -> Memory:
    """Four nodes a session, a few words each."""
    return _memory(_texts(count), _sessions(count), id=id)


SHAPES: Mapping[str, Callable[[int], Memory]] = {
    "plain": plain,
    "identical vectors": lambda count: _memory(["lantern harbour"] * count, _sessions(count)),
    "no times": lambda count: _memory(_texts(count), [None] * count),
    "equal times": lambda count: _memory(_texts(count), [START] * count),
    "times backwards": lambda count: _memory(_texts(count), [START - DAY * place for place in range(count)]),
    "single words": lambda count: _memory([WORDS[place % 20] for place in range(count)], _sessions(count)),
    "empty texts": lambda count: _memory([""] * count, _sessions(count)),
}


def compress(
    option: str,
    memories: Sequence[Memory],
    *,
    ratio: float,
    seed: int = 0,
    merger: Merger | str = "concat",
    reembedding: str = "text",
    known: Sequence[KnownMerges] = (),
) -> list[CompressedMemory]:
    """Compress by an option's compressor through the pipeline's executor."""
    compressor: Compressor = component("compressor", option)
    return compress_memories(
        memories,
        compressor=compressor,
        merger=component("merger", merger) if isinstance(merger, str) else merger,
        reembedding=component("reembedding", reembedding),
        embedder=EMBEDDER,
        ratio=ratio,
        seed=seed,
        known=known,
    )


@cache
def shaped(shape: str, count: int) -> Memory:
    """A memory of one of the shapes."""
    return SHAPES[shape](count)


@cache
def compressed(option: str, shape: str, count: int, ratio: float, merger: str = "concat") -> CompressedMemory:
    """The result for one of the shapes, computed once."""
    (result,) = compress(option, [shaped(shape, count)], ratio=ratio, merger=merger)
    return result


def content(of: Memory) -> list[tuple[object, ...]]:
    """All that a memory holds, comparable."""
    return [
        (
            *(item.id, item.segments, item.vector.tobytes(), item.time, item.members, item.kind, item.truncated),
            *sorted(item.metadata.items()),
        )
        for item in of.nodes
    ]
