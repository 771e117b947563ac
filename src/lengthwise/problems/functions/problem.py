"""The problem of computing a function: an output symbol at every position of the input.

A network learns the language of the function (`languages.functions.reading`): its classes of
prefixes are the outputs, or halves of them that a table joins. So models, objectives, routes to a
proof and certificates are those of recognition, and tests and answers are about outputs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from lengthwise.errors import LanguageError
from lengthwise.evaluation.scores import parse_lengths
from lengthwise.languages.functions.by_name import function_of, is_same_function, named_language
from lengthwise.languages.functions.function import Function
from lengthwise.languages.functions.reading import PrefixReading, reading_of
from lengthwise.languages.functions.spec import parse_function
from lengthwise.languages.language import Language
from lengthwise.languages.spec import names_function, parse
from lengthwise.problems.account import Account, Records
from lengthwise.problems.base import Run
from lengthwise.problems.recognition.problem import Recognition, usual_lengths
from lengthwise.problems.results import Evaluation, Options, Predictor, Section, Watch

if TYPE_CHECKING:
    from lengthwise.problems.sweep_tests import Test, TestResult
    from lengthwise.proofs.check.certificate import Certificate


@dataclass(frozen=True, kw_only=True, slots=True)
class FunctionProblem(Recognition):
    """A function whose outputs a model writes; `language` is that of its prefixes."""

    kind = "function"
    prefix = ""
    noun = "functions"
    setup = replace(
        Recognition.setup,
        evaluate_options=frozenset({"lengths", "words", "protocol", "seed"}),
        predict_options=frozenset({"keep_going"}),
    )

    function: Function

    @classmethod
    def of(cls, function: Function) -> Self:
        """Return the problem of computing a function.

        Raises:
            LanguageError: its automaton has too many states.
        """
        return cls(language=reading_of(function).language, function=function)

    @classmethod
    def parse(cls, spec: str, settings: Mapping[str, Any], options: Options) -> Self:
        """Return the problem of the function that a specification names.

        Raises:
            LanguageError: the specification is unknown or malformed.
        """
        return cls.of(parse_function(spec, parse, options.get("alphabet")))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the function of a stored run.

        Raises:
            LanguageError: it is damaged, or has the name of another function.
        """
        function = Function.from_dict(values["function"])
        if is_same_function(function.spec, function.line) is False:
            raise LanguageError(
                f"a stored function is not {function.spec:.60}, as its name says. Train again."
            )
        return cls.of(function)

    def to_dict(self) -> dict[str, Any]:
        """Return the automata and the table of the function, as plain values."""
        return {"function": self.function.to_dict()}

    @property
    def name(self) -> str:
        """The specification of the function, or its size if it has none."""
        return self.function.spec or f"a function ({self.function.size})"

    @property
    def symbols(self) -> Language:
        """The language, under a name that defines the function."""
        return named_language(self.function)

    @property
    def reading(self) -> PrefixReading:
        """The language of the function, with the outputs of its classes."""
        return reading_of(self.function)

    def account(self, records: Records) -> Account:
        """Return the account of a run: whether a proof closed of every output of every input."""
        account = Recognition.account(self, records)
        account_rows = [
            (name, text.replace("a proof at", "a proof of every output symbol, at"))
            if name == "proof"
            else (name, text)
            for name, text in account.rows
        ]
        return replace(account, rows=account_rows)

    def _section(self, records: Records, account: Account) -> Section:
        from lengthwise.problems.functions.section import (  # noqa: PLC0415  draws figures
            section_of_function,
        )

        return section_of_function(self.function, self.language, records, account.title)

    def evaluate(self, run: Run, options: Options, watch: Watch) -> Evaluation:
        """Test a run on fresh inputs, and measure the accuracy of shortcuts on them."""
        from lengthwise.problems.functions.measure import evaluate_outputs  # noqa: PLC0415  seldom

        lengths = options.get("lengths")
        if lengths is None:
            lengths = parse_lengths(usual_lengths(run.plan))
        return evaluate_outputs(run, self.reading, {**options, "lengths": lengths}, watch)

    def certify(self, run: Run, options: Options) -> "Certificate":
        """Prove that a run writes every output of every input, or find the shortest wrong one; the
        certificate names the function, by its automata if a file or a module defines it.

        Raises:
            ClaimError: `against` is a function that needs other classes, and the run writes another
                output than that.
            VerificationError: it needs other classes, and the run writes its output on the shortest
                input on which it differs from the run's own function.
        """
        asked = options.get("against")
        function = self.function if asked is None else function_of(asked)
        if function is None:
            return Recognition.certify(self, run, options)
        from lengthwise.problems.functions.wrong_inputs import (  # noqa: PLC0415  seldom
            refute_function,
        )

        if not (function.is_sequential and self.function.is_sequential):
            refute_function(run.model, self.reading, function)
            function = self.function
        return Recognition.certify(self, run, {**options, "against": named_language(function)})

    def describe_wrong_input(self, run: Run, certificate: "Certificate") -> str | None:
        """Return an input on which a run writes a wrong output, from the word whose class is wrong
        by a certificate; None if there is no such word, or its class is the output.
        """
        from lengthwise.problems.functions.wrong_inputs import (  # noqa: PLC0415  seldom
            describe_wrong_input,
        )

        wrong = certificate.counterexample
        if wrong is None or self.function.is_sequential:
            return None
        return describe_wrong_input(run.model, self.reading, self.language.encode(wrong.word))

    def test(self, run: Run, test: "Test") -> "TestResult":
        """Return the accuracy of whole outputs by length."""
        from lengthwise.problems.functions.measure import test_outputs  # noqa: PLC0415  seldom

        return test_outputs(run, test)

    def predictor(self, run: Run, options: Options) -> Predictor:
        """Return the predictor, which writes outputs."""
        from lengthwise.problems.functions.measure import output_predictor  # noqa: PLC0415  seldom

        return output_predictor(run, self.reading)


def recognition_of(language: Language) -> Recognition:
    """Return the problem of a language, or that of the function whose language it is.

    Raises:
        LanguageError: it is that of a function in a file or a module that has changed.
    """
    if not names_function(language.spec):
        return Recognition(language=language)
    function = function_of(language)
    assert function is not None
    problem = FunctionProblem.of(function)
    if problem.language != language:
        raise LanguageError(
            f"{language.spec} is another function now than the one that the weights compute. "
            f"Compile or train again."
        )
    return problem
