"""A benchmark of soundness for any verifier: networks and certificates with one planted fault each.

from lengthwise_papers import soundness

soundness.run(soundness.ours)  # or any function from a Question to an Answer
"""

from lengthwise_papers.soundness.case import KINDS as KINDS
from lengthwise_papers.soundness.case import Answer as Answer
from lengthwise_papers.soundness.case import Case as Case
from lengthwise_papers.soundness.case import Question as Question
from lengthwise_papers.soundness.case import is_confirmed as is_confirmed
from lengthwise_papers.soundness.score import EACH as EACH
from lengthwise_papers.soundness.score import Tally as Tally
from lengthwise_papers.soundness.score import Verifier as Verifier
from lengthwise_papers.soundness.score import cases as cases
from lengthwise_papers.soundness.score import run as run
from lengthwise_papers.soundness.verifiers import VERIFIERS as VERIFIERS
from lengthwise_papers.soundness.verifiers import ours as ours
