"""Loads the compiled module, and LibTorch with it."""
from __future__ import annotations

import os
import pathlib
import sys

LIBTORCH = "2.11.0"  # what the module was compiled against
# GNU's OpenMP reads it while it is loaded: how long a thread that waits for others keeps a core from them. The program
# starts itself again for the same end (apps/hasa/main.cpp).
SPIN = ("GOMP_SPINCOUNT", "3000")


def check_torch() -> None:
    """One process can hold one LibTorch: a torch package that is there already must be of the same version."""
    torch = sys.modules.get("torch")
    version = str(getattr(torch, "__version__", LIBTORCH)).split("+")[0]
    if version != LIBTORCH:
        raise ImportError(f"hasa is built on LibTorch {LIBTORCH}, and torch {version} is loaded in this process already: "
                          f"use them in processes of their own, or install torch=={LIBTORCH}")


def load() -> None:
    check_torch()
    name, value = SPIN
    brief = name not in os.environ and "OMP_WAIT_POLICY" not in os.environ
    if brief:
        os.environ[name] = value
    try:
        from . import _hasa
    finally:
        if brief:  # it is this process's affair, not that of the programs it starts
            del os.environ[name]
    _hasa.add_model_folder(pathlib.Path(__file__).parent / "models")


load()
