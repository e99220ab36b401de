"""Training and evaluation."""
from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from . import _hasa
from .error import Error
from .graph import Graph
from .run import Run, open_run

if TYPE_CHECKING:
    from .graph import PathLike


def train(config: Mapping[str, Any] | PathLike, *, out: PathLike, graph: Graph | PathLike | None = None,
          resume: bool = False, on_epoch: Callable[[dict[str, Any]], object] | None = None) -> Run:
    """Trains a model on a graph, keeps the run in the folder `out`, and opens it.

    config: options as a dict, nested ({"train": {"epochs": 3}}) or with dots ({"train.epochs": 3}), or the path of a
        YAML file. docs/config.md has them all; what is left out keeps its default.
    graph: what to train on, in place of the config's own.
    resume: go on with what is in `out`, if anything is.
    on_epoch: called after each epoch with what was measured, as a dict: epoch, loss, seconds, and under "valid" the
        scores on the validation split. What it raises stops the training, and is raised here.

    Ctrl-C stops the training after its step and raises KeyboardInterrupt. However it was stopped, resume=True goes on
    from there.
    """
    if isinstance(config, Mapping):
        yaml, source = json.dumps(_nested(config), ensure_ascii=False, default=_plain), "config"
    else:
        yaml, source = pathlib.Path(config).read_text(), os.fspath(config)
    folder = "" if graph is None else graph.folder if isinstance(graph, Graph) else os.fspath(graph)
    hear = None if on_epoch is None else lambda line: on_epoch(json.loads(line))
    try:
        _hasa.train(yaml, source, folder, out, resume, hear)
    except Error as error:
        if isinstance(config, Mapping):  # whose lines are nothing to the user
            error.args = (str(error).replace(" (config:1)", ""),)
        raise
    return open_run(out)


def evaluate(run: Run | PathLike, split: str = "test", *, breakdown: bool = False) -> dict[str, Any]:
    """Ranks the held-out triples of a split, from both ends, among all entities, known answers left out.

    What comes back is what `hasa eval --json` prints: ["all"]["mrr"], ["all"]["hits@10"], ["certificate"] and more.
    breakdown: also by relation, degree, distance and so on.
    """
    graph, device = run._place if isinstance(run, Run) else ("", "")
    folder = run.folder if isinstance(run, Run) else os.fspath(run)
    report: dict[str, Any] = json.loads(_hasa.evaluate(folder, split, graph, device, breakdown))
    return report


def _nested(config: Mapping[str, Any]) -> dict[str, Any]:
    """{"train.epochs": 3} -> {"train": {"epochs": 3}}. None is left out: it means the default."""
    nested: dict[str, Any] = {}
    for key, value in config.items():
        *sections, name = str(key).split(".")
        inner = nested
        for section in sections:
            inner = inner.setdefault(section, {})
        if isinstance(value, Mapping):
            inner.setdefault(name, {}).update(_nested(value))
        elif value is not None:
            inner[name] = value
    return nested


def _plain(value: Any) -> Any:
    """What JSON has no word for: NumPy's numbers and arrays, paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return os.fspath(value)
