"""The command `diff`: compares two languages, and prints the shortest words on which they differ,
or two functions, and prints the shortest input.

The exit status is 1 if they differ.
"""

import argparse
from typing import Any

from lengthwise.cli.output import add_json, note, print_facts, print_json, print_table
from lengthwise.errors import ClaimError
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.differences import CountedLength, Differences
from lengthwise.languages.functions.by_name import function_of
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.messages import format_count
from lengthwise.problems.subjects import read_subject

_LONGEST = 10
"""Length up to which the words that differ are counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the two languages to the parser."""
    for name, metavar, first in (("first", "A", "a language: "), ("second", "B", "another: ")):
        parser.add_argument(
            name,
            metavar=metavar,
            help=f"{first}a specification, such as 'regex:(0|10*1)*'; a file of an automaton, "
            f"FILE.att, or FILE.json of infer; or a run with a proof",
        )
    parser.add_argument("--alphabet", help="all symbols of regular expressions and formulas")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print where the languages differ, and fail if they do."""
    subjects = arguments.first, arguments.second
    first, second = (read_subject(one, arguments.alphabet, proved=True) for one in subjects)
    if (one := function_of(first)) is not None and (two := function_of(second)) is not None:
        _compare_functions(subjects, (one, two), in_json=arguments.json)
        return
    found = Differences(first, second)
    counts = [] if found.equal else found.counts(_LONGEST)
    if first.alphabet != second.alphabet:
        note(_about_alphabets(first, second))
    if arguments.json:
        print_json(_as_values(subjects, (first, second), found, counts))
    else:
        _print(subjects, (first, second), found, counts)
    if not found.equal:
        assert found.shortest is not None
        word = found.decode(found.shortest) or "the empty word"
        raise ClaimError(f"A and B differ, first on {word}.")


def _compare_functions(
    subjects: tuple[str, str], functions: tuple[Function, Function], *, in_json: bool
) -> None:
    """Print whether two functions are the same, and fail with the shortest input if not.

    Raises:
        ClaimError: they differ.
        LanguageError: they are over different input symbols.
    """
    first, second = functions
    word = first.difference(second)
    facts = [
        (name, f"{subject}, {function.size}")
        for name, subject, function in zip("AB", subjects, functions, strict=True)
    ]
    values: dict[str, Any] = {
        name: {"subject": subject, "size": function.size}
        for name, subject, function in zip("AB", subjects, functions, strict=True)
    }
    difference = None
    if word is None:
        facts.append(("equal", "yes, on every input"))
    else:
        outputs = [[each.outputs[y] for y in each.run(word)] for each in functions]
        place = next(n for n, (a, b) in enumerate(zip(*outputs, strict=True)) if a != b)
        one, two = (output[place] for output in outputs)
        shown = first.reader.decode(word)
        difference = {"input": shown, "position": place + 1, "A": one, "B": two}
        facts.append(("differ on", f"{shown}: position {place + 1} is {one} in A, {two} in B"))
    if in_json:
        print_json({**values, "equal": word is None, "difference": difference})
    else:
        print_facts(facts)
    if difference is not None:
        raise ClaimError(f"A and B differ, first on {difference['input']}.")


def _about_alphabets(first: Language, second: Language) -> str:
    """Return which symbols one of the languages alone has, and what that means."""
    if {*first.alphabet} == {*second.alphabet}:
        return "The alphabets have another order; that of A decides which shortest word is first."
    only, meanings = list[str](), list[str]()
    for name, other, one, two in (("A", "B", first, second), ("B", "A", second, first)):
        if symbols := [symbol for symbol in one.alphabet if symbol not in two.alphabet]:
            only.append(f"{list_symbols(symbols, most=8)} only in {name}")
            decides = two.class_names == ("0", "1") and two.domain is None
            place = "not in it" if decides else "outside it"
            meanings.append(f"a word with a symbol that {other} lacks is {place}")
    return (
        f"The alphabets differ ({'; '.join(only)}): {', and '.join(meanings)}. If a language has "
        f"all symbols, give --alphabet."
    )


def _print(
    subjects: tuple[str, str],
    languages: tuple[Language, Language],
    found: Differences,
    counts: list[CountedLength],
) -> None:
    facts = [
        (name, f"{subject}, {format_count(language.minimise().num_states, 'state')}")
        for name, subject, language in zip("AB", subjects, languages, strict=True)
    ]
    if found.equal:
        print_facts([*facts, ("equal", "yes, on every word")])
        return
    if found.are_recognisers:
        facts += [
            (f"only in {name}", _show(found, word))
            for name, word in (("A", found.only_first), ("B", found.only_second))
        ]
        columns = ["length", "words", "only in A", "only in B"]
        cells = [[c.length, c.total, c.only_first, c.only_second] for c in counts]
    else:
        assert found.shortest is not None
        one, two = found.classes(found.shortest)
        facts.append(("differ on", f"{_show(found, found.shortest)}: class {one} in A, {two} in B"))
        columns = ["length", "words", "differ"]
        cells = [[c.length, c.total, c.differing] for c in counts]
    print_facts(facts)
    print_table(columns, [[str(cell) for cell in row] for row in cells])


def _show(found: Differences, word: tuple[int, ...] | None) -> str:
    if word is not None:
        return found.decode(word) or "(empty word)"
    if found.searched is None:
        return "no word"
    return f"no word of up to {format_count(found.searched, 'symbol')}; longer ones were not tried"


def _as_values(
    subjects: tuple[str, str],
    languages: tuple[Language, Language],
    found: Differences,
    counts: list[CountedLength],
) -> dict[str, Any]:
    def text(word: tuple[int, ...] | None) -> str | None:
        return None if word is None else found.decode(word)

    def difference() -> dict[str, str] | None:
        if found.shortest is None:
            return None
        one, two = found.classes(found.shortest)
        return {"word": found.decode(found.shortest), "A": one, "B": two}

    return {
        **{
            name: {"subject": subject, "num_states": language.minimise().num_states}
            for name, subject, language in zip("AB", subjects, languages, strict=True)
        },
        "alphabet": list(found.alphabet),
        "equal": found.equal,
        "only_in_A": text(found.only_first),
        "only_in_B": text(found.only_second),
        "difference": difference(),
        "searched_to": found.searched,
        "counts": [
            {
                "length": one.length,
                "words": one.total,
                "only_in_A": one.only_first,
                "only_in_B": one.only_second,
                "differ": one.differing,
            }
            for one in counts
        ],
    }
