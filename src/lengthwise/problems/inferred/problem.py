"""From labelled words alone to a proof: an automaton is inferred, and a network computes it.

1. Searchers make automata of the words of training, and those of validation help to choose one
   (`inference.portfolio`): that is `lw.infer`, and the problem begins where it ends.
2. The network of recognition is trained on that automaton until a proof closes.
3. The certificate is written: the network computes the automaton on words of every length.
4. The statement is written: how sure we may be that the automaton is the language meant. Only this
   step reads the words that were held out.

The certificate says nothing about the words, and the statement nothing about the network.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from lengthwise.data.words_reference import WordsReference, require_labels
from lengthwise.errors import LanguageError, TextError
from lengthwise.files import read_object, values_of, write_text
from lengthwise.inference.statement import DataStatement
from lengthwise.inference.support import Support
from lengthwise.languages.att import to_att
from lengthwise.languages.serialisation import from_dict, to_dict
from lengthwise.objectives.sizes import LARGE_MODEL
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Plan, Problem, Run
from lengthwise.problems.capabilities import Concluding, Parametrised
from lengthwise.problems.inferred.inference import (
    Inference,
    count_support,
    spec_of_words,
    statement_of,
)
from lengthwise.problems.inferred.judged import judge_held_out, write_conclusion
from lengthwise.problems.inferred.marking import mark_answers, notes_of
from lengthwise.problems.inferred.settings import InferenceConfig
from lengthwise.problems.labelled_words.measure import evaluate_on_file
from lengthwise.problems.plan import Route
from lengthwise.problems.recognition.problem import Recognition
from lengthwise.problems.results import (
    Curve,
    Evaluation,
    Options,
    Predictor,
    Section,
    Watch,
)
from lengthwise.settings import Parts, SettingInfo
from lengthwise.training.run_listing import STATEMENT, read_statement
from lengthwise.training.runs import RunFolder

MACHINE = "machine.json"
"""File of the automaton; `machine.att` beside it, if its classes are 0 and 1."""

OF_WORDS = frozenset(f"data.{name}" for name in ("max_length", "min_length", "protocol", "p_one"))
OF_WORDS |= {"network.max_length"}
"""Settings of recognition that say which words it draws; here they are given."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InferredProblem(Recognition, Parametrised, Concluding):
    """The automaton that labelled words show; `language` is that automaton."""

    kind = "inferred"
    prefix = "inferred:"
    noun = "automata inferred from words"
    setup = replace(
        Recognition.setup,
        default_model=LARGE_MODEL,
        given=Recognition.setup.given | OF_WORDS,
        train_options=frozenset(),
        evaluate_options=frozenset({"lengths", "part", "text"}),
        predict_options=frozenset({"keep_going"}),
    )

    words: WordsReference
    inference: InferenceConfig
    least_states: int = 1
    """States that every automaton has that fits the words, as the search proved."""

    @classmethod
    def of(cls, inference: Inference) -> Self:
        """Return the problem of learning the automaton of an inference.

        Raises:
            TextError: all words have one label, so that none held out can be wrongly accepted.
        """
        require_labels(inference.words.load(), inference.name)
        return cls(
            language=inference.language,
            words=inference.words,
            inference=inference.settings,
            least_states=inference.least_states,
        )

    @classmethod
    def parse(cls, spec: str, settings: Mapping[str, Any], options: Options) -> Self:
        """Read an inference that `lengthwise infer FILE --out inferred.json` wrote.

        Raises:
            TextError: no file is named, the words that it names are missing or have changed, or all
                have one label.
            RunError: it holds no inference.
        """
        file, command = (
            Path(spec.removeprefix(cls.prefix)),
            "lengthwise infer WORDS --out FILE.json",
        )
        if not file.is_file():
            raise TextError(f"{spec} does not name an existing file. Give what `{command}` wrote.")
        values = read_object(file, remedy=f"Infer again: `{command}`.")
        with values_of(file, remedy=f"Infer again: `{command}`."):
            problem = cls.from_dict(values)
        require_labels(problem.words.load(), spec)
        return problem

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the automaton of a stored run, which is not inferred again."""
        words = WordsReference.from_dict(values["words"])
        return cls(
            language=from_dict(values["language"]),
            words=words,
            inference=InferenceConfig.from_dict(values["inference"]),
            least_states=values["least_states"],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the automaton, the reference to the words, how it was inferred, and a bound."""
        return {
            "language": to_dict(self.language),
            "words": self.words.to_dict(),
            "inference": self.inference.to_dict(),
            "least_states": self.least_states,
        }

    def identity(self) -> dict[str, Any]:
        """Return the digests of the words and of the automaton, and what was set but the budget."""
        settings = self.inference.non_defaults()
        settings.pop("budget", None)
        stored = json.dumps(to_dict(self.language), sort_keys=True)
        automaton = hashlib.sha256(stored.encode()).hexdigest()[:16]
        return {"words": self.words.digest, "automaton": automaton, "inference": settings}

    @property
    def name(self) -> str:
        """The words, as a specification."""
        return spec_of_words(self.words)

    @classmethod
    def own_settings(cls, spec: str) -> Mapping[str, SettingInfo]:
        """Return none: what is inferred is there before training."""
        return {}

    def own_values(self) -> Mapping[str, Any]:
        """Return the values of the settings of inference."""
        return self.inference.to_dict()

    def routes(self, preset: str, asked: Parts) -> Sequence[Route]:
        """Return the model that is proved on any automaton within seconds."""
        return (Route(LARGE_MODEL),)

    def describe_supervision(self, plan: Plan) -> tuple[str, str]:
        """Return the objective, and a few words for what the automaton was inferred from."""
        words = "labels of whole words, by an automaton inferred from them"
        return str(plan.objective.name), words

    def account(self, records: Records) -> Account:
        """Return the account of a run: first the evidence of the words for A, then its network.

        Accuracy in validation says how well the network computes A, and nothing of words.
        """
        plain, best, folder = Problem.account(self, records), records.best, records.folder
        values = {
            **plain.values,
            "told": "labels of whole words",
            "digest": self.words.digest,
            "alphabet": list(self.words.alphabet),
            "classes": list(self.words.class_names),
            "states": best.get("states", self.language.num_states),
            "label_noise": self.inference.label_noise,
        }
        rows = [records.make_validation_row("of A's answers")]
        extended = replace(plain, rows=rows, values=values, section=partial(self._section, records))
        statement = read_statement(folder.path) if folder and best else None
        return extended if statement is None else judge_held_out(extended, records, statement)

    def _section(self, records: Records, account: Account) -> Section:
        from lengthwise.problems.inferred.section import make_section  # noqa: PLC0415  draws

        return make_section(records, account)

    def statement(self) -> DataStatement:
        """Return how sure we may be of the automaton.

        Raises:
            TextError: the file is missing, or holds other words.
        """
        return statement_of(
            self.language, self.words.load(), self.inference, self.name, self.least_states
        )

    def conclude(self, run: Run) -> None:
        """Write the certificate, the automaton and the statement, unless they are there."""
        folder = run.folder
        assert folder is not None
        place = folder.path / STATEMENT
        if place.exists():
            return
        support = count_support(self.language, self.words.load(), self.inference, self.name)
        machine = {MACHINE: to_dict(self.language)}
        record = {**self.statement().to_dict(), "support": support.to_dict()}
        write_conclusion(folder, self.certify(run, {}), machine, record, self.words.digest)
        with suppress(LanguageError):  # it has other classes than 0 and 1, or a special symbol
            write_text(folder.path / "machine.att", to_att(self.language))

    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return the predictor, which marks answers that rest on parts of A that no word shows.

        Raises:
            TextError: the run has no folder, and its words cannot be read.
        """
        statement = None if run.folder is None else read_statement(run.folder.path)
        if statement is None:
            support = count_support(self.language, self.words.load(), self.inference, self.name)
        else:
            support = Support.from_dict(statement["support"])
        plain = Recognition.predictor(self, run, options)
        answer = partial(mark_answers, plain.answer, self.language, support)
        return replace(plain, answer=answer, notes=partial(notes_of, self.language, support))

    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Test a run on the words that were held out, and shortcuts on the same words."""
        words = self.words.load(options.get("text"))
        evaluation = evaluate_on_file(run, words, options, watch, self.inference)
        account = run.account
        (name, lead), printed = account.rows[0], evaluation.printed or {}
        by_words = {"judged_by_words": lead} if name.endswith("judged by words") else {}
        return replace(
            evaluation, facts=[(name, lead), *evaluation.facts], printed={**by_words, **printed}
        )

    def curve(self, folder: RunFolder, plan: Plan) -> Curve | None:
        """Return None: accuracy by length is in the section."""
        return None
