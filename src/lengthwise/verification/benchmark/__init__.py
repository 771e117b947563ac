"""A benchmark of soundness for any verifier: networks and certificates with one planted fault each.

from lengthwise.verification import benchmark

benchmark.run(benchmark.ours)  # or any function from a Question to an Answer
"""

from lengthwise.verification.benchmark.case import KINDS as KINDS
from lengthwise.verification.benchmark.case import Answer as Answer
from lengthwise.verification.benchmark.case import Case as Case
from lengthwise.verification.benchmark.case import Question as Question
from lengthwise.verification.benchmark.case import is_confirmed as is_confirmed
from lengthwise.verification.benchmark.score import EACH as EACH
from lengthwise.verification.benchmark.score import Tally as Tally
from lengthwise.verification.benchmark.score import Verifier as Verifier
from lengthwise.verification.benchmark.score import cases as cases
from lengthwise.verification.benchmark.score import run as run
from lengthwise.verification.benchmark.verifiers import VERIFIERS as VERIFIERS
from lengthwise.verification.benchmark.verifiers import ours as ours
