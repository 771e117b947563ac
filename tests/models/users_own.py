"""A module of a user, in a folder of its own."""

import sys
from pathlib import Path
from typing import Any

import pytest

SMALL: dict[str, Any] = {"steps": 20, "validate_every": 10, "max_length": 6, "batch_size": 8}

CODE = '''
"""A package of a user."""

import torch
from torch import nn

import lengthwise as lw


class Gru(nn.Module):
    def __init__(self, symbols, classes, width, dropout=0.0):
        super().__init__()
        self.embed = nn.Embedding(symbols + 1, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.drop = nn.Dropout(dropout)
        self.answer = nn.Linear(width, classes)

    def forward(self, tokens):
        return self.answer(self.drop(self.gru(self.embed(tokens))[0][:, -1]))


def gru(*, vocab_size, num_classes, width: int = 8, dropout: float = 0.1, flavour=None):
    """A GRU of a user."""
    return lw.adapt(Gru(vocab_size, num_classes, width, dropout), pad_token=vocab_size)


class Known(nn.Module):
    """Keeps the parity of ones, and learns a weight."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))

    def start(self):
        state = torch.zeros(1, 1)
        return self.read(state), state

    def step(self, state, symbols):
        state = (state - symbols[:, None]).abs()
        return self.read(state), state

    def read(self, state):
        return self.weight * torch.cat([1 - 2 * state, 2 * state - 1], dim=1)


def known(*, vocab_size, num_classes):
    return Known()


def anything(**settings):
    return gru(**settings)


def broken(*, vocab_size, num_classes):
    raise ValueError("no such\\nluck")


def leaving(*, vocab_size, num_classes):
    raise SystemExit(3)


def nothing(*, vocab_size, num_classes):
    return 5


def incomplete(size):
    return nn.Linear(size, size)
'''


def package_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the module `users_own` into a folder, and make that the current one."""
    (folder / "users_own.py").write_text(CODE)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr("lengthwise.models.custom._ENTRIES", {})
    monkeypatch.delitem(sys.modules, "users_own", raising=False)
    return folder
