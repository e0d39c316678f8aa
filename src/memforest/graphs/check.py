"""What is wrong with a graph that holds together: what a reader of its numbers has to know, a sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice, pairwise

from memforest.core.characters import characters_of
from memforest.core.graph import TAG
from memforest.core.video import ENTITY_TYPES, GraphNode, GraphVectors, VideoGraph
from memforest.graphs.memory import told_graph
from memforest.graphs.raw import EXAMPLES, counted, sentence

_NAMES: Mapping[str, Sequence[str]] = {
    "face": ("img",),
    "voice": ("voice",),
    "speaker": ("voice",),
    "char": ENTITY_TYPES,
}
"""What the word of a tag names; in files before the release a char is anybody, seen or heard."""

_CHARACTER = "character"


def problems(graph: VideoGraph, vectors: GraphVectors | None = None) -> list[str]:
    """Sentences about texts, clips, tags and characters, and about vectors where they are given."""
    texts = graph.texts
    return [
        *counted("texts without words", [node.id for node in texts if not node.text.strip()]),
        *counted("texts without a clip, which have no time", [node.id for node in texts if node.clip is None]),
        *_empty_clips(graph),
        *_order(graph),
        *counted("tags that name no face or voice of the graph", _unknown(graph)),
        *counted("texts with a tag and no edge to what it names", _unlinked(graph)),
        *counted("characters that the file has otherwise than its equivalences say", _others(graph)),
        *(
            []
            if vectors is None
            else counted("texts without a vector", [node.id for node in texts if node.id not in vectors])
        ),
    ]


def _empty_clips(graph: VideoGraph) -> list[str]:
    """Counted, not listed: a number that is no clip's (a second's, say) can have any number of clips before it."""
    clips = {node.clip for node in graph.texts if node.clip is not None}
    empty = max(clips, default=-1) + 1 - len(clips)
    first = islice((clip for clip in count() if clip not in clips), min(empty, EXAMPLES))
    return sentence("clips without a text", first, of=empty)


def _order(graph: VideoGraph) -> Iterator[str]:
    clips = [node.clip for node in graph.texts if node.clip is not None]
    back = sum(second < first for first, second in pairwise(clips))
    if back:
        yield f"texts that follow one of a later clip: {back:,}"


def _tags(graph: VideoGraph) -> Iterator[tuple[GraphNode, str, str, bool]]:
    """Texts with the word and number of each tag once, and whether the tag names what it says; a tag can be of more
    digits than a number."""
    types = {str(node.id): node.type for node in graph.nodes}
    for node in graph.texts:
        for word, number in dict.fromkeys(TAG.findall(node.text)):
            # A character is no node.
            if word.lower() != _CHARACTER:
                yield node, word, number, types.get(number) in _NAMES.get(word.lower(), ())


def _unknown(graph: VideoGraph) -> list[str]:
    return [f"<{word}_{number}> in {node.id}" for node, word, number, known in _tags(graph) if not known]


def _unlinked(graph: VideoGraph) -> list[int]:
    linked = {frozenset(map(str, edge[:2])) for edge in graph.edges}
    return list(
        dict.fromkeys(
            node.id
            for node, _, number, known in _tags(graph)
            if known and frozenset((str(node.id), number)) not in linked
        )
    )


def _others(graph: VideoGraph) -> list[str]:
    """The file's characters that are none of ours; tags are compared by their numbers."""
    if graph.characters is None:
        return []
    ours = {frozenset(ids) for ids in characters_of(told_graph(graph)).values()}
    stored = {name: frozenset(tag.rpartition("_")[2] for tag in tags) for name, tags in graph.characters.items()}
    return [f"{name} of {' '.join(graph.characters[name])}" for name, ids in stored.items() if ids not in ours]
