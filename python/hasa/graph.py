"""Graphs: entities and relations with their texts, and triples in three splits."""
from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from . import _hasa

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    PathLike = str | os.PathLike[str]


class Entity(NamedTuple):
    """An entity of a graph. Where it has no name, its id stands for it."""

    id: str
    name: str
    description: str


class Relation(NamedTuple):
    """A relation of a graph. Where it has no text, its id stands for it."""

    id: str
    text: str


class Entities(Sequence[Entity]):
    """The entities of a graph, in the order of their numbers: those in Graph.triples() and the rows of Run.embeddings."""

    def __init__(self, graph: _hasa.Graph) -> None:
        self._graph = graph

    def __len__(self) -> int:
        return self._graph.num_entities

    @overload
    def __getitem__(self, index: int) -> Entity: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entity]: ...
    def __getitem__(self, index: int | slice) -> Entity | list[Entity]:
        if isinstance(index, slice):
            return [Entity(*self._graph.entity(i)) for i in range(*index.indices(len(self)))]
        return Entity(*self._graph.entity(_from_the_front(index, len(self))))

    def number(self, id_or_name: str) -> int:
        """The number of the entity that an id or a name stands for; an ambiguous name is an Error that lists the ids."""
        return self._graph.find_entity(id_or_name)

    def __repr__(self) -> str:
        return f"<{_counted(self._graph.num_entities, 'entity', 'entities')}>"


class Relations(Sequence[Relation]):
    """The relations of a graph, in the order of their numbers in Graph.triples()."""

    def __init__(self, graph: _hasa.Graph) -> None:
        self._graph = graph

    def __len__(self) -> int:
        return self._graph.num_relations

    @overload
    def __getitem__(self, index: int) -> Relation: ...
    @overload
    def __getitem__(self, index: slice) -> list[Relation]: ...
    def __getitem__(self, index: int | slice) -> Relation | list[Relation]:
        if isinstance(index, slice):
            return [Relation(*self._graph.relation(i)) for i in range(*index.indices(len(self)))]
        return Relation(*self._graph.relation(_from_the_front(index, len(self))))

    def __repr__(self) -> str:
        return f"<{_counted(self._graph.num_relations, 'relation', 'relations')}>"


def _counted(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


def _from_the_front(index: int, size: int) -> int:
    return index + size if index < 0 else index


class Graph:
    """A knowledge graph that import_graph() made, opened. It does not change."""

    def __init__(self, opened: _hasa.Graph) -> None:
        self._opened = opened

    @property
    def folder(self) -> str:
        return os.fspath(self._opened.folder)

    @property
    def entities(self) -> Entities:
        return Entities(self._opened)

    @property
    def relations(self) -> Relations:
        return Relations(self._opened)

    def triples(self, split: str = "train") -> NDArray[np.int32]:
        """The triples of a split: a row each of the numbers of head, relation and tail. Not a copy, and read-only."""
        return self._opened.triples(split)

    def audit(self) -> dict[str, Any]:
        """What the import found: counts, and findings with examples."""
        found: dict[str, Any] = json.loads(self._opened.audit_json())
        return found

    def _size(self) -> str:
        return (f"{_counted(len(self.entities), 'entity', 'entities')}, "
                f"{_counted(len(self.relations), 'relation', 'relations')}")

    def __repr__(self) -> str:
        return f"<hasa.Graph {self.folder}: {self._size()}>"


def open_graph(folder: PathLike) -> Graph:
    """Opens a graph that import_graph() or `hasa import` wrote."""
    return Graph(_hasa.open_graph(folder))


def import_graph(inputs: PathLike | Iterable[PathLike], out: PathLike, *, text: PathLike | Iterable[PathLike] = (),
                 relation_text: PathLike | Iterable[PathLike] = (), valid: float | None = None,
                 test: float | None = None, unseen: float | None = None, seed: int | None = None,
                 format: str = "auto", bad_lines: str | int = "fail") -> Graph:
    """Reads triples and texts in any common format, and writes them as a graph to the folder `out`.

    inputs: files of triples (TSV, CSV, JSON Lines, N-Triples, Turtle, KGTK; packed or not), or one folder of train,
        valid and test files, or "wordnet:animal" for a domain of the system's WordNet.
    text, relation_text: files with the texts of entities (id, name, description) and of relations (id, words).
    valid, test: fractions of the triples kept for validation and testing (.05 each); `unseen` is the fraction of the
        entities kept out of training on purpose, and `seed` that of the draw. For inputs that have no splits.
    bad_lines: what to do with malformed lines: "fail", "skip", or the most to skip.
    """
    return Graph(_hasa.import_graph(_paths(inputs), out, _paths(text), _paths(relation_text), valid, test, unseen, seed,
                                    format, str(bad_lines)))


def _paths(of: PathLike | Iterable[PathLike]) -> list[str]:
    return [os.fspath(of)] if isinstance(of, (str, os.PathLike)) else [os.fspath(path) for path in of]
