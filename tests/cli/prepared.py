"""A folder with a run of every kind and files that are nearly right, for the table of slips."""

import json
import shutil
from pathlib import Path

import pytest

from lengthwise.cli.main import main

SMALL = ("--preset", "smoke", "--device", "cpu", "--set", "steps=1", "--out")

COMMANDS = [
    ("train", "att:my.att", *SMALL, "run"),
    ("certify", "run", "--out", "proof.json"),
    ("train", "parity", "--model", "lstm", *SMALL, "lstm"),
    ("train", "steps:addition", "--set", "bits=2", "--set", "examples=8", *SMALL, "steps"),
    ("train", "words:good.tsv", "--model", "gru", *SMALL, "words"),
    ("prepare", "a.txt", "--set", "vocab_size=257", "--out", "text"),
    ("train", "text:text", "--set", "window=8", "--set", "chunk_size=2", *SMALL, "gpt"),
    (
        *("prepare", "a.tsv", "--pairs", "en,de", "--valid", "b.tsv", "--test", "b.tsv"),
        *("--set", "vocab_size=259", "--out", "pairs"),
    ),
    ("train", "translation:pairs", *SMALL, "translator"),
    ("compile", "steps2022/addition-1", "--set", "bits=2", "--out", "circuit"),
    ("compile", "parity", "--out", "exact"),
    ("compile", "add[base=2]", "--out", "adder"),
]
"""What makes the runs."""

FILES = {
    "my.att": b"0 1 a\n0 0 b\n1 0 a\n1 1 b\n1\n",
    "broken.att": b"0 1 a\n0 x b\n1\n",
    "two-ways.att": b"0 1 a\n0 0 a\n1\n",
    "no-final.att": b"0 1 a b c d e\n",
    "empty.att": b"",
    "latin1.att": b"0 1 \xe9\n1\n",
    "good.tsv": "".join(
        f"{n:07b}".replace("0", "a").replace("1", "b") + f"\t{n % 2}\n" for n in range(128)
    ).encode(),
    "empty.tsv": b"",
    "one-class.tsv": b"ab\t1\nba\t1\n",
    "heading.tsv": b"sequence\tclass\n" + b"ab\t1\nba\t0\n" * 25,
    "outside.tsv": b"ab\t1\nba\t0\nacb\t1\n",
    "contradictory.tsv": b"ab\t1\nba\t0\nab\t0\n",
    "unequal.tsv": b"ab\t01\nb\t1\naba\t01\n",
    "no-input.att": b"0 0 <eps> a\n0\n",
    "no-output.att": b"0 0 a <eps>\n0\n",
    "two-outputs.att": b"0 1 a x\n0 2 a y\n1 1 b x\n2 2 b x\n1 3 c x\n2 3 c x\n3\n",
    "no-reading.att": b"0 1 a x\n1 0 b x\n0\n1\n",
    "no-label.tsv": b"ab\t1\nba\n",
    "latin1.tsv": b"ab\t1\n\xe9b\t0\n",
    "bad.jsonl": b'{"word": "ab", "label": 1}\n{"word": "ba"\n',
    "no-word.jsonl": b'{"wrd": "ab", "label": 1}\n',
    "packed.tsv.gz": b"no gzip",
    "words.csv": b"ab,1\nba\n",
    "a.txt": b"what a transformer can express and learn\n" * 100,
    "a.tsv": b"en\tde\n" + b"".join(b"line %d\tZeile %d\n" % (n, n) for n in range(20)),
    "b.tsv": b"en\tde\n" + b"".join(b"row %d\tReihe %d\n" % (n, n) for n in range(5)),
    "latin1.txt": b"caf\xe9\n",
    "empty.txt": b"",
    "list.json": b"[1, 2]",
    "cut.json": b'{"steps": 5',
    "no.toml": b"steps = = 5",
    "unknown.json": b'{"step": 5}',
    "cycle.blif": b".model m\n.inputs a\n.outputs b\n.names c b\n1 1\n.names b c\n1 1\n.end\n",
    "memory.bench": b"INPUT(a)\nOUTPUT(q)\nq = DFF(a)\n",
    "file": b"",
    "mine.py": b'''
"""Networks and rules of a user."""

import torch
from torch import nn

import pytest

import lengthwise as lw


class Net(nn.Module):
    def __init__(self, vocab_size, num_classes):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size + 1, num_classes)

    def forward(self, tokens):
        return self.embedding(tokens).sum(1)


class Transposed(Net):
    def forward(self, tokens):
        return super().forward(tokens).T


class Each(Net):
    def forward(self, tokens):
        return self.embedding(tokens)


class Noisy(Net):
    def forward(self, tokens):
        return super().forward(tokens) + torch.randn(1)


class Whole(Net):
    def forward(self, tokens):
        return super().forward(tokens).long()


def backwards(word):
    return word[::-1]


def right(*, vocab_size, num_classes):
    return lw.adapt(Net(vocab_size, num_classes), pad_token=vocab_size)


def transposed(*, vocab_size, num_classes):
    return lw.adapt(Transposed(vocab_size, num_classes), pad_token=vocab_size)


def each(*, vocab_size, num_classes):
    return lw.adapt(Each(vocab_size, num_classes), pad_token=vocab_size)


def noisy(*, vocab_size, num_classes):
    return lw.adapt(Noisy(vocab_size, num_classes), pad_token=vocab_size)


def whole(*, vocab_size, num_classes):
    return lw.adapt(Whole(vocab_size, num_classes), pad_token=vocab_size)


def three(*, vocab_size, num_classes):
    return lw.adapt(Net(vocab_size, 3), pad_token=vocab_size)


def few_symbols(*, vocab_size, num_classes):
    return lw.adapt(Net(0, num_classes), pad_token=vocab_size)


def failing(*, vocab_size, num_classes):
    raise ValueError("no such\\nluck")


def a_number(*, vocab_size, num_classes):
    return 5


def a_rule(word):
    return word.count("1") % 2


def failing_rule(word):
    raise ValueError("no such\\nluck")


def endless_rule(word):
    return word == word[::-1]
''',
}


def prepare(folder: Path) -> None:
    """Fill the current folder; `stopped` ends after its settings, `cut` has a cut-off file."""
    pytest.importorskip("tokenizers")  # some of the runs are about texts
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    for command in COMMANDS:
        assert main(command) in (0, 1), command
    shutil.copytree("run", "stopped")
    for each in Path("stopped").iterdir():
        if each.name != "config.json":
            each.unlink()
    shutil.copytree("run", "cut")
    weights = Path("cut/model.safetensors")
    weights.write_bytes(weights.read_bytes()[:100])
    shutil.copytree("run", "no-config")
    Path("no-config/config.json").unlink()
    shutil.copytree("run", "future")
    config = Path("future/config.json")
    config.write_text(json.dumps({**json.loads(config.read_text()), "format": 99}))
    Path("empty").mkdir()
