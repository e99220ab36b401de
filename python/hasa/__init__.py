"""Completes knowledge graphs from their text.

    import hasa

    graph = hasa.import_graph("wordnet:animal", "graphs/animals")
    run = hasa.train({"train.epochs": 10}, graph=graph, out="runs/animals", on_epoch=print)
    run.predict(head="beagle", relation="hypernym", top=3)

open() opens a run that was trained before, evaluate() scores one on held-out triples. Nothing is logged unless
set_verbosity() asks for it. What goes wrong is an Error, whose message says what to do.
"""
from . import _load  # first of all
from ._hasa import Tokenizer, set_verbosity
from ._hasa import version as __version__
from .error import Error
from .graph import Entities, Entity, Graph, Relation, Relations, import_graph, open_graph
from .run import Answer, Judgement, Run
from .run import open_run as open
from .training import evaluate, train

__all__ = ["Answer", "Entities", "Entity", "Error", "Graph", "Judgement", "Relation", "Relations", "Run", "Tokenizer",
           "evaluate", "import_graph", "open", "open_graph", "set_verbosity", "train"]

del _load
