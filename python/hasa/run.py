"""Trained runs: what a model answers."""
from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import _hasa
from .graph import Entities, Graph, Relations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .graph import PathLike

    Question = Union[Mapping[str, str | None], tuple[str | None, str | None, str | None]]
    Words = tuple[str | None, str | None, str | None, str | None, str | None]

ASKED = ("head", "relation", "tail", "head_text", "tail_text")


class Answer(NamedTuple):
    """One answer to a question."""

    id: str
    name: str
    score: float
    """As the model scores (Run.score_meaning): the higher, the likelier. Only scores of one model compare."""
    probability: float | None
    """That the link is true; None where the run is not calibrated (Run.calibrate())."""
    known: str | None
    """The split that has the link already ("train", "valid", "test"), or "live" for one added since; None: it is new."""


class Judgement(NamedTuple):
    """What a model makes of a triple; the fields mean what they do in Answer."""

    score: float
    probability: float | None
    known: str | None


class Run:
    """A trained run, opened: its graph and its best model. May be used from several threads."""

    def __init__(self, opened: _hasa.Run, graph: str, device: str) -> None:
        self._opened = opened
        self._place = (graph, device)

    @property
    def folder(self) -> str:
        return os.fspath(self._opened.folder)

    @property
    def graph(self) -> Graph:
        return Graph(self._opened.graph)

    @property
    def entities(self) -> Entities:
        return self.graph.entities

    @property
    def relations(self) -> Relations:
        return self.graph.relations

    @property
    def model(self) -> str:
        """What the model is, in words."""
        return self._opened.model

    @property
    def score_meaning(self) -> str:
        """What a score is, such as "cosine of query and entity"."""
        return self._opened.score_meaning

    @property
    def reads_text(self) -> bool:
        """Whether it can be asked about text that it never saw."""
        return self._opened.reads_text

    @property
    def config(self) -> str:
        """Every option the run was trained with, as YAML."""
        return self._opened.config_yaml

    @property
    def metrics(self) -> list[dict[str, Any]]:
        """What was measured after each epoch of its training: loss, times, validation MRR."""
        try:
            lines = (pathlib.Path(self.folder) / "metrics.jsonl").read_text().splitlines(keepends=True)
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines if line.endswith("\n")]

    @property
    def embeddings(self) -> NDArray[np.float32]:
        """The vector of each entity, a row each, in the order of `entities`.

        Not a copy but the model's own memory, where the model is on the CPU: reading it costs nothing, and it is
        read-only. An Error for models that score query and entity together and have no such vectors.
        """
        return self._opened.embeddings

    def predict(self, head: str | None = None, relation: str | None = None, tail: str | None = None, *,
                head_text: str | None = None, tail_text: str | None = None, top: int = 10,
                new_only: bool = False) -> list[Answer]:
        """The best answers to a question, best first.

        Give two of head, relation and tail: the third is asked for. Entities and relations are named by id or by name;
        relation="reverse of ..." turns one round. head_text and tail_text are words about an entity that the graph does
        not have, best as "name: description". new_only leaves out the links that are known already.
        """
        asked = (head, relation, tail, head_text, tail_text)
        return _answers(self._opened.predict([asked], top, new_only)[0])

    def predict_many(self, questions: Iterable[Question], *, top: int = 10,
                     new_only: bool = False) -> list[list[Answer]]:
        """The answers to each of many questions, which are scored together: much quicker than one by one.

        A question is a dict with some of predict()'s head, relation, tail, head_text and tail_text, or a tuple (head,
        relation, tail) with None for what is asked.
        """
        return [_answers(each) for each in self._opened.predict([_words(q) for q in questions], top, new_only)]

    def score(self, triples: Iterable[Question]) -> list[Judgement]:
        """What the model makes of each triple: tuples (head, relation, tail), or dicts as in predict_many()."""
        return [Judgement(*each) for each in self._opened.score([_words(triple) for triple in triples])]

    def calibrate(self) -> bool:
        """Fits probabilities to the validation split, where the run has none, and keeps them in its folder.

        From then on answers have them. False where validation can say too little, or would take long to score (`hasa
        eval --calibrate` does it however long it takes).
        """
        return self._opened.calibrate()

    def encode(self, texts: Iterable[str]) -> NDArray[np.float32]:
        """Vectors of texts about entities, best as "name: description", comparable with the rows of `embeddings`."""
        return self._opened.encode(list(texts))

    def __repr__(self) -> str:
        return f"<hasa.Run {self.folder}: {self.model}; {self.graph._size()}>"


def open_run(run: PathLike, *, graph: PathLike | None = None, device: str | None = None) -> Run:
    """Opens a run that train() or `hasa train` wrote.

    graph: where its graph is now, if it has been moved. device: "cpu", "cuda" or "cuda:N" in place of the run's own.
    """
    place = ("" if graph is None else os.fspath(graph), device or "")
    return Run(_hasa.open_run(run, *place), *place)


def _answers(rows: list[tuple[Any, ...]]) -> list[Answer]:
    return [Answer(*row) for row in rows]


def _words(question: Question) -> Words:
    if isinstance(question, Mapping):
        unknown = [name for name in question if name not in ASKED]
        if unknown:
            raise TypeError(f"a question has no {unknown[0]!r}; it may have {', '.join(ASKED)}")
        head, relation, tail, head_text, tail_text = (question.get(name) for name in ASKED)
        return head, relation, tail, head_text, tail_text
    if isinstance(question, str) or len(question) != 3:
        raise TypeError(f"expected (head, relation, tail) or a dict, got {question!r}")
    return (*question, None, None)
