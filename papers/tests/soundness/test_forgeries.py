"""Forged files are refused, and questions are read from files."""

from pathlib import Path

import pytest
import torch

from lengthwise.evaluation.evaluate import answer_of
from lengthwise.proofs.check.certificate import Certificate
from lengthwise_papers import soundness
from lengthwise_papers.soundness.forgeries import running


@pytest.mark.slow
def test_every_way_of_forging_is_refused() -> None:
    asked = list(soundness.cases(5, each=8, kinds=["forged file"]))
    assert len({case.known_by.partition(" called")[0] for case in asked}) == 8
    for case in asked:
        assert soundness.is_confirmed(case), case.known_by
        assert soundness.ours(case.question) == "fails", case.known_by


def test_another_program_reads_a_question_from_a_file(tmp_path: Path) -> None:
    for case in soundness.cases(each=1, kinds=["one pad", "domain corner", "forged file"]):
        read = Certificate.load(case.save(tmp_path))
        assert read.verdict == ("not-closed" if case.kind != "forged file" else read.verdict)
        tokens = torch.tensor([case.word, case.word[::-1]])
        given = answer_of(running(read)(tokens))
        assert given.equal(answer_of(case.question.model(tokens)))
    assert len(list(tmp_path.iterdir())) == 3
